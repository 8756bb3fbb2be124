"""Key points: single things that an agent wants to have at hand later."""

from __future__ import annotations

from assent.contract.exchange.key_points import (
    CAPTURE_KEY_POINT,
    GET_KEY_POINTS,
    KEY_POINT,
    CapturedKeyPoint,
    CaptureKeyPoint,
    KeyPoint,
    KeyPointsQuery,
)
from assent.contract.exchange.key_points import KeyPoints as KeyPointList
from assent_service.base.clock import Clock, moment, new_id
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.moments import day_of
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.shelf import Shelf
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

__all__ = ["KEY_POINTS", "KEY_POINT_FENCE", "TABLES", "KeyPoints", "open_key_points"]

KEY_POINTS = Table.of(
    KeyPoint,
    name="key_points",
    meaning="single things that agents wanted to have at hand later",
    key="point_id",
    created=("key_point.created",),
    without=("id",),
)
TABLES = (KEY_POINTS,)
KEY_POINT_FENCE = Fence("key_point", "point_id")
CONDITIONS = {"importance_min": "importance >= ?"}
GENERAL = "general"
MIDDLING = 5


class KeyPoints:
    """The key points of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._clock = clock
        self._points = Shelf(
            KEY_POINT, KEY_POINTS, KEY_POINT_FENCE, KeyPointsQuery, CONDITIONS, ledger=ledger, clock=clock, locks=locks
        )

    async def capture(self, principal: Principal, said: CaptureKeyPoint, point_id: str | None = None) -> KeyPoint:
        """Keep a point; with a `point_id` that is there already, that one stays and is answered.

        Raises `agent_mismatch`, and `invalid_body` for a day that is none.
        """
        async with self._points.reserved(principal.org_id, point_id) as known:
            if known is not None:
                return known
            now = self._clock()
            point = KeyPoint(
                org_id=principal.org_id,
                point_id=point_id or new_id("cp_", now),
                agent_id=principal.speaks_for(said.agent_id),
                content=said.content,
                category=said.category or GENERAL,
                importance=said.importance or MIDDLING,
                session_date=day_of(said.session_date, "session_date", now),
                created_by=principal.key_id,
                created_at=moment(now),
            )
            await self._points.record(principal, point, now)
            return point

    async def page(self, principal: Principal, query: KeyPointsQuery) -> KeyPointList:
        page = await self._points.page(principal, query)
        return KeyPointList(
            points=page.rows,
            total=page.total,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )


def routes(key_points: KeyPoints) -> tuple[Route, ...]:
    @serves(CAPTURE_KEY_POINT, unfenced=NEW_ID)
    async def capture(call: Call[CaptureKeyPoint, None]) -> CapturedKeyPoint:
        point = await key_points.capture(call.principal, call.body)
        return CapturedKeyPoint(point=point, point_id=point.point_id)

    @serves(GET_KEY_POINTS)
    async def list_all(call: Call[None, KeyPointsQuery]) -> KeyPointList:
        return await key_points.page(call.principal, call.query)

    return capture, list_all


def open_key_points(on: Foundation) -> KeyPoints:
    points = KeyPoints(on.ledger, on.clock, on.locks)
    on.bring(routes=routes(points))
    return points
