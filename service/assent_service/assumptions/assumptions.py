"""Recording what an agent believes, and judging it later."""

from __future__ import annotations

from typing import Protocol

from assent.contract.actions import Action
from assent.contract.assumptions import (
    Assumption,
    AssumptionsQuery,
    RecordAssumption,
    RecordedAssumption,
    ValidateAssumption,
)
from assent.contract.assumptions import Assumptions as AssumptionList
from assent.contract.events import EventName
from assent.contract.guard import Source
from assent.contract.injection import SubjectKind
from assent.contract.problems import Code, FieldError
from assent_service.assumptions import queries
from assent_service.assumptions.judge import check_reason, judged, recorded
from assent_service.assumptions.tables import ASSUMPTIONS
from assent_service.core.clock import Clock, new_id
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.injection import NOTHING, Noticed, Screen, Subject
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Actions(Protocol):
    """What an assumption needs of the action it belongs to."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Assumptions:
    """The assumptions of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions, screen: Screen) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._actions, self._screen = actions, screen

    async def record(self, principal: Principal, said: RecordAssumption) -> RecordedAssumption:
        """One that reads like a prompt injection is kept with a warning, unless it is history.

        Raises `agent_mismatch`, `forbidden` for history without an admin key, `action_not_found`, `invalid_body`,
        and `assumption_exists` for an `assumption_id` that the organization has already."""
        principal.speaks_for(said.agent_id)
        principal.check_history(said)
        action = await self._actions.visible(principal, said.action_id)
        now = self._clock()
        if said.assumption_id is None:
            # A new id meets nobody, so it needs neither lock nor look.
            return await self._record(principal, recorded(action, said, new_id("asm_", now), now), now)
        async with self._locks.hold(_lock(principal.org_id, said.assumption_id)):
            if await self._find(principal.org_id, said.assumption_id) is not None:
                raise refuse(
                    Code.ASSUMPTION_EXISTS,
                    f"Assumption {said.assumption_id} exists already; leave assumption_id out, or choose another.",
                    FieldError(place="assumption_id", message="is taken"),
                )
            return await self._record(principal, recorded(action, said, said.assumption_id, now), now)

    async def validate(self, principal: Principal, assumption_id: str, said: ValidateAssumption) -> Assumption:
        """Say whether an assumption held. Raises `assumption_not_found`, and `invalid_body` without a reason."""
        check_reason(said)
        async with self._locks.hold(_lock(principal.org_id, assumption_id)):
            before = await self.visible(principal, assumption_id)
            now = self._clock()
            after = judged(before, said, now)
            if after is not before:
                await self._ledger.append(_event(EventName.ASSUMPTION_UPDATED, after, principal, now))
            return after

    async def _find(self, org_id: str, assumption_id: str) -> Assumption | None:
        return await find_row(self._ledger, ASSUMPTIONS, Assumption, org_id, assumption_id)

    async def visible(self, principal: Principal, assumption_id: str) -> Assumption:
        """Raises `assumption_not_found` for a foreign assumption as for an unknown one."""
        found = await self._find(principal.org_id, assumption_id)
        if found is None or not principal.sees(found.agent_id):
            raise refuse(
                Code.ASSUMPTION_NOT_FOUND, f"There is no assumption {assumption_id[:128]!r} in this organization."
            )
        return found

    async def page(self, principal: Principal, query: AssumptionsQuery) -> AssumptionList:
        return await queries.list_assumptions(self._ledger, principal, query, self._clock())

    async def of(self, action: Action) -> list[Assumption]:
        """What an action rests on, in the order in which it was recorded."""
        return await queries.of_action(self._ledger, action.org_id, action.action_id)

    async def _record(self, principal: Principal, assumption: Assumption, now: int) -> RecordedAssumption:
        noticed = await self._look(principal, assumption, now)
        await self._ledger.append(_event(EventName.ASSUMPTION_CREATED, assumption, principal, now), *noticed.drafts)
        return RecordedAssumption(
            assumption=assumption, assumption_id=assumption.assumption_id, warnings=list(noticed.says)
        )

    async def _look(self, principal: Principal, made: Assumption, now: int) -> Noticed:
        if made.source is not Source.LIVE:
            return NOTHING
        kind, id_ = SubjectKind.ASSUMPTION, made.assumption_id
        subject = Subject(principal, kind, id_, made.agent_id, now, made.action_id)
        members = ("assumption", "basis", "invalidated_reason")
        return await self._screen.look(subject, ((member, getattr(made, member)) for member in members))


def _lock(org_id: str, assumption_id: str) -> str:
    return f"assumption:{org_id}:{assumption_id}"


def _event(name: EventName, assumption: Assumption, principal: Principal, now: int) -> Draft:
    return Draft(
        org=assumption.org_id,
        type=name.value,
        ts=now,
        subject=assumption.assumption_id,
        actor=principal.key_id,
        data=encode(assumption),
        action=assumption.action_id,
    )
