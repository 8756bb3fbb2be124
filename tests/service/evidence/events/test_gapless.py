"""No gap and no repeat, whatever is interleaved: appends, subscriptions, reads, disconnects, overflowing queues.

Each reader reads in pieces over several connections, always resuming after the last id it was told of. What it has
seen in the end must be exactly the public events after the place where it began, once each and in order.
"""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assent.contract.events import StreamQuery
from assent_service.base.clock import system_clock
from assent_service.core.stream import EventStream
from assent_service.evidence.events.events import Events
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger
from tests.service.evidence.events.serving import action, reader
from tests.service.evidence.events.sse import Parser

READERS = 3
HANGS = 30.0
"""Seconds for one program; none takes a hundredth of that."""
org_ids = (f"org_{i}" for i in count())

steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 4)),
        st.tuples(st.just("private"), st.integers(1, 2)),
        st.tuples(st.just("connect"), st.integers(0, READERS - 1)),
        st.tuples(st.just("leave"), st.integers(0, READERS - 1)),
        st.tuples(st.just("read"), st.integers(0, READERS - 1)),
        st.tuples(st.just("turns"), st.integers(1, 6)),
        st.tuples(st.just("settle"), st.just(0)),
    ),
    min_size=5,
    max_size=40,
)


@dataclass
class Reader:
    """Reads on demand; `began` is the newest event when it first connected, `last` where it would resume."""

    events: Events
    ledger: Ledger
    org_id: str
    began: int | None = None
    last: int | None = None
    seen: list[tuple[int, object]] = field(default_factory=list)
    ended: bool = True
    stream: EventStream | None = None
    parser: Parser = field(default_factory=Parser)

    async def connect(self) -> None:
        if self.stream is not None:
            return
        header = None if self.last is None else str(self.last)
        if self.last is None:
            self.began = self.ledger.count(self.org_id) - 1
        self.stream = await self.events.open(reader(self.org_id), StreamQuery(), header, "")
        self.parser, self.ended = Parser(), False

    async def read(self) -> None:
        if self.stream is None:
            return
        try:
            chunk = await anext(self.stream.chunks)
        except StopAsyncIteration:
            self.ended = True
            await self.leave()
            return
        self.parser.feed(chunk)
        heard, self.parser.heard = self.parser.heard, []
        for each in heard:
            if each.event in {"connected", "reset"}:
                self._told(each.event, each.data["last_event_id"])
            else:
                assert each.id is not None
                self.seen.append((each.id, each.data))
                self.last = each.id

    def _told(self, name: str, last: int) -> None:
        if name == "connected" and self.last is None:
            assert last == self.began
        if name == "reset":
            assert self.last is None or last >= self.last
        self.last = last

    async def leave(self) -> None:
        if self.stream is not None:
            self.stream.stop()
            await self.stream.chunks.aclose()
            self.stream = None


class Scenario:
    def __init__(self, ledger: Ledger, events: Events) -> None:
        self.ledger, self.org_id = ledger, next(org_ids)
        self.readers = [Reader(events, ledger, self.org_id) for _ in range(READERS)]
        self.tasks: list[asyncio.Task[list[Event]]] = []
        self.recorded = 0

    async def run(self, program: list[tuple[str, int]]) -> None:
        # An organization begins with a private event, as real ones do.
        await self.ledger.append(private(self.org_id))
        for step, value in program:
            await self._step(step, value)
        await self._settle()
        await self.ledger.append(action(self.org_id, number=self.recorded))
        last = self.ledger.count(self.org_id) - 1
        for each in self.readers:
            await self._finish(each, last)

    async def _step(self, step: str, value: int) -> None:
        if step == "append":
            drafts = [action(self.org_id, number=self.recorded + i) for i in range(value)]
            self._append(drafts)
        elif step == "private":
            self._append([private(self.org_id) for _ in range(value)])
        elif step == "connect":
            await self.readers[value].connect()
        elif step == "leave":
            await self.readers[value].leave()
        elif step == "read":
            await self.readers[value].read()
        elif step == "turns":
            for _ in range(value):
                await asyncio.sleep(0)
        else:
            await self._settle()

    def _append(self, drafts: list[Draft]) -> None:
        self.recorded += len(drafts)
        self.tasks.append(asyncio.create_task(self.ledger.append(*drafts)))

    async def _settle(self) -> None:
        await asyncio.gather(*self.tasks)

    async def _finish(self, each: Reader, last: int) -> None:
        """Read on, over as many connections as it takes, up to the last event, which is a public one."""
        while each.began is None or each.last is None or each.last < last:
            await each.connect()
            await each.read()
        await each.leave()
        await self.ledger.caught_up()
        since = self.ledger.events(self.org_id, each.began, last, 10_000)
        public = [(event.n, json.loads(event.data or b"")) for event in since if event.type != "key.created"]
        assert each.seen == public


def private(org_id: str) -> Draft:
    return Draft(org_id, "key.created", system_clock(), "key_1", "system", b"{}")


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[asyncio.Runner, Ledger, Events]]:
    ledger = Ledger(Path(tmp_path_factory.mktemp("gapless")), [])
    events = Events(ledger, system_clock, heartbeat=0.01, queue=4)

    async def start() -> None:
        ledger.start()

    with asyncio.Runner() as runner:
        runner.run(start())
        yield runner, ledger, events
        assert events.readers == 0
        ledger.close()


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(program=steps)
def test_a_reader_sees_each_public_event_once_and_in_order(
    stage: tuple[asyncio.Runner, Ledger, Events], program: list[tuple[str, int]]
) -> None:
    runner, ledger, events = stage
    runner.run(asyncio.wait_for(Scenario(ledger, events).run(program), HANGS))
