"""What is on now: read from memory with every question, never stored, never swept up by a timer.

Red ones come first; within a severity by kind, as `SignalType` has them, and the worst of a kind first: the highest
count, the highest risk, the longest time. Of each kind ten are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple, Protocol

from assent.contract.control.signals import GET_SIGNALS, Severity, Signal, SignalCounts, SignalsQuery, SignalType
from assent.contract.control.signals import Signals as SignalList
from assent.contract.names import same_name
from assent_service.base.clock import MINUTE, SECOND, Clock, microseconds, moment
from assent_service.control.signals import judge
from assent_service.control.signals.aging import AgingItem
from assent_service.control.signals.state import SignalState
from assent_service.control.signals.windows import Noted
from assent_service.control.signals.workspace import UNALLOWED, WorkspaceSignals
from assent_service.core.call import Call
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves

SHOWN = 10
"""Signals of a kind that are shown."""


class SilentAgent(Protocol):
    """An agent that used to send heartbeats."""

    @property
    def agent_id(self) -> str: ...
    @property
    def last_seen(self) -> datetime: ...
    @property
    def current_task_id(self) -> str | None: ...


class Presence(Protocol):
    """What signals need of the agents noun. Only agents that ever sent a heartbeat can be silent."""

    def silent(self, org_id: str, now: int, after_microseconds: int, /) -> Sequence[SilentAgent]: ...


class Nobody:
    """No agent sends heartbeats."""

    def silent(self, org_id: str, now: int, after_microseconds: int, /) -> Sequence[SilentAgent]:
        return ()


class SignalGroup(NamedTuple):
    """The worst signals of one kind, and how many there are in all."""

    shown: list[Signal]
    number: int


class Signals:
    """The signals of every organization."""

    def __init__(self, state: SignalState, clock: Clock, presence: Presence | None = None) -> None:
        self.state, self._clock = state, clock
        self.presence: Presence = Nobody() if presence is None else presence
        self.silent_after = round(state.thresholds.agent_silent_minutes * MINUTE)
        aging = WorkspaceSignals(state.thresholds).aging.values()
        self.shortest = max(SECOND, min(self.silent_after, *(limits.amber for _, limits in aging)))
        """The shortest time that makes anything stale; microseconds, as the one before."""

    def page(self, principal: Principal, query: SignalsQuery) -> SignalList:
        """What the caller may see: a key that is bound to an agent sees that agent's only."""
        agent_id = query.agent_id
        now = self._clock()
        if not principal.sees(None):
            if agent_id is not None and not same_name(agent_id, principal.agent_id):
                return _listed({}, now)
            agent_id = principal.agent_id
        return _listed(self.current(principal.org_id, now, agent_id), now)

    def warnings(self, org_id: str, agent_id: str | None) -> list[str]:
        """What guard adds to its answer for an agent when it is asked to."""
        if agent_id is None:
            return []
        found = _listed(self.current(org_id, self._clock(), agent_id), 0)
        return [f"Active signal: {signal.type} — {signal.label}" for signal in found.signals]

    def current(self, org_id: str, now: int, agent_id: str | None = None) -> dict[SignalType, SignalGroup]:
        """By kind; of one agent when it is named."""
        at = self.state.of(org_id)
        kinds = {kind: _counted(at, kind, now, agent_id) for kind in at.counted}
        kinds |= {kind: _aged(at, kind, now, agent_id) for kind in at.aging}
        kinds[SignalType.HIGH_IMPACT_LOW_OVERSIGHT] = _impactful(at, agent_id)
        kinds[SignalType.OUTCOME_WITHOUT_APPROVAL] = _unallowed(at, now, agent_id)
        kinds[SignalType.AGENT_SILENT] = self._silent(org_id, now, agent_id)
        return kinds

    def _silent(self, org_id: str, now: int, agent_id: str | None) -> SignalGroup:
        """The most silent come first, those at a task before the others."""
        silent = self.presence.silent(org_id, now, self.silent_after)
        found = [each for each in silent if agent_id is None or same_name(each.agent_id, agent_id)]
        worst = nsmallest(SHOWN, found, key=lambda each: (each.current_task_id is None, each.last_seen))
        shown = [judge.silent(each.agent_id, microseconds(each.last_seen), each.current_task_id, now) for each in worst]
        return SignalGroup(shown, len(found))

    def one(self, org_id: str, kind: SignalType, subject: str, now: int) -> Signal | None:
        """A single signal if it is on. Silence is not asked for one by one."""
        at = self.state.of(org_id)
        if kind in at.aging:
            aging, limits = at.aging[kind]
            what = aging.get(subject)
            stale = what is not None and now - what.at > limits.amber
            return _AGED[kind](subject, what, limits, now) if what is not None and stale else None
        if kind is SignalType.HIGH_IMPACT_LOW_OVERSIGHT:
            noted = at.impactful.get(subject)
            return None if noted is None else judge.impactful(subject, noted, at.thresholds)
        if kind is SignalType.OUTCOME_WITHOUT_APPROVAL:
            noted = at.unallowed.get(subject)
            return judge.unallowed(subject, noted) if noted is not None and _recent(noted, now) else None
        counted, told = at.counted[kind], _COUNTED[kind]
        count = counted.count(subject, now)
        return told(count, at.thresholds) if count.number >= counted.needed else None


_AGED = {
    SignalType.STALE_RUNNING_ACTION: judge.stale_action,
    SignalType.STALE_LOOP: judge.stale_loop,
    SignalType.STALE_ASSUMPTION: judge.stale_belief,
}
_COUNTED = {
    SignalType.AUTONOMY_SPIKE: judge.spike,
    SignalType.REPEATED_FAILURES: judge.failing,
    SignalType.ASSUMPTION_DRIFT: judge.drifting,
}
_RED_FIRST = {Severity.RED: 0, Severity.AMBER: 1}


def _counted(at: WorkspaceSignals, kind: SignalType, now: int, agent_id: str | None) -> SignalGroup:
    counted = at.counted[kind]
    counts = counted.counts(now) if agent_id is None else [counted.count(agent_id, now)]
    over = [count for count in counts if count.number >= counted.needed]
    worst = nsmallest(SHOWN, over, key=lambda count: (-count.number, count.agent_id))
    return SignalGroup([_COUNTED[kind](count, at.thresholds) for count in worst], len(over))


def _impactful(at: WorkspaceSignals, agent_id: str | None) -> SignalGroup:
    running = [each for each in at.impactful.items() if agent_id is None or same_name(each[1].agent_id, agent_id)]
    worst = nsmallest(SHOWN, running, key=lambda each: (-each[1].risk, each[1].at))
    return SignalGroup([judge.impactful(id_, what, at.thresholds) for id_, what in worst], len(running))


def _unallowed(at: WorkspaceSignals, now: int, agent_id: str | None) -> SignalGroup:
    done = [
        each
        for each in at.unallowed.items()
        if _recent(each[1], now) and (agent_id is None or same_name(each[1].agent_id, agent_id))
    ]
    worst = nsmallest(SHOWN, done, key=lambda each: (each[1].status, -each[1].at))
    return SignalGroup([judge.unallowed(id_, what) for id_, what in worst], len(done))


def _aged(at: WorkspaceSignals, kind: SignalType, now: int, agent_id: str | None) -> SignalGroup:
    """The oldest are the worst, so they need not be sorted, nor all be looked at."""
    aging, limits = at.aging[kind]
    number = aging.older(now - limits.amber)
    stale: Iterator[tuple[str, AgingItem]] = islice(aging.oldest(), number)
    if agent_id is not None:
        mine = [each for each in stale if same_name(each[1].agent_id, agent_id)]
        number, stale = len(mine), iter(mine)
    return SignalGroup([_AGED[kind](id_, what, limits, now) for id_, what in islice(stale, SHOWN)], number)


def _recent(what: Noted, now: int) -> bool:
    return what.at > now - UNALLOWED


def _listed(kinds: dict[SignalType, SignalGroup], now: int) -> SignalList:
    ordered = [signal for kind in SignalType if kind in kinds for signal in kinds[kind].shown]
    ordered.sort(key=lambda signal: _RED_FIRST[signal.severity])
    red = sum(signal.severity is Severity.RED for signal in ordered)
    return SignalList(
        signals=ordered,
        counts=SignalCounts(red=red, amber=len(ordered) - red, total=len(ordered)),
        not_shown={kind.value: more for kind, found in kinds.items() if (more := found.number - len(found.shown))},
        lastUpdated=moment(now),
    )


def routes(signals: Signals) -> tuple[Route, ...]:
    @serves(GET_SIGNALS)
    async def get(call: Call[None, SignalsQuery]) -> SignalList:
        return signals.page(call.principal, call.query)

    return (get,)
