"""How well actions passed the five checkpoints: three numbers and, where there is something to draw, the picture."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import polars as pl
import streamlit as st

from assent.contract.pcaa import CheckpointCounts, PcaaHealth
from assent_analytics.charts import checkpoint_funnel
from assent_dashboard.views import words
from assent_dashboard.views.pcaa.words import NUMBERS, funnel
from assent_dashboard.views.picture import picture

WINDOW = "30d"
CHART_HEIGHT = 340


def draw_health(health: PcaaHealth | None) -> None:
    st.subheader("Checkpoints of the last 30 days", anchor=False)
    with st.container(key="health"):
        if health is None:
            st.info("The service cannot count this just now; the checks above say why.")
            return
        for column, (_, label, meaning), (value, n) in zip(st.columns(3), NUMBERS, numbers(health), strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(label, words.percent(value) if n else words.NOTHING)
                st.caption(f"Over {words.several(n, 'action')}. {meaning}")
        if health.n.checkpointCoverage:
            draw_funnel(health.checkpoints, health.simulated)


def draw_funnel(checkpoints: Sequence[CheckpointCounts], simulated: int) -> None:
    counts = pl.DataFrame([msgspec.to_builtins(counts) for counts in checkpoints])
    with st.container(border=True, key="funnel"):
        picture(
            checkpoint_funnel(counts, simulated=simulated, height=CHART_HEIGHT),
            funnel(checkpoints),
            counts,
            key="funnel_chart",
        )


def numbers(health: PcaaHealth) -> list[tuple[float, int]]:
    """The three values, 0 to 100, each with its n."""
    return [
        (health.checkpointCoverage, health.n.checkpointCoverage),
        (health.approvalRate, health.n.approvalRate),
        (health.evidenceCompletion, health.n.evidenceCompletion),
    ]
