"""From the service to the exporter, which is a process of its own: `assent_service.telemetry.exporter`.

Making OTLP of spans costs about as much as deciding. In the service that would be taken from guard, so the service only
puts small records into a pipe, and OpenTelemetry runs at the other end, at a lower priority. A collector that is slow
or gone makes nothing wait here: what waits is bounded, what finds no room is counted and dropped. An exporter that ends
is started again. It ends by itself when the pipe is closed, also when the service is killed; a service that ends
waits two seconds for it and no longer. It is told nothing that is ours: no `ASSENT_` variable reaches it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic, time_ns

import msgspec

from assent_service.telemetry.spans import ExportBatch, MetricSample, Request

# -P: what happens to lie in the folder that the service was started in is none of its modules.
COMMAND = (sys.executable, "-P", "-m", "assent_service.telemetry.exporter")
MOST_WAITING = 50_000
AT_ONCE = 512
SECONDS = 0.2
AGAIN_SECONDS = 10.0
END_SECONDS = 2.0
"""For all that is to do at the end: whoever stops the service waits for it."""
LENGTH_BYTES = 4

log = logging.getLogger("assent.telemetry")


class Shipper:
    """`measure` gives the metrics every `interval` seconds, None where they are off; `dropped` is called for each
    request whose spans had no room."""

    def __init__(
        self,
        dropped: Callable[[], None],
        measure: Callable[[], list[MetricSample]] | None,
        interval: float,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._dropped, self._measure, self._interval, self._command = dropped, measure, interval, tuple(command)
        self._waiting: deque[Request] = deque()
        self._ended = threading.Event()
        self._encode = msgspec.msgpack.Encoder().encode
        self._since = time_ns()
        self._exporter: subprocess.Popen[bytes] | None = None
        self._starting, self._given_up = threading.Lock(), False
        self._not_before = 0.0
        self._thread = threading.Thread(target=self._run, name="assent-telemetry", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def send(self, request: Request) -> None:
        """Returns at once."""
        if len(self._waiting) >= MOST_WAITING:
            self._dropped()
        else:
            self._waiting.append(request)

    def stop(self) -> None:
        """Hand over what waits and let the exporter send it; what takes longer than `END_SECONDS` in all is lost."""
        until = monotonic() + END_SECONDS
        self._ended.set()
        self._thread.join(END_SECONDS)
        with self._starting:
            # The thread may still wait for an exporter that does not read: no other one follows it.
            self._given_up, exporter = True, self._exporter
        if exporter is not None:
            try:
                exporter.wait(max(0.0, until - monotonic()))
            except subprocess.TimeoutExpired:
                log.warning("the exporter of telemetry did not finish in %g s and was ended", END_SECONDS)
                exporter.kill()
                exporter.wait()
        self._thread.join()

    def _run(self) -> None:
        # It takes a second to get ready, which is better now than when there is something to send.
        self._running()
        measured = monotonic()
        while not self._ended.wait(SECONDS):
            due = monotonic() - measured >= self._interval
            if due:
                measured = monotonic()
            self._turn(measure=due)
        self._turn(measure=True)
        self._close()

    def _turn(self, *, measure: bool) -> None:
        try:
            self._hand_over(self._metrics() if measure else [])
        except Exception:
            # A mistake of ours costs what it was made on, not everything that comes after it.
            log.exception("telemetry could not be handed to its exporter")

    def _metrics(self) -> list[MetricSample]:
        return [] if self._measure is None else self._measure()

    def _hand_over(self, metrics: list[MetricSample]) -> None:
        """Everything that waits, in frames of a bounded size, the metrics with the first."""
        while self._waiting or metrics:
            requests: list[Request] = []
            with suppress(IndexError):
                while len(requests) < AT_ONCE:
                    requests.append(self._waiting.popleft())
            self._put(self._encode(ExportBatch(requests, metrics, self._since, time_ns())), len(requests))
            metrics = []

    def _put(self, frame: bytes, requests: int) -> None:
        exporter = self._running()
        try:
            if exporter is None or exporter.stdin is None:
                raise BrokenPipeError
            exporter.stdin.write(len(frame).to_bytes(LENGTH_BYTES, "big") + frame)
            exporter.stdin.flush()
        except OSError:
            for _ in range(requests):
                self._dropped()

    def _running(self) -> subprocess.Popen[bytes] | None:
        """The exporter, started when there is none; None while it is too early to try again, and at the end."""
        with self._starting:
            return self._started()

    def _started(self) -> subprocess.Popen[bytes] | None:
        if self._exporter is not None and self._exporter.poll() is None:
            return self._exporter
        if self._given_up or monotonic() < self._not_before:
            return None
        if self._exporter is not None:
            log.warning("the exporter of telemetry ended with %d; starting it again", self._exporter.returncode)
            self._close()
            self._exporter = None
        self._not_before = monotonic() + AGAIN_SECONDS
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
        try:
            self._exporter = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment
            )
        except OSError as error:
            log.warning("the exporter of telemetry cannot be started: %s", error)
        return self._exporter

    def _close(self) -> None:
        if self._exporter is not None and self._exporter.stdin is not None:
            with suppress(OSError):
                self._exporter.stdin.close()
