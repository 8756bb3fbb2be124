"""Key points: what the agent wants to have at hand later, and what it should know when it takes up its work."""

from __future__ import annotations

from datetime import UTC, date

from assent.client.flow import Flow, send
from assent.client.method import Response, sends
from assent.client.operation import Caller, each, operation
from assent.client.request import members
from assent.contract.exchange.key_points import (
    CAPTURE_KEY_POINT,
    GET_KEY_POINTS,
    ContextSummary,
    KeyPoint,
    KeyPointsQuery,
)
from assent.contract.exchange.threads import GET_THREADS, ThreadsQuery, ThreadStatus


class KeyPointOperations(Caller):
    @sends(CAPTURE_KEY_POINT, own=("agent_id",))
    def capture_key_point(
        self,
        content: str,
        *,
        agent_id: str | None = None,
        category: str | None = None,
        importance: int | None = None,
        session_date: date | str | None = None,
    ) -> Response:
        """Keep something to have at hand later. It is of the client's agent unless another is named. `importance` is 1
        to 10, `session_date` a day or its text such as 2026-11-20."""

    @sends(GET_KEY_POINTS)
    def get_key_points(
        self,
        *,
        agent_id: str | None = None,
        category: str | None = None,
        session_date: date | str | None = None,
        importance_min: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of key points, newest first, of every agent that the key may see unless one is named. `limit` is 1 to
        200."""

    iterate_key_points = each(get_key_points, KeyPoint, lambda page: page.points)

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
