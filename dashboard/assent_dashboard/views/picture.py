"""A picture together with what somebody has of it who cannot see it: what it shows in words, and its numbers as a
table."""

from __future__ import annotations

import polars as pl
import streamlit as st

from assent_analytics.charts.canvas import Chart

ROWS = 1000
"""A table under a picture holds no more; the export holds all."""


def picture(chart: Chart, says: str, numbers: pl.DataFrame | None = None, *, key: str) -> None:
    """Draw `chart`. `says` is read aloud in its place: what is drawn, and what it comes to ("Guard's decisions by day:
    312 allowed, 14 blocked; most blocks on 12 Nov"). `numbers` are what it was drawn from."""
    # Only a container's key becomes a class that tests can look for.
    with st.container(key=f"{key}_picture"):
        st.altair_chart(chart, width="stretch", alt=says)
    if numbers is not None and not numbers.is_empty():
        with st.expander("The picture as a table", key=f"{key}_numbers"):
            st.dataframe(numbers.head(ROWS), hide_index=True, alt=f"The numbers of the picture: {says}")
