"""How well actions passed the five checkpoints: three numbers and, where there is something to draw, the picture."""

from __future__ import annotations

import msgspec
import polars as pl
import streamlit as st

from assent.contract.pcaa import PcaaHealth
from assent_analytics.charts import checkpoint_funnel
from assent_dashboard.views import words

WINDOW = "30d"
CHART_HEIGHT = 340
_NUMBERS = (
    ("Checkpoint coverage", "Of the checkpoints that an action should pass, how many it did; the mean over actions."),
    ("Reached approval", "The share of actions that a person was asked about."),
    ("Evidence completion", "Of the receipts that an action should leave, how many are there; the mean over actions."),
)


def draw_health(health: PcaaHealth | None) -> None:
    st.subheader("Checkpoints of the last 30 days", anchor=False)
    with st.container(key="health"):
        if health is None:
            st.info("The service cannot count this just now; the checks above say why.")
            return
        for column, (label, meaning), (value, n) in zip(st.columns(3), _NUMBERS, numbers(health), strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(label, words.percent(value) if n else words.NOTHING)
                st.caption(f"Over {words.several(n, 'action')}. {meaning}")
        if health.n.checkpointCoverage:
            counts = pl.DataFrame([msgspec.to_builtins(counts) for counts in health.checkpoints])
            with st.container(border=True, key="funnel"):
                st.altair_chart(
                    checkpoint_funnel(counts, simulated=health.simulated, height=CHART_HEIGHT), width="stretch"
                )


def numbers(health: PcaaHealth) -> list[tuple[float, int]]:
    """The three values, 0 to 100, each with its n."""
    return [
        (health.checkpointCoverage, health.n.checkpointCoverage),
        (health.approvalRate, health.n.approvalRate),
        (health.evidenceCompletion, health.n.evidenceCompletion),
    ]
