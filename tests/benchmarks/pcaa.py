"""PCAA health over ten million simulated actions as frames: `python -m tests.benchmarks.pcaa [--actions 10000000]`.

The actions, assumptions and approvals lie in Parquet files, as a workspace keeps them; a process of its own reads and
works out the health of all of them. Goal on two cores: within 2 s and 4 GB, from the files to the answer.
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
from statistics import median

import polars as pl

from assent_analytics import pcaa
from assent_analytics.simulate import simulate

UNTIL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
TABLES = ("actions", "assumptions", "approvals")
ROUNDS = 3


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="pcaa")
    parser.add_argument("--actions", type=int, default=10_000_000)
    parser.add_argument("--folder", type=Path, help="measure what lies there, in this process")
    parsed = parser.parse_args(arguments)
    if parsed.folder is not None:
        measure(parsed.folder)
        return
    with tempfile.TemporaryDirectory(prefix="assent-pcaa-") as folder:
        write(Path(folder), parsed.actions)
        subprocess.run([sys.executable, "-m", "tests.benchmarks.pcaa", "--folder", folder], check=True)


def write(folder: Path, actions: int) -> None:
    """The tables with ids as long as recorded ones, and what else PCAA reads of them."""
    history = simulate(1, until=UNTIL, actions=actions, days=37)
    keys = {"actions": "number", "assumptions": "action_number", "approvals": "number"}
    for name, number in keys.items():
        table: pl.DataFrame = getattr(history, name)
        id_ = pl.concat_str(pl.lit("act_"), pl.col(number).cast(pl.String).str.zfill(32)).alias("action_id")
        more = {each: pl.lit(None, pl.String) for each in pcaa.OF_ACTIONS if each not in table.columns}
        lacking = more if name == "actions" else {"basis": pl.lit("the record")}
        table.with_columns(**lacking).with_columns(id_).write_parquet(folder / f"{name}.parquet")


def measure(folder: Path) -> None:
    """Print the seconds from the files to the answer, and the peak memory of this process."""
    seconds, cpu = [], []
    for _ in range(ROUNDS):
        began, busy = time.perf_counter(), time.process_time()
        actions, assumptions, approvals = (pl.scan_parquet(folder / f"{name}.parquet") for name in TABLES)
        states = pcaa.checkpoint_states(actions, assumptions, approvals, UNTIL)
        found = pcaa.health(states).collect().row(0, named=True)
        seconds.append(time.perf_counter() - began)
        cpu.append(time.process_time() - busy)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(
        f"PCAA health of {found['n']:,} actions: {median(seconds):.2f} s median of {ROUNDS} "
        f"({min(seconds):.2f} to {max(seconds):.2f}; {median(cpu):.2f} s of processor time); peak {peak:.2f} GB; "
        f"coverage {found['checkpoint_coverage']:.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
