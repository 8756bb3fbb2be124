"""Tables thrown away and made anew from the log."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from assent_service import rebuild
from assent_service.app import TABLES
from assent_service.store import half_made
from assent_service.store.event import Draft
from assent_service.store.failures import FolderOwned, LogDamaged
from assent_service.store.lock import FolderLock
from assent_service.store.log import Submission
from assent_service.store.tree import FOLDER
from tests.live import LiveService, start_service
from tests.service.store.logbook import Book
from tests.service.store.things import AT
from tests.stories.load import Load, set_policies
from tests.stories.tables import count, differences
from tests.tiers import deep

FURTHER = deep("each kills a process; the quick tier has one of them")


def decision(number: int, org: str = "org_a") -> Draft:
    data = b'{"org_id":"%b","decision_id":"dec_%d","created_at":"2025-06-15T15:06:40Z"}' % (org.encode(), number)
    return Draft(org, "guard.decision.created", AT, f"dec_{number}", "key_1", data)


def logged(home: Path, events: int) -> Path:
    with Book(home, segment_bytes=4000) as book:
        for number in range(events):
            assert book.write(Submission((decision(number),))).error is None
    return home


def test_rebuilt_tables_equal_those_that_grew(live_service: LiveService) -> None:
    set_policies(live_service)
    heard = Load(live_service, "b", connections=4).work(0.4)
    live_service.stop()
    home = live_service.home
    grown = home.parent / "grown"
    grown.mkdir()
    (home / "tables.duckdb").rename(grown / "tables.duckdb")
    report = rebuild.run(home)
    assert differences(home, grown) == []
    assert report.tables["actions"] >= len(heard.actions) > 0
    assert set(report.tables) == {"events", *(table.name for table in TABLES)}
    assert report.events == report.tables["events"]


def test_progress_rises_to_the_number_of_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "BATCH", 7)
    seen: list[tuple[int, int]] = []
    report = rebuild.run(logged(tmp_path, 50), lambda done, total: seen.append((done, total)))
    assert report.events == 50
    assert seen == [(done, 50) for done in (7, 14, 21, 28, 35, 42, 49, 50)]
    assert count(tmp_path, "guard_decisions") == 50


def test_an_empty_log_gives_empty_tables(tmp_path: Path) -> None:
    assert rebuild.run(logged(tmp_path, 0)).events == 0
    assert count(tmp_path, "events") == 0


def test_without_a_log_the_old_tables_stay(tmp_path: Path) -> None:
    rebuild.run(logged(tmp_path, 5))
    shutil.rmtree(tmp_path / "log")
    with pytest.raises(LogDamaged, match="no such file"):
        rebuild.run(tmp_path)
    assert count(tmp_path, "guard_decisions") == 5


def test_a_rebuild_that_ends_in_the_middle_leaves_the_old_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "BATCH", 10)
    rebuild.run(logged(tmp_path, 30))
    before = (tmp_path / "tables.duckdb").read_bytes()

    def stop(done: int, _: int) -> None:
        if done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild.run(tmp_path, stop)
    assert (tmp_path / "tables.duckdb").read_bytes() == before
    seen: list[int] = []
    assert rebuild.run(tmp_path, lambda done, _: seen.append(done)).events == 30
    assert seen == [20, 30]
    assert {path.name for path in tmp_path.glob("tables*")} == {"tables.duckdb"}


def killed_at(home: Path, events: int, batch: int = 10) -> None:
    """A rebuild in batches, killed once so many events are applied."""
    program = f"""
import os, signal
from pathlib import Path
from assent_service import rebuild
rebuild.BATCH = {batch}
rebuild.run(Path({str(home)!r}), lambda done, _: done >= {events} and os.kill(os.getpid(), signal.SIGKILL))
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL


def made_again(home: Path) -> list[int]:
    """How far each progress of a rebuild was."""
    seen: list[int] = []
    rebuild.run(home, lambda done, _: seen.append(done))
    return seen


@deep("two processes that are killed; one that ends in the middle is tried in the quick tier")
def test_a_killed_rebuild_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = logged(tmp_path / "killed", 45)
    shutil.copytree(home, tmp_path / "whole")
    rebuild.run(tmp_path / "whole")
    killed_at(home, 20)
    killed_at(home, 30)
    assert not (home / "tables.duckdb").exists()
    monkeypatch.setattr(rebuild, "BATCH", 10)
    assert made_again(home) == [30, 40, 45]
    assert differences(home, tmp_path / "whole") == []
    assert [path.read_bytes() for path in sorted((home / FOLDER).iterdir())] == [
        path.read_bytes() for path in sorted((tmp_path / "whole" / FOLDER).iterdir())
    ]
    assert {path.name for path in home.glob("tables*")} == {"tables.duckdb"}
    with duckdb.connect(str(home / "tables.duckdb"), read_only=True) as connection:
        names = {str(name) for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert names == {"migrations", "applied", "events", *(table.name for table in TABLES)}


@pytest.mark.parametrize(
    "why",
    ["bytes", *(pytest.param(each, marks=FURTHER) for each in ("another program", "another log", "a shorter log"))],
)
def test_half_made_tables_that_do_not_count_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    home = logged(tmp_path / "one", 45)
    killed_at(home, 20)
    if why == "bytes":
        (home / "tables.rebuild.duckdb").write_bytes(b"half")
        (home / "tables.rebuild.duckdb.wal").write_bytes(b"half")
    elif why == "another program":
        monkeypatch.setattr(half_made, "__version__", "0.0.1")
    else:
        shutil.rmtree(home / "log")
        other = logged(tmp_path / "other", 45 if why == "another log" else 5)
        shutil.copytree(other / "log", home / "log")
    events = 5 if why == "a shorter log" else 45
    assert made_again(home) == [events]
    assert count(home, "guard_decisions") == events


def test_half_made_tables_may_hold_what_was_erased_since(tmp_path: Path) -> None:
    home, words = tmp_path / "home", "Nobody may read this again."
    with start_service(home) as service:
        _, answer = service.call("POST", "/api/actions", {"action_type": "refund", "declared_goal": words})
    killed_at(home, 1, batch=1000)
    assert words.encode() in (home / "tables.rebuild.duckdb.wal").read_bytes()
    with start_service(home) as service:
        action = f"/api/actions/{answer['action']['action_id']}"
        assert service.call("PATCH", action, {"status": "completed"})[0] == 200
        status, _ = service.call("POST", f"{action}/erase", {"reason": "asked to"})
        assert status == 200
    assert made_again(home)[-1] == count(home, "events")
    assert words.encode() not in (home / "tables.duckdb").read_bytes()


def test_a_damaged_log_is_not_rebuilt_from_and_the_old_tables_stay(tmp_path: Path) -> None:
    rebuild.run(logged(tmp_path, 40))
    before = (tmp_path / "tables.duckdb").read_bytes()
    first = min((tmp_path / "log").glob("*.log"))
    content = bytearray(first.read_bytes())
    content[len(content) // 2] ^= 1
    first.write_bytes(content)
    with pytest.raises(LogDamaged, match=f"{first}, line"):
        rebuild.run(tmp_path)
    assert (tmp_path / "tables.duckdb").read_bytes() == before
    assert {path.name for path in tmp_path.glob("tables*")} == {"tables.duckdb"}


def test_the_folder_of_a_running_service_is_left_alone(tmp_path: Path) -> None:
    logged(tmp_path, 1)
    with FolderLock.take(tmp_path), pytest.raises(FolderOwned):
        rebuild.run(tmp_path)
    assert not list(tmp_path.glob("tables*"))


def test_tables_of_another_log_are_replaced(tmp_path: Path) -> None:
    one, other = logged(tmp_path / "one", 5), logged(tmp_path / "other", 9)
    rebuild.run(other)
    (other / "tables.duckdb").rename(one / "tables.duckdb")
    assert rebuild.run(one).events == 5
    assert count(one, "guard_decisions") == 5
