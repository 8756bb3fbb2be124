"""What the page Drift asks the service for, and the frames it draws and gives away. Knows nothing of Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import msgspec
import polars as pl

from assent import Client
from assent.contract.drift import (
    ComparedMetric,
    DriftAlert,
    DriftComparison,
    DriftMetric,
    DriftSeverity,
    DriftSnapshot,
    DriftSnapshots,
    DriftStats,
)
from assent.contract.guard import Source
from assent_analytics.ecdf import ecdf
from assent_analytics.episodes import episodes
from assent_dashboard.views.drift import words as said
from assent_dashboard.views.drift.asked import Asked, Focus, Shown
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.side_by_side import both, each

MOST_ALERTS = 200
LARGEST_FIRST = (DriftSeverity.CRITICAL, DriftSeverity.WARNING, DriftSeverity.INFO)
MOST_DAYS = 200
MOST_ROWS = 1000
ALWAYS = ("agent_id", "action_type", "status", "source", "timestamp_start", "timestamp_end", "updated_at")
COLUMNS = {
    "risk_score": ("risk_score",),
    "duration_ms": ("duration_ms",),
    "cost_estimate": ("cost_estimate",),
    "tokens": ("tokens_in", "tokens_out"),
    "confidence": ("confidence",),
}
"""Columns of an action that give a metric. Other metrics are shares, or stand on more than the action's own row."""


@dataclass(frozen=True)
class Found:
    """`alerts` are those of the list that is shown, the largest changes first and of these the newest; `MOST_ALERTS`
    of each size at most, of `total`."""

    alerts: list[DriftAlert]
    total: int
    stats: DriftStats
    metrics: list[DriftMetric]

    def metric(self, name: str) -> DriftMetric | None:
        return next((each for each in self.metrics if each.name == name), None)


def load(client: Client, scope: Scope, asked: Asked) -> Found:
    pages, (stats, metrics) = both(
        lambda: each(
            lambda severity: client.list_drift_alerts(
                agent_id=scope.agent_id,
                action_type=scope.action_type,
                acknowledged=asked.shown is Shown.ACKNOWLEDGED,
                severity=severity,
                limit=MOST_ALERTS,
            ),
            LARGEST_FIRST,
        ),
        lambda: both(lambda: client.get_drift_stats(scope.agent_id), client.get_drift_metrics),
    )
    return Found(
        alerts=[alert for page in pages for alert in page.alerts],
        total=sum(page.total for page in pages),
        stats=stats,
        metrics=metrics.metrics,
    )


def load_series(client: Client, focus: Focus, window: str) -> DriftSnapshots:
    """Day by day. Of a stream that a simulator made up, the simulated values alone."""
    return client.get_drift_snapshots(
        agent_id=focus.agent_id,
        action_type=focus.action_type,
        metric=focus.metric,
        window=window,
        source=source_of(focus),
        limit=MOST_DAYS,
    )


def load_comparison(client: Client, scope: Scope, recent: str) -> DriftComparison:
    return client.compare_drift(
        scope.window, recent, agent_id=scope.agent_id, action_type=scope.action_type, limit=MOST_ROWS
    )


def load_steps(client: Client, focus: Focus, window: str, split: datetime) -> pl.DataFrame:
    """The two distribution functions of the metric, of what ended before `split` and of what ended since."""
    rows = client.frame(
        "actions",
        window,
        [*ALWAYS, *COLUMNS[focus.metric]],
        agent_id=focus.agent_id,
        action_type=focus.action_type,
        source=source_of(focus),
    )
    done = episodes(rows).select("ended_at", "source", focus.metric).collect()
    before = pl.col("ended_at") < split
    return ecdf(done.filter(before), done.filter(~before), focus.metric)


def source_of(focus: Focus) -> Source | None:
    made_up = focus.alert is not None and focus.alert.source is Source.SIMULATED
    return Source.SIMULATED if made_up else None


def alerts_frame(alerts: Sequence[DriftAlert]) -> pl.DataFrame:
    return _frame(alerts, DriftAlert)


def comparison_frame(rows: Sequence[ComparedMetric]) -> pl.DataFrame:
    """With what each row comes to as a word, and the columns that a picture wants."""
    frame = _frame(rows, ComparedMetric)
    return frame.with_columns(verdict=pl.Series([said.verdict(row) for row in rows], dtype=pl.String))


def series_frame(snapshots: Sequence[DriftSnapshot]) -> pl.DataFrame:
    """`day`, `n`, `mean`, `low`, `high`, `sd`, `simulated`, the oldest first."""
    rows = [(each.day, each.n, each.mean, each.mean_low, each.mean_high, each.sd, each.simulated) for each in snapshots]
    schema = {
        "day": pl.Date,
        "n": pl.Int64,
        **dict.fromkeys(("mean", "low", "high", "sd"), pl.Float64),
        "simulated": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("day")


def days_after(change: datetime, now: datetime) -> str:
    """The window, for the ledger, that reaches back to the day of the change."""
    days = (now.date() - change.date()) // timedelta(days=1)
    return f"{min(max(days + 1, 1), 3650)}d"


def _frame(rows: Sequence[msgspec.Struct], shape: type[msgspec.Struct]) -> pl.DataFrame:
    kinds = {field.name: _KINDS.get(str(field.type), pl.String) for field in msgspec.structs.fields(shape)}
    given = [msgspec.structs.asdict(row) for row in rows]
    return pl.DataFrame(
        [{name: _plain(row[name]) for name in kinds} for row in given], schema=kinds, orient="row", strict=False
    )


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float | datetime | date) else str(value)


_TIME = pl.Datetime("us", "UTC")
_KINDS: dict[str, pl.DataType | type[pl.DataType]] = {
    str(int): pl.Int64,
    str(float): pl.Float64,
    str(float | None): pl.Float64,
    str(bool): pl.Boolean,
    str(datetime): _TIME,
    str(datetime | None): _TIME,
}
