"""A folder of an older version is upgraded where it lies; one of a newer version is refused as it is."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assent.cli.doctor.finding import ResultStatus
from assent.cli.doctor.machine import check_log_offline
from assent.contract.evidence.proofs import CheckStatus
from assent_service import comparing, rebuild
from assent_service.app import build
from assent_service.core.settings import Settings, SettingsError, load
from assent_service.store import folder_version
from assent_service.store.failures import FolderVersionUnknown
from assent_service.store.folder_version import CURRENT, OLDEST, VERSIONS, check_version, record_version
from tests.house.old_folder import unpack
from tests.live import ROOT, WAIT
from tests.tiers import deep

NEWER = f"{CURRENT + 1}\n"


def everything(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Each file and folder with its mode, the time of its last change, and its bytes."""
    found: dict[str, tuple[int, int, bytes]] = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        state, data = path.stat(), path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (state.st_mode, state.st_mtime_ns, data)
    return found


def opened(home: Path) -> None:
    build(Settings(home=str(home))).ledger.close()


def test_versions_are_numbered_without_a_gap_and_told() -> None:
    assert list(VERSIONS) == list(range(OLDEST, CURRENT + 1))
    told = str(folder_version.__doc__)
    for number in VERSIONS:
        assert f"\n    {number}  " in told
    page = (ROOT / "docs" / "how-to" / "upgrade.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert rows == [f"| {number} | {what} |" for number, what in VERSIONS.items()]


def test_a_new_folder_is_of_the_current_version_and_nobody_speaks_of_an_upgrade(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "assent.store")
    opened(tmp_path / "home")
    assert (tmp_path / "home" / "version").read_text() == f"{CURRENT}\n"
    assert (tmp_path / "home" / "version").stat().st_mode & 0o777 == 0o600
    assert "upgraded" not in caplog.text


def test_the_folder_of_then_is_upgraded_where_it_lies(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "assent.store")
    home = unpack(tmp_path) / "home"
    log = {path.name: path.read_bytes() for path in (home / "log").iterdir()}
    assert check_version(home) == 1
    opened(home)
    assert check_version(home) == CURRENT
    assert {path.name: path.read_bytes() for path in (home / "log").iterdir()} == log
    assert f"{home} was upgraded from version 1 to {CURRENT}" in caplog.text
    caplog.clear()
    opened(home)
    assert "upgraded" not in caplog.text


@pytest.mark.parametrize("said", [NEWER, "999", "", "two", "-1", "1.5", "\xb2", "2" * 5000])
@pytest.mark.parametrize("use", [opened, rebuild.run])
def test_a_folder_of_a_version_that_is_not_known_is_refused_as_it_is(
    tmp_path: Path, use: Callable[[Path], object], said: str
) -> None:
    home = tmp_path / "home"
    (home / "log").mkdir(parents=True)
    home.chmod(0o755)
    (home / "version").write_text(said, encoding="utf-8")
    before = everything(home)
    with pytest.raises(FolderVersionUnknown, match="nothing was touched"):
        use(home)
    assert everything(home) == before


def as_it_lies(file: Path) -> tuple[int, ...]:
    state = file.lstat()
    return state.st_ino, state.st_mode, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def put_pipe(file: Path) -> None:
    os.mkfifo(file)


def put_folder(file: Path) -> None:
    file.mkdir()


def put_link(file: Path) -> None:
    file.symlink_to("/dev/zero")


def put_link_to_nothing(file: Path) -> None:
    file.symlink_to("nowhere")


def put_much(file: Path) -> None:
    with file.open("wb") as target:
        target.truncate(200 << 30)


@pytest.mark.parametrize("put", [put_pipe, put_folder, put_link, put_link_to_nothing, put_much])
def test_what_is_no_file_of_a_version_is_refused_at_once_and_left_alone(
    tmp_path: Path, put: Callable[[Path], None]
) -> None:
    home = tmp_path / "home"
    (home / "log").mkdir(parents=True)
    put(home / "version")
    before = as_it_lies(home / "version")
    with pytest.raises(FolderVersionUnknown, match="nothing was touched"):
        opened(home)
    assert as_it_lies(home / "version") == before
    assert sorted(path.name for path in home.iterdir()) == ["log", "version"]


FURTHER = (["start"], ["rebuild"], ["simulate"], ["log", "verify"], ["log", "verify", "--tables"])


@pytest.mark.parametrize(
    "command",
    [["serve"], *(pytest.param(each, marks=deep("processes as people start them")) for each in FURTHER)],
    ids=" ".join,
)
def test_every_command_on_a_newer_folder_says_so_in_one_sentence(tmp_path: Path, command: list[str]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "version").write_text(NEWER)
    before = everything(home)
    ports = {"serve": ["--port", "0"], "start": ["--port", "0", "--dashboard-port", "0"]}.get(command[0], [])
    arguments = [sys.executable, "-m", "assent", *command, "--home", str(home), *ports]
    ran = subprocess.run(arguments, capture_output=True, text=True, timeout=WAIT, check=False)
    assert ran.returncode == (8 if command == ["serve"] else 1), ran
    (said,) = [line for line in ran.stderr.splitlines() if line.startswith("Error: ")]
    assert f"{home} is of version {CURRENT + 1}, and Assent 0.1.0 knows versions up to {CURRENT}; nothing was" in said
    assert "run the Assent that wrote it, or a newer one" in said
    assert everything(home) == before


def test_a_newer_folder_is_refused_for_its_version_and_not_for_a_setting_that_came_with_it(tmp_path: Path) -> None:
    (tmp_path / "assent.toml").write_text('a_setting_to_come = "yes"\n')
    with pytest.raises(SettingsError, match="a_setting_to_come"):
        load({}, home=str(tmp_path))
    (tmp_path / "version").write_text(NEWER)
    with pytest.raises(FolderVersionUnknown, match="nothing was touched"):
        load({}, home=str(tmp_path))


def test_tables_of_an_older_folder_are_not_compared_before_it_is_upgraded(tmp_path: Path) -> None:
    home = unpack(tmp_path) / "home"
    found = comparing.check(comparing.run(home))
    assert found.status is CheckStatus.FAIL
    assert "of version 1; start the service once" in found.detail
    opened(home)
    assert comparing.check(comparing.run(home)).status is CheckStatus.PASS


def test_the_doctor_does_not_look_into_a_newer_folder(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "version").write_text(NEWER)
    found = check_log_offline(tmp_path)
    assert found.status is ResultStatus.FAIL
    assert f"of version {CURRENT + 1}" in found.detail


def test_a_disk_that_does_not_take_the_file_does_not_keep_the_service_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    record_version(tmp_path, history=True)
    assert "stays of version 1" in caplog.text
    assert check_version(tmp_path) == 1
