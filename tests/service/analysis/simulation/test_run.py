"""Simulating into a folder: only into a new one, the same by `assent rebuild`, and nothing left open after it."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assent_service import rebuild, simulate
from assent_service.app import build
from assent_service.core.settings import Settings, SettingsError
from assent_service.store.failures import FolderOwned
from assent_service.store.lock import FolderLock
from assent_service.store.log import Log, WriteResult
from tests.live import LiveService, start_service
from tests.service.analysis.simulation.conftest import Simulated
from tests.service.store.logbook import FaultyFiles
from tests.stories.memories import remembered
from tests.stories.tables import count, differences
from tests.tiers import deep

pytestmark = deep("a simulated month")

NOW = 1_795_200_000_000_000

WHOLE = {"admin.key", "flows.key", "lock", "log", "tables.duckdb", "tree", "version"}
"""What lies in a simulated data folder."""


def contents(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((home / "log").iterdir())}


def test_a_rebuild_gives_the_same_tables_and_the_same_memory(simulated: Simulated, tmp_path: Path) -> None:
    rebuilt = tmp_path / "rebuilt"
    shutil.copytree(simulated.home / "log", rebuilt / "log")
    report = rebuild.run(rebuilt)
    assert report.events == simulated.report.events
    assert differences(simulated.home, rebuilt) == []
    assert count(rebuilt, "actions") == simulated.report.actions
    copied = tmp_path / "copied"
    shutil.copytree(simulated.home, copied)
    assert remembered(copied, NOW) == remembered(rebuilt, NOW)


def test_a_folder_with_a_history_is_refused_and_left_as_it_is(simulated: Simulated, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(simulated.home, home)
    before, key = contents(home), (home / "admin.key").read_bytes()
    with pytest.raises(simulate.NotEmpty, match="holds a history already"):
        simulate.run(home, actions=10)
    assert contents(home) == before
    assert (home / "admin.key").read_bytes() == key


def test_a_folder_of_a_real_service_is_refused(live_service: LiveService) -> None:
    with pytest.raises(FolderOwned):
        simulate.run(live_service.home, actions=10)
    live_service.stop()
    before = contents(live_service.home)
    with pytest.raises(simulate.NotEmpty):
        simulate.run(live_service.home, actions=10)
    assert contents(live_service.home) == before


@pytest.mark.parametrize("given", [{"actions": 0}, {"agents": 0}, {"days": 0}, {"days": 4000}, {"seed": -1}])
def test_numbers_that_cannot_be_touch_nothing(given: dict[str, Any], tmp_path: Path) -> None:
    (name,) = given
    with pytest.raises(ValueError, match=f"{name} is {given[name]}"):
        simulate.run(tmp_path / "home", **given)
    assert not (tmp_path / "home").exists()


def test_the_key_is_its_owner_s_alone_and_the_folder_is_free_again(simulated: Simulated) -> None:
    assert stat.S_IMODE((simulated.home / "admin.key").stat().st_mode) == 0o600
    FolderLock.take(simulated.home).release()


def test_settings_of_the_folder_count(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text("port = 'no number'\n", encoding="utf-8")
    with pytest.raises(SettingsError):
        simulate.run(home, actions=10)
    (home / "assent.toml").write_text("admin_key = 'oc_live_chosen_by_the_operator_0123456789'\n", encoding="utf-8")
    simulate.run(home, actions=10, agents=1, days=1)
    assert (home / "admin.key").read_text(encoding="ascii").strip() == "oc_live_chosen_by_the_operator_0123456789"


def test_tables_whose_log_was_lost_are_not_replaced(simulated: Simulated, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(simulated.home, home)
    shutil.rmtree(home / "log")
    with pytest.raises(simulate.NotEmpty):
        simulate.run(home, actions=10)
    assert count(home, "actions") == simulated.report.actions
    assert (home / "admin.key").read_bytes() == (simulated.home / "admin.key").read_bytes()


def test_a_file_in_the_place_of_the_tables_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "tables.duckdb").write_bytes(b"something else")
    with pytest.raises(simulate.NotEmpty):
        simulate.run(tmp_path, actions=10)
    assert (tmp_path / "tables.duckdb").read_bytes() == b"something else"


def test_a_service_that_takes_a_new_folder_first_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, take = tmp_path / "home", FolderLock.take

    def come_first(folder: Path) -> FolderLock:
        # Between making the folder and owning it, another process is quicker.
        monkeypatch.setattr(FolderLock, "take", take)
        others = take(folder)
        (folder / "log").mkdir()
        (folder / "log" / "evidence").write_bytes(b"recorded")
        try:
            return take(folder)
        finally:
            others.release()

    monkeypatch.setattr(FolderLock, "take", come_first)
    with pytest.raises(FolderOwned):
        simulate.run(home, actions=10)
    assert (home / "log" / "evidence").read_bytes() == b"recorded"
    with pytest.raises(simulate.NotEmpty):
        simulate.run(home, actions=10)
    assert (home / "log" / "evidence").read_bytes() == b"recorded"


def test_what_a_killed_attempt_left_goes_with_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".simulating-killed"
    (left / "log").mkdir(parents=True)
    (left / "admin.key").write_text("worth nothing\n", encoding="ascii")
    simulate.run(tmp_path, actions=10)
    assert {path.name for path in tmp_path.iterdir()} == WHOLE


def test_a_history_never_lies_there_without_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A process may be killed between any two files that it moves.
    real, keyless = Path.replace, list[Path]()

    def replace(self: Path, target: Path) -> Path:
        moved = real(self, target)
        if (tmp_path / "log").exists() and not (tmp_path / "admin.key").exists():
            keyless.append(target)
        return moved

    monkeypatch.setattr(Path, "replace", replace)
    simulate.run(tmp_path, actions=10)
    assert not keyless


class Interrupted(BaseException):
    """Stands for Ctrl-C."""


@pytest.mark.parametrize("share", [0.1, 0.4, 0.9], ids=["recording", "still recording", "building tables"])
def test_an_attempt_that_is_interrupted_leaves_nothing(share: float, tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.mkdir()
    (old / "assent.toml").write_text("approval_hours = 24\n", encoding="utf-8")

    def interrupt(done: int, total: int) -> None:
        if done >= share * total:
            raise Interrupted

    for home in (new, old):
        with pytest.raises(Interrupted):
            simulate.run(home, actions=5000, progress=interrupt)
    assert not new.exists()
    assert {path.name for path in old.iterdir()} <= {"assent.toml", "lock"}
    assert simulate.run(old, actions=10).actions == 10


class FullDisk:
    """Opens logs on a disk with room for some events, but not for all."""

    @staticmethod
    def open(home: Path, *, deliver: Callable[[WriteResult], None]) -> Log:
        files = FaultyFiles()
        files.room = 20_000_000
        return Log.open(home, deliver=deliver, files=files)


def test_a_disk_that_fills_up_is_told_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "Log", FullDisk)
    with pytest.raises(OSError, match="No space left"):
        simulate.run(tmp_path / "home", actions=12_000)
    assert not (tmp_path / "home").exists()


def test_a_folder_in_which_nothing_was_ever_recorded_is_taken(tmp_path: Path) -> None:
    home = tmp_path / "home"
    service = build(Settings(home=str(home)))
    service.ledger.close()
    assert (home / "log").is_dir()
    report = simulate.run(home, actions=20)
    assert {path.name for path in home.iterdir()} == WHOLE
    with start_service(home) as running:
        key = (home / "admin.key").read_text(encoding="ascii").strip()
        assert running.call("GET", "/api/actions", key=key)[1]["total"] == report.actions == 20


def test_progress_ends_with_everything(tmp_path: Path) -> None:
    said: list[tuple[int, int]] = []
    simulate.run(tmp_path / "home", actions=3000, progress=lambda done, total: said.append((done, total)))
    assert len(said) >= 3
    assert [done for done, _ in said] == sorted({done for done, _ in said})
    assert said[-1][0] == said[-1][1]
