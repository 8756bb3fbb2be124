"""Triage: plans given and stopped, requests chosen, and how they turned out.

1. A request is chosen and recorded under the fence of its stratum, and so is how one turned out: each step rests on all
   before it, in whatever process. Only who takes part holds it.
2. What is recorded of a request are its decision, the action and its step, in one write. The step is content-free, so
   an erasure of the action leaves it.
3. How requests turned out is recorded as soon as they have ended, and after the horizon where they have not. Every
   service on one log looks; who comes second finds nothing to record.
4. A stratum of which too many requests have no end yet takes part in no more: everything is asked.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

import msgspec

from assent.contract.control.actions import ActionStatus, CreateAction
from assent.contract.control.guard import RecordedDecision, TriageAnswer, TriageMark
from assent.contract.control.triage import (
    GET_TRIAGE,
    SET_TRIAGE,
    STOP_TRIAGE,
    SetTriage,
    Triage,
    TriageRequest,
    TriageStratum,
)
from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.problems import Code, FieldError
from assent_analytics.triage import draw_of
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.control.guard import GuardQuestion, PolicySet
from assent_service.control.triage.request import Chosen, marked, takes_part
from assent_service.control.triage.state import (
    HORIZON,
    LivePlan,
    PlanState,
    RequestState,
    Stratum,
    TriagePlanRow,
    plan_of,
)
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

TRIAGE_FENCE = Fence("triage", "stratum")
"""Of each step of a stratum, whichever plan is on."""
TRIAGE_PLAN_FENCE = Fence("triage_plan")
AT_ONCE = 500
"""Ends of requests that are recorded in one write."""
LOOK_SECONDS = 30.0
SYSTEM = "system"
_SETTINGS = ("action_types", "alpha", "delta", "room", "thresholds", "least_audited", "horizon_hours")

log = logging.getLogger("assent.triage")


class Policies(Protocol):
    """What triage needs of the policies noun."""

    def of(self, org_id: str) -> PolicySet: ...


def given(said: SetTriage, principal: Principal, plan_id: str, seed: str, now: int) -> TriagePlanRow:
    """Raises `invalid_body` for what cannot be kept."""
    types = list(dict.fromkeys(map(comparable, said.action_types)))
    try:
        room = int(plan_of(said, len(types)).budget(0))
    except ValueError as error:
        place = str(error).partition(" ")[0]
        raise refuse(
            Code.INVALID_BODY,
            f"The plan cannot be kept: {error}.",
            FieldError(place=place, message=str(error)),
        ) from None
    return carry(
        TriagePlanRow,
        said,
        org_id=principal.org_id,
        plan_id=plan_id,
        action_types=types,
        thresholds=list(said.thresholds),
        room=room,
        created_at=moment(now),
        created_by=principal.key_id,
        created_by_name=principal.name,
        stopped_at=None,
        stopped_by=None,
        seed=seed,
    )


def learned(request: TriageRequest, ended: str, number: int, now: int) -> TriageRequest:
    """The request once it is known how it ended. What was cancelled, denied among it, or is not known in time, nobody
    calls harmless or failed."""
    known = {ActionStatus.COMPLETED.value: False, ActionStatus.FAILED.value: True}
    return msgspec.structs.replace(
        request, ended=ended, harmful=known.get(ended), learned_number=number, learned_at=moment(now)
    )


class Triages:
    """The plans of every organization. `signals(org, agent)` are warnings of the signals that are on for an agent."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        policies: Policies,
        signals: Callable[[str, str | None], Sequence[str]],
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._policies, self._signals = policies, signals
        self.plans = PlanState()
        self.requests = RequestState(self.plans)
        self._wake = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    # A request

    def stratum(
        self, asked: GuardQuestion, body: CreateAction, decision: RecordedDecision, *, flagged: bool = False
    ) -> Stratum | None:
        """The stratum of a creation in which triage takes part, None for any other. `flagged`: the scan for prompt
        injections found something. No grant covers the request."""
        org_id = asked.principal.org_id
        live = self.plans.of(org_id)
        if live is None or flagged:
            return None
        stratum = live.strata.get(asked.facts.type_key)
        if stratum is None or stratum.is_full:
            return None
        if not takes_part(asked, body, decision, self._policies.of(org_id)) or self._signals(org_id, asked.agent_id):
            return None
        return stratum

    def choose(self, asked: GuardQuestion, stratum: Stratum, decision: RecordedDecision) -> Chosen:
        """What becomes of the request, for whoever holds the fence of its stratum; nothing is awaited until it is
        recorded."""
        org_id = asked.principal.org_id
        plan = self._live(org_id).plan
        draw = draw_of(plan.seed, decision.decision_id)
        choice = stratum.machine.choose(decision.risk_score, draw)
        threshold = stratum.machine.threshold
        if choice.answer is not TriageAnswer.ASK and threshold is not None:
            promise = stratum.machine.promise(choice.share)
            mark = TriageMark(
                plan_id=plan.plan_id,
                stratum=stratum.name,
                number=stratum.steps,
                answer=choice.answer,
                draw=draw,
                share=choice.share,
                threshold=threshold,
                epoch=choice.epoch,
                alpha=plan.alpha,
                delta=plan.delta,
                passed=promise.passed,
                bound=promise.bound,
                budget=promise.budget,
            )
            decision = marked(decision, self._policies.of(org_id), mark, asked.misspelt)
        return Chosen(decision, choice, draw, plan.plan_id, stratum.name, stratum.steps)

    @staticmethod
    def draft(asked: GuardQuestion, chosen: Chosen, action_id: str) -> Draft:
        """The step that goes with the request's record."""
        request = TriageRequest(
            org_id=asked.principal.org_id,
            decision_id=chosen.decision.decision_id,
            action_id=action_id,
            plan_id=chosen.plan_id,
            stratum=chosen.stratum,
            number=chosen.number,
            answer=chosen.choice.answer,
            risk_score=chosen.decision.risk_score,
            draw=chosen.draw,
            share=chosen.choice.share,
            epoch=chosen.choice.epoch,
            created_at=moment(asked.now),
            ended=None,
            harmful=None,
            learned_number=None,
            learned_at=None,
        )
        return _step(EventName.TRIAGE_REQUESTED, request, asked.principal.key_id, asked.now)

    # How requests turned out

    async def learn(self) -> int:
        """Record how requests turned out that have ended, or whose horizon is over, and say how many."""
        recorded = 0
        for live in self.plans.all():
            for name in live.strata:
                recorded += await self._ledger.run(partial(self._learn, live.plan.org_id, name))
        return recorded

    async def _learn(self, org_id: str, name: str) -> int:
        if not self._ends(org_id, name, self._clock()):
            return 0
        async with self._locks.hold(TRIAGE_FENCE.of(org_id, name)):
            recorded = 0
            while ends := self._ends(org_id, name, now := self._clock()):
                first = self._live(org_id).strata[name].steps
                await self._ledger.append(
                    *(
                        _step(EventName.TRIAGE_LEARNED, learned(request, ended, first + at, now), SYSTEM, now)
                        for at, (request, ended) in enumerate(ends)
                    )
                )
                recorded += len(ends)
            return recorded

    def _ends(self, org_id: str, name: str, now: int) -> list[tuple[TriageRequest, str]]:
        """What can be learnt of a stratum."""
        live = self.plans.of(org_id)
        stratum = None if live is None else live.strata.get(name)
        if live is None or stratum is None:
            return []
        ends = [*stratum.due.items()]
        ends += [(each, HORIZON) for each in stratum.overdue(moment(now) - live.horizon)]
        return [(stratum.open[decision_id], ended) for decision_id, ended in ends[:AT_ONCE]]

    def start(self) -> None:
        """Begin to look for requests that have ended."""
        self.requests.woken = self._wake.set
        self._wake.set()
        self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper

    async def _keep(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._wake.wait()
            self._wake.clear()
            try:
                await self.learn()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next look tries again
                log.warning("how requests turned out is not recorded for triage: %s", error)

    # Plans

    async def set(self, principal: Principal, said: SetTriage) -> None:
        """Raises `invalid_body`."""
        async with self._locks.hold(TRIAGE_PLAN_FENCE.of(principal.org_id)):
            now = self._clock()
            plan = given(said, principal, new_id("tri_", now), secrets.token_hex(16), now)
            before = self.plans.of(principal.org_id)
            if before is not None and all(getattr(before.plan, name) == getattr(plan, name) for name in _SETTINGS):
                return
            drafts = [] if before is None else [_stopped(before, principal, now)]
            await self._ledger.append(*drafts, _event(EventName.TRIAGE_PLAN_CREATED, plan, principal, now))

    async def stop_plan(self, principal: Principal) -> None:
        async with self._locks.hold(TRIAGE_PLAN_FENCE.of(principal.org_id)):
            live = self.plans.of(principal.org_id)
            if live is not None:
                await self._ledger.append(_stopped(live, principal, self._clock()))

    def told(self, org_id: str) -> Triage:
        live = self.plans.of(org_id)
        plan = None if live is None else live.plan.public()
        return Triage(plan=plan, strata=self.strata(org_id), at=moment(self._clock()))

    def strata(self, org_id: str) -> list[TriageStratum]:
        """How each stratum stands; none where triage is off."""
        live = self.plans.of(org_id)
        return [] if live is None else [stratum.told() for stratum in live.strata.values()]

    def _live(self, org_id: str) -> LivePlan:
        live = self.plans.of(org_id)
        assert live is not None, "a stratum is one of a plan that is on"
        return live


def _step(name: EventName, request: TriageRequest, actor: str, now: int) -> Draft:
    """It belongs to no action: it says nothing of one that evidence would have to show, or an erasure blank."""
    return Draft(
        org=request.org_id, type=name.value, ts=now, subject=request.decision_id, actor=actor, data=encode(request)
    )


def _stopped(live: LivePlan, principal: Principal, now: int) -> Draft:
    after = msgspec.structs.replace(live.plan, stopped_at=moment(now), stopped_by=principal.key_id)
    return _event(EventName.TRIAGE_PLAN_STOPPED, after, principal, now)


def _event(name: EventName, plan: TriagePlanRow, principal: Principal, now: int) -> Draft:
    return Draft(
        org=plan.org_id, type=name.value, ts=now, subject=plan.plan_id, actor=principal.key_id, data=encode(plan)
    )


def routes(triages: Triages) -> tuple[Route, ...]:
    @serves(SET_TRIAGE, holds=(TRIAGE_PLAN_FENCE,))
    async def give(call: Call[SetTriage, None]) -> Triage:
        await triages.set(call.principal, call.body)
        return triages.told(call.principal.org_id)

    @serves(GET_TRIAGE)
    async def get(call: Call[None, None]) -> Triage:
        return triages.told(call.principal.org_id)

    @serves(STOP_TRIAGE, holds=(TRIAGE_PLAN_FENCE,))
    async def stop(call: Call[None, None]) -> Triage:
        await triages.stop_plan(call.principal)
        return triages.told(call.principal.org_id)

    return give, get, stop
