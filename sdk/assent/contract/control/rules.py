"""The rules of each kind of policy, and the only way in.

`parse_rules` takes the rules as an object or as their JSON text (published clients send text), fills in the wire's
defaults and clamps `window_minutes`; `rules_to_data` gives the normalised plain data that a record keeps. A kind's
`action` is never allow: a policy that matches raises severity or it is no policy.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeAlias
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import force_setattr

from assent.contract import conditions
from assent.contract.conditions import Condition, ConditionError, abbreviated
from assent.contract.prepared import prepared

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


class AlwaysAsk(StrEnum):
    """Whether a policy that asks for approval asks although a standing grant (`control.grants`) covers the request."""

    NEVER = "never"
    DESTRUCTIVE = "destructive"
    """Where the goal speaks of destruction (`assent.destructive`)."""
    ALWAYS = "always"


class PolicyType(StrEnum):
    RISK_THRESHOLD = "risk_threshold"
    REQUIRE_APPROVAL = "require_approval"
    BLOCK_ACTION_TYPE = "block_action_type"
    RATE_LIMIT = "rate_limit"
    WEBHOOK_CHECK = "webhook_check"
    CONDITION = "condition"
    KNOWN_TYPES = "known_types"
    FLOW = "flow"


ActionType = Annotated[str, Meta(min_length=1, max_length=128)]
ActionTypes = Annotated[tuple[ActionType, ...], Meta(min_length=1, max_length=500)]
Score = Annotated[int, Meta(ge=0, le=100)] | Annotated[float, Meta(ge=0, le=100)]


class RiskThreshold(Struct, frozen=True, kw_only=True):
    """Matches when the risk score is `threshold` or more."""

    threshold: Score = 80
    action: Effect = Effect.BLOCK


class RequireApproval(Struct, frozen=True, kw_only=True):
    """Matches these action types, however they are spelled (`contract.names`); the effect is require_approval.

    A request that nobody has decided for `escalate_after_minutes` is told of to the group `escalate_to` of the rota
    (`people.rota`). Both go together, and change no verdict."""

    action_types: ActionTypes
    escalate_after_minutes: Annotated[int, Meta(ge=1, le=MAX_WINDOW)] | None = None
    escalate_to: Annotated[str, Meta(min_length=1, max_length=64)] | None = None


class BlockActionType(Struct, frozen=True, kw_only=True):
    """Matches these action types, however they are spelled (`contract.names`); the effect is block."""

    action_types: ActionTypes


class KnownTypes(Struct, frozen=True, kw_only=True):
    """Matches every action type that is not among these: a list of what may be done, where a list of what may not is
    only as good as its author's imagination. `require_approval` lets an operator look at a new type and accept it."""

    action_types: Annotated[tuple[ActionType, ...], Meta(max_length=500)] = ()
    action: Effect = Effect.REQUIRE_APPROVAL


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


class FlowRules(Struct, frozen=True, kw_only=True):
    """Matches when a value that is about to be written or sent comes from where it should not, by what the session was
    told (`contract.control.flows`). `pack` says what one's own tools are (`assent.flows.pack`), for all flow policies
    together; its `rules` are this policy's own. With `when`, a rule of the house, it matches where that tree holds
    instead, and where nobody can tell whether it does. No standing grant and no triage lets through what it asks
    about."""

    action: Effect = Effect.REQUIRE_APPROVAL
    pack: dict[str, Any] = {}
    when: Condition | None = None


Rules: TypeAlias = (
    RiskThreshold
    | RequireApproval
    | BlockActionType
    | RateLimit
    | WebhookCheck
    | ConditionRules
    | KnownTypes
    | FlowRules
)


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


class _FlowBody(Struct, frozen=True, kw_only=True):
    """FlowRules before the tree is read."""

    action: Effect = Effect.REQUIRE_APPROVAL
    pack: dict[str, Any] = {}
    when: object = None


_BODIES: dict[PolicyType, type[Struct]] = {
    PolicyType.RISK_THRESHOLD: RiskThreshold,
    PolicyType.REQUIRE_APPROVAL: RequireApproval,
    PolicyType.BLOCK_ACTION_TYPE: BlockActionType,
    PolicyType.RATE_LIMIT: RateLimit,
    PolicyType.WEBHOOK_CHECK: WebhookCheck,
    PolicyType.CONDITION: _ConditionBody,
    PolicyType.KNOWN_TYPES: KnownTypes,
    PolicyType.FLOW: _FlowBody,
}


def parse_rules(policy_type: str, rules: object, *, strict: bool = False) -> Rules:
    """Read a policy's rules. Raises PolicyError.

    Unknown members are ignored, as published clients send some; with `strict` they are refused, because a
    misspelt `treshold` would otherwise quietly mean the default.
    """
    if policy_type not in PolicyType.__members__.values():
        raise PolicyError("policy_type", f"is {abbreviated(policy_type)}, expected one of {', '.join(PolicyType)}")
    body = _BODIES[PolicyType(policy_type)]
    data = _plain(rules)
    unknown = sorted(str(key) for key in data if key not in body.__struct_fields__)
    if strict and unknown:
        known = ", ".join(body.__struct_fields__)
        raise PolicyError("rules", f"has the unknown member {abbreviated(unknown[0])}, {policy_type} knows {known}")
    try:
        parsed = msgspec.convert(data, prepared(body))
    except msgspec.ValidationError as error:
        raise _located(error, data) from None
    if isinstance(parsed, _ConditionBody | _FlowBody):
        try:
            return _with_tree(parsed)
        except ConditionError as error:
            raise PolicyError(error.place, error.message) from None
    if isinstance(parsed, WebhookCheck) and not _is_https(parsed.url):
        wanted = "expected an https address with a host and without user name or password"
        raise PolicyError("rules.url", f"is {abbreviated(parsed.url)}, {wanted}")
    if isinstance(parsed, RequireApproval) and (parsed.escalate_to is None) is not (
        parsed.escalate_after_minutes is None
    ):
        lacking = "escalate_to" if parsed.escalate_to is None else "escalate_after_minutes"
        raise PolicyError(f"rules.{lacking}", "is missing: escalate_after_minutes and escalate_to go together")
    assert isinstance(parsed, Rules)
    return parsed


def _with_tree(body: _ConditionBody | _FlowBody) -> ConditionRules | FlowRules:
    """Raises ConditionError."""
    if isinstance(body, _ConditionBody):
        return ConditionRules(when=conditions.parse(body.when, "rules.when"), action=body.action)
    when = None if body.when is None else conditions.parse(body.when, "rules.when", session=True)
    return FlowRules(action=body.action, pack=body.pack, when=when)


def check_always_ask(rules: Rules, always_ask: AlwaysAsk) -> None:
    """Raises PolicyError for a policy that asks nobody, and so cannot ask always."""
    asks = isinstance(rules, RequireApproval) or getattr(rules, "action", None) is Effect.REQUIRE_APPROVAL
    if always_ask is not AlwaysAsk.NEVER and not asks:
        raise PolicyError("always_ask", "goes with policies that ask for approval only; leave it out")


def effect_of(rules: Rules) -> Effect | None:
    """What a policy with these rules asks for where it matches; None of a webhook, which says so itself."""
    match rules:
        case BlockActionType():
            return Effect.BLOCK
        case RequireApproval():
            return Effect.REQUIRE_APPROVAL
        case WebhookCheck():
            return None
        case _:
            return rules.action


def rules_to_data(rules: Rules) -> dict[str, object]:
    """The rules as plain data, defaults included but for what is None; `parse_rules` reads them back to an equal
    struct."""
    if isinstance(rules, ConditionRules):
        return {"when": conditions.to_data(rules.when), "action": rules.action.value}
    if isinstance(rules, FlowRules):
        said: dict[str, object] = {"action": rules.action.value, "pack": rules.pack}
        return said if rules.when is None else {**said, "when": conditions.to_data(rules.when)}
    data: dict[str, object] = msgspec.to_builtins(rules, builtin_types=())
    given = {key: value for key, value in data.items() if value is not None}
    return {key: list(value) if isinstance(value, tuple) else value for key, value in given.items()}


def _plain(rules: object) -> Mapping[str, object]:
    if isinstance(rules, str):
        if len(rules) > MAX_RULES_TEXT:
            raise PolicyError("rules", f"has {len(rules)} characters, at most {MAX_RULES_TEXT} are allowed")
        try:
            rules = msgspec.json.decode(rules)
        except (msgspec.DecodeError, RecursionError) as error:
            raise PolicyError("rules", f"is no valid JSON text ({error}); send an object or its JSON text") from None
    if not isinstance(rules, Mapping):
        raise PolicyError("rules", f"is {abbreviated(rules)}, expected an object or its JSON text")
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
        message = f"is {abbreviated(data)}: {message}"
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
