"""How many seconds each file of tests takes, kept in `durations.txt` for each tier: `make durations` writes it anew.

A run of a whole tier begins with the files that take longest, so that all processes end together. With `--compare-
durations`, as continuous integration has it, the run ends by naming each file that grew by half and by more than two
seconds; it fails for none, and does where nothing is kept to compare with. Machines differ: what was kept is first
multiplied by the median of what files take now over what they took. And they are busy: a file that seems to have grown
runs up to three times more while nothing else does, each time behind another file of its folder, since who comes first
in a process pays for what others find ready: imports, a browser, a service. It has grown if it takes too long every
time.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from tests.tiers import Tier

FILE = Path(__file__).with_name("durations.txt")
HEAD = "# Seconds in the quick tier, in the rest, and the file. `make durations` writes this anew."
SHORT = 1.0
"""Seconds. A file that takes less is not listed."""
GROWTH, MORE = 1.5, 2.0
TRIES = 3
"""Further runs of a file that seems to have grown."""


def kept(tier: Tier, text: str) -> dict[str, float]:
    """What each listed file took, in the text of `durations.txt`."""
    column = (Tier.QUICK, Tier.REST).index(tier)
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {words[2]: float(words[column]) for words in lines}


def written(quick: Mapping[str, float], rest: Mapping[str, float]) -> str:
    long = sorted(file for file in {*quick, *rest} if max(quick.get(file, 0), rest.get(file, 0)) >= SHORT)
    return "\n".join([HEAD, *(f"{quick.get(file, 0):7.1f} {rest.get(file, 0):7.1f}  {file}" for file in long)]) + "\n"


def speed(now: Mapping[str, float], before: Mapping[str, float]) -> float:
    """How many times as long as then it takes now, by the files that take long enough to tell; at least once: a file
    that only waits takes as long on a quicker machine."""
    ratios = [now[file] / before[file] for file in now.keys() & before.keys() if before[file] >= SHORT]
    return max(1.0, median(ratios)) if ratios else 1.0


class Growth(NamedTuple):
    """A line for each file that takes much longer than before, and for each of which that cannot be said."""

    grown: list[str]
    unsure: list[str]


def growth(
    now: Mapping[str, float], before: Mapping[str, float], again: Callable[[str, str | None], float | None]
) -> Growth:
    """`again` runs a file behind another, or behind none, and says what it took; None if its tests fail."""
    found = Growth([], [])
    if not any(before.values()):
        found.grown.append(f"{FILE.name} has nothing of this tier to compare with: run `make durations`, and commit it")
        return found
    by = speed(now, before)
    for file, seconds in sorted(now.items()):
        expected = max(before.get(file, 0.0), SHORT) * by
        most = max(expected * GROWTH, expected + MORE * by)
        if seconds <= most:
            continue
        least, failed = seconds, 0
        for first in warming(file, now):
            took = again(file, first)
            failed += took is None
            least = least if took is None else min(least, took)
            if least <= most:
                break
        else:
            said = f"{file} takes {least:.1f} s, {expected:.1f} s were expected (here all take {by:.2f} times)"
            if failed:
                found.unsure.append(f"{said}; its tests passed, and failed in {failed} of {TRIES} further runs")
            else:
                found.grown.append(said)
    return found


def warming(file: str, now: Mapping[str, float]) -> list[str | None]:
    """What runs before the file each time that it is tried again: files of its folder in turn, the shortest first of
    those that do more than a moment's work."""
    folder = PurePosixPath(file).parent
    others = sorted(
        (name for name in now if name != file and PurePosixPath(name).parent == folder), key=now.__getitem__
    )
    others = [name for name in others if now[name] >= SHORT] or others[::-1]
    return [others[number % len(others)] if others else None for number in range(TRIES)]


def again(file: str, first: str | None, tier: Tier) -> float | None:
    """How many seconds the tests of the file take behind those of `first`, while nothing else runs; None if they fail
    or there are none. What becomes of `first` counts for nothing."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [
            "-q",
            "-p",
            "no:cacheprovider",
            f"--tier={tier}",
            f"--junitxml={report}",
            *([first] if first else []),
            file,
        ]
        command = [sys.executable, "-m", "pytest", *words]
        subprocess.run(command, cwd=FILE.parents[1], check=False, capture_output=True)
        return counted(report.read_text(encoding="utf-8"), file) if report.exists() else None


def counted(report: str, file: str) -> float | None:
    """Seconds of the file's tests in a JUnit report; None if one of them fails or there are none."""
    module = file.removesuffix(".py").replace("/", ".")
    cases = [
        case
        for case in ElementTree.fromstring(report).iter("testcase")
        if f"{case.get('classname')}.".startswith(f"{module}.")
    ]
    if not cases or any(case.find(ending) is not None for case in cases for ending in ("failure", "error")):
        return None
    return sum(float(case.get("time", "0")) for case in cases)


class Stopwatch:
    """Adds up what the tests of each file take, wherever they run."""

    def __init__(self, tier: Tier, *, keep: bool, compare: bool) -> None:
        self.tier, self.keep, self.compare = tier, keep, compare
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.growth = Growth([], [])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        text = FILE.read_text(encoding="utf-8")
        # A test that fails may have waited for what did not come: how long it takes says nothing.
        if self.compare and session.exitstatus == pytest.ExitCode.OK:
            before = kept(self.tier, text)
            self.growth = growth(self.seconds, before, partial(again, tier=self.tier))
            if not any(before.values()):
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.keep:
            both = {tier: kept(tier, text) for tier in (Tier.QUICK, Tier.REST)} | {self.tier: self.seconds}
            FILE.write_text(written(both[Tier.QUICK], both[Tier.REST]), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if any(self.growth):
            terminalreporter.section("files that take longer than they did")
            for line in [*self.growth.grown, *(f"Not counted: {line}" for line in self.growth.unsure)]:
                terminalreporter.line(line)
            terminalreporter.line("Make them shorter; where that cannot be, `make durations` keeps what they take now.")


def longest_first(items: list[pytest.Item], tier: Tier) -> None:
    """In place; the tests of a file stay together."""
    before = kept(tier, FILE.read_text(encoding="utf-8"))
    items.sort(key=lambda item: -before.get(item.nodeid.partition("::")[0], 0.0))
