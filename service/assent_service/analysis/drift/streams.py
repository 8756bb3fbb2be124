"""Every stream's detector, one for each organization, agent, action type, metric, and whether a simulator made it up.

- A stream begins when its first value comes. There are at most `MOST`; beyond, the organization with the most of them
  forgets the one that had no value for the longest time, which begins anew when it has one again.
- An imported value that happened before the stream's newest live one is passed over: it cannot be put in its place.
  Imported values among themselves count in the order in which they were recorded.
- All of it is a function of the events in their order, so that whoever reads the log again comes to the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from assent.contract.control.guard import Source
from assent_analytics.detector import ALPHA, Alarm, Detector, State
from assent_analytics.episodes import WEIGHTS, Weights
from assent_service.analysis.drift.facts import GRIDS, About, FactReader
from assent_service.store.event import Event

MOST = 20_000
"""Streams in memory, 2 to 6 kB each."""


class Stream(NamedTuple):
    org_id: str
    agent_id: str | None
    action_type: str
    metric: str
    simulated: bool

    @property
    def key(self) -> str:
        """What its ties and the ids of its alerts are made of."""
        return msgspec.json.encode(list(self)).decode()


class StreamAlarm(NamedTuple):
    """An alarm; `source` is that of the value that raised it, `n` the number of its event in the organization."""

    stream: Stream
    alarm: Alarm
    source: Source
    n: int


class SavedStream(msgspec.Struct, array_like=True):
    """A stream as it is saved."""

    stream: Stream
    newest_live: int
    state: State


class StreamsSnapshot(msgspec.Struct, array_like=True):
    """All streams in the order in which they last had a value, and what is remembered of actions that go on."""

    streams: list[SavedStream]
    about: list[tuple[str, str, About]]


class _Watched:
    """A stream in memory; told from others by what it is, not by what it holds."""

    __slots__ = ("detector", "newest_live", "stream")

    def __init__(self, stream: Stream, detector: Detector, newest_live: int = 0) -> None:
        self.stream, self.detector, self.newest_live = stream, detector, newest_live


class Streams:
    """The streams of every organization. Not for two threads at once."""

    def __init__(self, weights: Weights = WEIGHTS, alpha: float = ALPHA, most: int = MOST) -> None:
        self.weights, self.alpha = weights, alpha
        self._reader, self._most = FactReader(weights), most
        self._begin()

    def _begin(self) -> None:
        self._by_metric: dict[tuple[str, str | None, str, bool], dict[str, _Watched]] = {}
        """Streams whose values come together: of an organization, agent and action type, made up or not."""
        self._newest: dict[str, OrderedDict[_Watched, None]] = {}
        """Those of each organization, in the order in which they last had a value."""
        self._total = 0

    def take(self, event: Event) -> list[StreamAlarm]:
        """Feed what the event adds, and give the alarms that it raises."""
        values = self._reader.read(event)
        if values is None:
            return []
        org_id, source, at = values.org_id, values.source, values.at
        together = (org_id, values.agent_id, values.action_type, source is Source.SIMULATED)
        watched_by = self._by_metric.get(together, {})
        newest = self._newest.setdefault(org_id, OrderedDict())
        found = []
        for metric, value in values.numbers.items():
            watched = watched_by.get(metric)
            if watched is None:
                org_id, agent_id, action_type, simulated = together
                watched = self._add(Stream(org_id, agent_id, action_type, metric, simulated))
                self._make_room()
                watched_by = self._by_metric.get(together, {})
            else:
                newest.move_to_end(watched)
            if source is Source.LIVE:
                if at > watched.newest_live:
                    watched.newest_live = at
            elif source is Source.IMPORT and at < watched.newest_live:
                continue
            alarm = watched.detector.step(value, at)
            if alarm is not None:
                found.append(StreamAlarm(watched.stream, alarm, source, event.n))
        return found

    def number_of(self, org_id: str) -> int:
        """How many streams the organization has."""
        return len(self._newest.get(org_id, ()))

    def _add(self, stream: Stream, state: State | None = None, newest_live: int = 0) -> _Watched:
        grid = GRIDS[stream.metric]
        detector = (
            Detector(stream.key, grid, self.alpha)
            if state is None
            else Detector.of(stream.key, grid, state, self.alpha)
        )
        watched = _Watched(stream, detector, newest_live)
        self._by_metric.setdefault(_together(stream), {})[stream.metric] = watched
        self._newest.setdefault(stream.org_id, OrderedDict())[watched] = None
        self._total += 1
        return watched

    def _make_room(self) -> None:
        while self._total > self._most:
            largest = max(self._newest, key=lambda org_id: (len(self._newest[org_id]), org_id))
            stream = self._newest[largest].popitem(last=False)[0].stream
            together = _together(stream)
            del self._by_metric[together][stream.metric]
            if not self._by_metric[together]:
                del self._by_metric[together]
            self._total -= 1

    @property
    def total(self) -> int:
        return self._total

    @property
    def about(self) -> OrderedDict[tuple[str, str], About]:
        """What is remembered of actions that go on."""
        return self._reader.about

    def saved(self) -> Iterator[SavedStream]:
        """All streams as they are saved, in the order of a snapshot."""
        for newest in self._newest.values():
            for watched in newest:
                yield SavedStream(watched.stream, watched.newest_live, watched.detector.state())

    def snapshot(self) -> StreamsSnapshot:
        return StreamsSnapshot(list(self.saved()), [(*key, about) for key, about in self.about.items()])

    def restore(self, snapshot: StreamsSnapshot) -> None:
        """Go on from a snapshot, which was taken with the same weights and alpha."""
        self._begin()
        for each in snapshot.streams:
            self._add(each.stream, each.state, each.newest_live)
        self._reader.about = OrderedDict(((org_id, action_id), about) for org_id, action_id, about in snapshot.about)


def _together(stream: Stream) -> tuple[str, str | None, str, bool]:
    return stream.org_id, stream.agent_id, stream.action_type, stream.simulated
