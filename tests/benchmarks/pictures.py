"""The pictures of docs/measurements.md: `python -m tests.benchmarks.pictures` draws them from what `record` and
`growth` have kept."""

from __future__ import annotations

from typing import Any

import altair as alt
import polars as pl
import vl_convert

from tests.benchmarks import growth
from tests.benchmarks.processes import ROOT
from tests.benchmarks.record import Line, lines

FOLDER = ROOT / "docs" / "pictures"
SHOWN = ("guard, answering", "guard, all", "creation, answering")
NAMES = {"actions": "past actions", "agents": "agents", "policies": "policies"}
WIDTH, HEIGHT = 220, 150


def history(measured: list[Line]) -> alt.VConcatChart:
    """A row for each of SHOWN, a column for each number of connections, the commits from left to right."""
    rows = [
        {
            "commit": line.commit[:7],
            "work": work,
            "connections": int(connections),
            "median": figures[0],
            "least": figures[1],
            "greatest": figures[2],
        }
        for line in measured
        for work, by in line.ratios.items()
        for connections, figures in by.items()
        if work in SHOWN
    ]
    frame = pl.DataFrame(rows)
    order = [line.commit[:7] for line in measured]
    x = alt.X("commit:N", sort=order, title=None, axis=alt.Axis(labelAngle=-60))
    return alt.vconcat(
        *(
            alt.hconcat(
                *(
                    _panel(
                        frame.filter(pl.col("work") == work, pl.col("connections") == connections), x, work, connections
                    )
                    for connections in sorted(frame["connections"].unique())
                )
            )
            for work in SHOWN
        )
    )


def _panel(frame: pl.DataFrame, x: alt.X, work: str, connections: int) -> alt.LayerChart | alt.FacetChart:
    base = alt.Chart(frame, width=WIDTH, height=HEIGHT, title=f"{work}, {connections} at once").encode(x=x)
    return alt.layer(
        base.mark_rule(color="#6b7280").encode(
            alt.Y("least:Q", title="times the bare application"), alt.Y2("greatest")
        ),
        base.mark_line(color="#1d4ed8").encode(y="median:Q"),
        base.mark_point(color="#1d4ed8", filled=True).encode(y="median:Q"),
    )


def growing(dimensions: dict[str, list[growth.Size]]) -> alt.HConcatChart:
    """What answering a guard costs by size, as times the smallest, with the goal as a dashed line."""
    return alt.hconcat(*(_curve(name, sizes) for name, sizes in sorted(dimensions.items())))


def _curve(name: str, sizes: list[growth.Size]) -> alt.LayerChart | alt.FacetChart:
    frame = pl.DataFrame(
        [{"size": each.size, "ratio": each.ratio, "low": each.low, "high": each.high} for each in sizes]
    )
    base = alt.Chart(frame, width=WIDTH, height=HEIGHT, title=NAMES[name]).encode(
        alt.X(
            "size:Q",
            title=None,
            scale=alt.Scale(type="log"),
            axis=alt.Axis(values=frame["size"].to_list(), labelExpr="format(datum.value, ',')"),
        )
    )
    height = alt.Y("ratio:Q", title="times the smallest", scale=alt.Scale(domainMin=0))
    goal = (
        alt.Chart(pl.DataFrame({"goal": [growth.GOAL]}))
        .mark_rule(color="#6b7280", strokeDash=[4, 4])
        .encode(y="goal:Q")
    )
    return alt.layer(
        base.mark_rule(color="#6b7280").encode(alt.Y("low:Q"), alt.Y2("high")),
        base.mark_line(color="#1d4ed8").encode(height),
        base.mark_point(color="#1d4ed8", filled=True).encode(height),
        goal,
    )


def draw(name: str, chart: Any) -> None:
    svg = vl_convert.vegalite_to_svg(chart.configure(background="#ffffff").to_dict(), vl_version="6.4")
    (FOLDER / f"{name}.svg").write_text(svg + "\n", encoding="utf-8")


def main() -> None:
    measured, dimensions = lines(), growth.kept()
    if not measured:
        raise SystemExit("Nothing has been measured yet: `make bench` writes the first line")
    draw("speed-history", history(measured))
    if dimensions:
        draw("speed-growth", growing(dimensions))


if __name__ == "__main__":
    main()
