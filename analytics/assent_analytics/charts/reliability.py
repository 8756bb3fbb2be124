"""Whether what was said before came true: stated against observed, bin by bin."""

from __future__ import annotations

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.palette import BLUE, FAINT, MUTED
from assent_analytics.frames import Frame

WORDS = {
    "confidence": ("Is confidence earned?", "stated confidence", "share that succeeded"),
    "risk_score": ("Does risk tell failures apart?", "risk score / 100", "share that failed"),
}
"""Title and the titles of both axes, by what is judged."""


def reliability_diagram(bins: Frame, *, width: Width = "container", height: int = 320) -> Chart:
    """`bins` are those of `calibration.reliability`, of one predictor. A point on the dashed line was right; below it
    less came true than was said. Bars are 95% intervals, and the height of the grey ones at the foot says how many."""
    frame = bins.lazy().filter(pl.col("n") > 0).collect()
    if frame.is_empty():
        return nothing("Stated and observed", width, height)
    title, stated, observed = WORDS[str(frame["of"].to_list()[0])]
    scale = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X(
        "mean_predicted:Q",
        scale=scale,
        title=stated,
        axis=alt.Axis(format=".0%", tickCount=5, grid=False, labelFlush=True, **CLOSE),
    )
    axis = alt.Axis(format=".0%", tickCount=5, gridOpacity=0.35, domain=False, ticks=False, **CLOSE)
    ideal = alt.Chart(pl.DataFrame({"from": [0.0, 1.0]})).mark_line(strokeDash=[4, 3], strokeWidth=1.5, color=MUTED)
    counts = (
        alt.Chart(frame.with_columns(foot=0.16 * pl.col("n") / pl.col("n").max()))
        .mark_rect(color=FAINT)
        .encode(
            x=alt.X("low:Q", scale=scale, title=stated), x2="high:Q", y=alt.Y("foot:Q", title=observed), y2=alt.datum(0)
        )
    )
    base = alt.Chart(frame).encode(x=x)
    intervals = base.mark_rule(strokeWidth=3, opacity=0.45, color=BLUE).encode(
        y=alt.Y("observed_low:Q", scale=scale, title=observed, axis=axis), y2="observed_high:Q"
    )
    joined = base.mark_line(strokeWidth=1, opacity=0.6, color=BLUE).encode(y="observed:Q")
    points = base.mark_point(filled=True, size=60, opacity=1, color=BLUE).encode(
        y=alt.Y("observed:Q", scale=scale, title=observed, axis=axis),
        tooltip=[
            alt.Tooltip("mean_predicted:Q", title="stated", format=".1%"),
            alt.Tooltip("observed:Q", format=".1%"),
            alt.Tooltip("observed_low:Q", title="95% from", format=".1%"),
            alt.Tooltip("observed_high:Q", title="to", format=".1%"),
            alt.Tooltip("n:Q", title="actions", format=","),
        ],
    )
    layers = [counts, ideal.encode(x="from:Q", y="from:Q"), joined, intervals, points]
    n, simulated = int(frame["n"].sum()), int(frame["simulated"].sum())
    said = (counted(n, "ended actions"), *never_happened(n, simulated), "dashed: as stated")
    return size(alt.layer(*layers), heading(title, *said), width, height)
