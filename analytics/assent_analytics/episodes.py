"""Episodes: one row for each action that ran to an end of its own, with its score.

1. An episode is an action that is completed or failed (`ran`). Every other one has no outcome: it is neither success
   nor failure in any rate that is made of actions, and an outcome of it is censored. What was blocked, or waited for an
   approval that nobody gave (denied, expired or withdrawn: `cancelled` with an `approval_id` and without an
   `approved_by`), was `stopped`. What was given up otherwise, while it ran or before it began, is `cancelled`. What
   still runs or waits is neither yet.
2. Its `score` and `label` are those of `episode_score`, with the assumptions about it that were invalidated and the
   loops that it left open. `success` is whether it completed.
3. It ended at its `timestamp_end`, else when its row last changed, else when it started.
4. A number that is NaN or infinite is not known. `tokens` are those read and written together, null only where neither
   is known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache, reduce
from operator import add

import polars as pl

from assent.contract.control.actions import ActionStatus
from assent.contract.control.guard import Decision
from assent.contract.control.loops import LoopStatus
from assent_analytics.episode_score import LABELS, WEIGHTS, Episode, EpisodeFacts, Weights, of_status, score
from assent_analytics.frames import Frame, columns, has, need, one_of, time_type

__all__ = [
    "CANCELLED",
    "FINISHED",
    "RAN",
    "STOPPED",
    "WEIGHTS",
    "Episode",
    "EpisodeFacts",
    "Weights",
    "cancelled",
    "episodes",
    "has_run",
    "ran",
    "score",
    "stopped",
]

FINISHED = (ActionStatus.COMPLETED.value, ActionStatus.FAILED.value, ActionStatus.CANCELLED.value)
"""Statuses of what ended and was not blocked; whether it has an outcome is another question."""
_ENDED = (ActionStatus.COMPLETED.value, ActionStatus.FAILED.value)
RAN = f"(status IN ({', '.join(map(repr, _ENDED))}))"
"""Rule 1 as a condition of SQL on the table of actions."""
_WAITED = "(approval_id IS NOT NULL AND approved_by IS NULL)"
STOPPED = f"(status = '{ActionStatus.BLOCKED}' OR (status = '{ActionStatus.CANCELLED}' AND {_WAITED}))"
CANCELLED = f"(status = '{ActionStatus.CANCELLED}' AND NOT {_WAITED})"
"""What was stopped and what was cancelled, and therefore has no outcome, as conditions of SQL."""

_NEEDED = ("agent_id", "action_type", "status", "timestamp_start")
_WRONG, _OPEN = "_wrong", "_open"


@cache
def _types() -> dict[str, pl.DataType]:
    """What is read of an action, and as what."""
    return {
        **dict.fromkeys(("action_id", "agent_id", "action_type", "decision", "source", "status"), pl.String()),
        **dict.fromkeys(("timestamp_start", "timestamp_end", "updated_at"), time_type()),
        **dict.fromkeys(("risk_score", "agent_risk_score", "confidence", "duration_ms", "cost_estimate"), pl.Float64()),
        **dict.fromkeys(("tokens_in", "tokens_out"), pl.Float64()),
        "reversible": pl.Boolean(),
    }


_WITHIN = ("session_id", "thread_id")
"""What an episode belongs to, kept where actions say it."""


def has_run(status: str) -> bool:
    """Rule 1 for one action."""
    return status in _ENDED


def ran() -> pl.Expr:
    """Rule 1 for a frame of actions, by its `status`."""
    return one_of("status", *_ENDED)


def stopped(frame: Frame) -> pl.Expr:
    """What was blocked, denied, expired or withdrawn, by rule 1. Needs `status`. Without `approval_id` those waited
    that guard sent to an operator (`decision`); without that or `approved_by` nobody can tell, and what was cancelled
    counts as `cancelled`."""
    return one_of("status", ActionStatus.BLOCKED) | (one_of("status", ActionStatus.CANCELLED) & _waited(frame))


def cancelled(frame: Frame) -> pl.Expr:
    """What was given up without an approval having been refused, by rule 1. Needs what `stopped` needs."""
    return one_of("status", ActionStatus.CANCELLED) & ~_waited(frame)


def _waited(frame: Frame) -> pl.Expr:
    """Whether an action waited for an approval that nobody gave."""
    if not has(frame, "approved_by"):
        return pl.lit(False)
    if has(frame, "approval_id"):
        waited = pl.col("approval_id").is_not_null()
    elif has(frame, "decision"):
        waited = one_of("decision", Decision.REQUIRE_APPROVAL)
    else:
        return pl.lit(False)
    return waited & pl.col("approved_by").is_null()


def episodes(
    actions: Frame, assumptions: Frame | None = None, loops: Frame | None = None, weights: Weights = WEIGHTS
) -> pl.LazyFrame:
    """The episodes among actions, in their order: `action_id`, `agent_id`, `action_type`, `decision`, `source`,
    `started_at` and `ended_at` (UTC), `score` (0 to 100), `label`, `success`, `risk_score`, `reversible`,
    `confidence`, `duration_ms`, `cost_estimate` and `tokens`; `agent_risk_score` (the risk that the agent stated),
    `session_id` and `thread_id` where actions have them.

    Columns that actions lack are null here, other than `agent_id`, `action_type`, `status` and `timestamp_start`.
    Assumptions need `action_id` and `invalidated`, loops `action_id` and `status`. Raises ValueError that names what
    is missing.
    """
    asked = (*_NEEDED, "action_id") if assumptions is not None or loops is not None else _NEEDED
    given = need(actions, asked, "actions")
    present = set(columns(given))
    within = [pl.col(name).cast(pl.String) for name in _WITHIN if name in present]
    stated = ["agent_risk_score"] if "agent_risk_score" in present else []
    finished = given.filter(ran()).select(
        *(
            (_known(name) if name in present else pl.lit(None)).cast(kind).alias(name)
            for name, kind in _types().items()
        ),
        *within,
    )
    counted = _counted(_counted(finished, _wrong(assumptions), _WRONG), _open(loops), _OPEN)
    known = [name for name, about in ((_WRONG, assumptions), (_OPEN, loops)) if about is not None]
    tokens = pl.col("tokens_in").fill_null(0) + pl.col("tokens_out").fill_null(0)
    return counted.select(
        *("action_id", "agent_id", "action_type", "decision", "source"),
        pl.col("timestamp_start").alias("started_at"),
        pl.coalesce("timestamp_end", "updated_at", "timestamp_start").alias("ended_at"),
        _score(weights, known).alias("score"),
        _by_status({status: pl.lit(label) for status, label in LABELS.items()}, pl.lit(None, pl.String)).alias("label"),
        (pl.col("status") == ActionStatus.COMPLETED.value).alias("success"),
        *("risk_score", "reversible", "confidence", "duration_ms", "cost_estimate"),
        pl.when(pl.col("tokens_in").is_not_null() | pl.col("tokens_out").is_not_null()).then(tokens).alias("tokens"),
        *stated,
        *within,
    )


def _known(name: str) -> pl.Expr:
    column = pl.col(name)
    if _types()[name] != pl.Float64():
        return column
    number = column.cast(pl.Float64)
    return pl.when(number.is_finite()).then(number)


def _wrong(assumptions: Frame | None) -> pl.LazyFrame | None:
    if assumptions is None:
        return None
    frame = need(assumptions, ("action_id", "invalidated"), "assumptions")
    return frame.filter(pl.col("invalidated").cast(pl.Boolean))


def _open(loops: Frame | None) -> pl.LazyFrame | None:
    if loops is None:
        return None
    frame = need(loops, ("action_id", "status"), "loops")
    return frame.filter(pl.col("status").cast(pl.String) == LoopStatus.OPEN.value)


def _counted(actions: pl.LazyFrame, about: pl.LazyFrame | None, name: str) -> pl.LazyFrame:
    """Actions with how many rows are `about` each."""
    if about is None:
        return actions
    key = pl.col("action_id").cast(pl.String)
    number = about.group_by(key).agg(pl.len().cast(pl.Float64).alias(name))
    joined = actions.join(number, on="action_id", how="left", maintain_order="left")
    return joined.with_columns(pl.col(name).fill_null(0.0))


def _by_status(values: Mapping[str, pl.Expr], otherwise: pl.Expr) -> pl.Expr:
    # Three comparisons cost a fraction of a look-up in a table.
    chosen = otherwise
    for status, value in values.items():
        chosen = pl.when(pl.col("status") == status).then(value).otherwise(chosen)
    return chosen


def _score(w: Weights, known: Collection[str]) -> pl.Expr:
    """The rules of `episode_score`, added up in the same order so that both round alike. What is not `known` to count
    adds nothing."""
    status, risk, reversible = pl.col("status"), pl.col("risk_score"), pl.col("reversible")
    high = (risk - w.risk_high) * w.risk_per_point + 0.5
    duration = ((w.short_ms, w.short), (w.medium_ms, w.medium), (w.long_ms, w.long))
    cost = ((w.cheap_usd, w.cheap), (w.fair_usd, w.fair), (w.costly_usd, w.costly))
    confidence = pl.col("confidence")
    parts = [
        pl.lit(w.base),
        _by_status({status: pl.lit(points) for status, points in of_status(w).items()}, pl.lit(0.0)),
        pl.when(risk > w.risk_high)
        .then(-pl.min_horizontal(pl.lit(w.risk_most), high.floor()))
        .when(risk <= w.risk_low)
        .then(pl.lit(w.risk_low_points))
        .otherwise(0.0),
        pl.when(reversible).then(pl.lit(w.reversible)).when(~reversible).then(pl.lit(w.irreversible)).otherwise(0.0),
        _step("duration_ms", duration, w.longer),
        _step("cost_estimate", cost, w.costlier),
        pl.when((status == ActionStatus.COMPLETED.value) & (confidence >= w.sure_of_success))
        .then(pl.lit(w.rightly_sure))
        .when((status == ActionStatus.FAILED.value) & (confidence >= w.sure_of_failure))
        .then(pl.lit(w.wrongly_sure))
        .otherwise(0.0),
    ]
    for name, most, each in (
        (_WRONG, w.wrong_assumptions_most, w.wrong_assumption),
        (_OPEN, w.open_loops_most, w.open_loop),
    ):
        if name in known:
            parts.append(-pl.min_horizontal(pl.lit(most), pl.col(name) * each))
    return (reduce(add, parts) + 0.5).floor().clip(0, 100).cast(pl.Int64)


def _step(name: str, steps: tuple[tuple[float, float], ...], beyond: float) -> pl.Expr:
    value = pl.col(name)
    chosen = pl.when(value.is_not_null()).then(pl.lit(beyond)).otherwise(0.0)
    for most, points in reversed(steps):
        chosen = pl.when(value <= most).then(pl.lit(points)).otherwise(chosen)
    return chosen
