"""Every stream's detectors. There is a stream for each organization, agent, action type, metric, and whether a
simulator made it up; each has one detector of values, which hints, and one of clusters, which establishes.

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
from assent_analytics.detector import ALPHA, Alarm, ClusterDetector, ClusterState, Detector, EstablishedAlarm, State
from assent_analytics.episodes import WEIGHTS, Weights
from assent_service.analysis.drift.facts import GRIDS, About, FactReader
from assent_service.store.event import Event

MOST = 20_000
"""Streams in memory, 4 to 14 kB each."""


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

    @property
    def established(self) -> bool:
        """Whether it is one of the detector of clusters."""
        return isinstance(self.alarm, EstablishedAlarm)


class SavedStream(msgspec.Struct, array_like=True):
    """A stream as it is saved."""

    stream: Stream
    newest_live: int
    values: State
    clusters: ClusterState


class StreamsSnapshot(msgspec.Struct, array_like=True):
    """All streams in the order in which they last had a value, and what is remembered of actions that go on."""

    streams: list[SavedStream]
    about: list[tuple[str, str, About]]


class _Watched:
    """A stream in memory; told from others by what it is, not by what it holds."""

    __slots__ = ("clusters", "newest_live", "stream", "values")

    def __init__(self, stream: Stream, values: Detector, clusters: ClusterDetector, newest_live: int = 0) -> None:
        self.stream, self.values, self.clusters, self.newest_live = stream, values, clusters, newest_live


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
            for alarm in (watched.values.step(value, at), watched.clusters.step(value, at, values.session_id)):
                if alarm is not None:
                    found.append(StreamAlarm(watched.stream, alarm, source, event.n))
        return found

    def number_of(self, org_id: str) -> int:
        """How many streams the organization has."""
        return len(self._newest.get(org_id, ()))

    def _add(self, stream: Stream) -> _Watched:
        of = stream.key, GRIDS[stream.metric]
        return self._put(_Watched(stream, Detector(*of, self.alpha), ClusterDetector(*of, self.alpha)))

    def _put(self, watched: _Watched) -> _Watched:
        stream = watched.stream
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
                yield SavedStream(watched.stream, watched.newest_live, watched.values.state(), watched.clusters.state())

    def snapshot(self) -> StreamsSnapshot:
        return StreamsSnapshot(list(self.saved()), [(*key, about) for key, about in self.about.items()])

    def restore(self, snapshot: StreamsSnapshot) -> None:
        """Go on from a snapshot, which was taken with the same weights and alpha."""
        self._begin()
        for each in snapshot.streams:
            of = each.stream.key, GRIDS[each.stream.metric]
            values = Detector.of(*of, each.values, self.alpha)
            clusters = ClusterDetector.of(*of, each.clusters, self.alpha)
            self._put(_Watched(each.stream, values, clusters, each.newest_live))
        self._reader.about = OrderedDict(((org_id, action_id), about) for org_id, action_id, about in snapshot.about)


def _together(stream: Stream) -> tuple[str, str | None, str, bool]:
    return stream.org_id, stream.agent_id, stream.action_type, stream.simulated
