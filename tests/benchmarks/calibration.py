"""Calibration over a long history: `python -m tests.benchmarks.calibration [--actions 10000000] [--rounds 3]`.

Seconds and peak memory of percentile scales, of both reliability reports and of a suggested template over simulated
actions, from Parquet as a workspace keeps them; each in a process of its own, the median of its rounds. Goal over 10
million actions on two cores: each within 2 s, memory below 4 GB. Then what a risk template costs guard: microseconds of
one score without a template, with a small one and with the largest one that the contract takes.
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

import polars as pl

from assent.contract.control.risk_conditions import MOST_RULES
from assent_analytics.calibration import quality, reliability, scales, suggest_template
from assent_analytics.simulate import batches, make_plan
from assent_service.control.guard.risk import RiskHistory, assess
from assent_service.control.guard.templates import CompiledTemplate
from tests.service.control.guard.test_templates import facts, template

UNTIL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
COLUMNS = (
    *("action_type", "status", "source", "reversible", "risk_score", "confidence"),
    *("duration_ms", "cost_estimate", "tokens_in", "tokens_out"),
)
STATISTICS: dict[str, Callable[[pl.LazyFrame], object]] = {
    "scales of 5 metrics, 25 intervals": scales,
    "reliability and quality of confidence": lambda actions: (reliability(actions), quality(actions)),
    "reliability and quality of risk": lambda actions: (
        reliability(actions, "risk_score"),
        quality(actions, "risk_score"),
    ),
    "a suggested template": suggest_template,
}
CALLS = 20_000


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="calibration")
    parser.add_argument("--actions", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", help="measure this statistic in this process")
    parser.add_argument("--folder", type=Path, help="where the history lies, or goes if it is not there yet")
    parsed = parser.parse_args(arguments)
    if parsed.one:
        measure(parsed.folder, parsed.one, parsed.rounds)
        return
    with tempfile.TemporaryDirectory(prefix="assent-calibration-") as temporary:
        folder = parsed.folder or Path(temporary)
        if not any(folder.glob("*.parquet")):
            began = time.monotonic()
            write(folder, parsed.actions)
            print(f"simulated {parsed.actions:,} actions in {time.monotonic() - began:.0f} s", flush=True)
        for name in STATISTICS:
            this = [sys.executable, "-m", "tests.benchmarks.calibration", "--one", name]
            subprocess.run([*this, "--folder", str(folder), "--rounds", str(parsed.rounds)], check=True)
    of_guard()


def write(folder: Path, actions: int) -> None:
    """The history as Parquet, with the columns that are looked at."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, batch in enumerate(batches(make_plan(1, until=UNTIL, actions=actions))):
        there = [name for name in COLUMNS if name in batch.actions.columns]
        batch.actions.select(there).write_parquet(folder / f"{number:05}.parquet")


def measure(folder: Path, name: str, rounds: int) -> None:
    actions = pl.scan_parquet(folder / "*.parquet")
    n = actions.select(pl.len()).collect().item()
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        STATISTICS[name](actions)
        taken.append(time.perf_counter() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 20)
    print(f"{name}, {n:,} actions: {median(taken):.2f} s, peak {peak:.1f} GB", flush=True)


def of_guard() -> None:
    """What a template adds to one score."""
    asked = facts(action_type="deploy", amount=5000, metadata={"env": "production"}, systems_touched=["ledger"])
    calm = RiskHistory(total=4, mean_risk=10.0)
    few = [('metadata.env == "production"', 20), ("amount > 1000", 10), ("reversible == false", 10)]
    many = [(f"amount > {at}", 1) for at in range(MOST_RULES)]
    for name, rules in (("no template", None), ("3 rules", few), (f"{MOST_RULES} rules", many)):
        rated = None if rules is None else CompiledTemplate(template(base_risk=10, rules=rules))
        taken = []
        for _ in range(5):
            began = time.perf_counter()
            for _ in range(CALLS):
                assess(asked, calm, rated)
            taken.append((time.perf_counter() - began) / CALLS)
        print(f"one risk score, {name}: {1e6 * median(taken):.2f} microseconds", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
