"""Drift: `python -m tests.benchmarks.drift [--actions 10000000] [--rounds 5] [--simulations 2000]`.

First ten metrics of every agent and action type, a month against a week, over ten million simulated actions: seconds
from frames in memory to the answer, and the peak memory of that process, frames included. Then ten columns of 100,000
rows against as many, beside Evidently's data drift preset, in interleaved rounds, each in a process of its own that
measures the computation alone, and of a million rows by themselves; the goals are 50 times, and a second. Last, by
simulation, how often 95% intervals hold the truth, and how often a whole comparison finds drift where there is none.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from assent_analytics.drift import compare, compare_columns
from assent_analytics.episodes import episodes
from assent_analytics.simulate import simulate
from tests.analytics.drift.simulations import FULL, coverages, false_families

UNTIL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
SPLIT = UNTIL - timedelta(days=7)
BASELINE, RECENT = (SPLIT - timedelta(days=30), SPLIT), (SPLIT, UNTIL)
ROWS, MANY_ROWS, COLUMNS = 100_000, 1_000_000, 10
EVIDENTLY = Path(__file__).resolve().parents[2] / ".venv" / "evidently"
# Its newest version does not import with pandas 3.
EVIDENTLY_PACKAGES = ("evidently==0.7.23", "pandas<3")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="drift")
    parser.add_argument("--actions", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--simulations", type=int, default=FULL)
    parser.add_argument("--one", choices=("metrics", "columns"), help="measure this one in this process")
    parser.add_argument("--folder", type=Path)
    parsed = parser.parse_args(arguments)
    if parsed.one:
        measured = metrics(parsed.folder, parsed.rounds) if parsed.one == "metrics" else columns(parsed.folder)
        print(json.dumps(measured))
        return
    if parsed.actions:
        ten_metrics(parsed.actions, parsed.rounds)
    if parsed.rounds:
        beside_evidently(parsed.rounds)
        of_a_million(parsed.rounds)
    if parsed.simulations:
        honesty(parsed.simulations)


def ten_metrics(actions: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="assent-drift-") as folder:
        # Written by another process, so that what simulating takes is not in the peak.
        history = simulate(1, until=UNTIL, actions=actions, days=37)
        episodes(history.actions).collect().write_parquet(Path(folder) / "episodes.parquet")
        history.decisions.write_parquet(Path(folder) / "decisions.parquet")
        del history
        found = _in_process("metrics", Path(folder), rounds)
    seconds = found["seconds"]
    print(
        f"10 metrics of {found['groups']:.0f} groups, {found['episodes']:,.0f} episodes and "
        f"{found['decisions']:,.0f} decisions: {median(seconds):.2f} s median of {len(seconds)} "
        f"({min(seconds):.2f} to {max(seconds):.2f}; {median(found['cpu']):.2f} s of processor time); "
        f"peak {found['peak']:.2f} GB, of which {found['loaded']:.2f} GB before the first",
        flush=True,
    )


def metrics(folder: Path, rounds: int) -> dict[str, Any]:
    ended, decided = (pl.read_parquet(folder / f"{name}.parquet") for name in ("episodes", "decisions"))
    loaded, seconds, cpu = _peak(), [], []
    for _ in range(max(1, rounds)):
        began, busy = time.perf_counter(), time.process_time()
        answer = compare(ended, decided, baseline=BASELINE, recent=RECENT)
        seconds.append(time.perf_counter() - began)
        cpu.append(time.process_time() - busy)
    return {
        "episodes": len(ended),
        "decisions": len(decided),
        "groups": answer.select("agent_id", "action_type").drop_nulls().n_unique(),
        "seconds": seconds,
        "cpu": cpu,
        "loaded": loaded,
        "peak": _peak(),
    }


def beside_evidently(rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="assent-drift-") as folder:
        _draw(Path(folder), ROWS)
        peer = [str(_evidently()), str(Path(__file__).parent / "peers" / "drift_peer.py"), folder]
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(_in_process("columns", Path(folder), 1))
            printed = subprocess.run(peer, check=True, capture_output=True, text=True).stdout
            theirs.append(json.loads(printed.splitlines()[-1]))
    mine, peers = (median(each["seconds"] for each in side) for side in (ours, theirs))
    busy = [median(each["cpu"] for each in side) for side in (ours, theirs)]
    apart = max(
        abs(ours[0]["normed"][name] - value) / value for name, value in theirs[0]["normed"].items() if value > 0
    )
    print(
        f"{COLUMNS} columns, {ROWS:,} rows against {ROWS:,}, median of {rounds} rounds: ours {mine * 1000:.0f} ms "
        f"({_range(ours)}), Evidently's preset {peers * 1000:,.0f} ms ({_range(theirs)}): {peers / mine:.0f} times; "
        f"of processor time {busy[0] * 1000:.0f} and {busy[1] * 1000:,.0f} ms: {busy[1] / busy[0]:.0f} times; "
        f"of its one statistic, the normed Wasserstein distance, ours differs by {apart:.1e} at most",
        flush=True,
    )


def of_a_million(rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="assent-drift-") as folder:
        _draw(Path(folder), MANY_ROWS)
        found = [_in_process("columns", Path(folder), 1) for _ in range(rounds)]
    print(
        f"{COLUMNS} columns, {MANY_ROWS:,} rows against {MANY_ROWS:,}, median of {rounds} rounds: "
        f"{median(each['seconds'] for each in found) * 1000:,.0f} ms ({_range(found)}), "
        f"{median(each['cpu'] for each in found) * 1000:,.0f} ms of processor time",
        flush=True,
    )


def _draw(folder: Path, rows: int) -> None:
    """Both windows: ten normal columns, each a little further apart than the one before."""
    rng = np.random.default_rng(0)
    for name, shift in (("baseline", 0.0), ("recent", 0.05)):
        drawn = {f"c{i}": rng.normal(shift * i, 1, rows) for i in range(COLUMNS)}
        pl.DataFrame(drawn).write_parquet(folder / f"{name}.parquet")


def columns(folder: Path) -> dict[str, Any]:
    """The median of nine: one in a process of its own would measure Polars' first touch of its thread pool."""
    before, after = (pl.read_parquet(folder / f"{name}.parquet") for name in ("baseline", "recent"))
    answer, seconds, busy = _timed(lambda: compare_columns(before, after), 9)
    return {"seconds": seconds, "cpu": busy, "normed": dict(answer.select("metric", "wasserstein_normed").iter_rows())}


def honesty(times: int) -> None:
    print(f"95% intervals that hold the truth, of {times:,} each; the goal is 93 to 97%", flush=True)
    for found in coverages(times):
        print(f"  {found}", flush=True)
    began = time.perf_counter()
    print(f"Drift found where there is none, at 5%\n  {false_families(times)}", flush=True)
    print(f"  {times:,} comparisons in {time.perf_counter() - began:.0f} s", flush=True)


def _timed(do: Callable[[], pl.DataFrame], times: int) -> tuple[pl.DataFrame, float, float]:
    """The last answer, and the medians of seconds and of seconds of processor time."""
    seconds, busy = [], []
    for _ in range(times):
        began, used = time.perf_counter(), time.process_time()
        answer = do()
        seconds.append(time.perf_counter() - began)
        busy.append(time.process_time() - used)
    return answer, median(seconds), median(busy)


def _in_process(name: str, folder: Path, rounds: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.benchmarks.drift", "--one", name]
    command += ["--folder", str(folder), "--rounds", str(rounds)]
    found: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def _range(sides: list[dict[str, Any]]) -> str:
    seconds = [float(str(each["seconds"])) * 1000 for each in sides]
    return f"{min(seconds):,.0f} to {max(seconds):,.0f}"


def _evidently() -> Path:
    """An interpreter with Evidently in it, made on first use: a folder of its own, since it asks for older packages
    than the other peers."""
    python = EVIDENTLY / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", EVIDENTLY], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *EVIDENTLY_PACKAGES], check=True)
    return python


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main(sys.argv[1:])
