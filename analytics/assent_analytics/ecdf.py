"""Two windows of one metric side by side: their empirical distribution functions, with what they leave open.

1. A value counts when it is a finite number; null, NaN and infinities do not.
2. The function at x is the share of values that are at most x. It is a step function: it jumps at a value and stays
   until the next.
3. The band is that of Dvoretzky, Kiefer and Wolfowitz with Massart's constant ("The tight constant in the
   Dvoretzky-Kiefer-Wolfowitz inequality", Annals of Probability 18 (1990), 1269-1283): with probability 95% the whole
   distribution lies within sqrt(ln(2 / 0.05) / (2 n)) of the empirical one, at once for all x. Cut at 0 and 1.
4. Above `points` different values, the function is given where its share enters the next of `points` equal steps, so
   that it is nowhere off by more than one step.
"""

from __future__ import annotations

from math import log, sqrt

import polars as pl

from assent_analytics.frames import Frame, need, simulated

BASELINE, RECENT = "baseline", "recent"
UNCERTAIN = 0.05


def ecdf(baseline: Frame, recent: Frame, metric: str, *, points: int = 200) -> pl.DataFrame:
    """Rows of `window` (baseline, recent), `value`, `share`, `low`, `high` (0 to 1), `n` and how many of the n are
    `simulated`; in order of the value, baseline first. Both windows reach from the smallest value of the two to the
    largest, so that they can be drawn as steps; at most `points` + 2 rows each, none for a window without a value.
    Raises ValueError for a metric that is not there and for fewer than 2 points."""
    if points < 2:
        raise ValueError(f"points is {points}; give 2 or more")
    given = {BASELINE: baseline, RECENT: recent}
    values = {
        window: need(frame, (metric,), f"{window} values")
        .select(value=pl.col(metric).cast(pl.Float64), simulated=simulated(frame))
        .filter(pl.col("value").is_finite())
        .collect()
        for window, frame in given.items()
    }
    both = pl.concat(values.values())["value"]
    if both.is_empty():
        return pl.DataFrame(schema=_SCHEMA)
    low, high = float(both.min()), float(both.max())  # type: ignore[arg-type]  # floats
    return pl.concat(_steps(window, frame, low, high, points) for window, frame in values.items())


_SCHEMA = {
    "window": pl.String,
    "value": pl.Float64,
    "share": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "simulated": pl.Int64,
}


def _steps(window: str, values: pl.DataFrame, low: float, high: float, points: int) -> pl.DataFrame:
    n = values.height
    if n == 0:
        return pl.DataFrame(schema=_SCHEMA)
    half = sqrt(log(2 / UNCERTAIN) / (2 * n))
    jumps = values.group_by("value").len().sort("value").with_columns(share=pl.col("len").cum_sum() / n)
    if jumps.height > points:
        # The first value of each step of equal share, and the largest of all.
        step = (pl.col("share") * points).ceil()
        jumps = jumps.filter((step != step.shift(1, fill_value=-1.0)) | (pl.col("value") == pl.col("value").max()))
    ends = []
    if jumps["value"][0] > low:
        ends.append({"value": low, "share": 0.0})
    if jumps["value"][-1] < high:
        ends.append({"value": high, "share": 1.0})
    steps = pl.concat(
        [jumps.select("value", "share"), pl.DataFrame(ends, schema={"value": pl.Float64, "share": pl.Float64})]
    )
    return steps.sort("value").select(
        pl.lit(window).alias("window"),
        "value",
        "share",
        (pl.col("share") - half).clip(0.0, 1.0).alias("low"),
        (pl.col("share") + half).clip(0.0, 1.0).alias("high"),
        pl.lit(n, pl.Int64).alias("n"),
        pl.lit(int(values["simulated"].sum()), pl.Int64).alias("simulated"),
    )
