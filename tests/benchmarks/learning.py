"""Velocity and learning curves over ten million simulated actions, and how honest their intervals are:
`python -m tests.benchmarks.learning [--actions 10000000] [--simulations 2000]`.

Goals on two cores: each statistic within 2 s and 4 GB; 95% intervals cover 93% to 97%. Each statistic runs in a process
of its own that has the actions as a frame in memory, as a notebook has; its seconds are the least of three, its peak is
that of the process, the frame included. Episodes are given once as a frame, once to be scored on the way.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from assent_analytics.curves import by_exposure, by_week
from assent_analytics.episodes import episodes
from assent_analytics.lessons import lessons
from assent_analytics.rates import wilson
from assent_analytics.simulate import batches, make_plan
from assent_analytics.velocity import velocity
from tests.analytics.covering import INTERVALS, covered

UNTIL = datetime(2026, 3, 1, tzinfo=UTC)
AGENTS, ROUNDS = 50, 3
COLUMNS = (
    *("agent_id", "action_type", "decision", "source", "status", "timestamp_start", "timestamp_end"),
    *("risk_score", "reversible", "confidence", "duration_ms", "cost_estimate", "tokens_in", "tokens_out"),
)
STATISTICS: dict[str, Callable[[pl.LazyFrame], pl.DataFrame]] = {
    "velocity": lambda frame: velocity(frame, "daily"),
    "curves": lambda frame: by_week(frame).collect(),
    "exposure": lambda frame: by_exposure(frame).collect(),
    "lessons": lessons,
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="learning")
    parser.add_argument("--actions", type=int, default=10_000_000)
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--one", choices=sorted(STATISTICS), help="measure this one, over --file")
    parser.add_argument("--file", type=Path)
    parser.add_argument("--scored", action="store_true", help="the file has episodes, not actions")
    parsed = parser.parse_args(arguments)
    if parsed.one:
        measure(parsed.one, parsed.file, scored=parsed.scored)
        return
    if parsed.simulations:
        honesty(parsed.simulations)
    speed(parsed.actions)


def honesty(simulations: int) -> None:
    print(f"{'coverage of 95% intervals':46}{'covered':>9}{'95% interval of it':>22}")
    for name in INTERVALS:
        hits = covered(name, simulations)
        low, high = wilson(hits, simulations)
        print(f"{name:46}{hits / simulations:9.2%}{f'{low:.2%} to {high:.2%}':>22}", flush=True)


def speed(actions: int) -> None:
    with tempfile.TemporaryDirectory(prefix="assent-learning-") as folder:
        plain, scored = Path(folder) / "actions.parquet", Path(folder) / "episodes.parquet"
        (Path(folder) / "parts").mkdir()
        for number, part in enumerate(batches(make_plan(1, until=UNTIL, actions=actions, agents=AGENTS))):
            part.actions.select(COLUMNS).write_parquet(Path(folder) / "parts" / f"{number:04}.parquet")
        pl.scan_parquet(Path(folder) / "parts" / "*.parquet").sink_parquet(plain)
        episodes(pl.scan_parquet(plain)).sink_parquet(scored)
        for name in STATISTICS:
            for file in (scored, plain):
                more = ["--scored"] if file == scored else []
                command = [sys.executable, "-m", "tests.benchmarks.learning", "--one", name, "--file", str(file), *more]
                subprocess.run(command, check=True)


def measure(name: str, file: Path, *, scored: bool) -> None:
    frame = pl.read_parquet(file)
    resting = _peak()
    taken, worked = [], []
    for _ in range(ROUNDS):
        began, busy = time.perf_counter(), time.process_time()
        found = STATISTICS[name](frame.lazy() if scored else episodes(frame))
        taken.append(time.perf_counter() - began)
        worked.append(time.process_time() - busy)
    what = "episodes" if scored else "actions"
    print(
        f"{name:10}{found.height:>8,} rows of {frame.height:,} {what:9}{min(taken):7.2f} s"
        f" ({min(worked):.2f} s of the processors)"
        f"  peak {_peak():.2f} GB, {resting:.2f} GB with the frame alone",
        flush=True,
    )


def _peak() -> float:
    """The most that this process ever had in memory, in GB, since it is this program."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return int(kilobytes) / 1_000_000


if __name__ == "__main__":
    main(sys.argv[1:])
