"""Streams: one for each, in bounded memory, and the same whoever reads the events."""

from __future__ import annotations

from collections import Counter

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.guard import Source
from assent.contract.events import EventName
from assent_analytics.detector import ClusterDetector, Detector
from assent_service.analysis.drift.facts import GRIDS, FactReader
from assent_service.analysis.drift.streams import SavedStream, Stream, StreamAlarm, Streams, StreamsSnapshot
from assent_service.base.clock import moment
from assent_service.store.event import Event
from tests.service.control.actions.world import HOUR, START


def decided(
    n: int, *, org: str = "org_1", agent: str = "bot", block: bool = False, source: str = "live", at: int = 0
) -> Event:
    """A decision as event `n`."""
    data = {
        "agent_id": agent,
        "action_type": "look",
        "decision": "block" if block else "allow",
        "source": source,
        "occurred_at": moment(at or START + n * HOUR),
    }
    body = b'{"salt":"%b","data":%b}' % (b"0" * 32, msgspec.json.encode(data))
    kind = EventName.GUARD_DECISION_CREATED.value
    return Event(n, n, 1, n, org, kind, START, f"dec_{n}", None, "key", b"", b"", body, 1, 0, len(body))


def fed(streams: Streams, events: list[Event]) -> list[StreamAlarm]:
    return [found for event in events for found in streams.take(event)]


def saved(streams: Streams) -> bytes:
    return msgspec.msgpack.encode(streams.snapshot())


def test_a_change_of_what_guard_says_is_found() -> None:
    events = [decided(n, block=n >= 80) for n in range(120)]
    (found,) = fed(Streams(), events)
    assert found.stream.metric == "block_rate"
    assert found.alarm.direction == "up"
    assert found.alarm.change_at == START + 80 * HOUR
    assert 80 < found.n < 110


def test_what_a_simulator_made_up_has_streams_of_its_own() -> None:
    live = [decided(n) for n in range(80)]
    simulated = [decided(n, block=True, source="simulated") for n in range(80, 160)]
    streams = Streams()
    assert fed(streams, live + simulated) == []
    assert streams.number_of("org_1") == 4


def test_imported_values_from_before_the_newest_live_one_are_passed_over() -> None:
    streams = Streams()
    live = [decided(n) for n in range(80)]
    assert fed(streams, live + [decided(n, block=True, source="import", at=START - HOUR) for n in range(80, 160)]) == []
    (found,) = fed(streams, [decided(n, block=True, source="import") for n in range(160, 240)])
    assert found.source == "import"


def test_the_largest_organization_forgets_first() -> None:
    streams = Streams(most=4)
    fed(streams, [decided(0, org="small"), *(decided(n, org="large", agent=f"bot {n}") for n in range(1, 9))])
    assert streams.number_of("small") == 2
    assert streams.number_of("large") == 2


EVENTS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.booleans(), st.sampled_from(["live", "import", "simulated"])), max_size=60
)


@given(EVENTS, st.integers(0, 60))
def test_streams_go_on_from_a_snapshot_as_if_never_stopped(drawn: list[tuple[str, bool, str]], cut: int) -> None:
    events = [
        decided(n, agent=agent, block=block, source=source, at=START + (n * 7 % 11) * HOUR)
        for n, (agent, block, source) in enumerate(drawn)
    ]
    whole, first, second = (Streams(alpha=0.5, most=5) for _ in range(3))
    expected = fed(whole, events)
    found = fed(first, events[:cut])
    second.restore(msgspec.msgpack.decode(saved(first), type=StreamsSnapshot))
    assert found + fed(second, events[cut:]) == expected
    assert saved(second) == saved(whole)


class PlainStreams:
    """One dictionary of all streams, looked through for whatever is asked."""

    def __init__(self, alpha: float, most: int) -> None:
        self._alpha, self._most, self._reader = alpha, most, FactReader()
        self._streams: dict[Stream, tuple[Detector, ClusterDetector, int]] = {}

    def take(self, event: Event) -> list[StreamAlarm]:
        values, found = self._reader.read(event), []
        assert values is not None
        for metric, value in values.numbers.items():
            made_up = values.source is Source.SIMULATED
            stream = Stream(values.org_id, values.agent_id, values.action_type, metric, made_up)
            of = stream.key, GRIDS[metric], self._alpha
            single, clusters, newest = self._streams.pop(stream, (Detector(*of), ClusterDetector(*of), 0))
            live = values.source is Source.LIVE
            self._streams[stream] = single, clusters, max(newest, values.at) if live else newest
            if len(self._streams) > self._most:
                self._forget()
            if values.source is not Source.IMPORT or values.at >= newest:
                alarms = single.step(value, values.at), clusters.step(value, values.at, values.session_id)
                found += [StreamAlarm(stream, alarm, values.source, event.n) for alarm in alarms if alarm]
        return found

    def _forget(self) -> None:
        numbers = Counter(stream.org_id for stream in self._streams)
        largest = max(numbers, key=lambda org_id: (numbers[org_id], org_id))
        del self._streams[next(stream for stream in self._streams if stream.org_id == largest)]

    def saved(self) -> list[bytes]:
        kept = [
            SavedStream(stream, newest, single.state(), clusters.state())
            for stream, (single, clusters, newest) in self._streams.items()
        ]
        return [msgspec.msgpack.encode(each) for each in sorted(kept, key=lambda each: each.stream.org_id)]


MANY = st.lists(
    st.tuples(
        st.sampled_from(["org_1", "org_2"]),
        st.sampled_from(["a", "b", "c"]),
        st.booleans(),
        st.sampled_from(["live", "import", "simulated"]),
        st.integers(0, 11),
    ),
    max_size=150,
)


@given(MANY, st.integers(4, 12), st.integers(0, 150))
def test_streams_are_those_of_one_plain_dictionary(
    drawn: list[tuple[str, str, bool, str, int]], most: int, cut: int
) -> None:
    """The order in which they are forgotten too, and with a restart between."""
    quick, plain = Streams(alpha=0.5, most=most), PlainStreams(0.5, most)
    for n, (org, agent, block, source, hour) in enumerate(drawn):
        event = decided(n, org=org, agent=agent, block=block, source=source, at=START + hour * HOUR)
        if n == cut:
            snapshot, quick = saved(quick), Streams(alpha=0.5, most=most)
            quick.restore(msgspec.msgpack.decode(snapshot, type=StreamsSnapshot))
        assert quick.take(event) == plain.take(event)
        kept = sorted(quick.snapshot().streams, key=lambda each: each.stream.org_id)
        assert [msgspec.msgpack.encode(each) for each in kept] == plain.saved()
