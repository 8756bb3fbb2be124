"""Durable outcomes: how an action's execution ended, reported once and looked up.

1. The first report stands: a second one is refused with what there is, as is a report on an action that has ended
   otherwise.
2. `failed` says why, `partial` says how far.
3. `completed` and `failed` end the action; a partial one leaves it running: there is more to do, or somebody has to say
   that there is not.
4. Where nothing was reported, the action's own status tells: completed, else failed once it is final, else pending.
"""

from __future__ import annotations

from msgspec import UNSET

from assent.contract.control.actions import FINAL, Action, ActionStatus, UpdateOutcome
from assent.contract.control.outcomes import (
    GET_OUTCOME,
    REPORT_OUTCOME,
    Outcome,
    OutcomeStatus,
    ReportedOutcome,
    ReportOutcome,
)
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, microseconds, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.actions import Actions
from assent_service.core.call import Call
from assent_service.core.faithful import digest_of
from assent_service.core.foundation import Foundation
from assent_service.core.idempotency import idempotency_key, is_repeat, mark
from assent_service.core.locks import ACTION_FENCE
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import find_row
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

__all__ = [
    "ACTION_OUTCOMES",
    "TABLES",
    "Outcomes",
    "open_outcomes",
]


def check(said: ReportOutcome) -> None:
    """Raises `invalid_body` for a failure without its reason, and a partial outcome without its progress."""
    if said.status == OutcomeStatus.FAILED and not said.error_message:
        raise _missing("error_message", "failed", "say what went wrong")
    if said.status == OutcomeStatus.PARTIAL and not said.progress:
        raise _missing("progress", "partial", "say how far it came")


def concluded(action: Action, said: ReportOutcome, by: str, now: int, sent: str | None = None) -> Outcome:
    """The outcome that is recorded; `sent` is its mark. Raises `outcome_exists` for an action that has ended already,
    and `awaiting_approval` for one that may not even begin."""
    if action.status is ActionStatus.PENDING_APPROVAL:
        raise refuse(
            Code.AWAITING_APPROVAL,
            f"Action {action.action_id} waits for an operator; it has no outcome before it was allowed.",
        )
    if action.status in FINAL:
        raise exists(action.action_id, action.status.value)
    return Outcome(
        org_id=action.org_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        status=OutcomeStatus(said.status),
        outcome_at=moment(now),
        summary=said.summary,
        error_message=said.error_message,
        progress=said.progress,
        elapsed_ms=_elapsed(action, now),
        reported_by=by,
        created_at=moment(now),
        outcome_mark=UNSET if sent is None else sent,
    )


def as_update(said: ReportOutcome, now: int) -> UpdateOutcome | None:
    """The same as an ordinary report on the action; None where there is nothing to report on it."""
    if said.status != OutcomeStatus.PARTIAL:
        status = ActionStatus(said.status)
        return UpdateOutcome(
            status=status, timestamp_end=moment(now), output_summary=said.summary, error_message=said.error_message
        )
    if said.summary is None and said.error_message is None:
        return None
    return UpdateOutcome(output_summary=said.summary, error_message=said.error_message)


def derived(action: Action, now: int) -> Outcome:
    """What is known of the outcome of an action on which nothing durable was reported."""
    final = action.status in FINAL
    status = OutcomeStatus.PENDING
    if final:
        status = OutcomeStatus.COMPLETED if action.status is ActionStatus.COMPLETED else OutcomeStatus.FAILED
    ended = action.timestamp_end if final else None
    return Outcome(
        org_id=action.org_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        status=status,
        outcome_at=ended,
        summary=action.output_summary,
        error_message=action.error_message,
        progress=None,
        elapsed_ms=_elapsed(action, now if ended is None else microseconds(ended)),
        reported_by=None,
        created_at=action.created_at,
    )


def exists(action_id: str, status: str) -> Refusal:
    return refuse(
        Code.OUTCOME_EXISTS,
        f"Action {action_id} has its outcome already: {status}. The first one stands; read it before doing it again.",
        current_status=status,
    )


def _elapsed(action: Action, until: int) -> int:
    return max(0, (until - microseconds(action.timestamp_start)) // 1000)


def _missing(member: str, status: str, what: str) -> Refusal:
    return refuse(
        Code.INVALID_BODY,
        f"status {status} takes {member}; {what}.",
        FieldError(place=member, message=f"is required with status {status}"),
    )


# Reporting an outcome once, and looking it up.


ACTION_OUTCOMES = Table.of(
    Outcome,
    name="action_outcomes",
    meaning="how executions ended, as their agents said once",
    key="action_id",
    created=("outcome.created",),
)
TABLES = (ACTION_OUTCOMES,)


class Outcomes:
    """The durable outcomes of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, actions: Actions) -> None:
        self._ledger, self._clock, self._actions = ledger, clock, actions

    async def report(
        self, principal: Principal, action_id: str, said: ReportOutcome, *, sent: str | None = None
    ) -> tuple[Outcome, Action]:
        """Record the outcome and what it does to the action in one write. `sent` is the report's mark where it came
        with an idempotency key: sent again, it is answered with what it recorded. The same words without the key are a
        second report: whoever did the work twice has to hear of it.

        Raises `action_not_found`, `awaiting_approval`, `outcome_exists`, `idempotency_mismatch`, and `invalid_body`.
        """
        check(said)
        if said.progress is not None:
            digest_of(said.progress, "progress")
        async with self._actions.holding(principal, action_id) as action:
            before = await self._find(action)
            if before is not None:
                if sent is not None and is_repeat(sent, [before.outcome_mark] if before.outcome_mark else ()):
                    return before, action
                raise exists(action_id, before.status.value)
            now = self._clock()
            outcome = concluded(action, said, principal.key_id, now, sent)
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


def routes(outcomes: Outcomes) -> tuple[Route, ...]:
    @serves(REPORT_OUTCOME, holds=(ACTION_FENCE,))
    async def report(call: Call[ReportOutcome, None], action_id: str) -> ReportedOutcome:
        key = idempotency_key(call)
        sent = None if key is None else mark(key, call.sent.members)
        outcome, action = await outcomes.report(call.principal, action_id, call.body, sent=sent)
        return ReportedOutcome(outcome=outcome, action=action, action_id=action.action_id)

    @serves(GET_OUTCOME)
    async def get(call: Call[None, None], action_id: str) -> Outcome:
        return await outcomes.get(call.principal, action_id)

    return report, get


def open_outcomes(on: Foundation, actions: Actions) -> None:
    on.bring(routes=routes(Outcomes(on.ledger, on.clock, actions)))
