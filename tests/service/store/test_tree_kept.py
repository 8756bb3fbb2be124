"""The trees of a data folder: through restarts, kills, rebuilds, and tables that fail."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assent_service import rebuild, simulate
from assent_service.store.event import Event
from assent_service.store.failures import LogDamaged
from assent_service.store.ledger import Ledger
from assent_service.store.tree_file import bytes_of
from tests.service.store.grove import ORGS
from tests.service.store.logbook import WAIT
from tests.service.store.things import TABLES, created, recorded
from tests.vectors.test_merkle import mth


@asynccontextmanager
async def started(home: Path, *, keep_tree: bool = True) -> AsyncIterator[Ledger]:
    opened = Ledger(home, TABLES, keep_tree=keep_tree)
    opened.remember([])
    opened.start()
    try:
        async with asyncio.timeout(WAIT):
            yield opened
    finally:
        opened.close()


def agree(ledger: Ledger, org: str, events: Sequence[Event]) -> None:
    """That the organization's tree is that of its recorded events."""
    hashes = tuple(each.leaf_hash for each in events if each.org == org)
    assert ledger.tree.size(org) == len(hashes)
    assert ledger.tree.root(org, len(hashes)) == mth(hashes)


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def grow(ledger: Ledger, *names: str, org: str = "org_a") -> list[Event]:
    events: list[Event] = []
    for name in names:
        events += await ledger.append(created(name, org))
    await ledger.caught_up()
    return events


def test_a_ledger_grows_its_trees_and_finds_its_events(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path) as ledger:
            mine = await grow(ledger, "t1", "t2", "t3")
            other = await grow(ledger, "t4", org="org_b")
            for org in ORGS:
                agree(ledger, org, [*mine, *other])
            assert ledger.event_at("org_a", 1) == mine[1]
            assert ledger.event_at("org_b", 0) == other[0]
            for org, n in (("org_a", 3), ("org_b", 1), ("org_c", 0), ("org_a", -1)):
                with pytest.raises(ValueError, match=f"{org} has no event {n}"):
                    ledger.event_at(org, n)
        async with started(tmp_path) as ledger:
            more = await grow(ledger, "t5", "t6")
            agree(ledger, "org_a", [*mine, *more])

    asyncio.run(scenario())


def test_a_place_that_leads_to_another_event_is_not_believed(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path) as ledger:
            await grow(ledger, "t1", "t2")
            writer: Any = ledger
            database = writer._projector.database.writer
            for column in ("position", "length"):
                database.execute(f"UPDATE events SET {column} = (SELECT {column} FROM events WHERE n = 0) WHERE n = 1")
            with pytest.raises(LogDamaged, match=r"event 1 of org_a, as the tables say.*assent rebuild"):
                ledger.event_at("org_a", 1)

    asyncio.run(scenario())


def test_tables_that_stop_leave_a_tree_that_goes_on_once_they_do(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path) as ledger:
            events = await grow(ledger, "t1", "t2", "t3")
            broken: Any = ledger
            broken._projector.database.writer.execute("DROP TABLE things")
            events += await ledger.append(created("t4"))
            await asyncio.to_thread(until, lambda: ledger.behind is not None)
            events += await ledger.append(created("t5"))
            await asyncio.to_thread(until, lambda: ledger.applied == 5)
            agree(ledger, "org_a", events)

    asyncio.run(scenario())


def test_a_data_folder_from_before_there_were_trees(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with started(tmp_path, keep_tree=False) as ledger:
            events = await grow(ledger, "t1", "t2", "t3")
        shutil.rmtree(tmp_path / "tree")
        async with started(tmp_path) as ledger:
            agree(ledger, "org_a", events)
            agree(ledger, "org_a", [*events, *(await grow(ledger, "t4"))][: ledger.tree.size("org_a")])
            assert ledger.tree.size("org_a") == 4

    asyncio.run(scenario())


def test_a_rebuild_makes_the_trees_anew_and_nothing_else_stays(tmp_path: Path) -> None:
    recorded(tmp_path, [created(f"t{i}", ORGS[i % 2]) for i in range(20)])
    (tmp_path / "tree").mkdir()
    for name in ("org_a", "org_gone", "org_b~"):
        (tmp_path / "tree" / name).write_bytes(b"nonsense")
    rebuild.run(tmp_path)
    assert sorted(path.name for path in (tmp_path / "tree").iterdir()) == ["org_a", "org_b"]

    async def scenario() -> None:
        async with started(tmp_path) as ledger:
            events = list(ledger.log.events_from(1, 0))
            for org in ORGS:
                agree(ledger, org, events)

    asyncio.run(scenario())


def test_a_simulated_history_has_its_trees(tmp_path: Path) -> None:
    report = simulate.run(tmp_path / "home", actions=40)
    files = list((tmp_path / "home" / "tree").iterdir())
    assert len(files) == 1
    assert files[0].stat().st_size == bytes_of(report.events)


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from assent_service.store.ledger import Ledger
from assent_service.store.projection import Projection
from tests.service.store.things import TABLES, created

home, stop = Path(sys.argv[1]), int(sys.argv[2])
ledger = Ledger(home, TABLES)
apply = Projection.apply

def die(self, connection, events, before):
    if events[-1].seq >= stop:
        os.kill(os.getpid(), signal.SIGKILL)  # the tree is written, the tables are not
    return apply(self, connection, events, before)

Projection.apply = die
ledger.remember([])

async def main():
    ledger.start()
    for i in range(1000):
        await ledger.append(created(f"t{i}"))
        if i % 7 == 0:
            try:
                await ledger.caught_up()
            except Exception:
                pass

asyncio.run(main())
"""


@pytest.mark.parametrize("stop", [1, 9, 40])
def test_killed_between_the_tree_and_the_tables(tmp_path: Path, stop: int) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), str(stop)], timeout=60, check=False, cwd=Path.cwd()
    )
    assert ended.returncode == -signal.SIGKILL
    assert (tmp_path / "tree" / "org_a").stat().st_size > 0

    async def scenario() -> None:
        async with started(tmp_path) as ledger:
            before = ledger.tree.size("org_a")
            assert before < stop
            await ledger.caught_up()
            events = list(ledger.log.events_from(1, 0))
            assert len(events) >= stop
            agree(ledger, "org_a", events)

    asyncio.run(scenario())
