"""The access log: one JSON object on one line for each request, for programs that collect logs.

    {"time":"2026-03-01T12:00:00.123456Z","method":"POST","route":"/api/guard","status":200,"duration_ms":1.27,
     "bytes":912,"request_id":"...","key_id":"...","org_id":"...","trace_id":"..."}

The route is its template. So there are no paths, queries, bodies, header values or keys in it, only the ids of the key
and of the organization. `request_id` is the caller's `x-request-id` where it is plain, else a new one, and is answered
in the same header. `status` 0: the client left before there was an answer.

Lines are gathered and written by a thread of their own, four times a second. When the place
cannot be written to, or only slowly, what waits is bounded: lines are lost then, requests are not, and a service that
ends waits a second for it. The file is opened to append and never moved: rotate it with `copytruncate`.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache

import msgspec

from assent.secrets import forms, without_own
from assent_service.core.echo import request_id
from assent_service.telemetry.observed_request import ObservedRequest
from assent_service.telemetry.trace import random_bits

STDERR = "stderr"
SECONDS = 0.25
END_SECONDS = 1.0
MOST_WAITING = 100_000

_encode = msgspec.json.Encoder().encode

log = logging.getLogger("assent.telemetry")


class AccessLine(msgspec.Struct, frozen=True, gc=False):
    """`duration_ms` is in milliseconds, from the first byte of the request to the last of the answer."""

    time: str
    method: str
    route: str
    status: int
    duration_ms: float
    bytes: int
    request_id: str
    key_id: str | None
    org_id: str | None
    trace_id: str | None


def name_request(observed: ObservedRequest) -> None:
    """Give the request its id."""
    given = request_id(observed.headers)
    observed.request_id = f"{random_bits(64):016x}" if given is None else given.decode()


def line(observed: ObservedRequest) -> bytes:
    """What there is to say of a request that has ended."""
    principal = observed.principal
    seconds, nanoseconds = divmod(observed.began, 1_000_000_000)
    said = AccessLine(
        time=f"{_second(seconds)}.{nanoseconds // 1000:06d}Z",
        method=observed.method,
        route=observed.route,
        status=observed.status,
        duration_ms=round(observed.elapsed / 1e6, 3),
        bytes=observed.sent,
        request_id=observed.request_id,
        key_id=None if principal is None else principal.key_id,
        org_id=None if principal is None else principal.org_id,
        trace_id=observed.trace_id or (observed.parent.trace_id if observed.parent else None),
    )
    content = _encode(said)
    # The request's id is the caller's word.
    return (without_own(content.decode()).encode() if forms() else content) + b"\n"


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    """Worked out once for all the lines of a second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


class AccessLog:
    """Writes to `place`: `stderr`, or a file. Raises OSError for a file that cannot be opened."""

    def __init__(self, place: str) -> None:
        self._own = place != STDERR
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self._fd = os.open(place, flags, 0o600) if self._own else sys.stderr.fileno()
        self._waiting: deque[bytes] = deque(maxlen=MOST_WAITING)
        self._ended = threading.Event()
        self._failing = self._torn = False
        self._thread = threading.Thread(target=self._run, name="assent-access-log", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def write(self, observed: ObservedRequest) -> None:
        self._waiting.append(line(observed))

    def stop(self) -> None:
        """Write what waits, and close the file. A place that takes nothing (a pipe that nobody reads, a share that is
        gone) keeps the thread for ever; it is left behind then."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(END_SECONDS)
        if self._own and not self._thread.is_alive():
            os.close(self._fd)

    def _run(self) -> None:
        while not self._ended.wait(SECONDS):
            self._flush()
        self._flush()

    def _flush(self) -> None:
        taken: list[bytes] = []
        with suppress(IndexError):
            while True:
                taken.append(self._waiting.popleft())
        if not taken:
            return
        if self._torn:
            taken.insert(0, b"\n")
        whole = b"".join(taken)
        left = memoryview(whole)
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError as error:
            written = whole[: len(whole) - len(left)]
            if written:
                # A line that was begun is ended before the next one.
                self._torn = not written.endswith(b"\n")
            if not self._failing:
                log.warning("the access log cannot be written: %s; lines are lost until it can", error.strerror)
            self._failing = True
        else:
            self._failing = self._torn = False
