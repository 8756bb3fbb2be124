"""Standing grants: an approval given in advance, for these agents, this type of action and these conditions, so often,
until then.

Guard decides as without it: a person must decide. Where a grant covers the request, its maker has decided already. The
action begins to run with an approval that names the grant, and one use of the grant is spent. It covers a request when
all of this holds:

1. The grant is live: not revoked, not expired (`expires_at` is the first moment at which it is), and not used up.
2. The action happens now, its agent is among `agent_ids` and its type is `action_type`, however they are spelled
   (`contract.names`).
3. Its risk is at most `max_risk`.
4. The conditions hold (`contract.conditions`, over the fields that policies look at, and about whole values); without
   any it is every request.
5. Every policy that matched is decided by guard itself, neither by a webhook nor by the scan for prompt injections;
   none of them always asks (`always_ask`); and it is not asked to find out what asking changes (`exploration`).
6. Where the service refuses that a key decides on what it opened (`self_decisions`), the key that asks is not the one
   that made the grant.

Of several, the one that ends soonest is used. A use that was spent is not given back, whatever becomes of the action. A
grant that was revoked lets nothing through any more, and what it let through before can be claimed no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta, field

from assent.contract import conditions
from assent.contract.conditions import Condition
from assent.contract.control.guard import ActionType
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Limit,
    Moment,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    Score,
    ShortText,
    meaning,
)
from assent.contract.roles import OPERATING, READING

MOST_DAYS = 90
MOST_USES = 1000
MOST_LIVE = 500
"""Grants of one organization that may be live at once."""

GrantedAgents = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=128)], ...], Meta(min_length=1, max_length=50)
]
Uses = Annotated[int, Meta(ge=1, le=MOST_USES)]
Words = Annotated[str, Meta(min_length=1, max_length=2000)]


class GrantState(StrEnum):
    """`live` lets through; `used_up`, `expired` and `revoked` do not any more. Revoked counts before expired, and
    expired before used up."""

    LIVE = "live"
    USED_UP = "used_up"
    EXPIRED = "expired"
    REVOKED = "revoked"


class CreateGrant(Request, frozen=True, kw_only=True):
    """`when` is a condition tree over the fields of the request, as policies have them (`parameters.amount`), which may
    be about a whole value, too; without one any request of the type is covered. `expires_at` lies within 90 days.
    `from_action_id` is the action whose request gave the pattern."""

    example: ClassVar[Example] = {
        "agent_ids": ["refunder"],
        "action_type": "refund",
        "when": {"field": "parameters.amount", "op": "lte", "value": 50},
        "max_risk": 40,
        "max_uses": 20,
        "expires_at": "2026-11-27T18:00:00Z",
        "reason": "Small refunds of the sale; looked at the first ten.",
    }

    agent_ids: GrantedAgents
    action_type: ActionType
    max_risk: Score
    max_uses: Uses
    expires_at: Moment
    reason: Words
    when: dict[str, Any] | None = None
    from_action_id: Id | None = None


class RevokeGrant(Request, frozen=True, kw_only=True):
    """`reason` is why it ends."""

    example: ClassVar[Example] = {"reason": "The sale is over."}

    reason: Words | None = None


class GrantUse(Record, frozen=True, kw_only=True):
    """One use: the `number`-th, of this action, whose approval it gave under guard's decision. `self_decided` says
    that the key which made the grant is the one that opened the action."""

    number: int
    action_id: str
    approval_id: str
    decision_id: str
    at: datetime
    self_decided: bool


class Grant(Record, frozen=True, kw_only=True):
    """A standing grant as it is now. `last_use` is the newest of its uses; what it let through are the approvals that
    name it."""

    org_id: OrganizationId
    grant_id: Annotated[str, meaning("id of the grant", frozen=True)]
    agent_ids: Annotated[list[str], meaning("the agents that it is for", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    when: Annotated[
        dict[str, Any] | None, meaning("the conditions on the request; empty holds for all of them", frozen=True)
    ]
    max_risk: Annotated[float, meaning("the highest risk that it lets through", unit="0-100", frozen=True)]
    max_uses: Annotated[int, meaning("how often it can be used", frozen=True)]
    used: Annotated[int, meaning("how often it was used")]
    expires_at: Annotated[datetime, meaning("the first moment at which it lets nothing through any more", frozen=True)]
    reason: Annotated[str, meaning("why it was given", frozen=True)]
    from_action_id: Annotated[str | None, meaning("the action whose request gave the pattern", frozen=True)]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that gave it", frozen=True)]
    created_by_name: Annotated[str, meaning("who gave it, by the key's name then", frozen=True)]
    last_use: Annotated[GrantUse | None, meaning("the newest use")]
    revoked_at: Annotated[datetime | None, meaning("when it was revoked")]
    revoked_by: Annotated[str | None, meaning("id of the key that revoked it")]
    revoked_reason: Annotated[str | None, meaning("why it was revoked")]


def state_of(grant: Grant, at: datetime) -> GrantState:
    """The state of a grant at a moment."""
    if grant.revoked_at is not None:
        return GrantState.REVOKED
    if at >= grant.expires_at:
        return GrantState.EXPIRED
    return GrantState.USED_UP if grant.used >= grant.max_uses else GrantState.LIVE


def condition_of(when: Mapping[str, Any] | None) -> Condition | None:
    """The conditions of a grant, None for those that hold for everything. Raises ConditionError."""
    return None if when is None else conditions.parse(when, "when", whole=True)


class GrantsQuery(Query, frozen=True, kw_only=True):
    """`state` is the grant's now; `agent_id` one of its agents, in any spelling."""

    state: GrantState | None = None
    action_type: ShortText | None = None
    agent_id: ShortText | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class GrantDetail(Record, frozen=True, kw_only=True):
    grant: Grant
    state: GrantState


class GrantUses(Record, frozen=True, kw_only=True):
    """A grant with each of its uses, oldest first, as they were recorded."""

    grant: Grant
    state: GrantState
    uses: list[GrantUse]


class Grants(Record, frozen=True, kw_only=True):
    """A page, newest first. `total` counts all that fit; `at` is the moment by which states are told (`state_of`);
    `next_cursor` is None on the last page."""

    grants: list[Grant]
    total: int
    at: datetime
    next_cursor: str | None


class GrantDraft(Record, frozen=True, kw_only=True):
    """The pattern of a request, ready to be narrowed or widened: whose, what, under which conditions, and up to which
    risk. As it stands it covers this very request and no other, but for what another adds beside its parameters.
    `exact` says of each value that is bound by its digest what it is (`3 items`), by its field. `unbound` are arguments
    that no condition can bind, `unbound_metadata` the names of its metadata, which change with each call and are not
    bound. `covers` says whether a grant of exactly this would let the request through, `why_not` why it would not."""

    action_id: str
    agent_ids: list[str]
    action_type: str
    when: dict[str, Any] | None
    exact: dict[str, str]
    unbound: list[str]
    max_risk: float
    unbound_metadata: list[str] = field(default_factory=list[str])
    covers: bool
    why_not: str | None


CREATE_GRANT = Endpoint(
    operation="create_grant",
    method="POST",
    path="/api/grants",
    summary="Approve in advance what fits a pattern, so often and until then; the next creation follows it.",
    roles=OPERATING,
    request=CreateGrant,
    response=GrantDetail,
    statuses=(201,),
    problems=(Code.TOO_MANY_GRANTS, Code.SELF_APPROVAL, Code.ACTION_NOT_FOUND, Code.ACTION_ERASED),
    refuses_secrets=True,
)
LIST_GRANTS = Endpoint(
    operation="list_grants",
    method="GET",
    path="/api/grants",
    summary="Standing grants, newest first.",
    roles=READING,
    query=GrantsQuery,
    response=Grants,
)
GET_GRANT = Endpoint(
    operation="get_grant",
    method="GET",
    path="/api/grants/{grant_id}",
    summary="A standing grant and each of its uses.",
    roles=READING,
    response=GrantUses,
    problems=(Code.GRANT_NOT_FOUND,),
)
REVOKE_GRANT = Endpoint(
    operation="revoke_grant",
    method="POST",
    path="/api/grants/{grant_id}/revoke",
    summary="End a standing grant at once; what it let through can be claimed no more.",
    roles=OPERATING,
    request=RevokeGrant,
    response=GrantDetail,
    problems=(Code.GRANT_NOT_FOUND,),
    refuses_secrets=True,
)
DRAFT_GRANT = Endpoint(
    operation="draft_grant",
    method="GET",
    path="/api/actions/{action_id}/grant",
    summary="The pattern of an action's request: a standing grant of it covers this very request and no other.",
    roles=READING,
    response=GrantDraft,
    problems=(Code.ACTION_NOT_FOUND, Code.ACTION_ERASED),
)
