"""Policies on the wire: what somebody asks for, what is kept, and the operations on them."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta, field

from assent.contract.control.exploration import Share
from assent.contract.control.guard import ActionType, GuardResult
from assent.contract.control.rules import AlwaysAsk, PolicyType
from assent.contract.endpoint import MEGABYTE, Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Id, Name, OrganizationId, Query, Record, RecordedAt, Request, meaning
from assent.contract.roles import ADMIN, OPERATING, READING

Version = Annotated[int, Meta(ge=1, le=2**53 - 1)]
AgentIds = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=128)], ...], Meta(max_length=500)]


FLOW_ENFORCED = (
    "While it observes, it looks at sessions that were told what was said and answered. Enforced, it asks in the "
    "others as well, about whatever writes or sends."
)
"""What follows when a policy of kind `flow` is enforced that only observed."""
NO_PAST = (
    "A call that names no session, or one that was told nothing, has no past: enforced, the policy matches there, as "
    "nobody can tell; while it observes, it leaves the call alone."
)
"""What a policy of kind `flow` makes of a call of which nobody knows what was before."""


class Mode(StrEnum):
    """Enforced policies decide; observed ones are evaluated and reported as `would_decide` only."""

    ENFORCE = "enforce"
    OBSERVE = "observe"


class PolicyDraft(Request, frozen=True, kw_only=True):
    """A policy as somebody asks for it; `rules` is an object or its JSON text, see `parse_rules`. `explore` is for
    which share of hours it does the other thing (`contract.control.exploration`), 0 for never. `always_ask` of one that
    asks for approval: never, destructive or always, whether it asks although a standing grant covers the request."""

    example: ClassVar[Example] = {
        "name": "No deletes",
        "policy_type": "block_action_type",
        "rules": {"action_types": ["delete"]},
    }

    name: Name
    policy_type: str
    rules: object
    active: bool = True
    agent_ids: AgentIds = ()
    mode: Mode = Mode.ENFORCE
    explore: Share = 0.0
    always_ask: AlwaysAsk = AlwaysAsk.NEVER


class Policy(Record, frozen=True, kw_only=True):
    """A stored policy. No `agent_ids` means every agent; `rules` is normalised data; `version` is the organization's
    version of its policies that this state of the policy came with."""

    org_id: OrganizationId
    policy_id: Annotated[str, meaning("id of the policy", frozen=True)]
    name: Annotated[Name, meaning("what people call it")]
    policy_type: Annotated[str, meaning("which kind it is")]
    rules: Annotated[dict[str, object], meaning("its rules, defaults filled in")]
    active: Annotated[bool, meaning("whether guard looks at it")]
    agent_ids: Annotated[list[str], meaning("the agents it is limited to; empty means all")]
    mode: Annotated[Mode, meaning("enforce or observe")]
    version: Annotated[int, meaning("version of the organization's policies that this state came with")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it, or system")]
    updated_at: Annotated[datetime, meaning("when it was last changed")]
    updated_by: Annotated[str, meaning("id of the key that changed it last")]
    deleted_at: Annotated[datetime | None, meaning("when it was removed")]
    explore: Annotated[float, meaning("for which share of hours it does the other thing to find out", unit="0-0.5")] = (
        0.0
    )
    always_ask: Annotated[
        AlwaysAsk, meaning("never, destructive or always: whether it asks although a standing grant covers the request")
    ] = AlwaysAsk.NEVER


def once_enforced(policy: Policy) -> str | None:
    """What follows when a policy that only observed is enforced, beyond that it decides; None where nothing does."""
    if policy.policy_type != PolicyType.FLOW:
        return None
    return NO_PAST if "when" in policy.rules else FLOW_ENFORCED


class PolicyChange(Request, frozen=True, kw_only=True):
    """Members to change; the others stay. `policy_id` may be given here instead of in the path. With `if_version`, the
    `version` of the policy as it was read, a policy that somebody changed since is left as it is."""

    example: ClassVar[Example] = {"active": False}

    policy_id: Id | None = None
    if_version: Version | None = None
    name: Name | None = None
    policy_type: str | None = None
    rules: object = None
    active: bool | None = None
    agent_ids: AgentIds | None = None
    mode: Mode | None = None
    explore: Share | None = None
    always_ask: AlwaysAsk | None = None


class PolicyQuery(Query, frozen=True, kw_only=True):
    """`id` names the policy for published clients, which do not put it in the path."""

    id: Id | None = None


class PolicyRemoval(Query, frozen=True, kw_only=True):
    """`id` as in PolicyQuery, `if_version` as in PolicyChange."""

    id: Id | None = None
    if_version: Version | None = None


class PolicyDetail(Record, frozen=True, kw_only=True):
    """`warnings` say what the policy rests on and is not there, such as a group with nobody in it, and which tools
    other policies read its way."""

    policy: Policy
    warnings: list[str] = field(default_factory=list[str])


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

    example: ClassVar[Example] = {"pack": "default"}

    yaml: Annotated[str, Meta(max_length=262_144)] | None = None
    pack: Annotated[str, Meta(max_length=128)] | None = None
    replace: bool = False


class ImportedPolicies(Record, frozen=True, kw_only=True):
    """How many policies the pack made or changed, left as they were, and removed. `warnings` say what was enforced and
    is not any more, and are those of all policies that the organization has now."""

    imported: int
    unchanged: int
    deleted: int
    policies: list[Policy]
    warnings: list[str] = field(default_factory=list[str])


class TestPolicies(Request, frozen=True, kw_only=True):
    """Try `context` on the organization's policies, or on `policies`; nothing is recorded.

    Without a context every policy is checked by itself, as published clients ask for.
    """

    example: ClassVar[Example] = {"context": {"action_type": "delete"}}

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


class AcceptActionType(Request, frozen=True, kw_only=True):
    """An action type that is known from now on."""

    example: ClassVar[Example] = {"action_type": "refund"}

    action_type: ActionType


class AcceptedActionType(Record, frozen=True, kw_only=True):
    """`action_type` as it is kept. `policies` are the active ones of kind known_types, which all have it now; `changed`
    how many of them had not."""

    action_type: str
    changed: int
    policies: list[Policy]


GET_POLICIES = Endpoint(
    operation="get_policies",
    method="GET",
    path="/api/policies",
    summary="The organization's policies.",
    roles=READING,
    response=Policies,
)
GET_POLICY = Endpoint(
    operation="get_policy",
    method="GET",
    path="/api/policies/{policy_id}",
    summary="One policy with its rules and version.",
    roles=READING,
    response=PolicyDetail,
    problems=(Code.POLICY_NOT_FOUND,),
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
    refuses_secrets=True,
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
    problems=(Code.INVALID_POLICY, Code.POLICY_NOT_FOUND, Code.POLICY_EXISTS, Code.POLICY_CHANGED),
    refuses_secrets=True,
)
DELETE_POLICY = Endpoint(
    operation="delete_policy",
    method="DELETE",
    path="/api/policies/{policy_id}",
    also=("/api/policies",),
    summary="Remove a policy; the next guard call does without it.",
    roles=ADMIN,
    query=PolicyRemoval,
    response=DeletedPolicy,
    problems=(Code.POLICY_NOT_FOUND, Code.POLICY_CHANGED),
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
    limit=2 * MEGABYTE,
    refuses_secrets=True,
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
    # Drafts are tried as they are, and not kept; a context loses its secrets as it does in guard.
    keeps_secrets=("policies",),
)
ACCEPT_ACTION_TYPE = Endpoint(
    operation="accept_action_type",
    method="POST",
    path="/api/policies/known-types",
    summary="Add an action type to the known ones; the next guard call follows it.",
    roles=OPERATING,
    request=AcceptActionType,
    response=AcceptedActionType,
    problems=(Code.POLICY_NOT_FOUND, Code.INVALID_POLICY, Code.SELF_APPROVAL),
)
