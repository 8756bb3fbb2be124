"""The data of the page Drift: what it asks the service for, the frames it draws and gives away, and which alert, metric
and windows it looks at. Knows nothing of Streamlit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import get_type_hints

import msgspec
import polars as pl

from assent import Client
from assent.contract.analysis.drift import (
    ComparedMetric,
    DriftAlert,
    DriftComparison,
    DriftMetric,
    DriftSeverity,
    DriftSnapshot,
    DriftSnapshots,
    DriftStats,
)
from assent.contract.control.guard import Source
from assent.contract.window import days_of
from assent_analytics.ecdf import ecdf
from assent_analytics.episodes import episodes
from assent_dashboard.views.addresses import AlertList, DriftAddress
from assent_dashboard.views.answers import both, each
from assent_dashboard.views.drift import words as drift_words

MOST_ALERTS = 200
LARGEST_FIRST = (DriftSeverity.CRITICAL, DriftSeverity.WARNING, DriftSeverity.INFO)
MOST_DAYS = 200
MOST_ROWS = 1000
ALWAYS = (
    "agent_id",
    "action_type",
    "status",
    "approval_id",
    "approved_by",
    "source",
    "timestamp_start",
    "timestamp_end",
    "updated_at",
)
COLUMNS = {
    "risk_score": ("risk_score",),
    "duration_ms": ("duration_ms",),
    "cost_estimate": ("cost_estimate",),
    "tokens": ("tokens_in", "tokens_out"),
    "confidence": ("confidence",),
}
"""Columns of an action that give a metric. Other metrics are shares, or stand on more than the action's own row."""


@dataclass(frozen=True)
class DriftData:
    """`alerts` are those of the list that is shown, by `newest_first`; `MOST_ALERTS` of each size at most, of
    `total`."""

    alerts: list[DriftAlert]
    total: int
    stats: DriftStats
    metrics: list[DriftMetric]

    def metric(self, name: str) -> DriftMetric | None:
        return next((each for each in self.metrics if each.name == name), None)


def load(client: Client, address: DriftAddress) -> DriftData:
    pages, (stats, metrics) = both(
        lambda: each(
            lambda severity: client.list_drift_alerts(
                agent_id=address.agent_id,
                action_type=address.action_type,
                acknowledged=address.alerts is AlertList.ACKNOWLEDGED,
                severity=severity,
                limit=MOST_ALERTS,
            ),
            LARGEST_FIRST,
        ),
        lambda: both(lambda: client.get_drift_stats(address.agent_id), client.get_drift_metrics),
    )
    return DriftData(
        alerts=newest_first(alert for page in pages for alert in page.alerts),
        total=sum(page.total for page in pages),
        stats=stats,
        metrics=metrics.metrics,
    )


def newest_first(alerts: Iterable[DriftAlert]) -> list[DriftAlert]:
    """By the day, UTC, on which a change was certain, the newest first. Of one day what is established comes first,
    then the largest change, and then the newest."""

    def place(alert: DriftAlert) -> tuple[int, bool, int, float]:
        certain = alert.detected_at.astimezone(UTC)
        return (
            -certain.toordinal(),
            not alert.established,
            LARGEST_FIRST.index(alert.severity),
            -certain.timestamp(),
        )

    return sorted(alerts, key=place)


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


def load_comparison(client: Client, address: DriftAddress, recent: str) -> DriftComparison:
    return client.compare_drift(
        address.window, recent, agent_id=address.agent_id, action_type=address.action_type, limit=MOST_ROWS
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
    return frame.with_columns(verdict=pl.Series([drift_words.verdict(row) for row in rows], dtype=pl.String))


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
    hints = get_type_hints(shape)
    kinds = {name: _KINDS.get(str(hints[name]), pl.String) for name in shape.__struct_fields__}
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


# What the page Drift looks at: the alert, or the metric, that was asked for, and the two windows it compares.


DEFAULT_METRIC = "success_rate"
RECENTS = ("1d", "3d", "7d", "14d", "30d")


@dataclass(frozen=True)
class Focus:
    """One metric of an agent, of one type of action or of all; `alert` where that is of a change."""

    metric: str
    agent_id: str | None
    action_type: str | None
    alert: DriftAlert | None = None


def possible(days: int) -> list[str]:
    """The recent windows that leave a baseline within so many days."""
    return [each for each in RECENTS if days_of(each) < days]


def recent_of(address: DriftAddress) -> str | None:
    """The recent window: what was asked for, else a quarter of the whole or a little less; None where the window is
    too short to have a baseline."""
    if address.recent is not None:
        return address.recent
    known = possible(address.days)
    short = [each for each in known if 4 * days_of(each) <= address.days] or known[:1]
    return short[-1] if short else None


def focus_of(address: DriftAddress, alerts: Sequence[DriftAlert]) -> Focus:
    """What is looked at. `alerts` are those that are shown."""
    chosen = next((each for each in alerts if each.id == address.alert_id), None)
    if chosen is None and address.alert_id is None and address.metric is None:
        chosen = next(iter(alerts), None)
    if chosen is not None:
        return Focus(chosen.metric, chosen.agent_id, chosen.action_type, chosen)
    return Focus(address.metric or DEFAULT_METRIC, address.agent_id, address.action_type)
