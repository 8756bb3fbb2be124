"""Key points: what the agent wants to have at hand later, and what it should know when it takes up its work."""

from __future__ import annotations

from datetime import UTC, date
from typing import TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.key_points import (
    CAPTURE_KEY_POINT,
    GET_KEY_POINTS,
    CapturedKeyPoint,
    CaptureKeyPoint,
    ContextSummary,
    KeyPoints,
    KeyPointsQuery,
)
from assent.contract.threads import GET_THREADS, ThreadsQuery, ThreadStatus


class KeyPointFields(TypedDict, total=False):
    """What may be said about a key point besides its content; `importance` is 1 to 10, `session_date` a day or its
    text such as 2026-11-20."""

    agent_id: str | None
    category: str | None
    importance: int | None
    session_date: date | str | None


class KeyPointFilters(TypedDict, total=False):
    """Filters of the list; `limit` is 1 to 200."""

    agent_id: str | None
    category: str | None
    session_date: date | str | None
    importance_min: int | None
    limit: int | None
    offset: int | None
    cursor: str | None


class KeyPointOperations(Caller):
    @operation
    def capture_key_point(self, content: str, **fields: Unpack[KeyPointFields]) -> Flow[CapturedKeyPoint]:
        """Keep something to have at hand later. It is of the client's agent unless another is named."""
        given = {"agent_id": self.agent_id, **{name: value for name, value in fields.items() if value is not None}}
        body = members(CaptureKeyPoint, {"content": content, **given}, "capture_key_point")
        return (yield from send(CAPTURE_KEY_POINT, body=body))

    @operation
    def get_key_points(self, **filters: Unpack[KeyPointFilters]) -> Flow[KeyPoints]:
        """A page of key points, newest first, of every agent that the key may see unless one is named."""
        return (yield from send(GET_KEY_POINTS, query=members(KeyPointsQuery, filters, "get_key_points")))

    @operation
    def get_context_summary(self, agent_id: str | None = None) -> Flow[ContextSummary]:
        """What the client's agent, or the one named, should know when it takes up its work: the newest 200 of
        today's key points (a day of UTC), and of the threads that are open."""
        agent = agent_id or self.agent_id
        today = self.ambient.today().astimezone(UTC).date().isoformat()
        of_today = {"agent_id": agent, "session_date": today, "limit": 200}
        points = yield from send(GET_KEY_POINTS, query=members(KeyPointsQuery, of_today, "get_context_summary"))
        still_open = {"agent_id": agent, "status": ThreadStatus.ACTIVE, "limit": 200}
        threads = yield from send(GET_THREADS, query=members(ThreadsQuery, still_open, "get_context_summary"))
        return ContextSummary(points=points.points, threads=threads.threads)
