"""kill -9 of a real process: nothing that it acknowledged is lost.

The process writes as fast as it can and puts each acknowledged seq into a pipe. It is killed at a random
moment; then a new start must find every seq that came through the pipe. The negative control is the same, on
a file system that says yes at once and writes later: there something must be missing, or this test could not
fail.

The kernel survives a kill, so this shows the order of writing and acknowledging. What a power loss leaves
behind is played through in test_recovery.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue

from assent_service.store.files import Files
from assent_service.store.log import Log, WriteResult
from tests.service.store.logbook import goals, read_back, submission
from tests.tiers import deep

pytestmark = deep("test_kill has one in the quick tier")

ROOT = Path(__file__).parents[3]
WHOLE = 1 << 30  # a segment that is never full: nothing but the order of writing and acknowledging is at work
SMALL = 100_000  # the kill may also come while a segment is followed by the next, or is being sealed


class LateFiles(Files):
    """Says that bytes are written and synced, and writes them 50 ms later."""

    def __init__(self) -> None:
        self._late: SimpleQueue[tuple[float, int, bytes]] = SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()

    def write(self, fd: int, data: memoryview) -> int:
        self._late.put((time.monotonic() + 0.05, fd, bytes(data)))
        return len(data)

    def fdatasync(self, fd: int) -> None:
        pass

    def _run(self) -> None:
        while True:
            due, fd, data = self._late.get()
            time.sleep(max(0.0, due - time.monotonic()))
            os.write(fd, data)


def write_and_acknowledge(home: Path, files: Files, segment_bytes: int) -> None:
    """The process that is killed. Keeps up to 64 submissions in flight, some of several events."""
    slots = threading.Semaphore(64)

    def deliver(outcome: WriteResult) -> None:
        assert outcome.error is None
        said = b"".join(b"%d\n" % event.seq for events in outcome.events for event in events)
        while said:
            said = said[os.write(1, said) :]
        for _ in outcome.submissions:
            slots.release()

    log = Log.open(home, deliver=deliver, files=files, segment_bytes=segment_bytes)
    i = 0
    while True:
        slots.acquire()
        log.submit([submission(*(f"{i}.{k}" for k in range(1 + i % 3)))])
        i += 1


def killed(home: Path, kind: str, seconds: float, segment_bytes: int = WHOLE) -> list[int]:
    """The seqs that a process acknowledged before it was killed, `seconds` after its first."""
    command = [sys.executable, __file__, str(home), kind, str(segment_bytes)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        timer = threading.Timer(seconds, process.send_signal, [signal.SIGKILL])
        timer.start()
        rest = process.stdout.read()
        timer.join()
        assert process.wait(60) == -signal.SIGKILL
    # The kill may have come in the middle of the last number.
    return [int(line) for line in (first + rest).splitlines(keepends=True) if line.endswith(b"\n")]


def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    chance = random.Random()
    acknowledged = 0
    for folder, segment_bytes in (("a", WHOLE), ("b", SMALL), ("b", SMALL)):  # the third goes on after the second
        home = tmp_path / folder
        before = len(read_back(home))
        seqs = killed(home, "durable", chance.uniform(0.05, 0.6), segment_bytes)
        events = read_back(home)
        assert seqs == list(range(before + 1, before + len(seqs) + 1))
        assert len(events) >= before + len(seqs), "acknowledged events are lost"
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert [event.n for event in events] == list(range(len(events)))
        acknowledged += len(seqs)
    assert acknowledged > 100


def test_the_same_test_finds_the_loss_when_acknowledging_comes_before_writing(tmp_path: Path) -> None:
    seqs = killed(tmp_path, "late", 0.3)
    assert len(seqs) > 100
    assert len(read_back(tmp_path)) < len(seqs)


FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.service.store.logbook import Book, goals, submission
with Book(Path(sys.argv[1])) as book:
    assert book.write(submission("kept")).error is None
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
    refused = book.write(submission("r1", "r2", "r3", "r4")).error
    print(type(refused).__name__, refused.errno, book.log.status.state, flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert book.write(submission("after")).error is None
    print(book.log.status.state, flush=True)
"""


def test_a_real_limit_on_the_files_size_refuses_and_recovers(tmp_path: Path) -> None:
    # The kernel itself writes short and then says EFBIG; no stand-in is involved.
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    command = [sys.executable, "-c", FULL, str(tmp_path), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines() == ["OSError 27 refusing", "healthy"], done.stderr
    assert goals(read_back(tmp_path)) == ["kept", "after"]


if __name__ == "__main__":
    write_and_acknowledge(Path(sys.argv[1]), LateFiles() if sys.argv[2] == "late" else Files(), int(sys.argv[3]))
