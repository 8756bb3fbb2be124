"""Handoffs: what one session of an agent leaves for the next."""

from __future__ import annotations

from msgspec.structs import replace

from assent.contract.control.injection import SubjectKind
from assent.contract.exchange.handoffs import (
    CREATE_HANDOFF,
    GET_HANDOFFS,
    HANDOFF,
    CreatedHandoff,
    CreateHandoff,
    Handoff,
    HandoffsQuery,
)
from assent.contract.exchange.handoffs import Handoffs as HandoffList
from assent_service.base.clock import Clock, moment, new_id
from assent_service.control.injection import Screen, Subject
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.faithful import digest_of
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.moments import day_of
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.shelf import Shelf
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

__all__ = ["HANDOFFS", "HANDOFF_FENCE", "TABLES", "Handoffs", "open_handoffs"]

HANDOFFS = Table.of(
    Handoff,
    name="handoffs",
    meaning="what one session of an agent left for the next",
    key="handoff_id",
    created=("handoff.created",),
    without=("id",),
)
TABLES = (HANDOFFS,)
HANDOFF_FENCE = Fence("handoff", "handoff_id")
# Days are written so that they sort as texts.
CONDITIONS = {"latest": None, "since": "session_date >= ?", "until": "session_date <= ?"}
OPEN = ("context", "key_decisions", "open_tasks", "mood_notes", "next_priorities")
"""Members that hold whatever an agent sends."""
SCREENED = ("summary", *OPEN, "tags")
"""Members that the next session reads."""


def handoff(principal: Principal, said: CreateHandoff, handoff_id: str, now: int) -> Handoff:
    """The handoff as it is recorded. Raises as `Handoffs.create` does."""
    for member in OPEN:
        digest_of(getattr(said, member), member)
    return carry(
        Handoff,
        said,
        org_id=principal.org_id,
        handoff_id=handoff_id,
        agent_id=principal.speaks_for(said.agent_id),
        context=said.context or {},
        tags=said.tags or [],
        session_date=day_of(said.session_date, "session_date", now),
        created_by=principal.key_id,
        created_at=moment(now),
    )


class Handoffs:
    """The handoffs of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, screen: Screen) -> None:
        self._clock, self._screen = clock, screen
        self._handoffs = Shelf(
            HANDOFF, HANDOFFS, HANDOFF_FENCE, HandoffsQuery, CONDITIONS, ledger=ledger, clock=clock, locks=locks
        )

    async def create(self, principal: Principal, said: CreateHandoff, handoff_id: str | None = None) -> CreatedHandoff:
        """Leave a handoff; with a `handoff_id` that is there already, that one stays and is answered. One that reads
        like a prompt injection is kept with a warning.

        Raises `agent_mismatch`, and `invalid_body` for a day that is none and for what cannot be kept as it is.
        """
        async with self._handoffs.reserved(principal.org_id, handoff_id) as known:
            if known is not None:
                return CreatedHandoff(handoff=known, handoff_id=known.handoff_id)
            now = self._clock()
            made = handoff(principal, said, handoff_id or new_id("ho_", now), now)
            subject = Subject(principal, SubjectKind.HANDOFF, made.handoff_id, made.agent_id, now)
            noticed = await self._screen.look(subject, ((member, getattr(made, member)) for member in SCREENED))
            await self._handoffs.record(principal, made, now, *noticed.drafts)
            return CreatedHandoff(handoff=made, handoff_id=made.handoff_id, warnings=list(noticed.says))

    async def page(self, principal: Principal, query: HandoffsQuery) -> HandoffList:
        if query.latest:
            query = replace(query, cursor=None, limit=1, offset=0)
        page = await self._handoffs.page(principal, query)
        return HandoffList(
            handoffs=page.rows,
            handoff=page.rows[0] if page.rows else None,
            total=page.total,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )


def routes(handoffs: Handoffs) -> tuple[Route, ...]:
    @serves(CREATE_HANDOFF, unfenced=NEW_ID)
    async def create(call: Call[CreateHandoff, None]) -> CreatedHandoff:
        return await handoffs.create(call.principal, call.body)

    @serves(GET_HANDOFFS)
    async def list_all(call: Call[None, HandoffsQuery]) -> HandoffList:
        return await handoffs.page(call.principal, call.query)

    return create, list_all


def open_handoffs(on: Foundation, screen: Screen) -> Handoffs:
    handoffs = Handoffs(on.ledger, on.clock, on.locks, screen)
    on.bring(routes=routes(handoffs))
    return handoffs
