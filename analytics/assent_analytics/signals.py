"""Signals over time: how often each came on, and how often for a hundred actions.

1. A row is one detection: a signal that came on, by `created_at` (UTC). One that stayed on for a week is one row.
2. Signals look at what happens live, and at nothing that was imported or made up by a simulator. So the actions that
   they are set against are the live ones, by `timestamp_start`; of a frame that does not say, all.
3. `per_100` is 100 * n / actions. One action can bring about several signals, so it is no share and may exceed 100;
   `per_100_low` and `per_100_high` are Garwood's 95% interval (`counts`), which supposes that they come independently.
4. With fewer than `LEAST` actions nothing is said: `status` is `insufficient_data` then, and the rates are null.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assent.contract.control.guard import Source
from assent.contract.control.signals import Severity
from assent_analytics.counts import garwood
from assent_analytics.frames import Frame, count, has, need, numbers_type, one_of, utc, weight

LEAST = 20
OK, INSUFFICIENT = "ok", "insufficient_data"


def by_day(signals: Frame) -> pl.LazyFrame:
    """`day`, `type`, `agent_id` (null where none is concerned) and `n`: how often each type came on, in order."""
    frame = need(signals, ("created_at", "type", "agent_id"), "signals")
    day = utc("created_at").dt.date().alias("day")
    known = frame.filter(pl.col("created_at").is_not_null())
    grouped = known.group_by(day, pl.col("type").cast(pl.String), pl.col("agent_id").cast(pl.String))
    return grouped.agg(count(_any(), weight(signals)).alias("n")).sort("day", "type", "agent_id")


def rates(signals: Frame, actions: Frame, by: Sequence[str] = ("type",)) -> pl.LazyFrame:
    """One row for each group of signals, the most frequent first, then in the order of names: the columns of `by`
    (`type`, `agent_id`, both or none), `n`, `red`, `amber`, `agents` (how many different ones), `last_at`, `actions`
    (of the same agent, where it is told), `per_100`, `per_100_low`, `per_100_high`, `status`.

    With none there is one row, whose n may be 0. Raises ValueError for another column in `by`, and for columns that
    are not there.
    """
    if unknown := [name for name in by if name not in ("type", "agent_id")]:
        raise ValueError(f"by has {', '.join(unknown)}; give type, agent_id, both or none")
    names = ("created_at", "type", "severity", "agent_id")
    frame = need(signals, names, "signals").with_columns(pl.col("type", "agent_id").cast(pl.String))
    sums = _sums(signals)
    grouped = frame.group_by(*by).agg(*sums) if by else frame.select(*sums)
    of = _actions(actions)
    if "agent_id" in by:
        joined = grouped.join(of, on="agent_id", how="left", nulls_equal=True)
    else:
        joined = grouped.join(of.select(pl.col("actions").sum()), how="cross")
    found = joined.with_columns(pl.col("actions").fill_null(0)).with_columns(_interval())
    told = pl.col("actions") >= LEAST
    return found.select(
        *by,
        *("n", "red", "amber", "agents", "last_at", "actions"),
        pl.when(told).then(100.0 * pl.col("n") / pl.col("actions")).alias("per_100"),
        pl.when(told).then(pl.col("_both").struct.field("low")).alias("per_100_low"),
        pl.when(told).then(pl.col("_both").struct.field("high")).alias("per_100_high"),
        pl.when(told).then(pl.lit(OK)).otherwise(pl.lit(INSUFFICIENT)).alias("status"),
    ).sort("n", *by, descending=[True, *(False for _ in by)])


def _sums(signals: Frame) -> list[pl.Expr]:
    times = weight(signals)
    return [
        count(_any(), times).alias("n"),
        *(count(one_of("severity", each), times).alias(each.value) for each in Severity),
        pl.col("agent_id").drop_nulls().n_unique().cast(pl.Int64).alias("agents"),
        utc("created_at").max().alias("last_at"),
    ]


def _actions(actions: Frame) -> pl.LazyFrame:
    live = one_of("source", Source.LIVE) if has(actions, "source") else _any()
    frame = need(actions, ("agent_id",), "actions")
    key = pl.col("agent_id").cast(pl.String)
    return frame.group_by(key).agg(count(live, weight(actions)).alias("actions"))


def _any() -> pl.Expr:
    """True of every row; a literal would be of one."""
    return pl.int_range(pl.len()) >= 0


def _interval() -> pl.Expr:
    return pl.struct("n", "actions").map_elements(_per_100, return_dtype=numbers_type("low", "high")).alias("_both")


def _per_100(row: dict[str, int]) -> dict[str, float | None]:
    if row["actions"] < LEAST:
        return {"low": None, "high": None}
    low, high = garwood(row["n"])
    return {"low": 100 * low / row["actions"], "high": 100 * high / row["actions"]}
