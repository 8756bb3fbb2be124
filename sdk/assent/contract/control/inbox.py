"""Approvals with the actions that they are about: what waits for an operator, and what was decided."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.endpoint import Endpoint
from assent.contract.record import Cursor, Limit, Offset, Query, Record, ShortText
from assent.contract.roles import ANYONE


class ApprovalsQuery(Query, frozen=True, kw_only=True):
    """Filters of the list; `days` counts back from now to when it was asked for. `cursor` is the page before's."""

    state: ApprovalState | None = None
    exclude_state: ApprovalState | None = None
    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    days: Annotated[int, Meta(ge=1, le=3650)] | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class ActionApproval(Record, frozen=True, kw_only=True):
    """An approval and its action, both as they are now. `context_digest` is the digest of what guard looked at, without
    who asked and when: requests with the same one are alike in parameters, metadata and whatever else was sent. None
    once erased."""

    action: Action
    approval: Approval
    context_digest: str | None


class Approvals(Record, frozen=True, kw_only=True):
    """A page, newest first by when it was asked for. `total` counts all that fit; `next_cursor` is None on the last
    page; `lastUpdated` is the service's time."""

    approvals: list[ActionApproval]
    total: int
    lastUpdated: datetime  # noqa: N815 - as the other lists have it
    next_cursor: str | None


GET_APPROVALS = Endpoint(
    operation="get_approvals",
    method="GET",
    path="/api/approvals",
    summary="Approvals with their actions, newest first: those that wait, and those that were decided.",
    roles=ANYONE,
    query=ApprovalsQuery,
    response=Approvals,
)
