"""Reporting an outcome once, and looking it up."""

from __future__ import annotations

from assent.contract.actions import Action
from assent.contract.events import EventName
from assent.contract.outcomes import Outcome, ReportOutcome
from assent_service.actions import Actions
from assent_service.core.clock import Clock
from assent_service.core.faithful import digest_of
from assent_service.core.find import find_row
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.outcomes.conclude import as_update, check, concluded, derived, exists
from assent_service.outcomes.tables import ACTION_OUTCOMES
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Outcomes:
    """The durable outcomes of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, actions: Actions) -> None:
        self._ledger, self._clock, self._actions = ledger, clock, actions

    async def report(self, principal: Principal, action_id: str, said: ReportOutcome) -> tuple[Outcome, Action]:
        """Record the outcome and what it does to the action in one write.

        Raises `action_not_found`, `awaiting_approval`, `outcome_exists`, and `invalid_body`.
        """
        check(said)
        if said.progress is not None:
            digest_of(said.progress, "progress")
        async with self._actions.holding(principal, action_id) as action:
            before = await self._find(action)
            if before is not None:
                raise exists(action_id, before.status.value)
            now = self._clock()
            outcome = concluded(action, said, principal.key_id, now)
            update = as_update(said, now)
            after, change = (
                self._actions.reported(principal, action, update, now) if update is not None else (action, None)
            )
            event = Draft(
                org=action.org_id,
                type=EventName.OUTCOME_CREATED.value,
                ts=now,
                subject=action_id,
                actor=principal.key_id,
                data=encode(outcome),
                action=action_id,
            )
            await self._ledger.append(event, *([change] if change else []))
            return outcome, after

    async def get(self, principal: Principal, action_id: str) -> Outcome:
        """Raises `action_not_found`."""
        action = await self._actions.visible(principal, action_id)
        return await self._find(action) or derived(action, self._clock())

    async def _find(self, action: Action) -> Outcome | None:
        return await find_row(self._ledger, ACTION_OUTCOMES, Outcome, action.org_id, action.action_id)
