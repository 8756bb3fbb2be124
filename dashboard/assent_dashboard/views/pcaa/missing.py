"""What is missing most, with the way to the actions that lack it; and whose actions they are."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st

from assent.contract.actions import ActionStatus
from assent.contract.pcaa import CheckpointId
from assent.contract.pcaa_gaps import PcaaGap, PcaaGaps, PcaaGroup
from assent_analytics.charts import estimates
from assent_dashboard.views import words
from assent_dashboard.views.links import to_ledger, to_page
from assent_dashboard.views.pcaa.data import groups_of
from assent_dashboard.views.pcaa.words import EXPLAINED, NUMBERS, estimated, gap, title
from assent_dashboard.views.picture import picture

SHOWN, STEP = "assent_pcaa_shown", 8
UNNAMED = "not said"


def draw_missing(gaps: PcaaGaps, window: str) -> None:
    st.header("What is missing most", anchor=False)
    found = gaps.gaps
    with st.container(border=True, key="pcaa_missing"):
        if not found:
            st.markdown(
                ":green[:material/check_circle:] **Nothing is missing.** Every checkpoint that an action owed is "
                "answered, or may still be."
            )
            return
        shown = int(st.session_state.get(SHOWN, STEP))
        for number, each in enumerate(found[:shown]):
            _draw(each, window, number)
        left = len(found) - shown
        if left > 0:
            st.button(f"Show {min(STEP, left)} more of {left}", key="pcaa_more", on_click=_more)
        more = gaps.not_shown.get("gaps", 0)
        if more and left <= 0:
            st.caption(f"{words.amount(more)} smaller ones are not listed; choose an agent or a type to see them.")
        st.markdown("**What to do**")
        st.markdown("\n".join(f"- {title(each)}: {EXPLAINED[each].remedy}" for each in lacking(found)))


def lacking(gaps: Sequence[PcaaGap]) -> list[CheckpointId]:
    """The checkpoints that are missing anywhere, in their order."""
    found = {each.id for each in gaps}
    return [each for each in CheckpointId if each in found]


def draw_groups(gaps: PcaaGaps) -> None:
    st.header("Whose actions", anchor=False)
    with st.container(border=True, key="pcaa_groups"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            by = st.segmented_control("By", list(groups_of(gaps)), default="Agent", required=True, key="pcaa_by")
            names = {name.capitalize(): (name, label) for name, label, _ in NUMBERS}
            chosen = st.segmented_control("Number", list(names), default="Coverage", required=True, key="pcaa_number")
        by = by or "Agent"
        name, number = names[chosen or "Coverage"]
        groups = groups_of(gaps)[by]
        rows = estimate_rows(groups, name)
        chart = estimates(
            rows,
            title=f"{number} by {by.lower()}",
            axis=number.lower(),
            form=".0%",
            n=gaps.all.n,
            what="actions",
            simulated=gaps.all.simulated,
        )
        picture(chart, said(rows, number, by), key="pcaa_estimates")
        table = group_rows(groups, by)
        st.dataframe(
            table,
            hide_index=True,
            key="pcaa_table",
            alt=f"One row for each {by.lower()}: actions, incomplete ones, and the three numbers with intervals.",
        )
        more = gaps.not_shown.get(f"by_{by.lower()}", 0)
        if more:
            st.caption(f"{words.amount(more)} with fewer incomplete actions are not listed.")


def estimate_rows(groups: Sequence[PcaaGroup], name: str) -> pl.DataFrame:
    """The picture's rows, shares from 0 to 1."""
    found = [(group, getattr(group, name)) for group in groups]
    known = [(group, each) for group, each in found if each.value is not None]
    return pl.DataFrame(
        {
            "name": [named(group) for group, _ in known],
            "value": [each.value / 100 for _, each in known],
            "low": [each.low / 100 for _, each in known],
            "high": [each.high / 100 for _, each in known],
            "n": [group.n for group, _ in known],
        },
        schema={"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64},
    )


def group_rows(groups: Sequence[PcaaGroup], by: str) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                by: named(group),
                "Actions": group.n,
                "Incomplete": group.incomplete,
                **{label: estimated(getattr(group, name)) for name, label, _ in NUMBERS},
            }
            for group in groups
        ]
    )


def said(rows: pl.DataFrame, number: str, by: str) -> str:
    """The picture in words."""
    told = [
        f"{name} {words.percent(100 * value)} (95 %: {100 * low:.1f} to {100 * high:.1f}, n = {n})"
        for name, value, low, high, n in rows.head(8).iter_rows()
    ]
    return f"{number} by {by.lower()}: {'; '.join(told) or 'nothing'}."


def named(group: PcaaGroup) -> str:
    return words.clean(group.name) if group.name else UNNAMED


def _draw(each: PcaaGap, window: str, number: int) -> None:
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        key=f"pcaa_gap_{number}",
    ):
        st.markdown(gap(each), width="content")
        with st.container(horizontal=True, width="content"):
            to_ledger(each.newest_action_id, "The newest")
            to_page("ledger", "All of its kind", of_its_kind(each, window), icon=":material/list:")


def of_its_kind(each: PcaaGap, window: str) -> dict[str, str]:
    """The ledger's address of the actions among which the lacking ones are; without an outcome, those that run."""
    query = {"window": window, "action_type": each.action_type}
    if each.agent_id:
        query["agent_id"] = each.agent_id
    if each.id is CheckpointId.OUTCOME_CLOSURE:
        query["status"] = ActionStatus.RUNNING.value
    return query


def _more() -> None:
    st.session_state[SHOWN] = int(st.session_state.get(SHOWN, STEP)) + STEP
