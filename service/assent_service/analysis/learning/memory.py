"""What guard says back to an agent about its own outcomes: kept by the events, looked up on every call.

- An action that ends adds the score of `assent_analytics.episode_score` to its track, with the assumptions about it
  that turned out wrong until then and the loops still open.
- What changes the score of an action that ended before (a correction, a late word on an assumption or a loop), and an
  erasure, makes its agent's tracks *stale*: `Keeper` reads them anew from the tables, within a second or so.
- A simulated action never happened and counts for nobody.
- Drift is what the detectors found and nobody has acknowledged (`drift_status`): `degraded` when the newest such alert
  on the score says that it went down, `improved` when up, `drifting` when only other numbers changed; else `stable`,
  and `insufficient_data` with fewer episodes than `ENOUGH`, since a detector has hardly seen anything then.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

import msgspec

from assent.contract.analysis.drift import DriftAlert, DriftDirection
from assent.contract.control.guard import Learning, Source
from assent.contract.control.loops import LoopStatus
from assent.contract.events import EventName
from assent_analytics.episode_score import WEIGHTS, EpisodeFacts, Weights, score
from assent_analytics.episodes import FINISHED, has_run
from assent_service.analysis.learning.tracks import DAYS, EndedEpisode, LearningTrack, Sums
from assent_service.base.clock import DAY, Clock, microseconds, naive
from assent_service.base.memory import DEFAULT, MemoryBudget, Newest
from assent_service.core.payload import decode
from assent_service.store.event import Event
from assent_service.store.ledger import Read

ENOUGH = 20
"""Episodes from which on `stable` is said."""
MOST_TYPES = 1_000
"""Action types of an agent that are followed; what it calls its actions is its own affair."""
WATCHED = 20_000
"""Actions under way, with what is known about them; the newest."""
SCORE = "score"

_UNDER_WAY = f"""
    SELECT org_id, action_id FROM actions
    WHERE source <> '{Source.SIMULATED}' AND status NOT IN ('completed', 'failed', 'cancelled')
    ORDER BY created_at DESC LIMIT {WATCHED}
"""
_MARKS = {
    "wrong": "SELECT org_id, action_id, assumption_id FROM assumptions WHERE invalidated",
    "open": f"SELECT org_id, action_id, loop_id FROM loops WHERE status = '{LoopStatus.OPEN}'",
}
_FEEDBACK = """
    SELECT org_id, agent_id, action_type, epoch_us(created_at) // 86400000000 * 86400000000,
           count(*) FILTER (WHERE sentiment = 'positive'), count(*) FILTER (WHERE sentiment = 'negative')
    FROM feedback
    WHERE created_at >= ? AND deleted_at IS NULL AND agent_id IS NOT NULL AND action_type IS NOT NULL
        AND sentiment <> 'neutral'
    GROUP BY ALL
"""

Alerts = Callable[[str, str | None, str], Sequence[DriftAlert]]
"""The unacknowledged drift alerts of an agent and action type, the newest first."""


def no_alerts(org_id: str, agent_id: str | None, action_type: str) -> Sequence[DriftAlert]:
    """Nobody watches."""
    return ()


class Key(NamedTuple):
    org_id: str
    agent_id: str | None
    action_type: str


class Rated(NamedTuple):
    """Feedback that was given (`step` 1) or taken back (-1), by the event `seq`; `at` is when it was given."""

    seq: int
    key: Key
    at: int
    sentiment: str
    step: int


class LearnedChange(msgspec.Struct, frozen=True):
    replaced: dict[str, object]


class LearnedAction(msgspec.Struct, frozen=True):
    action_id: str
    agent_id: str | None
    action_type: str
    status: str
    source: Source
    risk_score: float | None
    reversible: bool | None
    confidence: float | None
    duration_ms: float | None
    cost_estimate: float | None
    timestamp_start: datetime
    timestamp_end: datetime | None
    updated_at: datetime
    change: LearnedChange | None = None


class LearnedPart(msgspec.Struct, frozen=True):
    """An assumption or a loop: `invalidated` is of the one, `status` of the other."""

    action_id: str
    agent_id: str | None
    source: Source
    invalidated: bool = False
    status: str | None = None
    assumption_id: str | None = None
    loop_id: str | None = None


class LearnedFeedback(msgspec.Struct, frozen=True):
    feedback_id: str
    agent_id: str | None
    action_type: str | None
    sentiment: str
    created_at: datetime
    deleted_at: datetime | None = None


class LearnedErasure(msgspec.Struct, frozen=True):
    agent_id: str | None


class ActionMarks:
    """What was said about an action under way: its wrong assumptions and its open loops, by their ids."""

    __slots__ = ("open", "wrong")

    def __init__(self) -> None:
        self.wrong: set[str] = set()
        self.open: set[str] = set()


class LearningMemory:
    """Fold of actions, assumptions, loops and feedback. `alerts` is the drift noun's to tell, once it is there."""

    types = frozenset(
        {
            EventName.ACTION_CREATED.value,
            EventName.ACTION_UPDATED.value,
            EventName.ASSUMPTION_CREATED.value,
            EventName.ASSUMPTION_UPDATED.value,
            EventName.LOOP_CREATED.value,
            EventName.LOOP_UPDATED.value,
            EventName.FEEDBACK_CREATED.value,
            EventName.FEEDBACK_UPDATED.value,
            EventName.EVIDENCE_ERASED.value,
        }
    )

    def __init__(self, clock: Clock, weights: Weights | None = None, memory: MemoryBudget = DEFAULT) -> None:
        self._clock, self.weights = clock, weights or WEIGHTS
        self.alerts: Alerts = no_alerts
        self._tracks: Newest[tuple[str, str | None], dict[str, LearningTrack]] = Newest(budget=memory.of("learning"))
        self._under_way: OrderedDict[tuple[str, str], ActionMarks | None] = OrderedDict()
        self.stale: set[tuple[str, str | None]] = set()
        """Organization and agent whose tracks are to be read anew."""
        self.grown: set[tuple[str, str | None]] = set()
        """Those that got an episode since somebody looked, so that their patterns may have changed."""
        self.since: list[tuple[Key, EndedEpisode]] | None = None
        """While tables are read: what was added meanwhile."""
        self.rated: list[Rated] = []
        """Likewise: the feedback that was given or taken back."""

    def of(self, org_id: str, agent_id: str | None, action_type: str) -> Learning | None:
        """None when nothing is known about the agent and the action type. An agent that memory had no room for is read
        from the tables then, and known a moment later."""
        tracks = self._tracks.touch((org_id, agent_id))
        if tracks is None and self._tracks.forgotten:
            self.stale.add((org_id, agent_id))
        if tracks is None or (track := tracks.get(action_type)) is None:
            return None
        sums = track.sums(self._clock())
        if not sums.n or not sums.recent:
            return None
        baseline = sums.total / sums.n
        return Learning(
            recent_score_avg=round(sum(sums.recent) / len(sums.recent), 1),
            baseline_score_avg=round(baseline, 1),
            drift_status=drift_status(sums.n, self.alerts(org_id, agent_id, action_type)),
            patterns=list(track.patterns),
            feedback_summary={"positive": sums.positive, "negative": sums.negative},
        )

    @contextmanager
    def changing(self, key: Key) -> Iterator[LearningTrack]:
        """The track of `key`, made where there is none; what it takes is counted afterwards. One beyond MOST_TYPES of
        an agent is made, and not kept."""
        agent = (key.org_id, key.agent_id)
        tracks = self._tracks.touch(agent)
        if tracks is None:
            tracks = {}
            self._tracks.put(agent, tracks, 0)
        track, before = tracks.get(key.action_type), 0
        if track is not None:
            before = track.size
        else:
            track = LearningTrack()
            if len(tracks) < MOST_TYPES:
                tracks[key.action_type] = track
        yield track
        if tracks.get(key.action_type) is track and track.size != before and self._tracks.get(agent) is tracks:
            self._tracks.grow(agent, track.size - before)

    def rate(self, rated: Rated) -> None:
        if self._known(rated.key):
            with self.changing(rated.key) as track:
                track.rate(rated.at, **{rated.sentiment: rated.step})

    def _known(self, key: Key) -> bool:
        """Whether what is here of the agent is all there is; it is read anew otherwise."""
        agent = (key.org_id, key.agent_id)
        if agent in self._tracks or not self._tracks.forgotten:
            return True
        self.stale.add(agent)
        return False

    def action_types(self, org_id: str, agent_id: str | None) -> list[str]:
        """Those of which the agent has a track."""
        return list(self._tracks.get((org_id, agent_id)) or ())

    def snapshot(self, now: int) -> dict[Key, Sums]:
        """Everything that is not empty, to compare two memories."""
        sums = {
            Key(*agent, action_type): track.sums(now)
            for agent, tracks in self._tracks.items()
            for action_type, track in tracks.items()
        }
        return {key: each for key, each in sums.items() if any(each)}

    # Fold

    def load(self, read: Read) -> None:
        """What is under way, and feedback. Episodes are read by `Keeper` once the service answers, since a start must
        not grow with history."""
        rows = read(_UNDER_WAY, [])
        self._under_way = OrderedDict(((str(org_id), str(action_id)), None) for org_id, action_id in reversed(rows))
        for what, sql in _MARKS.items():
            for org_id, action_id, id_ in read(sql, []):
                if (name := (str(org_id), str(action_id))) in self._under_way:
                    self._mark(name, **{what: (str(id_), True)})
        since = naive((self._clock() // DAY - DAYS) * DAY)
        for org_id, agent_id, kind, at, positive, negative in read(_FEEDBACK, [since]):
            key = Key(str(org_id), str(agent_id), str(kind))
            if self._known(key):
                with self.changing(key) as track:
                    track.rate(int(str(at)), positive=int(str(positive)), negative=int(str(negative)))

    def fold(self, event: Event) -> None:
        if event.data is None:
            return
        match event.type:
            case EventName.ACTION_CREATED.value | EventName.ACTION_UPDATED.value:
                self._action(event.org, decode(event, LearnedAction))
            case EventName.FEEDBACK_CREATED.value | EventName.FEEDBACK_UPDATED.value:
                self._feedback(event, decode(event, LearnedFeedback))
            case EventName.EVIDENCE_ERASED.value:
                self.stale.add((event.org, decode(event, LearnedErasure).agent_id))
            case _:
                self._part(event.org, decode(event, LearnedPart))

    def _action(self, org_id: str, seen: LearnedAction) -> None:
        if seen.source is Source.SIMULATED:
            return
        name = (org_id, seen.action_id)
        before = seen.change.replaced.get("status", seen.status) if seen.change else None
        if before in FINISHED:
            # A correction: what it was scored before is in no memory.
            self.stale.add((org_id, seen.agent_id))
        elif seen.status in FINISHED:
            if before is not None and name not in self._under_way:
                # It was pushed out of what is watched; what was said about it is in the tables.
                self.stale.add((org_id, seen.agent_id))
            marks = self._under_way.pop(name, None)
            if has_run(seen.status):
                self._add(Key(org_id, seen.agent_id, seen.action_type), ended(seen, marks, self.weights))
        elif name not in self._under_way:
            self._under_way[name] = None
            if len(self._under_way) > WATCHED:
                self._under_way.popitem(last=False)

    def _add(self, key: Key, episode: EndedEpisode) -> None:
        if self._known(key):
            with self.changing(key) as track:
                track.add(episode)
            self.grown.add(key[:2])
        if self.since is not None:
            self.since.append((key, episode))

    def _part(self, org_id: str, seen: LearnedPart) -> None:
        if seen.source is Source.SIMULATED:
            return
        name = (org_id, seen.action_id)
        if name not in self._under_way:
            self.stale.add((org_id, seen.agent_id))
            return
        self._mark(
            name, wrong=(seen.assumption_id, seen.invalidated), open=(seen.loop_id, seen.status == LoopStatus.OPEN)
        )

    def _mark(self, name: tuple[str, str], **said: tuple[str | None, bool]) -> None:
        marks = self._under_way.get(name) or ActionMarks()
        self._under_way[name] = marks
        for what, (id_, holds) in said.items():
            if id_ is not None:
                ids: set[str] = getattr(marks, what)
                (ids.add if holds else ids.discard)(id_)

    def _feedback(self, event: Event, seen: LearnedFeedback) -> None:
        if seen.agent_id is None or seen.action_type is None or seen.sentiment == "neutral":
            return
        created = event.type == EventName.FEEDBACK_CREATED
        if not created and seen.deleted_at is None:
            return
        step = 1 if created else -1
        rated = Rated(
            event.seq,
            Key(event.org, seen.agent_id, seen.action_type),
            microseconds(seen.created_at),
            seen.sentiment,
            step,
        )
        self.rate(rated)
        if self.since is not None:
            self.rated.append(rated)


def ended(seen: LearnedAction, marks: ActionMarks | None, weights: Weights) -> EndedEpisode:
    """The episode of an action that has ended."""
    facts = EpisodeFacts(
        status=seen.status,
        risk_score=seen.risk_score,
        reversible=seen.reversible,
        duration_ms=seen.duration_ms,
        cost_estimate=seen.cost_estimate,
        confidence=seen.confidence,
        invalidated_assumptions=len(marks.wrong) if marks else 0,
        open_loops=len(marks.open) if marks else 0,
    )
    return EndedEpisode(
        microseconds(seen.timestamp_end or seen.updated_at), seen.action_id, score(facts, weights).score
    )


def drift_status(n: int, alerts: Iterable[DriftAlert]) -> str:
    """`alerts` are those that nobody has acknowledged, the newest first."""
    of_metric = [(alert.metric, alert.direction) for alert in alerts]
    for metric, direction in of_metric:
        if metric == SCORE and direction is not DriftDirection.CHANGED:
            return "degraded" if direction is DriftDirection.DOWN else "improved"
    if of_metric:
        return "drifting"
    return "stable" if n >= ENOUGH else "insufficient_data"
