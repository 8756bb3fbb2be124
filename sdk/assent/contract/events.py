"""The live stream of what was recorded, over server-sent events (WHATWG HTML)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import ANYONE


class EventName(StrEnum):
    """Names on the stream and types in the evidence log are the same."""

    GUARD_DECISION_CREATED = "guard.decision.created"
    ACTION_CREATED = "action.created"
    ACTION_UPDATED = "action.updated"
    ASSUMPTION_CREATED = "assumption.created"
    ASSUMPTION_UPDATED = "assumption.updated"
    APPROVAL_REQUESTED = "approval.requested"
    APPROVAL_DECIDED = "approval.decided"
    APPROVAL_EXPIRED = "approval.expired"
    POLICY_CREATED = "policy.created"
    POLICY_UPDATED = "policy.updated"
    HALT_CHANGED = "halt.changed"
    KEY_CREATED = "key.created"
    KEY_REVOKED = "key.revoked"
    ORGANIZATION_CREATED = "organization.created"


PRIVATE = frozenset({EventName.KEY_CREATED, EventName.KEY_REVOKED, EventName.ORGANIZATION_CREATED})
"""Recorded, but never sent on the stream."""

CONNECTED = "connected"
"""First event of every stream, after the replay; its data holds `last_event_id`."""
RESET = "reset"
"""The reader was too slow and is disconnected; `last_event_id` in its data is where to resume."""


class Event(Record, frozen=True, kw_only=True):
    """`id` is the organization's own event number; `data` the object that the event is about, bare."""

    id: int
    event: str
    data: dict[str, Any]


class StreamQuery(Query, frozen=True, kw_only=True):
    """`types` is a comma-separated list of event names; `lastEventId` does what the header `Last-Event-ID` does."""

    types: Annotated[str, Meta(max_length=1000)] | None = None
    agent_id: ShortText | None = None
    lastEventId: Annotated[int, Meta(ge=0)] | None = None  # noqa: N815 - the published name


STREAM = Endpoint(
    operation="events",
    method="GET",
    path="/api/stream",
    summary="Live events, resumable with Last-Event-ID without gap or repeat.",
    roles=ANYONE,
    query=StreamQuery,
    response=Event,
    content="text/event-stream",
    problems=(Code.AGENT_MISMATCH, Code.SHUTTING_DOWN, Code.PROJECTION_BEHIND),
)
