"""Escalations: a request that nobody has decided for as long as a policy says, and the group that is told then.

Which policies escalate is in their rules (`RequireApproval`). An escalation decides nothing and keeps nobody from
deciding. No agent's key reads one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from assent.contract.control.policies import Policy, PolicyDraft
from assent.contract.control.rules import PolicyType
from assent.contract.endpoint import Endpoint
from assent.contract.names import same_name
from assent.contract.people.rota import Duty
from assent.contract.record import Cursor, Id, Limit, Offset, OrganizationId, Query, Record, RecordedAt, meaning
from assent.contract.roles import READING


class Escalation(Record, frozen=True, kw_only=True):
    """That a request was escalated, once: ids, times and whom it is for, nothing of what is asked. `operators` are the
    group's members by the names of their keys, `operator_keys` the ids of these: those of whoever may decide."""

    org_id: OrganizationId
    approval_id: Annotated[str, meaning("the approval that nobody had decided", frozen=True)]
    action_id: Annotated[str, meaning("the action that waits for it", frozen=True)]
    policy_id: Annotated[str, meaning("the policy that says so", frozen=True)]
    after_minutes: Annotated[int, meaning("for how long nobody had decided", unit="minutes", frozen=True)]
    escalated_to: Annotated[str, meaning("the group of the rota that is told", frozen=True)]
    on_shift: Annotated[bool, meaning("whether that group was on shift", frozen=True)]
    operators: Annotated[list[str], meaning("who is in that group, by the names of their keys", frozen=True)]
    operator_keys: Annotated[list[str], meaning("ids of those keys", frozen=True)]
    expires_at: Annotated[datetime, meaning("when the approval expires unless somebody decides", frozen=True)]
    created_at: RecordedAt


class EscalationsQuery(Query, frozen=True, kw_only=True):
    """`current` are those of requests that wait still. `cursor` comes from the page before."""

    action_id: Id | None = None
    current: bool | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class Escalations(Record, frozen=True, kw_only=True):
    """A page, newest first. `next_cursor` is None on the last page; `lastUpdated` is the service's time."""

    escalations: list[Escalation]
    total: int
    lastUpdated: datetime  # noqa: N815 - as the other lists have it
    next_cursor: str | None


GET_ESCALATIONS = Endpoint(
    operation="get_escalations",
    method="GET",
    path="/api/escalations",
    summary="Which requests were escalated to which group, newest first.",
    roles=READING,
    query=EscalationsQuery,
    response=Escalations,
)


def unheard(policy: Policy | PolicyDraft, duty: Duty) -> str | None:
    """What to say of a policy that escalates to a group in which nobody is; None where somebody is told, and where it
    does not escalate. A group's name counts in any spelling."""
    to = policy.rules.get("escalate_to") if isinstance(policy.rules, dict) else None
    if policy.policy_type != PolicyType.REQUIRE_APPROVAL or not isinstance(to, str):
        return None
    group = next((each for each in duty.groups if same_name(each.name, to)), None)
    if group is not None and group.operators:
        return None
    why = "is no group of the rota" if group is None else "has no member with a valid key of an operator or admin"
    return (
        f"Policy {policy.name!r} escalates to {to!r}, which {why}: what nobody decides in time is marked, and nobody "
        "is told. Say who is in that group (`assent rota set`), or name another one."
    )
