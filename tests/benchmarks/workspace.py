"""A workspace of a million actions: what the first call costs, and what the next ones do.

    python -m tests.benchmarks.workspace [--actions 1000000] [--rounds 3]

The home is that of the benchmark `data`: a million actions over 30 days. Timed are the first call; one after which
nothing was recorded; one after an action was reported, which is a day to fetch; one with a second process of its own
that opens the copies for the first time in its life; a group-by over all rows as a lazy frame and in SQL; and, beside
them, `client.frame("actions")`, which fetches everything. Every workspace is of the table of actions alone, but for the
last line, which is of all tables.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import polars as pl

from assent import Client
from tests.benchmarks.data import ROOT, home
from tests.benchmarks.http import CONTEXT
from tests.benchmarks.processes import Served, call, service

T = TypeVar("T")
_OPEN = """
import sys, time
began = time.perf_counter()
from assent import Client
client = Client(sys.argv[1], sys.argv[2], timeout=120, say=lambda _: None)
ws = client.workspace("31d", ["actions"], cache=sys.argv[3])
print(time.perf_counter() - began)
"""


def timed(what: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    value = what()
    return time.perf_counter() - began, value


def run(served: Served, cache: Path, rounds: int) -> None:
    client = Client(served.base_url, served.key, timeout=120, say=lambda _: None)

    def frame() -> int:
        return client.frame("actions", "31d").height

    frame()
    frames = [timed(frame)[0] for _ in range(rounds)]
    print(f"client.frame('actions'): {statistics.median(frames):.2f} s, median of {rounds}")
    firsts = []
    for number in range(rounds):
        took, ws = timed(lambda at=number: client.workspace("31d", ["actions"], cache=cache / str(at)))  # type: ignore[misc]
        firsts.append(took)
    size = sum(path.stat().st_size for path in ws.path.rglob("*.parquet"))
    print(
        f"first call: {statistics.median(firsts):.2f} s for {ws.fetched.rows} rows of {ws.fetched.days} days in "
        f"{ws.fetched.requests} requests, {ws.fetched.bytes / 1e6:.0f} MB fetched, {size / 1e6:.0f} MB kept"
    )
    kept = cache / str(rounds - 1)
    again = [timed(lambda: client.workspace("31d", ["actions"], cache=kept)) for _ in range(rounds)]
    taken = again[-1][1].fetched
    print(f"nothing new: {statistics.median(each[0] for each in again) * 1e3:.0f} ms, {taken.rows} rows fetched")
    changed = []
    for _ in range(rounds):
        made = call(served, "POST", "/api/actions", CONTEXT)
        call(served, "PATCH", f"/api/actions/{made['action_id']}", {"status": "completed"})
        took, ws = timed(lambda: client.workspace("31d", ["actions"], cache=kept))
        changed.append(took)
    print(
        f"a report later: {statistics.median(changed):.2f} s, {ws.fetched.days} days fetched, "
        f"{ws.fetched.rows} rows, {ws.fetched.bytes / 1e6:.1f} MB"
    )
    other = subprocess.run(
        [sys.executable, "-c", _OPEN, served.base_url, served.key, str(kept)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    print(f"another process, imports included: {float(other.stdout):.2f} s")
    lazy = timed(lambda: ws.actions.group_by("action_type").agg(pl.len(), pl.col("risk_score").mean()).collect())[0]
    sql = timed(lambda: ws.sql("SELECT action_type, count(*), avg(risk_score) FROM actions GROUP BY 1"))[0]
    print(f"group-by over all rows: {lazy * 1e3:.0f} ms lazily, {sql * 1e3:.0f} ms in SQL")
    took, ws = timed(lambda: client.workspace("31d", cache=cache / "all"))
    second, _ = timed(lambda: client.workspace("31d", cache=cache / "all"))
    print(
        f"all {len(ws.tables)} tables: {took:.2f} s, then {second * 1e3:.0f} ms; SQL with a view of each: "
        f"{timed(lambda: ws.sql('SELECT count(*) FROM actions'))[0] * 1e3:.0f} ms"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.workspace")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(arguments)
    with service(home(chosen.actions)) as served, tempfile.TemporaryDirectory() as folder:
        run(served, Path(folder), chosen.rounds)


if __name__ == "__main__":
    main()
