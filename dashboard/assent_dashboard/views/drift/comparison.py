"""The recent days against those before, over every agent, type of action and metric at once.

Keys: `drift_recent` chooses the recent window, `drift_every` all rows or those that drifted; `drift_overview` is the
picture, `drift_rows` the table.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import streamlit as st

from assent.contract.analysis.drift import DriftComparison
from assent_analytics.charts import drift_overview
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import DriftAddress, in_words
from assent_dashboard.views.answers import CachedAnswer
from assent_dashboard.views.answers import asked as ask
from assent_dashboard.views.blocks import empty, picture
from assent_dashboard.views.controls import WIDTH, put, with_chosen
from assent_dashboard.views.drift import words as drift_words
from assent_dashboard.views.drift.data import comparison_frame, load_comparison, possible, recent_of
from assent_dashboard.views.export import draw_export

Coming = Callable[[], CachedAnswer[DriftComparison]]
COLUMNS = {
    "verdict": "Verdict",
    "agent_id": "Agent",
    "action_type": "Type",
    "metric": "Metric",
    "baseline": "Before",
    "recent": "Recent",
    "n_baseline": "n before",
    "n_recent": "n recent",
    "clusters_baseline": "Clusters before",
    "clusters_recent": "Clusters recent",
    "n_effective": "Effective n",
    "basis": "Counted by",
    "standardised": "Same days of the week",
    "unmatched": "Left out",
    "effect": "Effect",
    "effect_low": "95% from",
    "effect_high": "to",
    "p_adjusted": "p, adjusted",
    "test": "Test",
}
FEW, MANY = "Drifted", "All"


def begin_comparison(session: Session, address: DriftAddress) -> Coming | None:
    """Ask for it before it is drawn; None where the window leaves no baseline."""
    recent = recent_of(address)
    if recent is None:
        return None
    return ask("drift_comparison", lambda: load_comparison(session.client, address, recent), (address.scope, recent))


def draw_comparison(address: DriftAddress, coming: Coming | None) -> None:
    st.header("Two windows compared", anchor=False)
    recent = recent_of(address)
    if coming is None or recent is None:
        empty(
            "A window of one day leaves nothing to compare with.",
            "Choose a window of two days or more at the top: its last part is compared with what comes before.",
            key="drift_no_baseline",
        )
        return
    every = _controls(address, recent)
    with st.spinner("Comparing every agent, type and metric", show_time=True):
        comparison = coming().answer
    tested = comparison.total - comparison.insufficient_data
    summary = drift_words.compared(comparison.drifted, tested, comparison.insufficient_data)
    st.markdown(f"**{summary}** {in_words(recent).capitalize()} against the days before, back to {address.window}.")
    st.caption(
        f"Of all that is called drifted, {words.percent(100 * comparison.fdr)} at most are expected to be chance: "
        "p-values are adjusted for everything that was compared (Benjamini and Hochberg), and an effect has to be "
        "large enough to matter, too. Effects lie between -1 and 1; right of zero, recent values are larger. Rows of "
        "one session count once as far as they are alike, which is the effective n; rows without a session count one "
        "by one."
    )
    if not comparison.total:
        empty("Nothing to compare in this window.", "Choose a longer window or fewer filters.", key="drift_nothing")
        return
    frame = comparison_frame(comparison.comparisons)
    picture(drift_overview(frame), f"What changed, by how much: {summary}", key="drift_overview")
    _table(frame if every else frame.filter(pl.col("drifted")), every=every)
    draw_export("drift_comparison", {"comparison": frame}, address.window)


def _controls(address: DriftAddress, recent: str) -> bool:
    """Whether all rows are wanted."""
    key = "drift_recent"
    st.session_state[key] = recent
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Recent days",
            with_chosen(recent, possible(address.days)),
            format_func=lambda each: in_words(each).capitalize(),
            key=key,
            on_change=lambda: put(address, recent=st.session_state[key]),
            width=WIDTH,
        )
        return bool(st.segmented_control("Rows", [FEW, MANY], default=FEW, required=True, key="drift_every") == MANY)


def _table(frame: pl.DataFrame, *, every: bool) -> None:
    if frame.is_empty():
        st.caption("Nothing drifted. “All” shows every row that was compared.")
        return
    shown = frame.select(pl.col(name).alias(title) for name, title in COLUMNS.items())
    number = st.column_config.NumberColumn(format="compact")
    effect = st.column_config.NumberColumn(format="%.3f")
    st.dataframe(
        shown,
        hide_index=True,
        key="drift_rows",
        alt=f"{words.several(frame.height, 'row')} of the comparison, {'all' if every else 'those that drifted'}: "
        "agent, type, metric, before, recent, effect with its interval, adjusted p",
        column_config={
            **dict.fromkeys(("Before", "Recent"), number),
            **dict.fromkeys(("Effect", "95% from", "to"), effect),
            "Effective n": st.column_config.NumberColumn(format="%.0f"),
            "p, adjusted": st.column_config.NumberColumn(format="%.2g"),
        },
    )
