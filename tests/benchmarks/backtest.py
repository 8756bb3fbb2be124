"""Backtests: `python -m tests.benchmarks.backtest [--actions 10000000] [--pairs 10000]`.

Seconds and peak memory of a backtest of 20 and of 100 policies over simulated decisions, from Parquet as a workspace
keeps them, with outcomes, rate limits in the order of time and the cost curve; each in a process of its own. Goals of
20 policies on two cores: 10 million decisions within 10 s and 4 GB, a million within 3 s. Then how many random pairs of
policies and contexts the backtest and guard decide differently: 0.
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
from random import Random
from typing import Any

import polars as pl

from assent.contract.analysis.backtest import Costs
from assent.contract.names import RULE
from assent_analytics.backtest import backtest
from assent_analytics.simulate import batches, make_plan
from tests.properties.backtest_worlds import make_world
from tests.properties.test_backtest import CALLS, differences

AGENTS = 200
UNTIL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
TYPES = ("answer_ticket", "refund", "discount", "update_crm", "send_email", "release", "config", "delete_customers")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="backtest")
    parser.add_argument("--actions", type=int, default=10_000_000)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--one", type=int, help="measure this many policies in this process")
    parser.add_argument("--folder", type=Path, help="where the history lies, or goes if it is not there yet")
    parser.add_argument("--plain", action="store_true", help="with --one: policies that do not look into contexts")
    parsed = parser.parse_args(arguments)
    if parsed.one:
        measure(parsed.folder, parsed.one, plain=parsed.plain)
        return
    with tempfile.TemporaryDirectory(prefix="assent-backtest-") as temporary:
        folder = parsed.folder or Path(temporary)
        if not (folder / "decisions").exists():
            began = time.monotonic()
            write(folder, parsed.actions)
            print(f"simulated {parsed.actions:,} actions in {time.monotonic() - began:.0f} s", flush=True)
        for policies in (20, 100):
            for more in ([], ["--plain"]):
                this = [sys.executable, "-m", "tests.benchmarks.backtest", "--one", str(policies)]
                subprocess.run([*this, "--folder", str(folder), *more], check=True)
    compare(parsed.pairs)


def write(folder: Path, actions: int) -> None:
    """The history as Parquet, with ids and contexts as the service gives them, decided as it compares names today."""
    for name in ("decisions", "actions"):
        (folder / name).mkdir(parents=True)
    for number, batch in enumerate(batches(make_plan(1, until=UNTIL, actions=actions, agents=AGENTS))):
        name = f"{number:05}.parquet"
        key = pl.format("dec_{}", pl.col("number").cast(pl.String).str.zfill(32)).alias("decision_id")
        rule = pl.lit(RULE).alias("name_rule")
        batch.decisions.select(key, pl.exclude("number", "matched"), context(), rule).write_parquet(
            folder / "decisions" / name
        )
        wanted = ("agent_id", "status", "source", "timestamp_start")
        batch.actions.select(key, *wanted).write_parquet(folder / "actions" / name)


def context() -> pl.Expr:
    """About 200 characters, with a number that hardly repeats, a text that does, and a list."""
    amount = (pl.col("number") * 7919 % 100_000 / 100).cast(pl.String)
    team = pl.concat_str(pl.lit("team-"), (pl.col("number") % 12).cast(pl.String))
    return pl.concat_str(
        pl.lit('{"action_type":"'),
        pl.col("action_type").cast(pl.String),
        pl.lit('","declared_goal":"Do what the customer asked for in the ticket","systems_touched":["crm","mail"],'),
        pl.lit('"reversible":'),
        pl.when(pl.col("number") % 3 == 0).then(pl.lit("false")).otherwise(pl.lit("true")),
        pl.lit(',"metadata":{"team":"'),
        team,
        pl.lit('","amount":'),
        amount,
        pl.lit("}}"),
    ).alias("context")


def policies(wanted: int, *, plain: bool) -> list[dict[str, Any]]:
    """A quarter each: thresholds and types, rate limits and agents, conditions of one leaf, conditions of several."""
    found: list[dict[str, Any]] = []
    effects = ("warn", "require_approval", "block")
    for n in range(wanted):
        effect = effects[n % 3]
        kind = "condition"
        rules: dict[str, Any] = {"when": _tree(n, plain=plain), "action": effect}
        if n % 10 == 0:
            kind, rules = "risk_threshold", {"threshold": 50 + n % 50, "action": effect}
        elif n % 10 == 1:
            kind, rules = "require_approval", {"action_types": [TYPES[n % 8], TYPES[(n + 3) % 8]]}
        elif n % 20 == 3:
            kind, rules = "rate_limit", {"max_actions": 120 + n, "window_minutes": 60, "action": effect}
        elif n % 20 == 13:
            kind, rules = "rate_limit", {"max_actions": 2000 + n, "window_minutes": 1440, "action": "block"}
        mode = "observe" if n % 7 == 6 else "enforce"
        found.append({"name": f"policy {n}", "policy_type": kind, "rules": rules, "mode": mode})
    return found


def _tree(n: int, *, plain: bool) -> dict[str, Any]:
    kind: dict[str, Any] = {"field": "action_type", "op": "in", "value": [TYPES[n % 8], TYPES[(n + 1) % 8]]}
    risk: dict[str, Any] = {"field": "risk_score", "op": "gte", "value": 30 + n % 60}
    if plain:
        other = {"field": "agent_id", "op": "starts_with", "value": "re"}
        return {"all": [kind, risk, {"not": other}]} if n % 2 else {"any": [risk, other]}
    amount = {"field": "metadata.amount", "op": "gt", "value": 900 - n}
    team = {"field": "metadata.team", "op": "matches", "value": f"^team-{n % 12}$"}
    reversible = {"field": "reversible", "op": "eq", "value": n % 2 == 0}
    touched = {"field": "systems_touched", "op": "contains", "value": "crm"}
    trees: list[dict[str, Any]] = [
        {"all": [kind, amount]},
        {"all": [team, risk]},
        {"all": [kind, reversible, touched]},
        {"any": [amount, team]},
    ]
    return trees[n % 4]


def measure(folder: Path, wanted: int, *, plain: bool) -> None:
    began = time.monotonic()
    found = backtest(
        pl.scan_parquet(folder / "decisions" / "*.parquet"),
        pl.scan_parquet(folder / "actions" / "*.parquet"),
        policies(wanted, plain=plain),
        costs=Costs(interruption=1, failure=30),
        history_as_live=True,
    )
    seconds = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_SELF)
    what = "that look at columns" if plain else "that look into contexts"
    print(
        f"{wanted} policies {what} over {found.n:,} decisions: {seconds:.1f} s, "
        f"{used.ru_utime + used.ru_stime:.1f} s of CPU, peak {used.ru_maxrss / 1024**2:.2f} GB; "
        f"{found.changed:,} would change",
        flush=True,
    )


def compare(pairs: int) -> None:
    began = time.monotonic()
    worlds = [make_world(Random(f"bench {number}"), CALLS) for number in range(-(-pairs // CALLS))]
    different = sum(len(differences(world)) for world in worlds)
    print(
        f"backtest and guard: {sum(len(world.expected) for world in worlds):,} random pairs of policies and context, "
        f"{different} differences, in {time.monotonic() - began:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
