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

from assent.contract.guard import Source
from assent_analytics.detector import ALPHA, Alarm, Detector, State
from assent_analytics.episodes import WEIGHTS, Weights
from assent_service.drift.facts import GRIDS, About, Reader, Values
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


class Found(NamedTuple):
    """An alarm; `source` is that of the value that raised it, `n` the number of its event in the organization."""

    stream: Stream
    alarm: Alarm
    source: Source
    n: int


class Kept(msgspec.Struct, array_like=True):
    """A stream as it is saved."""

    stream: Stream
    newest_live: int
    state: State


class Snapshot(msgspec.Struct, array_like=True):
    """All streams in the order in which they last had a value, and what is remembered of actions that go on."""

    streams: list[Kept]
    about: list[tuple[str, str, About]]


class _Watched:
    __slots__ = ("detector", "newest_live")

    def __init__(self, detector: Detector, newest_live: int = 0) -> None:
        self.detector, self.newest_live = detector, newest_live


class Streams:
    """The streams of every organization. Not for two threads at once."""

    def __init__(self, weights: Weights = WEIGHTS, alpha: float = ALPHA, most: int = MOST) -> None:
        self.weights, self.alpha = weights, alpha
        self._reader, self._most = Reader(weights), most
        self._streams: dict[str, OrderedDict[Stream, _Watched]] = {}
        self._total = 0

    def take(self, event: Event) -> Iterator[Found]:
        """Feed what the event adds, and give the alarms that it raises."""
        values = self._reader.read(event)
        if values is None:
            return
        simulated = values.source is Source.SIMULATED
        for metric, value in values.numbers.items():
            stream = Stream(values.org_id, values.agent_id, values.action_type, metric, simulated)
            alarm = self._feed(stream, values, value)
            if alarm is not None:
                yield Found(stream, alarm, values.source, event.n)

    def number_of(self, org_id: str) -> int:
        """How many streams the organization has."""
        return len(self._streams.get(org_id, ()))

    def _feed(self, stream: Stream, values: Values, value: float) -> Alarm | None:
        streams = self._streams.setdefault(stream.org_id, OrderedDict())
        watched = streams.get(stream)
        if watched is None:
            watched = streams[stream] = _Watched(Detector(stream.key, GRIDS[stream.metric], self.alpha))
            self._total += 1
            self._make_room()
        streams.move_to_end(stream)
        if values.source is Source.LIVE:
            watched.newest_live = max(watched.newest_live, values.at)
        elif values.source is Source.IMPORT and values.at < watched.newest_live:
            return None
        return watched.detector.step(value, values.at)

    def _make_room(self) -> None:
        while self._total > self._most:
            largest = max(self._streams, key=lambda org_id: (len(self._streams[org_id]), org_id))
            self._streams[largest].popitem(last=False)
            self._total -= 1

    def snapshot(self) -> Snapshot:
        kept = (
            Kept(stream, watched.newest_live, watched.detector.state())
            for streams in self._streams.values()
            for stream, watched in streams.items()
        )
        return Snapshot(list(kept), [(*key, about) for key, about in self._reader.about.items()])

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a snapshot, which was taken with the same weights and alpha."""
        self._streams = {}
        for stream, newest_live, state in ((each.stream, each.newest_live, each.state) for each in snapshot.streams):
            detector = Detector.of(stream.key, GRIDS[stream.metric], state, self.alpha)
            self._streams.setdefault(stream.org_id, OrderedDict())[stream] = _Watched(detector, newest_live)
        self._total = len(snapshot.streams)
        self._reader.about = OrderedDict(((org_id, action_id), about) for org_id, action_id, about in snapshot.about)
