"""Policies on the wire: what each kind's `rules` hold, and the record of a policy.

`parse_rules` is the only way in. It takes the rules as an object or as their JSON text (published clients send
text), fills in the wire's defaults and clamps `window_minutes`; `rules_to_data` gives the normalised plain data
that a record keeps. A kind's `action` is never allow: a policy that matches raises severity or it is no policy.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from assent.contract import conditions
from assent.contract.conditions import Condition, ConditionError, shown
from assent.contract.endpoint import Endpoint
from assent.contract.guard import GuardResult
from assent.contract.problems import Code
from assent.contract.record import Id, Name, Query, Record, Request
from assent.contract.roles import ADMIN, READING

MAX_RULES_TEXT = 16_000
MIN_WINDOW, MAX_WINDOW = 1, 10_080  # minutes: up to one week


class Effect(StrEnum):
    """What a matching policy asks for."""

    WARN = "warn"
    REQUIRE_APPROVAL = "require_approval"
    BLOCK = "block"


class Fallback(StrEnum):
    """What a webhook that fails or answers too late amounts to."""

    ALLOW = "allow"
    BLOCK = "block"


class Mode(StrEnum):
    """Enforced policies decide; observed ones are evaluated and reported as `would_decide` only."""

    ENFORCE = "enforce"
    OBSERVE = "observe"


class PolicyType(StrEnum):
    RISK_THRESHOLD = "risk_threshold"
    REQUIRE_APPROVAL = "require_approval"
    BLOCK_ACTION_TYPE = "block_action_type"
    RATE_LIMIT = "rate_limit"
    WEBHOOK_CHECK = "webhook_check"
    CONDITION = "condition"


ActionType = Annotated[str, Meta(min_length=1, max_length=128)]
ActionTypes = Annotated[tuple[ActionType, ...], Meta(min_length=1, max_length=500)]
AgentIds = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=128)], ...], Meta(max_length=500)]
Score = Annotated[int, Meta(ge=0, le=100)] | Annotated[float, Meta(ge=0, le=100)]


class RiskThreshold(Struct, frozen=True, kw_only=True):
    """Matches when the risk score is `threshold` or more."""

    threshold: Score = 80
    action: Effect = Effect.BLOCK


class RequireApproval(Struct, frozen=True, kw_only=True):
    """Matches these action types exactly; the effect is require_approval."""

    action_types: ActionTypes


class BlockActionType(Struct, frozen=True, kw_only=True):
    """Matches these action types exactly; the effect is block."""

    action_types: ActionTypes


class RateLimit(Struct, frozen=True, kw_only=True):
    """Matches when the agent already has `max_actions` action records in the window before now."""

    max_actions: Annotated[int, Meta(ge=1, le=1_000_000)] = 50
    window_minutes: Annotated[int, Meta(gt=0)] = 60
    action: Effect = Effect.WARN

    def __post_init__(self) -> None:
        force_setattr(self, "window_minutes", min(max(self.window_minutes, MIN_WINDOW), MAX_WINDOW))


class WebhookCheck(Struct, frozen=True, kw_only=True):
    """Asks `url` after all other policies; the answer may only raise severity.

    Only the form of the address is checked here. Whether it leads into a private network is known when it is
    resolved, so whoever connects has to refuse that.
    """

    url: Annotated[str, Meta(min_length=1, max_length=2000)]
    timeout_ms: Annotated[int, Meta(ge=1000, le=10_000)] = 5000
    on_timeout: Fallback = Fallback.ALLOW


class ConditionRules(Struct, frozen=True, kw_only=True):
    """Matches when the tree holds for the guard context. There is no default for `action`: it has to be meant."""

    when: Condition
    action: Effect


Rules: TypeAlias = RiskThreshold | RequireApproval | BlockActionType | RateLimit | WebhookCheck | ConditionRules


class PolicyDraft(Request, frozen=True, kw_only=True):
    """A policy as somebody asks for it; `rules` is an object or its JSON text, see `parse_rules`."""

    name: Name
    policy_type: str
    rules: object
    active: bool = True
    agent_ids: AgentIds = ()
    mode: Mode = Mode.ENFORCE


class Policy(Record, frozen=True, kw_only=True):
    """A stored policy. No `agent_ids` means every agent; `rules` is normalised data; `version` is the organization's
    version of its policies that this state of the policy came with."""

    org_id: str
    policy_id: str
    name: Name
    policy_type: str
    rules: dict[str, object]
    active: bool
    agent_ids: list[str]
    mode: Mode
    version: int
    created_at: datetime
    created_by: str
    updated_at: datetime
    updated_by: str
    deleted_at: datetime | None


class PolicyError(ValueError):
    """Rules that cannot be read. `place` is where (`rules.threshold`), `message` what and what is allowed."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.message = message


class _ConditionBody(Struct, frozen=True, kw_only=True):
    """ConditionRules before the tree is read, which msgspec cannot do by itself."""

    when: object
    action: Effect


_BODIES: dict[PolicyType, type[Struct]] = {
    PolicyType.RISK_THRESHOLD: RiskThreshold,
    PolicyType.REQUIRE_APPROVAL: RequireApproval,
    PolicyType.BLOCK_ACTION_TYPE: BlockActionType,
    PolicyType.RATE_LIMIT: RateLimit,
    PolicyType.WEBHOOK_CHECK: WebhookCheck,
    PolicyType.CONDITION: _ConditionBody,
}


def parse_rules(policy_type: str, rules: object, *, strict: bool = False) -> Rules:
    """Read a policy's rules. Raises PolicyError.

    Unknown members are ignored, as published clients send some; with `strict` they are refused, because a
    misspelt `treshold` would otherwise quietly mean the default.
    """
    if policy_type not in PolicyType.__members__.values():
        raise PolicyError("policy_type", f"is {shown(policy_type)}, expected one of {', '.join(PolicyType)}")
    body = _BODIES[PolicyType(policy_type)]
    data = _plain(rules)
    unknown = sorted(str(key) for key in data if key not in body.__struct_fields__)
    if strict and unknown:
        known = ", ".join(body.__struct_fields__)
        raise PolicyError("rules", f"has the unknown member {shown(unknown[0])}, {policy_type} knows {known}")
    try:
        parsed = msgspec.convert(data, body)
    except msgspec.ValidationError as error:
        raise _located(error, data) from None
    if isinstance(parsed, _ConditionBody):
        try:
            return ConditionRules(when=conditions.parse(parsed.when, "rules.when"), action=parsed.action)
        except ConditionError as error:
            raise PolicyError(error.place, error.message) from None
    if isinstance(parsed, WebhookCheck) and not _is_https(parsed.url):
        wanted = "expected an https address with a host and without user name or password"
        raise PolicyError("rules.url", f"is {shown(parsed.url)}, {wanted}")
    assert isinstance(parsed, Rules)
    return parsed


def rules_to_data(rules: Rules) -> dict[str, object]:
    """The rules as plain data, defaults included; `parse_rules` reads them back to an equal struct."""
    if isinstance(rules, ConditionRules):
        return {"when": conditions.to_data(rules.when), "action": rules.action.value}
    data: dict[str, object] = msgspec.to_builtins(rules, builtin_types=())
    return {key: list(value) if isinstance(value, tuple) else value for key, value in data.items()}


def _plain(rules: object) -> Mapping[str, object]:
    if isinstance(rules, str):
        if len(rules) > MAX_RULES_TEXT:
            raise PolicyError("rules", f"has {len(rules)} characters, at most {MAX_RULES_TEXT} are allowed")
        try:
            rules = msgspec.json.decode(rules)
        except (msgspec.DecodeError, RecursionError) as error:
            raise PolicyError("rules", f"is no valid JSON text ({error}); send an object or its JSON text") from None
    if not isinstance(rules, Mapping):
        raise PolicyError("rules", f"is {shown(rules)}, expected an object or its JSON text")
    return rules


_PLACE = re.compile(r"(?s)(.*?)(?: - at `\$(.*)`)?")


def _located(error: msgspec.ValidationError, data: object) -> PolicyError:
    """msgspec's message with our place in front and the value that was found."""
    parts = _PLACE.fullmatch(str(error))
    assert parts is not None
    message, path = parts.group(1), parts.group(2) or ""
    for key, index in re.findall(r"\.([^.\[]+)|\[(\d+)\]", path):
        if isinstance(data, Mapping):
            data = data.get(key)
        elif isinstance(data, list | tuple):
            data = data[int(index)]
    if path:
        message = f"is {shown(data)}: {message}"
    if "enum" in message.lower():
        choices = Fallback if path == ".on_timeout" else Effect
        message += f" (one of {', '.join(choices)})"
    return PolicyError(f"rules{path}", message)


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises on a port that is no number
    except ValueError:
        return False
    plain = parts.username is None and parts.password is None and not any(c.isspace() for c in url)
    return parts.scheme == "https" and bool(parts.hostname) and plain


class PolicyChange(Request, frozen=True, kw_only=True):
    """Members to change; the others stay. `policy_id` may be given here instead of in the path."""

    policy_id: Id | None = None
    name: Name | None = None
    policy_type: str | None = None
    rules: object = None
    active: bool | None = None
    agent_ids: AgentIds | None = None
    mode: Mode | None = None


class PolicyQuery(Query, frozen=True, kw_only=True):
    """`id` names the policy for published clients, which do not put it in the path."""

    id: Id | None = None


class PolicyDetail(Record, frozen=True, kw_only=True):
    policy: Policy


class Policies(Record, frozen=True, kw_only=True):
    """In the order of their creation. `version` counts the changes of the organization's policies."""

    policies: list[Policy]
    version: int


class DeletedPolicy(Record, frozen=True, kw_only=True):
    deleted: bool
    policy_id: str


class ImportPolicies(Request, frozen=True, kw_only=True):
    """`yaml` is the text of a pack, or `pack` names one that comes with the service (`default`).

    A policy whose name exists already is changed to what the pack says. With `replace`, policies that the pack does
    not name are deleted.
    """

    yaml: Annotated[str, Meta(max_length=262_144)] | None = None
    pack: Annotated[str, Meta(max_length=128)] | None = None
    replace: bool = False


class ImportedPolicies(Record, frozen=True, kw_only=True):
    """How many policies the pack made or changed, left as they were, and removed."""

    imported: int
    unchanged: int
    deleted: int
    policies: list[Policy]


class TestPolicies(Request, frozen=True, kw_only=True):
    """Try `context` on the organization's policies, or on `policies`; nothing is recorded.

    Without a context every policy is checked by itself, as published clients ask for.
    """

    context: dict[str, object] | None = None
    policies: Annotated[list[PolicyDraft], Meta(max_length=1000)] | None = None


class PolicyCheck(Record, frozen=True, kw_only=True):
    """Whether one policy can be read and compiled."""

    policy_id: str | None
    name: str
    passed: bool
    message: str


class PolicyTest(Record, frozen=True, kw_only=True):
    """`result` is what guard would have answered, None without a context. `success` says that every policy passed."""

    success: bool
    total: int
    passed: int
    failed: int
    results: list[PolicyCheck]
    result: GuardResult | None


GET_POLICIES = Endpoint(
    operation="get_policies",
    method="GET",
    path="/api/policies",
    summary="The organization's policies.",
    roles=READING,
    response=Policies,
)
CREATE_POLICY = Endpoint(
    operation="create_policy",
    method="POST",
    path="/api/policies",
    summary="Add a policy; the next guard call follows it.",
    roles=ADMIN,
    request=PolicyDraft,
    response=PolicyDetail,
    statuses=(201,),
    problems=(Code.INVALID_POLICY, Code.POLICY_EXISTS),
)
UPDATE_POLICY = Endpoint(
    operation="update_policy",
    method="PATCH",
    path="/api/policies/{policy_id}",
    also=("/api/policies",),
    summary="Change a policy; the next guard call follows it.",
    roles=ADMIN,
    request=PolicyChange,
    query=PolicyQuery,
    response=PolicyDetail,
    problems=(Code.INVALID_POLICY, Code.POLICY_NOT_FOUND, Code.POLICY_EXISTS),
)
DELETE_POLICY = Endpoint(
    operation="delete_policy",
    method="DELETE",
    path="/api/policies/{policy_id}",
    also=("/api/policies",),
    summary="Remove a policy; the next guard call does without it.",
    roles=ADMIN,
    query=PolicyQuery,
    response=DeletedPolicy,
    problems=(Code.POLICY_NOT_FOUND,),
)
IMPORT_POLICIES = Endpoint(
    operation="import_policies",
    method="POST",
    path="/api/policies/import",
    summary="Add or change the policies of a YAML pack, all or none.",
    roles=ADMIN,
    request=ImportPolicies,
    response=ImportedPolicies,
    problems=(Code.INVALID_POLICY,),
)
TEST_POLICIES = Endpoint(
    operation="test_policies",
    method="POST",
    path="/api/policies/test",
    summary="What the policies would say about a context, without recording anything.",
    roles=READING,
    request=TestPolicies,
    response=PolicyTest,
    problems=(Code.INVALID_POLICY,),
)
