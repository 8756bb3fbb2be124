"""One line a commit of tests/benchmarks/history.jsonl: what guard and creation cost.

    python -m tests.benchmarks.record [COMMIT ...] [--rounds 5] [--seconds 2]

The figures are those of `guard_cost` on a fresh service, as ratios to the bare application, to the no-op and to fixed
work that were measured in the same round: median, least and greatest of the rounds. Several commits are measured in
turn; without one it is HEAD, as it was committed. A line of the same commit is replaced.
`python -m tests.benchmarks.pictures` draws the lines.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tests.benchmarks.compare import checkout
from tests.benchmarks.guard_cost import Table, fresh
from tests.benchmarks.processes import ROOT

HISTORY = Path(__file__).with_name("history.jsonl")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """`ratios` are (median, least, greatest) by what was done and by connections; `load` is how many processes wanted
    a core, on average over a minute, when the rounds began and when they ended."""

    commit: str
    subject: str
    committed: datetime
    measured: datetime
    cores: int
    load: tuple[float, float]
    rounds: int
    ratios: dict[str, dict[str, tuple[float, float, float]]]


def lines() -> list[Line]:
    """All that were measured, in the order of their commits."""
    decoder = msgspec.json.Decoder(Line)
    return [decoder.decode(line) for line in HISTORY.read_bytes().splitlines()] if HISTORY.exists() else []


def keep(line: Line) -> None:
    others = [each for each in lines() if each.commit != line.commit]
    listed = sorted([*others, line], key=lambda each: each.committed)
    HISTORY.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in listed))


def measured(commits: Sequence[str], rounds: int, seconds: float) -> list[Line]:
    """Of each commit, measured in turn; raises NothingToCompare for one that is not here."""
    before, tables = os.getloadavg()[0], {each: Table() for each in commits}
    with ExitStack() as stack:
        folders = {each: stack.enter_context(checkout(each)) for each in commits}
        for turn in range(rounds):
            for commit in list(commits)[:: 1 if turn % 2 else -1]:
                fresh(folders[commit], tables[commit], seconds)
    found = []
    for commit, table in tables.items():
        name, committed, subject = _git("log", "-1", "--format=%H%x00%cI%x00%s", commit).split("\0")
        print(f"{name[:12]} {subject}\n{table.text()}", flush=True)
        line = {
            "commit": name[:12],
            "subject": subject,
            "committed": datetime.fromisoformat(committed).astimezone(UTC),
            "measured": datetime.now(UTC).replace(microsecond=0),
            "cores": os.cpu_count() or 1,
            "load": tuple(round(each, 1) for each in (before, os.getloadavg()[0])),
            "rounds": rounds,
            "ratios": table.kept(),
        }
        found.append(msgspec.convert(line, Line))
    return found


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="record")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("commits", nargs="*", default=["HEAD"], metavar="COMMIT")
    chosen = parser.parse_args(arguments)
    for line in measured(chosen.commits, chosen.rounds, chosen.seconds):
        keep(line)


if __name__ == "__main__":
    main(sys.argv[1:])
