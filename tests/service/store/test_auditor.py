"""The service verifies its own log, and says in its readiness what it found."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path

import pytest

from assent.contract.health import Check
from assent_service.core.settings import Settings, SettingsError, load
from assent_service.store import auditor as auditor_module
from assent_service.store.audit import audit
from assent_service.store.auditor import Auditor
from assent_service.store.ledger import Ledger
from assent_service.store.log import Submission
from tests.live import LiveService
from tests.service.store.logbook import WAIT, Book
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
    assert "verified at" not in auditor.inspect().detail


# Sealed segments, right after a start


@pytest.fixture
def sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder whose log has several sealed segments."""
    monkeypatch.setattr(auditor_module, "AGAIN", 0.0)
    with Book(tmp_path, segment_bytes=4000) as book:
        for number in range(60):
            assert book.write(Submission((created(f"t{number}"),))).error is None
    assert len(list((tmp_path / "log").glob("*.seal"))) >= 3
    return tmp_path


def auditor_of(home: Path, hours: float = 24) -> Auditor:
    ledger = Ledger(home, TABLES)
    ledger.close()
    return Auditor(ledger, home, lambda: AT, hours=hours)


def test_sealed_segments_are_compared_with_their_seals(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditor_module, "audit", lambda *_, **__: pytest.fail("nothing need be verified line by line"))
    found = auditor_of(sealed).compare_seals()
    count = len(list((sealed / "log").glob("*.seal")))
    assert (found.status, f"its {count} sealed segments are what their seals say" in found.detail) == ("pass", True)


@pytest.mark.parametrize("which", [0, 1, -1])
def test_an_edit_of_any_sealed_segment_is_found(sealed: Path, which: int) -> None:
    auditor = auditor_of(sealed)
    seal = sorted((sealed / "log").glob("*.seal"))[which]
    log_file = seal.with_suffix(".log")
    content = bytearray(log_file.read_bytes())
    content[len(content) // 2] ^= 1
    log_file.write_bytes(content)
    found = auditor.compare_seals()
    assert (found.status, "not right: log." in found.detail) == ("fail", True)
    content[len(content) // 2] ^= 1
    log_file.write_bytes(content)
    assert auditor.compare_seals().status == "pass"


def test_a_segment_that_was_cut_or_lengthened_and_a_bad_seal_are_found(sealed: Path) -> None:
    auditor = auditor_of(sealed)
    seal = min((sealed / "log").glob("*.seal"))
    for file in (seal.with_suffix(".log"), seal):
        content = file.read_bytes()
        for changed in (content[:-1], content + b"\n"):
            file.write_bytes(changed)
            assert auditor.compare_seals().status == "fail"
        file.write_bytes(content)
    assert auditor.compare_seals().status == "pass"


def test_without_verification_the_seals_are_compared_all_the_same(sealed: Path) -> None:
    auditor = auditor_of(sealed, hours=0)
    auditor.start()
    deadline = time.monotonic() + WAIT
    while "sealed segments" not in auditor.inspect().detail and time.monotonic() < deadline:
        time.sleep(0.01)
    assert auditor.inspect().detail.startswith("The whole log is not verified; its ")
    auditor.stop()


def test_rests_never_make_it_longer_than_a_minute(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left for rests where reading alone takes all of the time."""
    monkeypatch.setattr(auditor_module, "SEALED_WITHIN", 0.0)
    monkeypatch.setattr(auditor_module, "BLOCK", 64)
    rests = list[float]()
    auditor = auditor_of(sealed)
    monkeypatch.setattr(Auditor, "_rest", lambda _, seconds: rests.append(seconds))
    assert auditor.compare_seals().status == "pass"
    assert len(rests) > 100
    assert set(rests) == {0.0}


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
