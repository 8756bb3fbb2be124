"""Reading what was written: always everything, at once, and never anything that was not recorded."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.store import database, ledger, projector
from assent_service.store.event import Event
from assent_service.store.failures import TablesDamaged
from assent_service.store.files import FILES, Files
from assent_service.store.ledger import Ledger, Read
from tests.service.store.logbook import WAIT
from tests.service.store.things import TABLES, created, updated
from tests.tiers import examples

COUNT = "SELECT count(*) FROM things WHERE org_id = ?"


class Names:
    """A memory: the name of every thing."""

    types = frozenset({"thing.created", "thing.updated"})

    def __init__(self) -> None:
        self.names: dict[str, str | None] = {}
        self.folded: list[int] = []

    def load(self, read: Read) -> None:
        self.names = {str(thing): name for thing, name in read("SELECT thing_id, name FROM things", [])}  # type: ignore[misc]  # a text

    def fold(self, event: Event) -> None:
        self.folded.append(event.seq)
        if b'"broken"' in event.body:
            raise KeyError("broken")
        self.names[event.subject] = event.subject


class Stalling(Files):
    """A disk that takes nothing until it is released."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def fdatasync(self, fd: int) -> None:
        assert self.released.wait(WAIT)
        super().fdatasync(fd)


@asynccontextmanager
async def started(home: Path, *memories: Names, files: Files = FILES) -> AsyncIterator[Ledger]:
    opened = Ledger(home, TABLES, files=files)
    opened.remember(memories)
    opened.start()
    try:
        async with asyncio.timeout(WAIT):
            yield opened
    finally:
        opened.close()


@pytest.fixture
def never_lazy_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is applied because time has passed."""
    monkeypatch.setattr(projector, "LAZY_SECONDS", 3600.0)


def deafen(opened: Ledger) -> None:
    """The tables hear of nothing more, as if the process ended here."""
    projection: Any = opened._projector
    projection.offer = lambda _: None


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


steps = st.lists(st.integers(0, 3), max_size=12)


@examples(0.25)
@given(st.lists(steps, min_size=1, max_size=4))
def test_everybody_reads_what_was_recorded_before_they_asked(workers: list[list[int]]) -> None:
    """Each worker appends so many things, or reads (0), one after the other, all workers at once."""
    recorded = 0

    async def work(opened: Ledger, number: int, work: list[int]) -> None:
        nonlocal recorded
        for step, many in enumerate(work):
            if many:
                await opened.append(*(created(f"thg_{number}_{step}_{i}") for i in range(many)))
                recorded += many
            else:
                known = recorded
                ((count,),) = await opened.read(COUNT, ["org_a"])
                assert known <= int(str(count)) <= opened.head

    async def all_of_it(home: Path) -> None:
        async with started(home) as opened:
            await asyncio.gather(*(work(opened, number, steps) for number, steps in enumerate(workers)))
            assert await opened.read(COUNT, ["org_a"]) == [(recorded,)]
            assert opened.head == opened.applied == recorded

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(all_of_it(Path(folder) / "home"))


@pytest.mark.usefixtures("never_lazy_enough")
async def test_a_reader_does_not_wait_for_the_lazy_moment(tmp_path: Path) -> None:
    async with started(tmp_path) as opened:
        await opened.append(created("thg_1"))
        assert opened.applied == 0
        assert await opened.read("SELECT thing_id FROM things") == [("thg_1",)]
        await asyncio.gather(*(opened.append(created(f"thg_x{i}")) for i in range(20)))
        counts = await asyncio.gather(*(opened.read(COUNT, ["org_a"]) for _ in range(20)))
        assert counts == [[(21,)]] * 20


async def test_a_reader_whose_events_are_applied_just_before_it_waits_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(tmp_path) as opened:
        deafen(opened)
        await opened.append(created("thg_1"))

        def applied_without_a_word(seq: int) -> None:
            opened._projector.applied = msgspec.structs.replace(opened._projector.applied, seq=seq)

        monkeypatch.setattr(opened._projector, "want", applied_without_a_word)
        await opened.caught_up()


async def test_what_is_appended_together_stands_together_or_not_at_all(tmp_path: Path) -> None:
    async with started(tmp_path) as opened:
        answers = await asyncio.gather(
            opened.append(created("thg_1"), created("thg_2")),
            opened.append(created("thg_3"), created("no id")),
            opened.append(created("thg_4")),
            return_exceptions=True,
        )
        # The one that could not be written came in the same turn of the loop and has harmed nobody.
        assert isinstance(answers[1], ValueError)
        await opened.caught_up()
        assert [event.subject for event in opened.events("org_a", -1, 100, 100)] == ["thg_1", "thg_2", "thg_4"]


async def test_events_come_back_from_the_log_by_number_and_by_action(tmp_path: Path) -> None:
    async with started(tmp_path) as opened:
        made = [await opened.append(created(f"thg_{i}", f"org_{'ab'[i % 2]}")) for i in range(6)]
        assert opened.count("org_a") == opened.count("org_b") == 3
        assert opened.count("org_c") == 0
        await opened.caught_up()
        assert opened.events("org_a", 0, 1, 10) == made[2]
        assert opened.events("org_b", -1, 2, 2) == [*made[1], *made[3]]
        assert await opened.events_of("org_a", "act_1", ["thing.created"]) == []


async def test_listeners_hear_every_event_once_in_order_and_one_of_them_cannot_stop_the_others(tmp_path: Path) -> None:
    heard: list[int] = []

    def fail(_: Sequence[Event]) -> None:
        raise RuntimeError("not me")

    async with started(tmp_path) as opened:
        opened.listen(fail)
        opened.listen(lambda batch: heard.extend(event.seq for event in batch))
        await asyncio.gather(*(opened.append(created(f"thg_{i}")) for i in range(50)))
        await asyncio.sleep(0)
    assert heard == list(range(1, 51))


async def test_memory_is_loaded_from_the_tables_and_completed_from_the_log(tmp_path: Path) -> None:
    first, again, folded = Names(), Names(), Names()
    async with started(tmp_path, first) as opened:
        await opened.append(created("thg_1", name="thg_1"))
        await opened.caught_up()
        # What is durable but not in the tables yet, as after a kill.
        deafen(opened)
        await opened.append(created("thg_2"), updated("thg_1", name="thg_1"))
    async with started(tmp_path, again) as opened:
        assert again.folded == [2, 3]
        assert again.names == first.names == {"thg_1": "thg_1", "thg_2": "thg_2"}
        assert await opened.read("SELECT thing_id, name FROM things ORDER BY 1") == [
            ("thg_1", "thg_1"),
            ("thg_2", None),
        ]
    (tmp_path / "tables.duckdb").unlink()
    async with started(tmp_path, folded) as opened:
        assert folded.folded == [1, 2, 3]
        assert folded.names == first.names
        assert await opened.read(COUNT, ["org_a"]) == [(2,)]


async def test_an_event_that_memory_cannot_take_is_recorded_all_the_same(tmp_path: Path) -> None:
    names = Names()
    async with started(tmp_path, names) as opened:
        events = await opened.append(created("thg_1", name="broken"), created("thg_2"))
        assert [event.seq for event in events] == [1, 2]
        assert names.names == {"thg_2": "thg_2"}
        assert await opened.read(COUNT, ["org_a"]) == [(2,)]


class Dead:
    """A writer's connection that takes nothing more."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def execute(self, *_: object) -> None:
        raise duckdb.FatalException("the disk is full")


async def test_while_the_tables_fail_reads_are_refused_writing_goes_on_and_all_of_it_is_there_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise duckdb.IOException("still full")

    async with started(tmp_path) as opened:
        await opened.append(created("thg_0"))
        await opened.caught_up()
        dead: Any = Dead(opened._projector.database.writer)
        opened._projector.database.writer = dead
        monkeypatch.setattr(database, "connect", refuse)
        await opened.append(created("thg_1"))
        # Those who wait are turned away when it fails, those who come later at once.
        for _ in range(2):
            with pytest.raises(Refusal, match="full") as refused:
                await asyncio.wait_for(opened.read(COUNT, ["org_a"]), WAIT)
            assert refused.value.code is Code.PROJECTION_BEHIND
            assert refused.value.status == 503
        assert opened.behind
        await asyncio.gather(*(opened.append(created(f"thg_{i}")) for i in range(2, 40)))
        assert opened.head == 40
        monkeypatch.undo()
        await asyncio.to_thread(until, lambda: opened.behind is None)
        assert await opened.read(COUNT, ["org_a"]) == [(40,)]


async def test_a_database_that_only_a_reader_finds_dead_is_opened_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with started(tmp_path) as opened:
        await opened.append(created("thg_1"))
        await opened.caught_up()
        with monkeypatch.context() as patched:
            patched.setattr(
                opened._projector.database, "cursor", lambda: (_ for _ in ()).throw(duckdb.FatalException("invalid"))
            )
            with pytest.raises(Refusal, match="invalid") as refused:
                opened.read_now(COUNT, ["org_a"])
            assert refused.value.code is Code.PROJECTION_BEHIND
        await asyncio.to_thread(until, lambda: opened._projector.database.generation == 2 and opened.behind is None)
        assert await opened.read(COUNT, ["org_a"]) == [(1,)]


async def test_no_reader_is_told_where_the_data_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise duckdb.IOException(f'Could not write file "{tmp_path}/tables.duckdb": No space left on device')

    async with started(tmp_path) as opened:
        await opened.append(created("thg_1"))
        await opened.caught_up()
        monkeypatch.setattr(opened._projector.database, "cursor", full)
        for ask in (opened.read, opened.frame):
            with pytest.raises(Refusal, match="No space left on device") as refused:
                await ask(COUNT, ["org_a"])
            assert str(tmp_path) not in refused.value.detail
        monkeypatch.undo()


async def test_a_reader_who_waits_too_long_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "READ_TIMEOUT", 0.05)
    async with started(tmp_path) as opened:
        deafen(opened)
        await opened.append(created("thg_1"))
        with pytest.raises(Refusal, match="not applied after") as refused:
            await opened.read(COUNT, ["org_a"])
        assert refused.value.code is Code.PROJECTION_BEHIND


async def test_after_closing_nothing_is_recorded_and_the_caller_hears_it(tmp_path: Path) -> None:
    async with started(tmp_path) as opened:
        await opened.append(created("thg_1"))
        opened.close()
        with pytest.raises(Refusal, match="stopping") as refused:
            await opened.append(created("thg_2"))
        assert refused.value.code is Code.SHUTTING_DOWN
    async with started(tmp_path) as opened:
        assert opened.head == 1


def test_a_ledger_that_cannot_be_opened_lets_go_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "tables.duckdb").write_bytes(b"not a database at all, but long enough to be read as one" * 1000)
    for _ in range(2):
        with pytest.raises(TablesDamaged, match=r"tables\.duckdb cannot be used .*; run `assent rebuild`") as told:
            Ledger(tmp_path, TABLES)
        assert "\n" not in str(told.value), "one sentence"
    (tmp_path / "tables.duckdb").unlink()
    Ledger(tmp_path, TABLES).close()


async def test_a_disk_that_stalls_keeps_no_more_waiting_than_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has gone away does not take what they left with them, so it is what waits that is counted."""
    monkeypatch.setattr(ledger, "MOST_UNWRITTEN", 20 * ledger.BESIDE)
    disk = Stalling()
    async with started(tmp_path, files=disk) as opened:
        waiting = [asyncio.create_task(opened.append(created(f"t{number}"))) for number in range(40)]
        done, left = await asyncio.wait(waiting, timeout=0.1)
        assert len(left) == 20
        for task in done:
            error = task.exception()
            assert isinstance(error, Refusal)
            assert (error.code, error.status) == (Code.STORAGE_UNAVAILABLE, 503)
        disk.released.set()
        assert len(await asyncio.gather(*left)) == 20
        assert [await opened.append(created("later"))]
        assert opened.head == 21
