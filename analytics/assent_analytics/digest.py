"""The digest of a week, beside the week before.

1. Everything is counted where it began: actions by `timestamp_start`, decisions by `occurred_at`, approvals by
   `requested_at`, alerts by `detected_at`, signals by `created_at`; from `since` on and before `until`.
2. Counts are compared by their ratio (`counts`), shares by their difference with Newcombe's interval
   (`drift.newcombe`). A difference of fewer than `LEAST` on either side is `insufficient_data`. Where rows say their
   session or agent, success and guard's shares have intervals over clusters beside these (`clusters`).
3. Success is the share of completed ones among those that completed or failed, as in `episodes` (`ran`). Costs and
   risks that are null or not finite do not count.
4. Agents and action types come by risk in the order of the lower end of their mean's interval, so that one risky action
   does not put its agent above those who always take risks.
5. Something is new when nothing earlier is known of it: the first action in all that was ever recorded.
6. Signals are set against live actions only (`signals`). Simulated rows are counted as such wherever rows say it.
"""

from __future__ import annotations

from datetime import datetime
from math import inf, isfinite
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from msgspec.structs import replace

from assent.contract.analysis.week import Week
from assent.contract.analysis.weekly import (
    WeekActions,
    WeekAlerts,
    WeekApprovals,
    WeekCost,
    WeekCount,
    WeekDecisions,
    WeekFirst,
    WeeklyDigest,
    WeekQuantile,
    WeekRate,
    WeekRisk,
    WeekSignals,
)
from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision
from assent_analytics import approvals as of_approvals
from assent_analytics import decisions as of_decisions
from assent_analytics import signals as of_signals
from assent_analytics.clusters import cluster_keys, clustered_difference, clustered_proportion
from assent_analytics.counts import ratio
from assent_analytics.drift.categories import newcombe
from assent_analytics.episodes import ran
from assent_analytics.frames import Frame, count, has, need, one_of, simulated, time_type, utc, weight
from assent_analytics.means import mean_interval
from assent_analytics.quantiles import quantile
from assent_analytics.rates import wilson

LEAST = 20
TOP = 5
_HIGHEST_RISK = 100.0


class Tables(NamedTuple):
    """The rows of both weeks; more do no harm. `first_seen` has what `firsts` gives of the whole history."""

    actions: Frame
    decisions: Frame
    approvals: Frame
    signals: Frame
    drift_alerts: Frame
    first_seen: Frame


def firsts(actions: Frame) -> pl.LazyFrame:
    """When each agent and each action type first acted: `kind` (`agent_id` or `action_type`), `name`, `first_seen`."""
    frame = need(actions, ("agent_id", "action_type", "timestamp_start"), "actions")
    each = [
        frame.filter(pl.col(kind).is_not_null() & pl.col("timestamp_start").is_not_null())
        .group_by(pl.col(kind).cast(pl.String).alias("name"))
        .agg(utc("timestamp_start").min().alias("first_seen"))
        .select(pl.lit(kind).alias("kind"), "name", "first_seen")
        for kind in ("agent_id", "action_type")
    ]
    return pl.concat(each).sort("kind", "first_seen", "name")


def digest(week: Week, tables: Tables, agent_id: str | None = None) -> WeeklyDigest:
    """`agent_id` says whose rows these are, where they are one agent's. Raises ValueError for columns that are not
    there."""
    before_since, before_until = week.before
    acted, acted_before = _both(tables.actions, "timestamp_start", week)
    return WeeklyDigest(
        week=week.text,
        since=week.since,
        until=week.until,
        before_since=before_since,
        before_until=before_until,
        complete=week.complete,
        agent_id=agent_id,
        actions=_actions(acted, acted_before),
        decisions=_decisions(*_both(tables.decisions, "occurred_at", week)),
        approvals=_approvals(*_both(tables.approvals, "requested_at", week)),
        cost=_cost(acted, acted_before),
        agents_by_risk=_by_risk(acted, "agent_id"),
        types_by_risk=_by_risk(acted, "action_type"),
        new_agents=_new(tables.first_seen, acted, "agent_id", week),
        new_types=_new(tables.first_seen, acted, "action_type", week),
        drift_alerts=_alerts(*_both(tables.drift_alerts, "detected_at", week)),
        signals=_signals(*_both(tables.signals, "created_at", week), acted),
    )


def _both(frame: Frame, time: str, week: Week) -> tuple[pl.DataFrame, pl.DataFrame]:
    rows = need(frame, (time,), "rows")
    parts = [
        rows.filter((utc(time) >= _moment(since)) & (utc(time) < _moment(until)))
        for since, until in ((week.since, week.until), week.before)
    ]
    now, before = pl.collect_all(parts)
    return now, before


def _moment(at: datetime) -> pl.Expr:
    return pl.lit(at).cast(time_type())


def _n(frame: pl.DataFrame, condition: pl.Expr | None = None) -> int:
    """How many rows, each as often as it counts."""
    chosen = frame if condition is None else frame.filter(condition)
    return int(chosen["n"].sum()) if has(frame, "n") else chosen.height


def _count(n: int, before: int) -> WeekCount:
    value, low, high = ratio(n, before)
    return WeekCount(n=n, before=before, ratio=value, ratio_low=low, ratio_high=high)


def _rate(found: int, n: int, before_found: int, before_n: int) -> WeekRate:
    low, high = wilson(found, n)
    enough = min(n, before_n) >= LEAST
    between = newcombe(before_found, before_n, found, n) if enough else (None, None)
    return WeekRate(
        count=found,
        n=n,
        rate=found / n if n else None,
        low=low,
        high=high,
        before_count=before_found,
        before_n=before_n,
        before_rate=before_found / before_n if before_n else None,
        difference=found / n - before_found / before_n if enough else None,
        difference_low=between[0],
        difference_high=between[1],
        status="ok" if enough else "insufficient_data",
    )


def _over_clusters(rate: WeekRate, now: pl.DataFrame, before: pl.DataFrame, time: str, yes: pl.Expr) -> WeekRate:
    """The rate with its intervals over clusters. The rows are those that it counts, `yes` those that count for it."""
    if not rate.n or not {"session_id", "agent_id"} & set(now.columns) & set(before.columns):
        return rate
    both = pl.concat([now, before], how="diagonal").with_columns(yes.alias("_yes"))
    keys = cluster_keys(both, time=time)
    times = both["n"].to_numpy() if has(both, "n") else np.ones(both.height, dtype=np.int64)
    values, codes = (np.repeat(each, times) for each in (both["_yes"].cast(pl.Float64).to_numpy(), keys.codes))
    this, last = slice(rate.n), slice(rate.n, None)
    share = clustered_proportion(values[this], codes[this])
    apart = clustered_difference((values[last], codes[last]), (values[this], codes[this]))
    compared = rate.status == "ok"
    return replace(
        rate,
        clusters=apart.clusters,
        basis=keys.basis,
        n_effective=apart.n_effective if apart.low is not None else None,
        clustered_low=share.low,
        clustered_high=share.high,
        clustered_difference_low=apart.low if compared else None,
        clustered_difference_high=apart.high if compared else None,
    )


def _actions(now: pl.DataFrame, before: pl.DataFrame) -> WeekActions:
    by_status = now.group_by(pl.col("status").cast(pl.String)).agg(_times(now).alias("number")).sort("status")
    completed = one_of("status", ActionStatus.COMPLETED)
    ended, ended_before = now.filter(ran()), before.filter(ran())
    success = _rate(_n(ended, completed), _n(ended), _n(ended_before, completed), _n(ended_before))
    return WeekActions(
        all=_count(_n(now), _n(before)),
        by_status=dict(by_status.iter_rows()),
        success=_over_clusters(success, ended, ended_before, "timestamp_start", completed),
        simulated=_simulated(now),
    )


def _times(frame: pl.DataFrame) -> pl.Expr:
    return (pl.col("n").sum() if has(frame, "n") else pl.len()).cast(pl.Int64)


def _simulated(frame: pl.DataFrame) -> int:
    return _n(frame, simulated(frame)) if has(frame, "source") else 0


def _decisions(now: pl.DataFrame, before: pl.DataFrame) -> WeekDecisions:
    one, two = (of_decisions.mix(frame).collect().row(0, named=True) for frame in (now, before))
    known, known_before = (frame.filter(one_of("decision", *Decision)) for frame in (now, before))
    shares = {
        each.value: _over_clusters(
            _rate(one[each.value], one["n"], two[each.value], two["n"]),
            known,
            known_before,
            "occurred_at",
            one_of("decision", each),
        )
        for each in Decision
    }
    return WeekDecisions(all=_count(one["n"], two["n"]), simulated=one["simulated"], **shares)


def _approvals(now: pl.DataFrame, before: pl.DataFrame) -> WeekApprovals:
    one, two = (of_approvals.insight(frame).collect().row(0, named=True) for frame in (now, before))
    seconds, earlier = (of_approvals.times_to_decide(frame).collect()["seconds"] for frame in (now, before))
    approved, expired = ApprovalState.APPROVED.value, ApprovalState.EXPIRED.value
    return WeekApprovals(
        asked=_count(one["asked"], two["asked"]),
        decided=_count(one["decided"], two["decided"]),
        awaiting=one[ApprovalState.AWAITING.value],
        withdrawn=one[ApprovalState.WITHDRAWN.value],
        approved=_rate(one[approved], one["decided"], two[approved], two["decided"]),
        expired=_rate(one[expired], one["asked"], two[expired], two["asked"]),
        p50=_quantile(seconds, earlier, 0.5),
        p95=_quantile(seconds, earlier, 0.95),
        simulated=one["simulated"],
    )


def _quantile(seconds: pl.Series, earlier: pl.Series, share: float) -> WeekQuantile:
    value, low, high = quantile(seconds, share)
    return WeekQuantile(value=value, low=low, high=high, before=quantile(earlier, share).value)


def _cost(now: pl.DataFrame, before: pl.DataFrame) -> WeekCost:
    one, two = (_moments(frame, "cost_estimate") for frame in (now, before))
    low, high = mean_interval(one["mean"] or 0.0, one["sd"], one["n"], -inf, inf)
    return WeekCost(
        n=one["n"],
        total=one["total"],
        mean=one["mean"],
        mean_low=low if isfinite(low) else None,
        mean_high=high if isfinite(high) else None,
        before_n=two["n"],
        before_total=two["total"],
        before_mean=two["mean"],
    )


def _moments(frame: pl.DataFrame, name: str) -> dict[str, Any]:
    return _finite(frame, name).select(_sums(frame, name)).row(0, named=True)


def _finite(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    return frame.with_columns(pl.col(name).cast(pl.Float64)).filter(pl.col(name).is_finite())


def _sums(frame: Frame, name: str) -> list[pl.Expr]:
    value, times = pl.col(name), weight(frame)
    n = count(value.is_not_null(), times)
    mean = (value * times).sum() / n
    squares = (times * (value - mean) ** 2).sum()
    return [
        n.alias("n"),
        (value * times).sum().alias("total"),
        pl.when(n > 0).then(mean).alias("mean"),
        pl.when(n > 1).then((squares / (n - 1)).sqrt()).alias("sd"),
        value.max().alias("highest"),
        count(simulated(frame), times).alias("simulated"),
    ]


def _by_risk(now: pl.DataFrame, kind: Literal["agent_id", "action_type"]) -> list[WeekRisk]:
    known = _finite(now, "risk_score").filter(pl.col(kind).is_not_null())
    grouped = known.group_by(pl.col(kind).cast(pl.String).alias("name")).agg(_sums(now, "risk_score"))
    found = []
    for row in grouped.iter_rows(named=True):
        low, high = mean_interval(row["mean"], row["sd"], row["n"], 0.0, _HIGHEST_RISK)
        of = {name: row[name] for name in ("name", "n", "mean", "highest", "simulated")}
        found.append(WeekRisk(low=low, high=high, **of))
    return sorted(found, key=lambda each: (-each.low, -each.mean, each.name))[:TOP]


def _new(first_seen: Frame, now: pl.DataFrame, kind: Literal["agent_id", "action_type"], week: Week) -> list[WeekFirst]:
    within = (utc("first_seen") >= _moment(week.since)) & (utc("first_seen") < _moment(week.until))
    of = now.group_by(pl.col(kind).cast(pl.String).alias("name")).agg(_times(now).alias("number"))
    found = (
        need(first_seen, ("kind", "name", "first_seen"), "first_seen")
        .filter((pl.col("kind") == kind) & within)
        .select(pl.col("name").cast(pl.String), utc("first_seen"))
        .collect()
        .join(of, on="name", how="left")
        .sort("first_seen", "name")
    )
    return [WeekFirst(name=name, first_seen=at, n=number or 0) for name, at, number in found.iter_rows()]


def _alerts(now: pl.DataFrame, before: pl.DataFrame) -> WeekAlerts:
    kept, kept_before = (_open_alerts(frame) for frame in (now, before))
    return WeekAlerts(
        all=_count(kept.height, kept_before.height),
        unacknowledged=kept.filter(~pl.col("acknowledged").fill_null(False)).height,
        by_severity=_by(kept, "severity"),
        by_metric=_by(kept, "metric"),
        simulated=_simulated(kept),
    )


def _open_alerts(alerts: pl.DataFrame) -> pl.DataFrame:
    return alerts.filter(pl.col("deleted_at").is_null()) if "deleted_at" in alerts.columns else alerts


def _by(frame: pl.DataFrame, name: str) -> dict[str, int]:
    return dict(frame.group_by(pl.col(name).cast(pl.String)).len("number").sort(name).iter_rows())


def _signals(now: pl.DataFrame, before: pl.DataFrame, acted: pl.DataFrame) -> WeekSignals:
    row = of_signals.rates(now, acted, by=()).collect().row(0, named=True)
    one, two = _by(now, "type"), _by(before, "type")
    return WeekSignals(
        all=_count(now.height, before.height),
        by_type={name: _count(one.get(name, 0), two.get(name, 0)) for name in sorted({*one, *two})},
        **{name: row[name] for name in ("actions", "per_100", "per_100_low", "per_100_high", "status")},
    )
