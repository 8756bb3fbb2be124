"""The disk is full: the log's, the tables', or the tables' in the middle of a checkpoint.

What cannot be recorded is refused and never comes back; what was acknowledged stays; the process lives and goes on by
itself when there is space again.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assent_service import rebuild
from tests.live import WAIT, LiveService, start_service
from tests.stories.evidence import compare, missing_from_api, read_log
from tests.stories.load import Heard, Load, set_policies
from tests.stories.tables import differences
from tests.stories.tmpfs import KILOBYTE, MEGABYTE, SmallDisk, small_disk
from tests.tiers import deep

pytestmark = deep("disks of its own")


@pytest.fixture
def log_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """The log of `home` is on a small disk, its tables are not."""
    with small_disk(tmp_path / "home" / "log", 8 * MEGABYTE) as disk:
        yield disk


@pytest.fixture
def tables_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """All of `home` is on a small disk, but its log."""
    with small_disk(tmp_path / "home", 12 * MEGABYTE) as disk:
        (tmp_path / "log").mkdir()
        (tmp_path / "home" / "log").symlink_to(tmp_path / "log")
        yield disk


def guard(service: LiveService) -> tuple[int, dict[str, Any]]:
    return service.call("POST", "/api/guard", {"action_type": "lookup", "agent_id": "agent"})


def checks(service: LiveService) -> dict[str, str]:
    """The names of what /ready looks at and how it is; its status says the same."""
    status, answer = service.call("GET", "/ready", key=None)
    assert status == (200 if answer["ready"] else 503)
    return {check["name"]: check["status"] for check in answer["checks"]}


def until(what: str, true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def refused(service: LiveService) -> dict[str, Any]:
    """The first refusal of guard: a small event may still find room in a page that others did not fit in."""
    answers: list[dict[str, Any]] = []

    def last_page_full() -> bool:
        status, answer = guard(service)
        answers.append(answer)
        return status == 503

    until("the last page to be full", last_page_full)
    return answers[-1]


def restart_and_check(service: LiveService, heard: Heard, tmp_path: Path) -> None:
    """After a kill and a new start: everything acknowledged once, nothing refused, tables as a rebuild makes them."""
    service.kill()
    found = compare(heard, read_log(service.home))
    assert found.none, found
    with start_service(service.home) as again:
        assert missing_from_api(again, heard) == []
    shutil.copytree(service.home / "log", tmp_path / "rebuilt" / "log", ignore=shutil.ignore_patterns("filling"))
    rebuild.run(tmp_path / "rebuilt")
    assert differences(service.home, tmp_path / "rebuilt") == []


def test_a_full_disk_under_the_log(log_disk: SmallDisk, tmp_path: Path) -> None:
    service = start_service(tmp_path / "home")
    try:
        set_policies(service)
        log_disk.fill(leave=200 * KILOBYTE)
        load = Load(service, "full", connections=8)
        until("a refusal", lambda: bool(load.heard.refused))
        answer = refused(service)
        assert answer["code"] == "storage_unavailable"
        assert "Nothing was recorded" in answer["detail"]
        # Reading goes on, and readiness tells.
        assert service.call("GET", "/api/actions")[0] == 200
        until("readiness to tell", lambda: checks(service)["log"] == "fail")
        assert service.call("GET", "/health", key=None)[0] == 200
        log_disk.free()
        until("the log to take events again", lambda: guard(service)[0] == 200)
        found = checks(service)
        passing = dict.fromkeys(("log", "tables", "drift", "evidence", "wallet", "heads", "clock_jumps"), "pass")
        assert found == passing | {"disk": found["disk"]}
        heard = load.stop()
    except BaseException:
        service.kill()
        raise
    assert heard.codes.keys() == {"storage_unavailable"}
    assert heard.unexpected == []
    assert heard.acknowledged
    restart_and_check(service, heard, tmp_path)


def test_a_full_disk_under_the_tables(tables_disk: SmallDisk, tmp_path: Path) -> None:
    service = start_service(tmp_path / "home")
    heard = _tables_fill_up(service, tables_disk, leave=600 * KILOBYTE)
    restart_and_check(service, heard, tmp_path)


def test_a_checkpoint_on_a_full_disk_loses_nothing(tables_disk: SmallDisk, tmp_path: Path) -> None:
    service = start_service(tmp_path / "home", module="tests.stories.frequent_checkpoints")
    heard = _tables_fill_up(service, tables_disk, leave=1500 * KILOBYTE, padding=1500)
    assert "Failed to create checkpoint" in service.output
    restart_and_check(service, heard, tmp_path)


def _tables_fill_up(service: LiveService, disk: SmallDisk, *, leave: int, padding: int = 0) -> Heard:
    try:
        set_policies(service)
        disk.fill(leave=leave)
        load = Load(service, "full", connections=8, padding=padding)
        until("the tables to fall behind", lambda: checks(service)["tables"] == "fail")
        disk.fill()
        # Guard goes on and is recorded, while what only the tables know is not answered.
        assert guard(service)[0] == 200
        status, answer = service.call("GET", "/api/actions")
        assert (status, answer["code"]) == (503, "projection_behind")
        assert "guard goes on meanwhile" in answer["detail"]
        assert checks(service)["log"] == "pass"
        time.sleep(0.3)
        assert service.alive
        disk.free()
        until("the tables to catch up", lambda: service.call("GET", "/api/actions?limit=1")[0] == 200)
        assert checks(service)["tables"] == "pass"
        return load.stop()
    except BaseException:
        service.kill()
        raise


def test_a_start_on_a_full_disk_goes_on_where_the_last_one_was_killed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "home", 8 * MEGABYTE) as disk:
        service = start_service(disk.path)
        try:
            set_policies(service)
            disk.fill(leave=300 * KILOBYTE)
            load = Load(service, "full", connections=8)
            until(
                "log and tables to fail", lambda: {"log": "fail", "tables": "fail"}.items() <= checks(service).items()
            )
        finally:
            service.kill()
        heard = load.join()
        with start_service(disk.path) as again:
            disk.fill()  # what was cut off the log's end left room for a decision, and so may its last page
            refused(again)
            assert again.call("GET", "/api/actions")[0] == 503
            disk.free()
            until("the tables to catch up", lambda: again.call("GET", "/api/actions?limit=1")[0] == 200)
            assert guard(again)[0] == 200
            assert missing_from_api(again, heard) == []
            restart_and_check(again, heard, tmp_path)
