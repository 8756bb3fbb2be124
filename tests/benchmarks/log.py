"""How fast the evidence log is. Run it: `python -m tests.benchmarks.log [seconds per figure]`.

Prints events a second from submit to deliver, durable, in batches of 1, 16 and 256 (one batch in flight: the
next is submitted when the last was delivered); the microseconds that checking and encoding one event take;
events a second of verifying; and, for scale, what a bare write and fdatasync of the same bytes costs on this
disk.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from statistics import median

from assent_service.store.batch import Salts, number
from assent_service.store.event import Draft, check
from assent_service.store.log import Log, Submission, WriteResult
from assent_service.store.segments import LogPlace, segment_path, verify

PAYLOAD = (
    b'{"action_type":"book_reservation","declared_goal":"Book the flight that the customer chose","risk_score":42,'
    b'"systems_touched":["reservations","payments"],"decision":"allow","reasons":[],"matched_policies":["pol_1"]}'
)
DRAFT = Draft("org_default", "guard.decision.created", 1_790_000_000_000_000, "dec_" + "0" * 32, "key_1", PAYLOAD)


def delivered(home: Path, size: int, seconds: float) -> tuple[float, float]:
    """Events a second, and the median milliseconds from submit to deliver."""
    outcomes: SimpleQueue[WriteResult] = SimpleQueue()
    log = Log.open(home, deliver=outcomes.put)
    batch = [Submission((DRAFT,)) for _ in range(size)]
    took: list[float] = []
    begun = time.perf_counter()
    while (now := time.perf_counter()) - begun < seconds:
        log.submit(batch)
        outcome = outcomes.get()
        took.append(time.perf_counter() - now)
        if outcome.error is not None:
            raise outcome.error
    rate = len(took) * size / (time.perf_counter() - begun)
    log.close()
    return rate, median(took) * 1e3


def check_all(submissions: list[Submission]) -> None:
    for submission in submissions:
        for draft in submission.drafts:
            check(draft)


def best(work: Callable[[], object], events: int, rounds: int = 7) -> float:
    """The least microseconds an event took; noise only ever adds."""
    took = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        took.append(time.perf_counter() - begun)
    return min(took) / events * 1e6


def bare(path: Path, size: int, seconds: float) -> float:
    """The median milliseconds of one write and fdatasync of as many bytes as a batch has."""
    data = number([Submission((DRAFT,))] * size, 0, LogPlace(1, 0), {}, Salts()).data
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    took: list[float] = []
    end = time.perf_counter() + seconds
    while (begun := time.perf_counter()) < end:
        os.write(fd, data)
        os.fdatasync(fd)
        took.append(time.perf_counter() - begun)
    os.close(fd)
    return median(took) * 1e3


def main(arguments: list[str]) -> None:
    seconds = float(arguments[0]) if arguments else 3.0
    many = [Submission((DRAFT,)) for _ in range(20_000)]
    salts = Salts()
    line = len(number(many[:1], 0, LogPlace(1, 0), {}, salts).data)
    print(f"payload {len(PAYLOAD)} bytes, line {line} bytes")
    print(f"check   {best(lambda: check_all(many), len(many)):8.2f} us an event")
    encode = best(lambda: number(many, 0, LogPlace(1, 0), {}, salts), len(many))
    print(f"encode  {encode:8.2f} us an event (number, salt, hash, encode, join)")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for size in (1, 16, 256):
            rate, milliseconds = delivered(home / str(size), size, seconds)
            floor = bare(home / f"bare{size}", size, seconds / 2)
            figures = f"{rate:9.0f} events/s, p50 {milliseconds:.2f} ms; bare write + fdatasync {floor:.2f} ms"
            print(f"batch {size:<4} {figures}")
        log = home / "verified"
        log.mkdir()
        segment_path(log, 1).write_bytes(number(many, 0, LogPlace(1, 0), {}, salts).data)
        print(f"verify  {1e6 / best(lambda: verify(log, 1), len(many)):9.0f} events/s")


if __name__ == "__main__":
    main(sys.argv[1:])
