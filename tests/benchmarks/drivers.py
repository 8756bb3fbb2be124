"""How honest drivers are, and what they cost: `python -m tests.benchmarks.drivers [--worlds 1000] [--actions 1000000]`.

Goals: at most 5 of 100 worlds in which nothing changed have a driver; a million actions of 100,000 sessions within 3 s
of processor time. Worlds are those of `tests.analytics.weeks`; of planted ones it says how often the planted group is a
driver, and which share of all drivers of types is another one.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import polars as pl

from assent_analytics.drivers import drivers
from assent_analytics.rates import wilson
from tests.analytics.weeks import WEEKS, Planted, weeks

UNCHANGED = (("failure_rate", 400), ("cost_estimate", 400), ("failure_rate", 80))
PLANTED: tuple[tuple[Planted, str, str, int], ...] = (
    ("rate", "failure_rate", "deploy", 400),
    ("rate", "failure_rate", "deploy", 800),
    ("mix", "cost_estimate", "mail", 400),
    ("mix", "cost_estimate", "mail", 800),
)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="drivers")
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--actions", type=int, default=1_000_000)
    parsed = parser.parse_args(arguments)
    if parsed.worlds:
        unchanged(parsed.worlds)
        planted(parsed.worlds // 5)
    if parsed.actions:
        speed(parsed.actions)


def _table(rows: pl.DataFrame, metric: str) -> pl.DataFrame:
    return drivers(rows, metric, baseline=WEEKS.baseline, recent=WEEKS.recent).table


def unchanged(worlds: int) -> None:
    print(f"{worlds} worlds in which nothing changed: with any driver; p-values below .05 and .001 (rates, mixes)")
    for metric, sessions in UNCHANGED:
        random = np.random.default_rng(5)
        tables = [_table(weeks(random, sessions), metric) for _ in range(worlds)]
        wrong = sum(int(table["driver"].any()) for table in tables)
        low, high = wilson(wrong, worlds)
        tested = pl.concat(tables).filter(pl.col("p_value").is_not_null())
        values = {part: tested.filter(part=part)["p_value"].to_numpy() for part in ("rate", "mix")}
        below = [f"{np.mean(values[part] < at):.4f}" for at in (0.05, 0.001) for part in values]
        print(f"  {metric:14} {sessions:4} sessions: {wrong / worlds:.1%} ({low:.1%} to {high:.1%}); {' '.join(below)}")


def planted(worlds: int) -> None:
    print(
        f"{worlds} worlds with a planted change: it is found; it would be with the factor of Benjamini and Yekutieli; "
    )
    print("the share of drivers of types that did not change")
    for change, metric, name, sessions in PLANTED:
        random = np.random.default_rng(6)
        found, surer, wrong = 0, 0, []
        for _ in range(worlds):
            whole = _table(weeks(random, sessions, planted=change), metric)
            factor = sum(1 / rank for rank in range(1, whole["p_value"].count() + 1))
            table = whole.filter(pl.col("driver"), by="action_type")
            found += table.filter(name=name, part=change).height
            surer += table.filter(pl.col("p_adjusted") * factor <= 0.05, name=name, part=change).height
            # The rate of no type changed but that of deployments; of a planted mix, none.
            others = table.filter(pl.col("part") != change) if change == "mix" else table.filter(pl.col("name") != name)
            wrong.append(others.height / max(1, table.height))
        shares = f"{found / worlds:.0%} found, {surer / worlds:.0%} with the factor; {sum(wrong) / worlds:.1%} wrong"
        print(f"  {change:4} of {name:6} {metric:14} {sessions:4} sessions: {shares}")


def speed(actions: int) -> None:
    rows = weeks(np.random.default_rng(1), actions // 10, 10)
    began = time.process_time()
    _table(rows, "cost_estimate")
    print(
        f"{rows.height:,} actions of {actions // 10:,} sessions: {time.process_time() - began:.2f} s of processor time"
    )


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
