"""Assumptions: what an agent believed while it acted, and whether that held.

1. An assumption is open, validated or invalidated; it cannot be validated and invalidated at once.
2. An invalidated assumption says why. A reason beside a belief that holds means nothing and is dropped.
3. It belongs to its action: agent and type are the action's, whatever the request says.
4. `validated_at` is when it was judged: for history recorded with its judgement, when it was believed.
5. Judging it again with the same words changes nothing; with others, it is judged anew.
"""

from __future__ import annotations

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.assumptions import (
    ASSUMPTION,
    GET_ASSUMPTION,
    GET_ASSUMPTIONS,
    RECORD_ASSUMPTION,
    VALIDATE_ASSUMPTION,
    Assumption,
    AssumptionDetail,
    AssumptionsQuery,
    DriftSummary,
    RecordAssumption,
    RecordedAssumption,
    ValidateAssumption,
)
from assent.contract.control.assumptions import Assumptions as AssumptionList
from assent.contract.control.guard import Source
from assent.contract.control.injection import SubjectKind
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import DAY, Clock, microseconds, moment, naive, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.control.actions import Actions
from assent_service.control.injection import NOTHING, Noticed, Screen, Subject
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.shelf import Shelf
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

__all__ = ["ASSUMPTIONS", "TABLES", "Assumptions", "open_assumptions"]

ASSUMPTIONS = Table.of(
    Assumption,
    name="assumptions",
    meaning="what agents believed while they acted, one row for each belief as it is judged now",
    key="assumption_id",
    created=("assumption.created",),
    replaced=("assumption.updated",),
)
TABLES = (ASSUMPTIONS,)
ASSUMPTION_FENCE = Fence("assumption", "assumption_id")
CONDITIONS = {"drift": None}
UNSEEN = 14 * DAY
"""How long a belief may go without anybody looking before it is at risk."""


def recorded(action: Action, said: RecordAssumption, assumption_id: str, now: int) -> Assumption:
    """The assumption as it is first recorded.

    Raises `invalid_body` for a judgement that contradicts itself or lacks its reason, and for a belief from the future.
    """
    if said.occurred_at is not None and microseconds(said.occurred_at) > now:
        raise _invalid("occurred_at", f"lies in the future: {said.occurred_at.isoformat()}")
    if said.validated and said.invalidated:
        raise _invalid("invalidated", "cannot be true while validated is true; an assumption held or it did not")
    invalidated = said.invalidated is True
    if invalidated and not said.invalidated_reason:
        raise _reason_missing()
    at = moment(now)
    occurred_at = at if said.occurred_at is None else said.occurred_at
    return carry(
        Assumption,
        action,
        said,
        assumption_id=assumption_id,
        action_id=action.action_id,
        agent_id=action.agent_id,
        validated=said.validated is True,
        invalidated=invalidated,
        invalidated_reason=said.invalidated_reason if invalidated else None,
        validated_at=occurred_at if said.validated or invalidated else None,
        source=said.source or Source.LIVE,
        occurred_at=occurred_at,
        created_at=at,
        updated_at=at,
    )


def check_reason(said: ValidateAssumption) -> None:
    """Raises `invalid_body` for an invalidation that does not say why."""
    if not said.validated and not said.invalidated_reason:
        raise _reason_missing()


def judged(assumption: Assumption, said: ValidateAssumption, now: int) -> Assumption:
    """The assumption after somebody looked; the same object when that says nothing new."""
    reason = None if said.validated else said.invalidated_reason
    before = (assumption.validated, assumption.invalidated, assumption.invalidated_reason)
    if before == (said.validated, not said.validated, reason):
        return assumption
    return msgspec.structs.replace(
        assumption,
        validated=said.validated,
        invalidated=not said.validated,
        invalidated_reason=reason,
        validated_at=moment(now),
        updated_at=moment(now),
    )


def _reason_missing() -> Refusal:
    return _invalid("invalidated_reason", "is required when an assumption turned out wrong; say in a sentence why")


def _invalid(place: str, message: str) -> Refusal:
    return refuse(Code.INVALID_BODY, f"{place} {message}.", FieldError(place=place, message=message))


class Assumptions:
    """The assumptions of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions, screen: Screen) -> None:
        self._ledger, self._clock, self._actions, self._screen = ledger, clock, actions, screen
        self._assumptions = Shelf(
            ASSUMPTION,
            ASSUMPTIONS,
            ASSUMPTION_FENCE,
            AssumptionsQuery,
            CONDITIONS,
            ledger=ledger,
            clock=clock,
            locks=locks,
        )

    async def record(self, principal: Principal, said: RecordAssumption) -> RecordedAssumption:
        """One that reads like a prompt injection is kept with a warning, unless it is history.

        Raises `agent_mismatch`, `forbidden` for history without an admin key, `action_not_found`, `invalid_body`,
        and `assumption_exists` for an `assumption_id` that the organization has already."""
        principal.speaks_for(said.agent_id)
        principal.check_history(said)
        action = await self._actions.visible(principal, said.action_id)
        async with self._assumptions.reserved(principal.org_id, said.assumption_id) as taken:
            if taken is not None:
                raise refuse(
                    Code.ASSUMPTION_EXISTS,
                    f"Assumption {said.assumption_id} exists already; leave assumption_id out, or choose another.",
                    FieldError(place="assumption_id", message="is taken"),
                )
            now = self._clock()
            made = recorded(action, said, said.assumption_id or new_id("asm_", now), now)
            noticed = await self._look(principal, made, now)
            await self._assumptions.record(principal, made, now, *noticed.drafts)
            return RecordedAssumption(assumption=made, assumption_id=made.assumption_id, warnings=list(noticed.says))

    async def validate(self, principal: Principal, assumption_id: str, said: ValidateAssumption) -> Assumption:
        """Say whether an assumption held. Raises `assumption_not_found`, and `invalid_body` without a reason."""
        check_reason(said)
        return await self._assumptions.change(principal, assumption_id, lambda before, now: judged(before, said, now))

    async def visible(self, principal: Principal, assumption_id: str) -> Assumption:
        """Raises `assumption_not_found`."""
        return await self._assumptions.visible(principal, assumption_id)

    async def page(self, principal: Principal, query: AssumptionsQuery) -> AssumptionList:
        """With the summary over all that fit."""
        now = self._clock()
        summary = await self._summary(principal, query, now)
        page = await self._assumptions.page(principal, query, total=summary.total)
        return AssumptionList(
            assumptions=page.rows,
            total=page.total,
            drift_summary=summary,
            lastUpdated=moment(now),
            next_cursor=page.next_cursor,
        )

    async def of(self, action: Action) -> list[Assumption]:
        """What an action rests on, in the order in which it was recorded."""
        return await self._assumptions.of_action(action)

    async def _look(self, principal: Principal, made: Assumption, now: int) -> Noticed:
        if made.source is not Source.LIVE:
            return NOTHING
        kind, id_ = SubjectKind.ASSUMPTION, made.assumption_id
        subject = Subject(principal, kind, id_, made.agent_id, now, made.action_id)
        members = ("assumption", "basis", "invalidated_reason")
        return await self._screen.look(subject, ((member, getattr(made, member)) for member in members))

    async def _summary(self, principal: Principal, query: AssumptionsQuery, now: int) -> DriftSummary:
        chosen = self._assumptions.choose(principal, query)
        # The age of a belief counts, not of its row: history may be recorded long after it was believed.
        (row,) = await self._ledger.read(
            "SELECT count(*), count(*) FILTER (WHERE NOT validated AND NOT invalidated AND occurred_at < ?), "
            "count(*) FILTER (WHERE validated), count(*) FILTER (WHERE invalidated) "
            f"FROM assumptions WHERE {chosen.where}",
            [naive(now - UNSEEN), *chosen.parameters],
        )
        total, at_risk, validated, invalidated = (int(str(count)) for count in row)
        return DriftSummary(
            total=total,
            at_risk=at_risk,
            validated=validated,
            invalidated=invalidated,
            unvalidated=total - validated - invalidated,
        )


def routes(assumptions: Assumptions) -> tuple[Route, ...]:
    @serves(RECORD_ASSUMPTION, holds=(ASSUMPTION_FENCE,))
    async def record(call: Call[RecordAssumption, None]) -> RecordedAssumption:
        return await assumptions.record(call.principal, call.body)

    @serves(GET_ASSUMPTIONS)
    async def list_all(call: Call[None, AssumptionsQuery]) -> AssumptionList:
        return await assumptions.page(call.principal, call.query)

    @serves(GET_ASSUMPTION)
    async def get(call: Call[None, None], assumption_id: str) -> AssumptionDetail:
        found = await assumptions.visible(call.principal, assumption_id)
        return AssumptionDetail(assumption=found)

    @serves(VALIDATE_ASSUMPTION, holds=(ASSUMPTION_FENCE,))
    async def validate(call: Call[ValidateAssumption, None], assumption_id: str) -> AssumptionDetail:
        judged = await assumptions.validate(call.principal, assumption_id, call.body)
        return AssumptionDetail(assumption=judged)

    return record, list_all, get, validate


def open_assumptions(on: Foundation, actions: Actions, screen: Screen) -> Assumptions:
    assumptions = Assumptions(on.ledger, on.clock, on.locks, actions, screen)
    on.bring(routes=routes(assumptions))
    return assumptions
