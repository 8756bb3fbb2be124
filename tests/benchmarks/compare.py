"""Guard and creation as they are, and as they were in another commit, side by side in one run.

    python -m tests.benchmarks.compare BASE [--rounds 9] [--seconds 1] [--within SECONDS] [--confidence 0.99]

BASE is a commit, or the folder of another checkout. Both services run at once with this interpreter and are asked in
turn, so that a slow minute hits both; a pair is what one round measured of both. Printed are the ratios now to before
of the processor time for each request and of the throughput, each with its interval and the number of pairs
(`intervals`). *Answering* and *all* are as in `guard_cost`.

With --within it is short, as at the end of continuous integration: 16 connections, what answers alone, as many rounds
as the seconds allow; and it says aloud where a request costs more than a tenth above BASE, which the whole interval has
to. It never fails, whatever there is to compare with: whoever lands that mends or explains it.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from tests.benchmarks.guard_cost import CHANGING, CREATION, GUARD, Cost, cost
from tests.benchmarks.http import CONNECTIONS, CONTEXT, prepare
from tests.benchmarks.intervals import Interval, interval
from tests.benchmarks.processes import ROOT, Served, post, service
from tests.benchmarks.processor import catch_up

OPERATIONS = {"guard": GUARD, "creation": CREATION}
MEASURED = ("sdk", "service", "analytics", "pyproject.toml", "constraints.txt")
"""What of a commit runs when guard is asked."""
TOLERATED = 1.1
Pairs = dict[tuple[str, int], list[tuple[Cost, Cost]]]


class NothingToCompare(Exception):
    """There is no such commit here, or its service does not run; the text says which."""


@dataclass(frozen=True)
class Plan:
    """`rounds` of loads of so many `seconds` each, none after `ends` (`time.monotonic`). With `settle` each load is
    counted until its followers have caught up."""

    connections: Sequence[int]
    rounds: int
    seconds: float
    settle: bool
    ends: float = float("inf")


@contextmanager
def checkout(base: str) -> Iterator[Path]:
    """A folder with the files of a commit, or the folder itself; raises NothingToCompare."""
    if Path(base).is_dir():
        yield Path(base).resolve()
        return
    commit = _git("rev-parse", "--verify", "--quiet", f"{base}^{{commit}}").decode().strip()
    if not commit:
        raise NothingToCompare(f"there is no commit {base} here: this is the first one, or the clone is shallow")
    folder = Path(tempfile.mkdtemp(prefix="assent-compare-"))
    try:
        with tarfile.open(fileobj=BytesIO(_git("archive", commit))) as files:
            files.extractall(folder, filter="data")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def same_product(base: str) -> bool:
    """Whether nothing that guard runs differs between the commit and the files here. Nothing is known of folders."""
    if Path(base).is_dir():
        return False
    changed = subprocess.run(["git", "diff", "--quiet", base, "--", *MEASURED], cwd=ROOT, capture_output=True)
    return changed.returncode == 0


def measure(before: Path, plan: Plan) -> Pairs:
    """The rounds' costs (before, now) for each operation and number of connections."""
    pairs: Pairs = {}
    with service(checkout=before) as old, service() as new:
        for served in (old, new):
            prepare(served)
            for path in OPERATIONS.values():
                post(served, path, CONTEXT)  # the first one waits until the scan's engine is loaded
            _load(served, GUARD, 16, Plan((16,), 1, 1.0, settle=False))
            catch_up(served.pid)
        for turn in range(plan.rounds):
            for connections in plan.connections:
                for name, path in OPERATIONS.items():
                    if time.monotonic() + 2 * plan.seconds > plan.ends:
                        return pairs
                    # Whoever comes first in one round comes last in the next.
                    order = (old, new) if turn % 2 else (new, old)
                    costs = {served.pid: _load(served, path, connections, plan) for served in order}
                    pairs.setdefault((name, connections), []).append((costs[old.pid], costs[new.pid]))
    return pairs


def _load(served: Served, path: str, connections: int, plan: Plan) -> Cost:
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    return cost(served.pid, served.base_url + path, CHANGING, headers, connections, plan.seconds, settle=plan.settle)


def report(pairs: Pairs, confidence: float, *, whole: bool) -> dict[str, Interval]:
    """Print the ratios; the intervals of what answering costs, by what was measured."""
    found: dict[str, Interval] = {}
    spent = "answering and all" if whole else "answering"
    print(f"now to before, {confidence:.0%} intervals: processor time of a request, {spent}; requests/s")
    for (name, connections), costs in sorted(pairs.items()):
        said = f"{name} at {connections}"
        found[said] = interval([now.answering / before.answering for before, now in costs], confidence)
        rate = interval([now.load.rate / before.load.rate for before, now in costs], confidence)
        every = interval([now.whole / before.whole for before, now in costs], confidence) if whole else ""
        print(f"{said:16} answering {found[said]}   {f'all {every}   ' if whole else ''}requests/s {rate}")
    return found


def short(base: str, within: float, confidence: float) -> None:
    """Never raises for what there is to compare with; takes about so many seconds."""
    # Whoever ends this ends the services too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("it was ended"))
    ends = time.monotonic() + within
    if shutil.which("wrk") is None:
        print("Speed is not compared: wrk is not installed")
        return
    try:
        with checkout(base) as before:
            if same_product(base):
                print(f"Speed is not compared: nothing that guard runs has changed since {base}")
                return
            pairs = measure(before, Plan((16,), sys.maxsize, 0.4, settle=False, ends=ends))
    except (NothingToCompare, SystemExit, OSError, subprocess.SubprocessError) as reason:
        # SystemExit is what the benchmarks say with when a service does not start or does not answer.
        print(f"Speed is not compared with {base}: {reason}")
        return
    # An interval with (1 - confidence) on the side that matters.
    found = report(pairs, 2 * confidence - 1, whole=False)
    if not found:
        print(f"Speed is not compared: both services took longer than {within:g} s to start")
    slower = {name: each for name, each in found.items() if each.low > TOLERATED}
    for name, each in slower.items():
        print(f"*** SLOWER: {name} costs {each.middle:.2f} times what it did in {base}, at least {each.low:.2f}.")
    if slower:
        print("*** Mend it or say why it has to be; `make bench-compare BASE=...` measures longer.")


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True).stdout


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="compare")
    parser.add_argument("base")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--confidence", type=float, default=0.99)
    parser.add_argument("--within", type=float, metavar="SECONDS")
    chosen = parser.parse_args(arguments)
    if chosen.within is not None:
        short(chosen.base, chosen.within, chosen.confidence)
        return
    plan = Plan(CONNECTIONS, chosen.rounds, chosen.seconds, settle=True)
    try:
        with checkout(chosen.base) as before:
            report(measure(before, plan), chosen.confidence, whole=True)
    except NothingToCompare as reason:
        sys.exit(str(reason))


if __name__ == "__main__":
    main(sys.argv[1:])
