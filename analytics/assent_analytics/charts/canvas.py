"""What all pictures share: title, size, legend, and what to draw where there is nothing.

A width in pixels is for notebooks and files; `container` follows the page. Backgrounds and colours of titles and axes
are left to the theme.
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
LINE = 46
"""So many letters fit under the title of a picture as wide as a telephone."""
NARROW = 480
"""Below this many pixels legends break into two columns."""


def heading(text: str, *said: str) -> alt.TitleParams:
    """Title, and what is said under it, on two lines when it is long."""
    subtitle: str | list[str] = SEPARATOR.join(said)
    if len(subtitle) > LINE and len(said) > 1:
        half = (len(said) + 1) // 2
        subtitle = [SEPARATOR.join(said[:half]), SEPARATOR.join(said[half:])]
    return alt.TitleParams(
        text, subtitle=subtitle, anchor="start", offset=12, fontSize=15, subtitleFontSize=12, subtitlePadding=4
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
        labelExpr="format(datum.value, '~s')", tickCount=5, tickMinStep=1, gridOpacity=0.35, domain=False, ticks=False
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
    return alt.Axis(format=form, labelOverlap=True, tickCount=5, grid=False)


def colours(of: Mapping[str, str], title: str | None, width: Width) -> dict[str, Any]:
    """Scale and legend of a fixed assignment, as members of `alt.Color`."""
    columns = 2 if width != "container" and width < NARROW else len(of)
    legend = alt.Legend(
        orient="bottom", direction="horizontal", columns=columns, symbolType="square", labelExpr=SPOKEN, offset=8
    )
    scale = alt.Scale(domain=list(of), range=list(of.values()))
    return {"scale": scale, "legend": legend, "title": title}


def size(chart: Chart, title: alt.TitleParams, width: Width, height: int) -> Chart:
    fit = alt.AutoSizeParams(type="fit", contains="padding")
    bare = alt.ViewBackground(stroke=None)
    return chart.properties(title=title, width=width, height=height, autosize=fit, view=bare)


def nothing(text: str, width: Width, height: int) -> Chart:
    """What stands where there is nothing to show."""
    chart = alt.Chart(pl.DataFrame({"text": ["nothing in this window"]})).mark_text(
        x=alt.ExprRef("width / 2"), y=alt.ExprRef("height / 2"), color=MUTED, fontSize=13, fontStyle="italic"
    )
    return size(chart.encode(text="text:N"), heading(text, "n = 0"), width, height)
