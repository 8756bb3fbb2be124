"""How the evidence that a stream has changed grew, value by value: the detector's e-value over time.

1. Rows are taken in order of `time`, those of one moment in the frame's order; one without a moment or without a finite
   value is passed over, as is what has no cell on the grid (`detector`).
2. `e_value` is the detector's after each value; at an alarm it is the alarm's, and the next value begins anew.
3. Of more rows than `points`, each of as many stretches of equal length is given by its largest e-value, so that no
   alarm is lost.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import polars as pl

from assent_analytics.detector import ALPHA, Alarm, Detector, Grid
from assent_analytics.frames import Frame, need, simulated, time_type, utc


class DriftEvidence(NamedTuple):
    """`trace`: `at` (UTC), `value`, `e_value`, `epoch`. `alarms`: the members of `detector.Alarm`, times in UTC."""

    trace: pl.DataFrame
    alarms: pl.DataFrame
    n: int
    simulated: int
    threshold: float


def evidence(
    values: Frame,
    metric: str,
    *,
    grid: Grid,
    time: str = "ended_at",
    key: str = "",
    alpha: float = ALPHA,
    points: int = 1000,
) -> DriftEvidence:
    """The evidence in one stream's `values`. `key` breaks ties, and the same key always breaks them alike. Raises
    ValueError for columns that are not there and for fewer than 1 point."""
    if points < 1:
        raise ValueError(f"points is {points}; give 1 or more")
    stream = (
        need(values, (metric, time), "values")
        .select(utc(time).alias("at"), pl.col(metric).cast(pl.Float64).alias("value"), simulated=simulated(values))
        .filter(pl.col("at").is_not_null() & pl.col("value").is_finite())
        .sort("at", maintain_order=True)
        .collect()
    )
    detector = Detector(key, grid, alpha)
    e_values, epochs, alarms = [], [], []
    for at, value in zip(stream["at"].to_physical().to_list(), stream["value"].to_list(), strict=True):
        epoch, alarm = detector.epoch, detector.step(value, at)
        e_values.append(alarm.e_value if alarm else detector.e_value)
        epochs.append(epoch)
        if alarm:
            alarms.append(alarm)
    traced = stream.select("at", "value").with_columns(
        pl.Series("e_value", e_values, pl.Float64), pl.Series("epoch", epochs, pl.Int64)
    )
    return DriftEvidence(
        _thinned(traced, points), _frame(alarms), stream.height, int(stream["simulated"].sum()), 1.0 / alpha
    )


def _thinned(trace: pl.DataFrame, points: int) -> pl.DataFrame:
    if trace.height <= points:
        return trace
    stretch = pl.int_range(pl.len()) * points // pl.len()
    return trace.filter(pl.col("e_value").rank("ordinal", descending=True).over(stretch) == 1)


def _frame(alarms: list[Alarm]) -> pl.DataFrame:
    rows = [msgspec.to_builtins(alarm) for alarm in alarms]
    names = [field.name for field in msgspec.structs.fields(Alarm)]
    whole, texts = {"n", "epoch", "at", "change_at", "baseline_n", "recent_n"}, {"direction"}
    schema = {name: pl.Int64 if name in whole else pl.String if name in texts else pl.Float64 for name in names}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(pl.col("at", "change_at").cast(time_type()))
