"""Leaving handoffs and finding them again."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.handoffs import CreatedHandoff, CreateHandoff, Handoff, HandoffsQuery
from assent.contract.handoffs import Handoffs as HandoffList
from assent.contract.injection import SubjectKind
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.day import day_of
from assent_service.core.faithful import digest_of
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.handoffs import queries
from assent_service.handoffs.tables import HANDOFFS
from assent_service.injection import Screen, Subject
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

OPEN = ("context", "key_decisions", "open_tasks", "mood_notes", "next_priorities")
"""Members that hold whatever an agent sends."""
SCREENED = ("summary", *OPEN, "tags")
"""Members that the next session reads."""


class Handoffs:
    """The handoffs of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, screen: Screen) -> None:
        self._ledger, self._clock, self._locks, self._screen = ledger, clock, locks, screen

    async def create(self, principal: Principal, said: CreateHandoff, handoff_id: str | None = None) -> CreatedHandoff:
        """Leave a handoff; with a `handoff_id` that is there already, that one stays and is answered. One that reads
        like a prompt injection is kept with a warning.

        Raises `agent_mismatch`, and `invalid_body` for a day that is none and for what cannot be kept as it is.
        """
        if handoff_id is None:
            return await self._create(principal, said, None)
        async with self._locks.hold(f"handoff:{principal.org_id}:{handoff_id}"):
            found = await find_row(self._ledger, HANDOFFS, Handoff, principal.org_id, handoff_id)
            if found is not None:
                return CreatedHandoff(handoff=found, handoff_id=handoff_id)
            return await self._create(principal, said, handoff_id)

    async def page(self, principal: Principal, query: HandoffsQuery) -> HandoffList:
        return await queries.list_handoffs(self._ledger, principal, query, self._clock())

    async def _create(self, principal: Principal, said: CreateHandoff, handoff_id: str | None) -> CreatedHandoff:
        now = self._clock()
        made = handoff(principal, said, handoff_id or new_id("ho_", now), now)
        subject = Subject(principal, SubjectKind.HANDOFF, made.handoff_id, made.agent_id, now)
        noticed = await self._screen.look(subject, ((member, getattr(made, member)) for member in SCREENED))
        await self._ledger.append(
            Draft(
                org=made.org_id,
                type=EventName.HANDOFF_CREATED.value,
                ts=now,
                subject=made.handoff_id,
                actor=principal.key_id,
                data=encode(made),
            ),
            *noticed.drafts,
        )
        return CreatedHandoff(handoff=made, handoff_id=made.handoff_id, warnings=list(noticed.says))


def handoff(principal: Principal, said: CreateHandoff, handoff_id: str, now: int) -> Handoff:
    """The handoff as it is recorded. Raises as `Handoffs.create` does."""
    for member in OPEN:
        digest_of(getattr(said, member), member)
    return Handoff(
        org_id=principal.org_id,
        handoff_id=handoff_id,
        agent_id=principal.speaks_for(said.agent_id),
        summary=said.summary,
        context=said.context or {},
        tags=said.tags or [],
        session_date=day_of(said.session_date, "session_date", now),
        key_decisions=said.key_decisions,
        open_tasks=said.open_tasks,
        mood_notes=said.mood_notes,
        next_priorities=said.next_priorities,
        created_by=principal.key_id,
        created_at=moment(now),
    )
