"""The service verifies its own log, and says in its readiness what it found."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

import pytest

from assent.contract.health import Check
from assent_service.settings import Settings, SettingsError, load
from assent_service.store import auditor as auditor_module
from assent_service.store.audit import audit
from assent_service.store.auditor import Auditor
from assent_service.store.ledger import Ledger
from tests.live import LiveService
from tests.service.store.logbook import WAIT
from tests.service.store.things import TABLES, created, recorded

AT = 1_795_255_200_000_000  # 2026-11-21 10:00 UTC


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(auditor_module, "AGAIN", 0.0)
    recorded(tmp_path, [created(f"t{i}") for i in range(200)])
    return tmp_path


@pytest.fixture
def auditor(home: Path) -> Auditor:
    ledger = Ledger(home, TABLES)
    ledger.close()
    return Auditor(ledger, home, lambda: AT, hours=24)


def spoil(path: Path, found: bytes, put: bytes) -> None:
    content = path.read_bytes()
    assert found in content
    path.write_bytes(content.replace(found, put, 1))


def test_before_the_first_time_nothing_is_claimed(auditor: Auditor) -> None:
    found = auditor.inspect()
    assert (found.name, found.status) == ("evidence", "pass")
    assert "every 24 h; not yet since the start" in found.detail


def test_a_sound_log_is_said_to_be_verified_and_when(auditor: Auditor) -> None:
    assert auditor.verify() == auditor.inspect() == Check(
        name="evidence", status="pass", detail="The whole log was verified at 2026-11-21 10:00:00 UTC."
    )  # fmt: skip


def test_damage_makes_the_service_not_ready_and_the_details_stay_in_its_own_log(
    auditor: Auditor, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = next((home / "log").glob("*.log"))
    spoil(path, b'"t7"', b'"tX"')
    with caplog.at_level(logging.ERROR, "assent.auditor"):
        found = auditor.verify()
    assert found.status == "fail"
    assert "found what is not right: log." in found.detail
    assert "org_a" not in found.detail
    assert str(home) not in found.detail
    assert f"{path}, line 8, byte" in caplog.text
    spoil(path, b'"tX"', b'"t7"')
    assert auditor.verify().status == "pass"


def test_spoilt_trees_are_a_warning(auditor: Auditor, home: Path) -> None:
    (home / "tree" / "org_a").write_bytes(b"x" * 64)
    found = auditor.verify()
    assert (found.status, "not right: trees." in found.detail) == ("warn", True)


def test_what_is_wrong_is_looked_at_twice(auditor: Auditor, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that is being erased just then is neither what it was nor blank."""
    path = next((home / "log").glob("*.log"))
    spoil(path, b'"t7"', b'"tX"')

    def mend(*args: Path, **options: object) -> object:
        found = audit(*args, **options)  # type: ignore[arg-type]  # passed through
        if not found.ok:
            spoil(path, b'"tX"', b'"t7"')
        return found

    monkeypatch.setattr(auditor_module, "audit", mend)
    assert auditor.verify().status == "pass"


def test_a_disk_that_cannot_be_read_is_no_damage(auditor: Auditor, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(auditor_module, "audit", refuse)
    found = auditor.verify()
    assert (found.status, found.detail) == ("warn", "The log could not be verified: Input/output error.")


def test_it_runs_by_itself_rests_and_stops_at_once(
    auditor: Auditor, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setattr(auditor_module, "FIRST", 0.0)
    reached = threading.Event()

    def slow(*args: Path, **options: object) -> object:
        def step() -> None:
            reached.set()
            auditor_module.Auditor._rest(auditor, 3600.0)  # only the end of the service ends this rest

        return audit(*args, **(options | {"step": step}))  # type: ignore[arg-type]  # passed through

    monkeypatch.setattr(auditor_module, "audit", slow)
    auditor.start()
    assert reached.wait(WAIT)
    auditor.stop()
    auditor.stop()
    assert not any(thread.name == "assent-auditor" for thread in threading.enumerate())
    assert "not yet since the start" in auditor.inspect().detail


def test_stopping_without_a_start_is_harmless(auditor: Auditor) -> None:
    auditor.stop()


@pytest.mark.parametrize("hours", ["-1", "8761", "often"])
def test_hours_that_cannot_be_are_refused(tmp_path: Path, hours: str) -> None:
    with pytest.raises(SettingsError, match="verify_hours"):
        load({}, home=str(tmp_path), verify_hours=hours)
    assert Settings().verify_hours == 24


def test_a_running_service_verifies_and_says_so(live_service: LiveService) -> None:
    status, found = live_service.call("GET", "/ready", key=None)
    assert status == 200
    assert [check["status"] for check in found["checks"] if check["name"] == "evidence"] == ["pass"]
    began = time.monotonic()
    live_service.stop()
    assert time.monotonic() - began < WAIT
