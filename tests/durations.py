"""How many seconds each file of tests takes, kept in `durations.txt` for each tier: `make durations` writes it anew.

A run of a whole tier begins with the files that take longest, so that all processes end together. With
`--check-durations`, as continuous integration has it, a file that grew by half and by more than two seconds fails the
run. Machines differ: what was kept is first multiplied by the median of what files take now over what they took. And
they are busy: a file that seems to have grown is run once more, alone, and has grown if it takes as long again.
"""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import pytest

from tests.tiers import Tier

FILE = Path(__file__).with_name("durations.txt")
HEAD = "# Seconds in the quick tier, in the rest, and the file. `make durations` writes this anew."
SHORT = 1.0
"""Seconds. A file that takes less is not listed."""
GROWTH, MORE = 1.5, 2.0


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


def grown(now: Mapping[str, float], before: Mapping[str, float], alone: Callable[[str], float]) -> list[str]:
    """A line for each file that takes much longer than before, and again when it runs `alone`."""
    if not any(before.values()):
        return [f"{FILE.name} has nothing of this tier to compare with: run `make durations`, and commit it"]
    by = speed(now, before)
    found = []
    for file, seconds in sorted(now.items()):
        expected = max(before.get(file, 0.0), SHORT) * by
        most = max(expected * GROWTH, expected + MORE * by)
        again = min(seconds, alone(file)) if seconds > most else seconds
        if again > most:
            found.append(f"{file} takes {again:.1f} s, {expected:.1f} s were expected (here all take {by:.2f} times)")
    return found


def alone(file: str, tier: Tier) -> float:
    """How many seconds the tests of the file take while nothing else runs; infinity if they fail."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = ["-q", "-p", "no:cacheprovider", f"--tier={tier}", f"--junitxml={report}", file]
        command = [sys.executable, "-m", "pytest", *words]
        if subprocess.run(command, cwd=FILE.parents[1], check=False, capture_output=True).returncode:
            return inf
        return sum(float(case.get("time", "0")) for case in ElementTree.parse(report).iter("testcase"))


class Stopwatch:
    """Adds up what the tests of each file take, wherever they run."""

    def __init__(self, tier: Tier, *, keep: bool, check: bool) -> None:
        self.tier, self.keep, self.check = tier, keep, check
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.grown: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid.partition("::")[0]] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        text = FILE.read_text(encoding="utf-8")
        if self.check:
            self.grown = grown(self.seconds, kept(self.tier, text), partial(alone, tier=self.tier))
            if self.grown and session.exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self.keep:
            both = {tier: kept(tier, text) for tier in (Tier.QUICK, Tier.REST)} | {self.tier: self.seconds}
            FILE.write_text(written(both[Tier.QUICK], both[Tier.REST]), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.grown:
            terminalreporter.section("files that take longer than they did")
            for line in self.grown:
                terminalreporter.line(line)
            terminalreporter.line("Make them shorter; where that cannot be, `make durations` keeps what they take now.")


def longest_first(items: list[pytest.Item], tier: Tier) -> None:
    """In place; the tests of a file stay together."""
    before = kept(tier, FILE.read_text(encoding="utf-8"))
    items.sort(key=lambda item: -before.get(item.nodeid.partition("::")[0], 0.0))
