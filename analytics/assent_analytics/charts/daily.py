"""A number day by day, with what each day leaves open, and where it changed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any, NamedTuple

import altair as alt
import polars as pl

from assent_analytics.charts.canvas import CLOSE, Chart, Width, counted, heading, never_happened, nothing, size
from assent_analytics.charts.palette import AMBER, BLUE, MUTED
from assent_analytics.frames import Frame

FEW = 5
"""A day with fewer values is hollow."""
HALF_A_DAY = timedelta(hours=12)
MOST_TICKS = 7
LATE = 0.8
"""Beyond this share of the width there is no room for a name right of its line."""


class MeanLevel(NamedTuple):
    """A mean that held from one moment to another, None where it is not known when."""

    name: str
    value: float
    since: datetime | None
    until: datetime | None


def daily(
    days: Frame,
    *,
    title: str,
    axis: Mapping[str, Any],
    words: str,
    what: str = "values",
    marks: Mapping[str, datetime] | None = None,
    levels: tuple[MeanLevel, ...] = (),
    width: Width = "container",
    height: int = 300,
) -> Chart:
    """`days` have `day` (a date, UTC), `mean`, `low` and `high` (a 95% interval, null where it is not known), `n` and
    `simulated`. A day's point stands at noon; intervals of days with few values may be cut at the edge. `marks` name
    moments, each a dashed line down through the picture; `levels` are means of whole stretches, dashed across. `axis`
    has members of `alt.Axis`, `words` name it."""
    frame = days.lazy().filter(pl.col("mean").is_finite()).sort("day").collect()
    if frame.is_empty():
        return nothing(title, width, height)
    shown = frame.with_columns(
        at=pl.col("day").cast(pl.Datetime("us")).dt.replace_time_zone("UTC") + HALF_A_DAY, few=pl.col("n") < FEW
    )
    first, last = frame["day"].to_list()[0], frame["day"].to_list()[-1]
    begin = datetime.combine(first, time(), UTC)
    span = [begin, max([datetime.combine(last, time(), UTC) + 2 * HALF_A_DAY, *(marks or {}).values()])]
    x = alt.X(
        "at:T",
        scale=alt.Scale(type="utc", domain=[alt.DateTime(**_parts(each)) for each in span]),
        title="day (UTC)",
        axis=alt.Axis(
            format="%b %-d", labelOverlap=True, tickCount=_ticks((last - first).days + 1), grid=False, **CLOSE
        ),
    )
    scale = alt.Scale(zero=False, nice=True, domain=_room(shown, levels))
    up: dict[str, Any] = {
        "scale": scale,
        "title": words,
        "axis": alt.Axis(**{**CLOSE, "gridOpacity": 0.35, "domain": False, "ticks": False, **axis, "grid": True}),
    }
    tips = [
        alt.Tooltip("utcyearmonthdate(day):T", title="day"),
        *(
            alt.Tooltip(f"{name}:Q", title=said, format=".4~g")
            for name, said in (("mean", "mean"), ("low", "95% from"), ("high", "to"))
        ),
        alt.Tooltip("n:Q", format=","),
    ]
    base = alt.Chart(shown).encode(x=x)
    many, few = base.transform_filter("!datum.few"), base.transform_filter("datum.few")
    points: dict[str, Any] = {"y": alt.Y("mean:Q", **up), "tooltip": tips}
    layers: list[alt.Chart] = [
        *_levels([each for each in levels if _meets(each, span)], span),
        base.mark_rule(strokeWidth=3, opacity=0.4, color=BLUE, clip=True).encode(y=alt.Y("low:Q", **up), y2="high:Q"),
        base.mark_line(strokeWidth=1, opacity=0.55, color=BLUE).encode(y=alt.Y("mean:Q", **up)),
        many.mark_point(filled=True, size=55, opacity=1, color=BLUE).encode(**points),
        few.mark_point(filled=False, size=45, opacity=1, color=BLUE).encode(**points),
        *_marks({name: at for name, at in (marks or {}).items() if at >= begin}, span),
    ]
    n, simulated = int(frame["n"].sum()), int(frame["simulated"].sum())
    said = [counted(n, what), "95% intervals", *never_happened(n, simulated)]
    if shown["few"].any():
        said.append(f"hollow: below {FEW}")
    return size(alt.layer(*layers), heading(title, *said, offset=22), width, height)


def _ticks(days: int) -> alt.TimeIntervalStep:
    """Whole days between two ticks, so that no day is named twice."""
    return alt.TimeIntervalStep(interval="day", step=max(1, -(-days // MOST_TICKS)))


def _room(shown: pl.DataFrame, levels: tuple[MeanLevel, ...]) -> list[float]:
    """From where to where the picture reaches: over every mean, and the intervals of days with enough values. The
    intervals of the others are cut at its edge, or two values of one day would flatten all others."""
    sure = shown.filter(~pl.col("few"))
    numbers = [
        *shown["mean"].to_list(),
        *sure["low"].to_list(),
        *sure["high"].to_list(),
        *(each.value for each in levels),
    ]
    known = [float(each) for each in numbers if each is not None]
    low, high = min(known), max(known)
    room = (high - low) * 0.08 or abs(high) * 0.08 or 1.0
    return [low - room, high + room]


def _parts(at: datetime) -> dict[str, Any]:
    return {
        "year": at.year,
        "month": at.month,
        "date": at.day,
        "hours": at.hour,
        "minutes": at.minute,
        "seconds": at.second,
        "utc": True,
    }


def _meets(level: MeanLevel, span: list[datetime]) -> bool:
    return (level.until is None or level.until > span[0]) and (level.since is None or level.since < span[1])


def _levels(levels: list[MeanLevel], span: list[datetime]) -> list[alt.Chart]:
    if not levels:
        return []
    rows = [
        {
            "name": each.name,
            "value": each.value,
            "since": max(each.since or span[0], span[0]),
            "until": min(each.until or span[1], span[1]),
        }
        for each in levels
    ]
    drawn = alt.Chart(pl.DataFrame(rows))
    tips = [alt.Tooltip("name:N"), alt.Tooltip("value:Q", format=".4~g")]
    return [
        drawn.mark_rule(color=AMBER, strokeWidth=2.5, strokeDash=[6, 3]).encode(
            x="since:T", x2="until:T", y="value:Q", tooltip=tips
        )
    ]


def _marks(marks: dict[str, datetime], span: list[datetime]) -> list[alt.Chart]:
    """Lines down through the picture, named on top. A name stands right of its line; left of it where another line
    follows, or the picture ends; and the second of two at its end lower, out of the way of the first."""
    order = sorted(marks.items(), key=lambda each: each[1])
    layers: list[alt.Chart] = []
    for place, (name, at) in enumerate(order):
        base = alt.Chart(pl.DataFrame({"name": [name], "at": [at]})).encode(x="at:T")
        late = (at - span[0]) > LATE * (span[1] - span[0])
        left = late or place + 1 < len(order)
        text = base.mark_text(
            y=8 if late and place else -7,
            dx=-3 if left else 3,
            align="right" if left else "left",
            color=MUTED,
            fontSize=11,
            fontWeight="bold",
        )
        layers += [base.mark_rule(color=MUTED, strokeDash=[5, 3], strokeWidth=2), text.encode(text="name:N")]
    return layers
