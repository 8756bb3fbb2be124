"""Capturing key points and finding them again."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.key_points import CaptureKeyPoint, KeyPoint, KeyPointsQuery
from assent.contract.key_points import KeyPoints as KeyPointList
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.day import day_of
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.page import read_page
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter
from assent_service.key_points.tables import KEY_POINTS
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

GENERAL = "general"
MIDDLING = 5


class KeyPoints:
    """The key points of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def capture(self, principal: Principal, said: CaptureKeyPoint, point_id: str | None = None) -> KeyPoint:
        """Keep a point; with a `point_id` that is there already, that one stays and is answered.

        Raises `agent_mismatch`, and `invalid_body` for a day that is none.
        """
        if point_id is None:
            return await self._capture(principal, said, None)
        async with self._locks.hold(f"key point:{principal.org_id}:{point_id}"):
            found = await find_row(self._ledger, KEY_POINTS, KeyPoint, principal.org_id, point_id)
            return found or await self._capture(principal, said, point_id)

    async def page(self, principal: Principal, query: KeyPointsQuery) -> KeyPointList:
        """Newest first."""
        chosen = _filter(principal, query)
        ((total,),) = await self._ledger.read(
            f"SELECT count(*) FROM key_points WHERE {chosen.where}", chosen.parameters
        )
        page = await read_page(
            self._ledger, KEY_POINTS, KeyPoint, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset
        )
        return KeyPointList(
            points=page.rows,
            total=int(str(total)),
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )

    async def _capture(self, principal: Principal, said: CaptureKeyPoint, point_id: str | None) -> KeyPoint:
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
        await self._ledger.append(
            Draft(
                org=point.org_id,
                type=EventName.KEY_POINT_CREATED.value,
                ts=now,
                subject=point.point_id,
                actor=principal.key_id,
                data=encode(point),
            )
        )
        return point


def _filter(principal: Principal, query: KeyPointsQuery) -> Filter:
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        chosen.add("agent_id = ?", principal.agent_id)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("category = ?", query.category)
    chosen.add("session_date = ?", query.session_date)
    chosen.add("importance >= ?", query.importance_min)
    return chosen
