"""The plans that are on and how their strata stand: a fold of the plans, the requests and how they ended.

Every step of a stratum is an event of its own, numbered under the stratum's fence. So the state is the same after a
start from the tables, which have each step with its number, and in every service on one log; and an erasure, which
leaves those rows, does not move it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Annotated

import msgspec
from msgspec import Struct

from assent.contract.control.actions import FINAL, ActionStatus
from assent.contract.control.guard import TriageAnswer
from assent.contract.control.triage import SetTriage, TriagePlan, TriageRequest, TriageStratum
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent.contract.record import meaning
from assent_analytics.triage import Choice, Plan, Triage, says
from assent_service.core.carry import carry
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.store.event import Event
from assent_service.store.ledger import Read
from assent_service.store.tables import Table

MOST_OPEN = 20_000
"""Requests of a stratum of which nobody knows yet how they ended; with so many it takes part in no more."""
HORIZON = "horizon"
"""How a request ended that did not end in time."""


class TriagePlanRow(TriagePlan, frozen=True, kw_only=True):
    """As it is recorded. Draws come from the `seed`, which is in no answer: who knows it knows what passes."""

    seed: Annotated[str, meaning("what draws are made from", frozen=True)]

    def public(self) -> TriagePlan:
        return carry(TriagePlan, self)


TRIAGE_PLANS = Table.of(
    TriagePlanRow,
    name="triage_plans",
    meaning="plans of triage; the one that was not stopped is on",
    key="plan_id",
    created=(EventName.TRIAGE_PLAN_CREATED.value,),
    replaced=(EventName.TRIAGE_PLAN_STOPPED.value,),
)
TRIAGE_REQUESTS = Table.of(
    TriageRequest,
    name="triage_requests",
    meaning="requests in which triage took part, and how each turned out",
    key="decision_id",
    created=(EventName.TRIAGE_REQUESTED.value,),
    replaced=(EventName.TRIAGE_LEARNED.value,),
)


_OF_PLAN = "org_id = ? AND plan_id = ?"
_ENDED = f"""
    SELECT action_id, status FROM actions
    JOIN (SELECT action_id FROM triage_requests WHERE {_OF_PLAN} AND learned_at IS NULL) USING (action_id)
    WHERE org_id = ? AND status IN ({", ".join(repr(each.value) for each in sorted(FINAL))})
"""


def plan_of(plan: TriagePlan | SetTriage, strata: int) -> Plan:
    """Raises ValueError for what cannot be kept; it begins with the member's name."""
    return Plan(
        alpha=plan.alpha,
        delta=plan.delta,
        thresholds=tuple(plan.thresholds),
        starts=min(2, len(plan.thresholds)),
        room=plan.room,
        least_audited=plan.least_audited,
        strata=strata,
    )


class Stratum:
    """One type of action under a plan. `open` are its requests whose end is not known, oldest first; `due` how those of
    them ended that ended since, which somebody has to record."""

    def __init__(self, plan: TriagePlan, name: str) -> None:
        self.name, self.machine = name, Triage(plan_of(plan, len(plan.action_types)))
        self.steps = self.asked = self.audited = 0
        self.open: dict[str, TriageRequest] = {}
        self.due: dict[str, str] = {}

    @property
    def is_full(self) -> bool:
        return len(self.open) >= MOST_OPEN

    def take_in(self, request: TriageRequest) -> None:
        """A request as it was recorded, with what was chosen for it."""
        self.steps = request.number + 1
        choice = Choice(request.answer, request.share, request.epoch)
        self.machine.note(request.decision_id, request.risk_score, request.draw, choice)
        self.open[request.decision_id] = request
        self.asked += request.answer is not TriageAnswer.ALLOW
        self.audited += request.answer is TriageAnswer.AUDIT

    def learn(self, request: TriageRequest) -> None:
        """How it turned out, as it was recorded; of one that is known nothing."""
        if self.open.pop(request.decision_id, None) is None:
            return
        self.due.pop(request.decision_id, None)
        if request.learned_number is not None:
            self.steps = request.learned_number + 1
        unknown = request.answer is not TriageAnswer.ALLOW
        self.machine.learn(request.decision_id, harmful=unknown if request.harmful is None else request.harmful)

    def overdue(self, before: datetime) -> list[str]:
        """The open ones that were asked before, and have not ended."""
        found = []
        for decision_id, request in self.open.items():
            if request.created_at >= before:
                break
            if decision_id not in self.due:
                found.append(decision_id)
        return found

    def told(self) -> TriageStratum:
        status = self.machine.status()
        return TriageStratum(
            action_type=self.name,
            state=status.state,
            threshold=status.threshold,
            audit_share=status.audit_share,
            asked=self.asked,
            audited=self.audited,
            passed=status.passed,
            known_harmful=status.known_harmful,
            bound=status.bound,
            budget=status.budget,
            epoch=status.epoch,
            tested=status.tested,
            tested_harmful=status.tested_harmful,
            pending=status.pending,
            needed=status.needed,
            alarms=list(status.alarms),
            says=f"{len(self.open)} have not ended: everything is asked." if self.is_full else says(status),
        )


class LivePlan:
    """A plan that is on, with its strata. `actions` are those of open requests, with stratum and decision."""

    def __init__(self, plan: TriagePlanRow) -> None:
        self.plan = plan
        self.strata = {name: Stratum(plan, name) for name in plan.action_types}
        self.actions: dict[str, tuple[Stratum, str]] = {}

    @property
    def horizon(self) -> timedelta:
        return timedelta(hours=self.plan.horizon_hours)

    def take_in(self, request: TriageRequest) -> None:
        stratum = self.strata[request.stratum]
        stratum.take_in(request)
        self.actions[request.action_id] = (stratum, request.decision_id)

    def learn(self, request: TriageRequest) -> None:
        self.strata[request.stratum].learn(request)
        self.actions.pop(request.action_id, None)

    def ended(self, action_id: str, status: ActionStatus) -> bool:
        """An action has this status; whether that is news of an open request."""
        found = self.actions.get(action_id)
        if found is None or status not in FINAL:
            return False
        found[0].due.setdefault(found[1], status.value)
        return True


class PlanState:
    """The plan of each organization that has one on."""

    types = frozenset({EventName.TRIAGE_PLAN_CREATED.value, EventName.TRIAGE_PLAN_STOPPED.value})
    rules = True

    def __init__(self) -> None:
        self._live: dict[str, LivePlan] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(TRIAGE_PLANS)} FROM triage_plans WHERE stopped_at IS NULL", []):
            self._keep(record(TRIAGE_PLANS, row, TriagePlanRow))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, TriagePlanRow))

    def of(self, org_id: str) -> LivePlan | None:
        return self._live.get(org_id)

    def all(self) -> list[LivePlan]:
        return list(self._live.values())

    def _keep(self, plan: TriagePlanRow) -> None:
        if plan.stopped_at is None:
            self._live[plan.org_id] = LivePlan(plan)
            return
        live = self._live.get(plan.org_id)
        if live is not None and live.plan.plan_id == plan.plan_id:
            del self._live[plan.org_id]


class _Status(Struct, frozen=True):
    """What triage looks at in an action."""

    status: ActionStatus


_decode_status = msgspec.json.Decoder(prepared(_Status)).decode


class RequestState:
    """The requests of the plans that are on. `woken` is called when one of them has ended."""

    types = frozenset(
        {EventName.TRIAGE_REQUESTED.value, EventName.TRIAGE_LEARNED.value, EventName.ACTION_UPDATED.value}
    )

    def __init__(self, plans: PlanState) -> None:
        self._plans = plans
        self.woken: Callable[[], None] = nobody

    def load(self, read: Read) -> None:
        for live in self._plans.all():
            of_plan: list[object] = [live.plan.org_id, live.plan.plan_id]
            rows = read(f"SELECT {select(TRIAGE_REQUESTS)} FROM triage_requests WHERE {_OF_PLAN}", of_plan)
            requests = [record(TRIAGE_REQUESTS, row, TriageRequest) for row in rows]
            steps = [(request.number, live.take_in, request) for request in requests]
            steps += [(each.learned_number, live.learn, each) for each in requests if each.learned_number is not None]
            for _, step, request in sorted(steps, key=lambda step: step[0]):
                step(request)
            for action_id, status in read(_ENDED, [*of_plan, live.plan.org_id]):
                live.ended(str(action_id), ActionStatus(str(status)))

    def fold(self, event: Event) -> None:
        live = self._plans.of(event.org)
        if live is None or event.data is None:
            return
        if event.type == EventName.ACTION_UPDATED.value:
            if event.subject in live.actions and live.ended(event.subject, _decode_status(event.data).status):
                self.woken()
            return
        request = decode(event, TriageRequest)
        if request.plan_id == live.plan.plan_id:
            (live.take_in if event.type == EventName.TRIAGE_REQUESTED.value else live.learn)(request)


def nobody() -> None:
    """Who is woken where nobody waits."""
