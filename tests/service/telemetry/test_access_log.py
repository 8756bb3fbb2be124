"""Lines of the access log, and the thread that writes them."""

import fcntl
import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from assent.contract.roles import Role
from assent_service.core.principal import Principal
from assent_service.telemetry.access_log import AccessLog, line, name_request
from assent_service.telemetry.observed_request import ObservedRequest
from assent_service.telemetry.trace import Parent

MOMENT = 1_772_366_400_123_456_789


def observed(headers: list[tuple[bytes, bytes]] | None = None) -> ObservedRequest:
    made = ObservedRequest("POST", "/api/guard", headers or [])
    made.began, made.elapsed, made.status, made.sent, made.request_id = MOMENT, 1_270_499, 200, 912, "r1"
    return made


def test_a_line_says_who_what_and_how_long() -> None:
    made = observed()
    made.principal = Principal("org_1", "key_1", "the key", Role.AGENT, "bot")
    made.trace_id = "ab" * 16
    assert json.loads(line(made)) == {
        "time": "2026-03-01T12:00:00.123456Z",
        "method": "POST",
        "route": "/api/guard",
        "status": 200,
        "duration_ms": 1.27,
        "bytes": 912,
        "request_id": "r1",
        "key_id": "key_1",
        "org_id": "org_1",
        "trace_id": "ab" * 16,
    }
    assert line(made).endswith(b"}\n")


def test_without_a_key_and_with_a_caller_s_trace() -> None:
    made = observed()
    made.parent = Parent("cd" * 16, "ef" * 8, sampled=False)
    said = json.loads(line(made))
    assert (said["key_id"], said["org_id"], said["trace_id"]) == (None, None, "cd" * 16)


@pytest.mark.parametrize(
    ("given", "kept"),
    [(b"job-17.a_B", True), (b"x" * 128, True), (b"x" * 129, False), (b"", False), (b'a"\n{}', False), (b"a b", False)],
)
def test_a_caller_s_request_id_is_kept_when_it_is_plain(given: bytes, kept: bool) -> None:
    made = observed([(b"x-request-id", given)])
    name_request(made)
    assert (made.request_id == given.decode()) is kept
    assert kept or len(made.request_id) == 16


def test_lines_are_appended_to_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    place = tmp_path / "access.log"
    for _ in range(2):
        log = AccessLog(str(place))
        log.start()
        for _ in range(3):
            log.write(observed())
        log.stop()
    assert len(place.read_text().splitlines()) == 6
    assert place.stat().st_mode & 0o777 == 0o600


def test_a_place_that_cannot_be_opened_is_an_error_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        AccessLog(str(tmp_path / "missing" / "access.log"))


def test_a_place_that_takes_nothing_loses_lines_and_says_so_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = AccessLog(str(tmp_path / "access.log"))

    def full(fd: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    monkeypatch.setattr("assent_service.telemetry.access_log.SECONDS", 0.01)
    log.start()
    log.write(observed())
    while not caplog.records:
        pass
    log.write(observed())
    log.stop()
    assert [record.message for record in caplog.records] == [
        "the access log cannot be written: No space left on device; lines are lost until it can"
    ]


def test_silence_is_no_recovery(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A place that takes nothing is told of once, also where requests are rare."""
    log, tried = AccessLog(str(tmp_path / "access.log")), 0

    def full(fd: int, data: object) -> int:
        nonlocal tried
        tried += 1
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    monkeypatch.setattr("assent_service.telemetry.access_log.SECONDS", 0.001)
    log.start()
    deadline = time.monotonic() + 30
    while tried < 5 and time.monotonic() < deadline:
        log.write(observed())
        time.sleep(0.05)
    log.stop()
    assert len(caplog.records) == 1


def test_a_line_that_was_begun_is_ended_before_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    place, write, calls = tmp_path / "access.log", os.write, 0

    def half(fd: int, data: memoryview) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError(28, "No space left on device")
        return write(fd, data[:40] if calls == 1 else data)

    monkeypatch.setattr(os, "write", half)
    monkeypatch.setattr("assent_service.telemetry.access_log.SECONDS", 0.01)
    log = AccessLog(str(place))
    log.start()
    log.write(observed())
    deadline = time.monotonic() + 30
    while calls < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    log.write(observed())
    log.stop()
    torn, whole = place.read_text().splitlines()
    assert len(torn) == 40
    assert json.loads(whole)["request_id"] == "r1"


def test_a_pipe_that_nobody_reads_keeps_neither_requests_nor_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    monkeypatch.setattr("assent_service.telemetry.access_log.END_SECONDS", 0.1)
    with os.fdopen(writer, "wb", buffering=0) as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        log = AccessLog("stderr")
        log.start()
        for _ in range(1000):
            log.write(observed())
        stopping = threading.Thread(target=log.stop, daemon=True)
        stopping.start()
        stopping.join(60)
        ended = not stopping.is_alive()
        os.close(reader)  # whoever still writes gets an error, and ends
    assert ended
