"""PCAA health over ten million simulated actions as frames: `python -m tests.benchmarks.pcaa [--actions 10000000]`.

The actions, assumptions and approvals lie in Parquet files, as a workspace keeps them; a process of its own reads and
works out the health of all of them. Beside it, in the same rounds, each action is judged by itself, as for who wants
to see it (`--alone` leaves that out, which takes four times as long). Goals on two cores, from the files to the answer:
10 million within 2 s, 100 million within 25 s and 4 GB.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import polars as pl

from assent_analytics import pcaa
from assent_analytics.alike import gather_alike
from assent_analytics.simulate import batches, make_plan

UNTIL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
TABLES = ("actions", "assumptions", "approvals")
ROUNDS = 3


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="pcaa")
    parser.add_argument("--actions", type=int, default=10_000_000)
    parser.add_argument("--alone", action="store_true", help="without judging each action by itself beside it")
    parser.add_argument("--folder", type=Path, help="measure what lies there, in this process")
    parsed = parser.parse_args(arguments)
    if parsed.folder is not None:
        measure(parsed.folder, alone=parsed.alone)
        return
    with tempfile.TemporaryDirectory(prefix="assent-pcaa-") as folder:
        write(Path(folder), parsed.actions)
        alone = ["--alone"] if parsed.alone else []
        subprocess.run([sys.executable, "-m", "tests.benchmarks.pcaa", "--folder", folder, *alone], check=True)


def write(folder: Path, actions: int) -> None:
    """The tables with ids and texts as long as recorded ones, and what else PCAA reads of them."""
    for name in TABLES:
        (folder / name).mkdir(parents=True)
    for at, history in enumerate(batches(make_plan(1, until=UNTIL, actions=actions, days=37))):
        for name, table in (
            ("actions", history.actions.with_columns(_texts())),
            ("assumptions", history.assumptions.with_columns(_id("act", "action_number"), basis=pl.lit("the record"))),
            ("approvals", history.approvals.with_columns(_id("act", "number"))),
        ):
            table.write_parquet(folder / name / f"{at:05}.parquet")


def _texts() -> list[pl.Expr]:
    completed = pl.col("status").cast(pl.String) == "completed"
    return [
        _id("act", "number"),
        _id("dec", "number").alias("decision_id"),
        pl.format("Do what the customer asked for in ticket {}", pl.col("number") % 5000).alias("declared_goal"),
        pl.when(completed).then(pl.lit("Done and confirmed by mail")).alias("output_summary"),
        pl.lit(None, pl.String).alias("error_message"),
    ]


def _id(prefix: str, number: str) -> pl.Expr:
    digits = pl.col(number).cast(pl.String).str.zfill(32)
    return pl.concat_str(pl.lit(f"{prefix}_"), digits).alias("action_id")


def by_kinds(actions: pl.LazyFrame, assumptions: pl.LazyFrame, approvals: pl.LazyFrame) -> pl.LazyFrame:
    return pcaa.health(pcaa.judge(gather_alike(actions, assumptions, approvals, UNTIL), UNTIL))


def one_by_one(actions: pl.LazyFrame, assumptions: pl.LazyFrame, approvals: pl.LazyFrame) -> pl.LazyFrame:
    return pcaa.health(pcaa.checkpoint_states(actions, assumptions, approvals, UNTIL))


def measure(folder: Path, *, alone: bool) -> None:
    """Print the seconds from the files to the answer, and the peak memory of this process after the first of each."""
    ways: dict[str, Callable[..., pl.LazyFrame]] = {"alike ones once": by_kinds}
    if not alone:
        ways["one by one"] = one_by_one
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    found: dict[str, dict[str, Any]] = {}
    peak: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            began, busy = time.perf_counter(), time.process_time()
            tables = (pl.scan_parquet(folder / table / "*.parquet") for table in TABLES)
            found[name] = way(*tables).collect().row(0, named=True)
            taken[name].append((time.perf_counter() - began, time.process_time() - busy))
            peak.setdefault(name, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2)
    for name, both in taken.items():
        seconds, cpu = ([each[at] for each in both] for at in (0, 1))
        print(
            f"PCAA health of {found[name]['n']:,} actions, {name}: {median(seconds):.2f} s median of {ROUNDS} "
            f"({min(seconds):.2f} to {max(seconds):.2f}; {median(cpu):.2f} s of processor time); "
            f"peak {peak[name]:.2f} GB; coverage {found[name]['checkpoint_coverage']:.6f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
