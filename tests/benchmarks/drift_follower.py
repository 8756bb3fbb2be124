"""Processor time that the follower of drift takes for an event:

    python -m tests.benchmarks.drift_follower [--events 50000] [--rounds 5] [--before CHECKOUT]

A varied log of 500 agents is followed in a process of its own, as the service follows it; the first half warms the
streams, the second is counted. `read` is what reading and checking those events takes by itself, `drift` is the rest,
`save` is one checkpoint of all streams, `longest` the
longest stretch of work before it lets go of the interpreter. CHECKOUT is another
checkout of this repository, whose follower reads the same log in turn; the ratio is the median of the rounds'.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, cast

from assent_service.analysis.drift import checkpoint
from assent_service.analysis.drift.follower import Follower
from assent_service.analysis.drift.state import DriftState
from assent_service.analysis.drift.streams import Streams
from assent_service.base.clock import system_clock
from assent_service.core.locks import EntityLocks
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.log import Log

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("sdk", "service", "analytics", "dashboard")
SHOWN = {"read": "us", "drift": "us", "save": "ms", "longest": "ms"}
Figures = dict[str, float]


class Quiet:
    """A service that nobody asks anything: a follower never rests."""

    def rest(self) -> float:
        return 0.0

    def resume(self) -> None:
        pass


class LogAlone:
    """A ledger without tables. `head` is how far the follower may read; alarms are counted and go nowhere."""

    def __init__(self, log: Log) -> None:
        self.log, self.head, self.alarms = log, 0, 0

    async def append(self, *drafts: Draft) -> None:
        self.alarms += len(drafts)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="drift_follower")
    parser.add_argument("--events", type=int, default=50_000, help="those that are counted")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--before", type=Path, metavar="CHECKOUT")
    parser.add_argument("--one", type=Path, metavar="HOME", help="follow this log in this process")
    parsed = parser.parse_args(arguments)
    if parsed.one is not None:
        print(json.dumps(asyncio.run(follow(parsed.one, parsed.events))))
        return
    from tests.benchmarks import history

    checkouts = {"now": ROOT} if parsed.before is None else {"before": parsed.before.resolve(), "now": ROOT}
    found: dict[str, list[Figures]] = {name: [] for name in checkouts}
    with tempfile.TemporaryDirectory(prefix="assent-drift-follower-") as folder:
        history.make(Path(folder), 2 * parsed.events, varied=True)
        for _ in range(parsed.rounds):
            for name, checkout in checkouts.items():
                found[name].append(in_process(checkout, Path(folder), parsed.events))
    report(found)


async def follow(home: Path, events: int) -> Figures:
    log = Log.open(home, deliver=lambda _: None)
    streams, ledger = Streams(), LogAlone(log)
    follower = Follower(
        cast("Ledger", ledger), system_clock, EntityLocks(), home, DriftState(), streams, lambda head: Quiet()
    )
    steps: list[float] = []
    name = "_take" if hasattr(follower, "inspect") else "_step"
    plain: Callable[..., Any] = getattr(follower, name)

    def step(*given: Any) -> Any:
        began = time.thread_time()
        taken = plain(*given)
        steps.append(time.thread_time() - began)
        return taken

    setattr(follower, name, step)
    ledger.head = events
    await follower.follow()
    steps.clear()
    began, position = time.process_time(), follower._position
    ledger.head = 2 * events
    await follower.follow()
    whole = time.process_time() - began
    counted = follower._position.seq - position.seq
    read = timed(lambda: read_again(log, position.end, counted))
    saving = time.process_time()
    await follower.save()
    saved = time.process_time() - saving
    (home / checkpoint.FILE).unlink()
    log.close()
    return {
        "read": read / counted * 1e6,
        "drift": (whole - read) / counted * 1e6,
        "save": saved * 1e3,
        "longest": max(steps) * 1e3,
        "alarms": ledger.alarms,
    }


def read_again(log: Log, place: tuple[int, int], count: int) -> None:
    events = log.events_from(*place)
    for _ in range(count):
        next(events)


def timed(do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    return time.process_time() - began


def in_process(checkout: Path, home: Path, events: int) -> Figures:
    path = os.pathsep.join(str(checkout / package) for package in PACKAGES)
    command = [sys.executable, "-m", "tests.benchmarks.drift_follower", "--one", str(home), "--events", str(events)]
    environment = {**os.environ, "PYTHONPATH": path}
    printed = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment).stdout
    return cast("Figures", json.loads(printed))


def report(found: dict[str, list[Figures]]) -> None:
    for name, rounds in found.items():
        shown = (f"{each} {spread([one[each] for one in rounds])} {unit}" for each, unit in SHOWN.items())
        print(f"{name:7} {', '.join(shown)}; {rounds[0]['alarms']:.0f} alarms")
    if "before" in found:
        pairs = list(zip(found["before"], found["now"], strict=True))
        ratios = (f"{each} {median(now[each] / before[each] for before, now in pairs):.2f}" for each in SHOWN)
        print(f"now to before: {', '.join(ratios)}")


def spread(figures: list[Any]) -> str:
    return f"{median(figures):.1f} ({min(figures):.1f}-{max(figures):.1f})"


if __name__ == "__main__":
    main(sys.argv[1:])
