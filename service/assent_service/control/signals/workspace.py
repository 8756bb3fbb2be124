"""One organization's state, from which its signals are read.

An action is held by what its newest row says, so folding every change and loading the rows as they are end alike. What
comes on by an event is noted in `fresh` when it does; what comes on by time is found by its age.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor
from typing import NamedTuple

from assent.contract.control.signals import SignalType
from assent_service.base.clock import DAY, HOUR, microseconds
from assent_service.control.signals.aging import Aging, AgingItem
from assent_service.control.signals.facts import (
    BLOCKED,
    FAILED,
    LIVE,
    OPEN,
    RUNNING,
    WatchedAction,
    WatchedAssumption,
    WatchedLoop,
    is_impactful,
    is_unallowed,
    loop_words,
    runs_since,
    shortened,
    within,
)
from assent_service.control.signals.windows import NamedTimes, NewestNoted, Noted, Times
from assent_service.core.settings import Levels, Thresholds

ACTED, FAILING, DRIFTING, UNALLOWED = HOUR, DAY, 7 * DAY, 7 * DAY
"""How far back each kind looks."""


class StaleLimits(NamedTuple):
    """After how long something is stale, in microseconds."""

    amber: int
    red: int


class Fresh(NamedTuple):
    """A signal that may have come on at `since` (microseconds)."""

    type: SignalType
    subject: str
    since: int


class WorkspaceSignals:
    """`fresh` is emptied by whoever tells of it."""

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self.acts = Times(ACTED, floor(thresholds.autonomy_spike.amber) + 1)
        self.failures = NamedTimes(FAILING, floor(thresholds.repeated_failures.amber) + 1)
        self.drift = NamedTimes(DRIFTING, max(1, ceil(thresholds.assumption_drift.amber)))
        self.counted: dict[SignalType, Times | NamedTimes] = {
            SignalType.AUTONOMY_SPIKE: self.acts,
            SignalType.REPEATED_FAILURES: self.failures,
            SignalType.ASSUMPTION_DRIFT: self.drift,
        }
        self.running, self.loops, self.beliefs = Aging(), Aging(), Aging()
        self.impactful, self.unallowed = NewestNoted(), NewestNoted()
        self.fresh: list[Fresh] = []
        self.aging: dict[SignalType, tuple[Aging, StaleLimits]] = {
            SignalType.STALE_RUNNING_ACTION: (self.running, _limits(thresholds.stale_running_hours, HOUR)),
            SignalType.STALE_LOOP: (self.loops, _limits(thresholds.stale_loop_hours, HOUR)),
            SignalType.STALE_ASSUMPTION: (self.beliefs, _limits(thresholds.stale_assumption_days, DAY)),
        }
        self._high_impact = thresholds.high_impact.amber

    @property
    def has_news(self) -> bool:
        """Whether an event has brought something about."""
        return bool(self.fresh) or self.running.late or self.loops.late or self.beliefs.late

    # Fold

    def created(self, action_id: str, action: WatchedAction, at: int) -> None:
        if action.source != LIVE:
            return
        if action.status != BLOCKED and action.agent_id is not None:
            self.act(action.agent_id, at)
        self._hold(action_id, action, at, at)

    def updated(self, action_id: str, action: WatchedAction, at: int) -> None:
        if action.source != LIVE:
            return
        before = action.change.replaced.status if action.change else None
        if before == BLOCKED and action.agent_id is not None:
            # A blocked attempt that ran after all.
            self.act(action.agent_id, microseconds(action.created_at))
        self._hold(action_id, action, None, at)

    def act(self, agent_id: str, at: int) -> None:
        if self.acts.add(agent_id, at):
            self.fresh.append(Fresh(SignalType.AUTONOMY_SPIKE, agent_id, at))

    def _hold(self, action_id: str, action: WatchedAction, created: int | None, updated: int) -> None:
        """`created` where it is known already: most changes need not know it."""
        if created is None and action.status in (RUNNING, FAILED):
            created = microseconds(action.created_at)
        if action.status == RUNNING and created is not None:
            since = runs_since(created, action.approved_at)
            self.running.watch(action_id, AgingItem(since, action.agent_id, action_id, action.action_type))
            if is_impactful(action, self._high_impact):
                self.run_impactful(action_id, action, since)
        else:
            self.running.forget(action_id)
            if len(self.impactful):
                self.impactful.drop(action_id)
        if action.agent_id is not None:
            if action.status == FAILED and created is not None:
                self.fail(action.agent_id, action_id, within(action.timestamp_end, created, updated))
            else:
                self.failures.discard(action.agent_id, action_id)
        if is_unallowed(action):
            self.do_unallowed(action_id, action, updated)
        elif len(self.unallowed):
            self.unallowed.drop(action_id)

    def run_impactful(self, action_id: str, action: WatchedAction, since: int) -> None:
        if self.impactful.put(action_id, _noted(action, since)):
            self.fresh.append(Fresh(SignalType.HIGH_IMPACT_LOW_OVERSIGHT, action_id, since))

    def fail(self, agent_id: str, action_id: str, at: int) -> None:
        if self.failures.add(agent_id, action_id, at):
            self.fresh.append(Fresh(SignalType.REPEATED_FAILURES, agent_id, at))

    def do_unallowed(self, action_id: str, action: WatchedAction, at: int) -> None:
        if self.unallowed.put(action_id, _noted(action, at)):
            self.fresh.append(Fresh(SignalType.OUTCOME_WITHOUT_APPROVAL, action_id, at))

    def loop(self, loop: WatchedLoop) -> None:
        if loop.source != LIVE or loop.status != OPEN:
            self.loops.forget(loop.loop_id)
            return
        words = loop_words(loop.loop_type, loop.priority, loop.description)
        self.loops.watch(loop.loop_id, AgingItem(microseconds(loop.created_at), loop.agent_id, loop.action_id, words))

    def believe(self, said: WatchedAssumption) -> None:
        if said.source != LIVE:
            return
        if said.agent_id is not None:
            if said.invalidated:
                created, updated = microseconds(said.created_at), microseconds(said.updated_at)
                self.drift_away(said.agent_id, said.assumption_id, within(said.validated_at, created, updated))
            else:
                self.drift.discard(said.agent_id, said.assumption_id)
        if said.validated or said.invalidated:
            self.beliefs.forget(said.assumption_id)
        else:
            at = microseconds(said.occurred_at)
            belief = AgingItem(at, said.agent_id, said.action_id, shortened(said.assumption))
            self.beliefs.watch(said.assumption_id, belief)

    def drift_away(self, agent_id: str, assumption_id: str, at: int) -> None:
        if self.drift.add(agent_id, assumption_id, at):
            self.fresh.append(Fresh(SignalType.ASSUMPTION_DRIFT, agent_id, at))

    def erase(self, action_id: str, agent_id: str | None) -> None:
        """Nothing is on any more about an action whose content was erased; what was counted by agents goes on to count,
        but for its failure."""
        self.running.forget(action_id)
        self.impactful.drop(action_id)
        self.unallowed.drop(action_id)
        if agent_id is not None:
            self.failures.discard(agent_id, action_id)
        for watched in (self.loops, self.beliefs):
            for id_ in [id_ for id_, what in watched.oldest() if what.action_id == action_id]:
                watched.forget(id_)

    # What came on

    def standing(self, now: int) -> Iterator[Fresh]:
        """What events have brought about and is on at `now`, whether somebody was told or not."""
        for kind, counted in self.counted.items():
            for count in counted.counts(now):
                yield Fresh(kind, count.agent_id, count.latest)
        for kind, noted in (
            (SignalType.HIGH_IMPACT_LOW_OVERSIGHT, self.impactful),
            (SignalType.OUTCOME_WITHOUT_APPROVAL, self.unallowed),
        ):
            for id_, what in noted.items():
                yield Fresh(kind, id_, what.at)

    def turned(self, now: int) -> Iterator[Fresh]:
        """What time has brought about since this was last asked."""
        for kind, (aging, limits) in self.aging.items():
            for id_ in aging.turned(now - limits.amber):
                what = aging.get(id_)
                if what is not None:
                    yield Fresh(kind, id_, what.at)

    def deadline(self, now: int) -> int | None:
        """When time brings about the next one."""
        due = [
            first + limits.amber + 1
            for aging, limits in self.aging.values()
            if (first := aging.following(now - limits.amber)) is not None
        ]
        return min(due, default=None)


def _limits(levels: Levels, unit: int) -> StaleLimits:
    return StaleLimits(round(levels.amber * unit), round(levels.red * unit))


def _noted(action: WatchedAction, at: int) -> Noted:
    return Noted(at, action.agent_id, action.action_type, action.risk_score, action.status)
