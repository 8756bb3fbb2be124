"""What a service takes of the machine, seen from outside: processor time of its threads and of the processes that it
started, and memory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICK = 1 / os.sysconf("SC_CLK_TCK")
WRITER = "assent-log-writ"
"""What the system keeps of the name of the thread that writes the log. It and the first thread, which is the loop,
answer; every other thread and process follows."""
QUIET_SHARE, LOOK_SECONDS, LOOKS = 0.06, 0.25, 4
PATIENCE = 180.0


@dataclass(frozen=True)
class Processor:
    """Processor time in seconds since the service started. `whole` is that of all of its threads and processes."""

    answering: float
    whole: float

    def __sub__(self, other: Processor) -> Processor:
        return Processor(self.answering - other.answering, self.whole - other.whole)


def processor(pid: int) -> Processor:
    """What has been used by now."""
    answering = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            if task.name == str(pid) or (task / "comm").read_text().strip() == WRITER:
                answering += sum(map(int, _stat(task)[11:13])) * TICK
    return Processor(answering, sum(_used(each) for each in _tree(pid)))


def used(pid: int) -> float:
    """Processor time of a process and of those that it has waited for, in seconds."""
    # utime, stime, cutime, cstime (proc(5)).
    return sum(map(int, _stat(Path(f"/proc/{pid}"))[11:15])) * TICK


def catch_up(pid: int) -> bool:
    """Return once the service has had nothing to do for a second; False where it never comes to that."""
    quiet, ends = 0, time.monotonic() + PATIENCE
    before, at = processor(pid).whole, time.monotonic()
    while time.monotonic() < ends:
        time.sleep(LOOK_SECONDS)
        now, later = processor(pid).whole, time.monotonic()
        quiet = quiet + 1 if now - before <= QUIET_SHARE * (later - at) + TICK else 0
        before, at = now, later
        if quiet == LOOKS:
            return True
    return False


def megabytes(pid: int) -> float:
    """Memory of a service and of the processes that it started; what they share is counted once."""
    found = 0
    for each in _tree(pid):
        lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        found += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return found / 1024


def _used(pid: int) -> float:
    with suppress(FileNotFoundError, ProcessLookupError):
        return used(pid)
    return 0.0


def _tree(pid: int) -> Iterator[int]:
    """The process, and all that descend from it."""
    parents: dict[int, int] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            with suppress(FileNotFoundError, ProcessLookupError):
                parents[int(each.name)] = int(_stat(each)[1])
    found = {pid}
    yield pid
    while more := {each for each, parent in parents.items() if parent in found} - found:
        yield from more
        found |= more


def _stat(folder: Path) -> list[str]:
    # Behind the name, which may hold anything.
    return (folder / "stat").read_text().rpartition(")")[2].split()
