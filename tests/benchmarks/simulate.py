"""The simulator: `python -m tests.benchmarks.simulate [--frames 10000000] [--log 200000]`.

Seconds and peak memory of a history straight to frames, whole and in batches, with its texts for one batch; then
actions and events a second through the log into a new data folder, tables included. Each figure is of a process of its
own, since peak memory is a process's.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from assent_analytics.simulate import batches, make_plan, simulate
from assent_service import simulate as simulator

UNTIL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="simulate")
    parser.add_argument("--frames", type=int, default=10_000_000)
    parser.add_argument("--log", type=int, default=200_000)
    parser.add_argument("--one", choices=sorted(MEASURED), help="measure this one in this process")
    parsed = parser.parse_args(arguments)
    if parsed.one:
        MEASURED[parsed.one](parsed.log if parsed.one == "log" else parsed.frames)
        return
    for name in MEASURED:
        counts = ["--frames", str(parsed.frames), "--log", str(parsed.log)]
        subprocess.run([sys.executable, "-m", "tests.benchmarks.simulate", "--one", name, *counts], check=True)


def measure_frames(actions: int) -> None:
    began = time.monotonic()
    history = simulate(1, until=UNTIL, actions=actions)
    seconds = time.monotonic() - began
    print(
        f"frames: {len(history.actions):,} actions, {len(history.approvals):,} approvals, "
        f"{len(history.assumptions):,} assumptions in {seconds:.1f} s, peak {_peak():.2f} GB",
        flush=True,
    )


def measure_batches(actions: int) -> None:
    began = time.monotonic()
    seen = sum(len(batch.actions) for batch in batches(make_plan(1, until=UNTIL, actions=actions)))
    print(f"batches: {seen:,} actions in {time.monotonic() - began:.1f} s, peak {_peak():.2f} GB", flush=True)


def measure_texts(actions: int) -> None:
    chosen = min(actions, 1_000_000)
    history = simulate(1, until=UNTIL, actions=chosen)
    began = time.monotonic()
    texts = history.with_text()
    seconds = time.monotonic() - began
    print(f"texts: of {len(texts.actions):,} actions in {seconds:.1f} s, peak {_peak():.2f} GB", flush=True)


def measure_log(actions: int) -> None:
    with tempfile.TemporaryDirectory(prefix="assent-simulate-") as folder:
        home = Path(folder) / "home"
        report = simulator.run(home, actions=actions)
        size = sum(path.stat().st_size for path in (home / "log").iterdir())
        print(
            f"log: {report.actions:,} actions, {report.events:,} events in {report.seconds:.0f} s "
            f"({report.actions / report.seconds:,.0f} actions, {report.events / report.seconds:,.0f} events a second), "
            f"a log of {size / 1e9:.2f} GB and tables of {(home / 'tables.duckdb').stat().st_size / 1e9:.2f} GB, "
            f"peak {_peak():.2f} GB",
            flush=True,
        )


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


MEASURED = {"frames": measure_frames, "batches": measure_batches, "texts": measure_texts, "log": measure_log}


if __name__ == "__main__":
    main(sys.argv[1:])
