"""Approvals: how many were asked, what became of them, and how long people took. A row without a `state` is none, as an
action is among `facts` for which nobody was asked.

What a standing grant approved in advance (`grant_id`) was asked of nobody: it is none either, where the frame says so.
An approval is *decided* when an operator approved or denied it; one that expired or
was withdrawn was not. Its time to decide runs from
`requested_at` to `decided_at`, in seconds. Quantiles interpolate linearly between the two nearest times (type 7 of
Hyndman and Fan 1996, which NumPy and spreadsheets use).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

import polars as pl

from assent.contract.control.approvals import ApprovalState
from assent_analytics.frames import Frame, count, has, need, one_of, simulated, time_type, utc

_TIMES = ("state", "requested_at", "decided_at")
_DECIDED = (ApprovalState.APPROVED, ApprovalState.DENIED)


def insight(approvals: Frame) -> pl.LazyFrame:
    """One row: `asked` (all of them), `awaiting`, `approved`, `denied`, `expired`, `withdrawn`, `decided`;
    `approval_rate`, which is 100 * approved / decided; `p50_seconds` and `p95_seconds` to decide (these three null when
    none is decided); and how many of those asked are `simulated`."""
    each_once = pl.lit(1, pl.Int64)
    seconds = _seconds().filter(one_of("state", *_DECIDED))
    approved, decided = pl.col("approved"), pl.col("decided")
    return (
        _asked(approvals, _TIMES)
        .filter(pl.col("state").is_not_null())
        .select(
            pl.len().cast(pl.Int64).alias("asked"),
            *(count(one_of("state", state), each_once).alias(state.value) for state in ApprovalState),
            count(one_of("state", *_DECIDED), each_once).alias("decided"),
            p50_seconds=seconds.quantile(0.5, "linear"),
            p95_seconds=seconds.quantile(0.95, "linear"),
            simulated=count(simulated(approvals), each_once),
        )
        .with_columns(approval_rate=pl.when(decided > 0).then(100.0 * approved / decided))
    )


def by_operator(approvals: Frame) -> pl.LazyFrame:
    """One row for each operator who decided: `operator`, `decided`, `approved`, `denied`, `p50_seconds`; who decided
    most comes first, then by name."""
    once = pl.lit(1, pl.Int64)
    return (
        _asked(approvals, (*_TIMES, "decided_by"))
        .filter(one_of("state", *_DECIDED) & pl.col("decided_by").is_not_null())
        .group_by(pl.col("decided_by").cast(pl.String).alias("operator"))
        .agg(
            pl.len().cast(pl.Int64).alias("decided"),
            *(count(one_of("state", state), once).alias(state.value) for state in _DECIDED),
            p50_seconds=_seconds().quantile(0.5, "linear"),
        )
        .sort("decided", "operator", descending=[True, False])
    )


def times_to_decide(approvals: Frame) -> pl.LazyFrame:
    """One row for each decided approval: `state`, `requested_at`, `seconds`, `simulated`, and `approval_id`,
    `agent_id`, `action_type` and `decided_by` where the frame has them."""
    frame = _asked(approvals, _TIMES)
    names = [name for name in ("approval_id", "agent_id", "action_type", "decided_by") if has(frame, name)]
    return frame.filter(one_of("state", *_DECIDED)).select(
        *names,
        "state",
        utc("requested_at"),
        seconds=_seconds(),
        simulated=simulated(frame),
    )


def backlog(
    approvals: Frame, every: timedelta, *, since: datetime | None = None, until: datetime | None = None
) -> pl.LazyFrame:
    """How many approvals waited at each moment: `at` (UTC, steps of `every`), `waiting`, and `most`, how many waited at
    once at most from that moment until the next, counted event by event.

    One waits from `requested_at` until `decided_at`, which is when it expired or was withdrawn for those that were, and
    waits still without one; at the moment of its decision it waits no longer. From the first moment asked, or `since`,
    to the last change, or `until`. No rows for an empty frame without `since` and `until`. Raises ValueError for steps
    that are not above zero.
    """
    if every <= timedelta(0):
        raise ValueError(f"every is {every}; give steps above zero")
    frame = need(approvals, ("requested_at", "decided_at"), "approvals")
    asked = frame.select(at=utc("requested_at"), change=pl.lit(1, pl.Int64))
    ended = frame.select(at=utc("decided_at"), change=pl.lit(-1, pl.Int64)).drop_nulls("at")
    changes = (
        pl.concat([asked, ended])
        .group_by("at")
        .agg(pl.col("change").sum())
        .sort("at")
        .with_columns(waiting=pl.col("change").cum_sum())
    )
    first = pl.lit(since).cast(time_type()) if since else pl.col("at").min()
    last = pl.lit(until).cast(time_type()) if until else pl.col("at").max()
    moments = (
        changes.select(first=first, last=last)
        .head(1)
        .drop_nulls()
        .select(at=pl.datetime_ranges("first", "last", every, time_zone="UTC", time_unit="us").explode())
        .drop_nulls()
    )
    steps = moments.join_asof(changes.select("at", "waiting"), on="at").with_columns(pl.col("waiting").fill_null(0))
    # Each change belongs to the step that it falls into; what comes after the end to none.
    within = changes if until is None else changes.filter(pl.col("at") <= pl.lit(until).cast(time_type()))
    peaks = (
        within.join_asof(moments.select("at", step="at"), on="at")
        .drop_nulls("step")
        .group_by(at="step")
        .agg(peak=pl.col("waiting").max())
    )
    return (
        steps.join(peaks, on="at", how="left", maintain_order="left")
        .with_columns(most=pl.max_horizontal("waiting", "peak"))
        .drop("peak")
    )


def with_source(approvals: Frame, actions: Frame) -> pl.LazyFrame:
    """The approvals with the `source` of the action that each is about, so that simulated ones can be told."""
    # Where texts come dictionary-encoded, those of two tables do not compare.
    key = pl.col("action_id").cast(pl.String)
    of = need(actions, ("action_id", "source"), "actions").select(key, "source")
    frame = need(approvals, ("action_id",), "approvals").drop("source", strict=False).with_columns(key)
    return frame.join(of, on="action_id", how="left", maintain_order="left")


def _asked(approvals: Frame, names: Iterable[str]) -> pl.LazyFrame:
    """Those that somebody was asked for."""
    frame = need(approvals, names, "approvals")
    return frame.filter(pl.col("grant_id").is_null()) if has(frame, "grant_id") else frame


def _seconds() -> pl.Expr:
    return (utc("decided_at") - utc("requested_at")).dt.total_microseconds() / 1_000_000
