"""What all pictures share: title, size, legend, and what to draw where there is nothing.

A width in pixels is for notebooks and files; `container` follows the page, and nobody knows here how wide that is: what
depends on it is an expression that Vega works out. Backgrounds and colours of titles, axes and legends are left to the
theme; distances and sizes are not, since themes made for tall pictures leave small ones no room.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

import altair as alt
import polars as pl

from assent_analytics.charts.palette import MUTED, SPOKEN

Width = int | Literal["container"]
Chart = alt.Chart | alt.LayerChart | alt.FacetChart

SEPARATOR = " · "
LINE = 36
"""So many letters fit under the title of the narrowest picture, one of three on a tablet."""
NARROW = 480
"""Where the plot itself has fewer pixels, legends break into two columns."""
ROOM = {"left": 4, "top": 6, "right": 8, "bottom": 4}
"""Around a picture, in pixels. Streamlit leaves none above a picture that does not say how much it wants."""
CLOSE: dict[str, Any] = {"labelPadding": 6, "titlePadding": 8, "titleFontSize": 12}
"""How far the words of an axis stand from it, as members of `alt.Axis`."""


def heading(text: str, *said: str, offset: int = 12) -> alt.TitleParams:
    """Title, and what is said under it, on as many lines as it needs; `offset` pixels above the plot."""
    lines: list[str] = []
    for each in said:
        longer = f"{lines[-1]}{SEPARATOR}{each}" if lines else each
        lines = [*lines[:-1], longer] if lines and len(longer) <= LINE else [*lines, each]
    subtitle: str | list[str] = lines if len(lines) > 1 else "".join(lines)
    return alt.TitleParams(
        text,
        subtitle=subtitle,
        anchor="start",
        offset=offset,
        fontSize=15,
        subtitleFontSize=12,
        subtitlePadding=4,
        subtitleColor=MUTED,
    )


def counted(n: int, what: str) -> str:
    return f"n = {n:,} {what}"


def never_happened(n: int, simulated: int) -> tuple[str, ...]:
    """What a subtitle has to say about simulated rows, if there are any."""
    if not simulated:
        return ()
    return ("simulated" if simulated >= n else f"{simulated:,} of them simulated",)


def counting(title: str) -> dict[str, Any]:
    """Title and axis of a count, as members of `alt.X` and `alt.Y`."""
    axis = alt.Axis(
        labelExpr="format(datum.value, '~s')",
        labelFlush=False,
        tickCount=5,
        tickMinStep=1,
        gridOpacity=0.35,
        domain=False,
        ticks=False,
        **CLOSE,
    )
    return {"title": title, "axis": axis}


def moments(first: datetime, last: datetime) -> alt.Axis:
    """The axis of a time in UTC, as fine as the span asks for."""
    span = last - first
    if span < timedelta(minutes=3):
        form = "%H:%M:%S"
    elif span < timedelta(days=1):
        form = "%H:%M"
    else:
        form = "%b %-d" if span >= timedelta(days=5) else "%b %-d %H:%M"
    return alt.Axis(format=form, labelOverlap=True, tickCount=5, grid=False, **CLOSE)


def colours(of: Mapping[str, str]) -> dict[str, Any]:
    """Scale and legend of a fixed assignment, as members of `alt.Color`."""
    legend = alt.Legend(
        orient="bottom",
        direction="horizontal",
        columns=alt.ExprRef(f"width < {NARROW} ? 2 : {len(of)}"),
        symbolType="square",
        symbolStrokeWidth=0,
        labelExpr=SPOKEN,
        labelFontSize=12,
        columnPadding=16,
        rowPadding=4,
        padding=0,
        offset=10,
    )
    scale = alt.Scale(domain=list(of), range=list(of.values()))
    # Streamlit turns None into a blank, which is given a line of its own.
    return {"scale": scale, "legend": legend, "title": ""}


def size(chart: Chart, title: alt.TitleParams, width: Width, height: int) -> Chart:
    # Streamlit hands over the rows once the picture stands; it has to be fitted again for them.
    fit = alt.AutoSizeParams(type="fit", contains="padding", resize=True)
    bare = alt.ViewBackground(stroke=None)
    return chart.properties(title=title, width=width, height=height, autosize=fit, view=bare, padding=ROOM)


def nothing(text: str, width: Width, height: int) -> Chart:
    """What stands where there is nothing to show."""
    chart = alt.Chart(pl.DataFrame({"text": ["nothing in this window"]})).mark_text(
        x=alt.ExprRef("width / 2"), y=alt.ExprRef("height / 2"), color=MUTED, fontSize=13, fontStyle="italic"
    )
    return size(chart.encode(text="text:N"), heading(text, "n = 0"), width, height)
