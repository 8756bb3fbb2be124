"""The pipe to the exporter: nothing waits for it, what has no room is counted, one that ends is started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from assent_service.telemetry import shipper as module
from assent_service.telemetry.shipper import Shipper
from assent_service.telemetry.spans import ExportBatch, MetricSample, Request, Span

WAIT = 30.0
KEEP = "import sys; open(sys.argv[1], 'ab').write(sys.stdin.buffer.read())"


def request(number: int = 0) -> Request:
    return Request("a" * 32, None, [Span(f"span {number}", "b" * 16, None, 1, 2, {"text": "x" * 100})])


def frames(file: Path) -> list[ExportBatch]:
    data, found = file.read_bytes(), []
    while data:
        length = int.from_bytes(data[:4], "big")
        found.append(msgspec.msgpack.decode(data[4 : 4 + length], type=ExportBatch))
        data = data[4 + length :]
    return found


class Count:
    def __init__(self) -> None:
        self.value = 0

    def __call__(self) -> None:
        self.value += 1


def test_everything_arrives_in_order_with_the_metrics_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dropped, file = Count(), tmp_path / "kept"
    metric = MetricSample("m", "", "", "gauge", [])
    monkeypatch.setattr(module, "END_SECONDS", WAIT)
    shipper = Shipper(dropped, lambda: [metric], 3600.0, (sys.executable, "-c", KEEP, str(file)))
    shipper.start()
    for number in range(1500):
        shipper.send(request(number))
    shipper.stop()
    found = frames(file)
    assert [each.spans[0].name for frame in found for each in frame.requests] == [f"span {n}" for n in range(1500)]
    assert max(len(frame.requests) for frame in found) <= 512
    assert [frame.metrics for frame in found if frame.metrics] == [[metric]]
    assert dropped.value == 0


def test_an_exporter_that_reads_nothing_delays_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 1000)
    monkeypatch.setattr(module, "END_SECONDS", 0.5)
    dropped = Count()
    shipper = Shipper(dropped, None, 3600.0, (sys.executable, "-c", "import time; time.sleep(600)"))
    shipper.start()
    deadline = time.monotonic() + WAIT
    while not dropped.value and time.monotonic() < deadline:
        shipper.send(request())
    assert dropped.value
    shipper.stop()


def test_an_exporter_that_ends_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(module, "SECONDS", 0.01)
    file = tmp_path / "starts"
    once = "import sys; open(sys.argv[1], 'ab').write(b'x'); sys.exit(3)"
    shipper = Shipper(Count(), None, 3600.0, (sys.executable, "-c", once, str(file)))
    shipper.start()
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline and not (file.exists() and len(file.read_bytes()) > 1):
        shipper.send(request())
        time.sleep(0.01)
    shipper.stop()
    assert len(file.read_bytes()) > 1
    assert "ended with 3; starting it again" in caplog.text


def test_an_exporter_that_cannot_be_started_counts_what_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dropped = Count()
    shipper = Shipper(dropped, None, 3600.0, (str(tmp_path / "missing"),))
    shipper.start()
    shipper.send(request())
    shipper.stop()
    assert dropped.value == 1
    assert "cannot be started" in caplog.text


def test_stopping_does_not_wait_for_an_exporter_that_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "END_SECONDS", 0.5)
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0.0)
    file, dropped = tmp_path / "pids", Count()
    deaf = "import os, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()}\\n'); time.sleep(600)"
    shipper = Shipper(dropped, None, 3600.0, (sys.executable, "-c", deaf, str(file)))
    shipper.start()
    for number in range(20_000):
        shipper.send(request(number))
    deadline = time.monotonic() + WAIT
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    stopping = threading.Thread(target=shipper.stop, daemon=True)
    stopping.start()
    stopping.join(WAIT)
    pids = [int(pid) for pid in file.read_text().split()]
    try:
        assert not stopping.is_alive()
        assert len(pids) == 1, "no other exporter was started to be waited for"
        assert not Path(f"/proc/{pids[0]}").exists()
        assert dropped.value > 10_000
        assert "was ended" in caplog.text
    finally:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_an_exporter_that_cannot_be_started_again_costs_spans_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(module, "SECONDS", 0.01)
    command, file, dropped = tmp_path / "exporter", tmp_path / "kept", Count()

    def install(code: str) -> None:
        fresh = tmp_path / "fresh"
        fresh.write_text(f"#!{sys.executable}\n{code}")
        fresh.chmod(0o700)
        fresh.rename(command)

    install("raise SystemExit(3)")
    shipper = Shipper(dropped, None, 3600.0, (str(command), str(file)))
    shipper.start()
    deadline = time.monotonic() + WAIT
    while "ended with 3" not in caplog.text and time.monotonic() < deadline:
        shipper.send(request())
        time.sleep(0.01)
    command.unlink()
    wanted = dropped.value + 20
    while dropped.value < wanted and time.monotonic() < deadline:
        shipper.send(request())
        time.sleep(0.01)
    assert dropped.value >= wanted
    install("import sys; open(sys.argv[1], 'ab').write(sys.stdin.buffer.read(1))")
    while not file.exists() and time.monotonic() < deadline:
        shipper.send(request())
        time.sleep(0.01)
    shipper.stop()
    assert file.exists(), "it is tried until it can be started"


def test_a_failure_in_measuring_is_not_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.01)
    monkeypatch.setattr(module, "END_SECONDS", WAIT)
    file, calls = tmp_path / "kept", Count()

    def measure() -> list[MetricSample]:
        calls()
        if calls.value == 1:
            raise RuntimeError("a gauge that fails")
        return [MetricSample("m", "", "", "gauge", [])]

    shipper = Shipper(Count(), measure, 0.0, (sys.executable, "-c", KEEP, str(file)))
    shipper.start()
    deadline = time.monotonic() + WAIT
    while calls.value < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    shipper.stop()
    assert any(frame.metrics for frame in frames(file))
    assert "a gauge that fails" in caplog.text


def test_the_exporter_gets_none_of_our_variables_and_no_module_of_the_folder_that_it_runs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_ADMIN_KEY", "a-secret")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "kept")
    monkeypatch.setattr(module, "END_SECONDS", WAIT)
    file = tmp_path / "kept"
    names = "[name for name in os.environ if name.startswith(('ASSENT_', 'OTEL_'))]"
    look = f"import json, os, sys; open(sys.argv[1], 'w').write(json.dumps({names})); sys.stdin.buffer.read()"
    shipper = Shipper(Count(), None, 3600.0, (sys.executable, "-c", look, str(file)))
    shipper.start()
    shipper.send(request())
    shipper.stop()
    assert json.loads(file.read_text()) == ["OTEL_SERVICE_NAME"]

    (tmp_path / "requests.py").write_text("raise SystemExit(7)")
    ended = subprocess.run(module.COMMAND, cwd=tmp_path, stdin=subprocess.DEVNULL, timeout=WAIT, check=False)
    assert ended.returncode == 0
