"""The parts of the readiness page that only show what the service said."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from assent.contract.readiness import ReadinessShare, ReadinessState, WorkspaceReadiness
from assent_dashboard.views import words
from assent_dashboard.views.links import to_page
from assent_dashboard.views.readiness.setup import draw_profile_setup
from assent_dashboard.views.readiness.steps import SHARE_TITLES, Step, validation_steps

_STATES = {
    ReadinessState.BLOCKED: ("red", ":material/block:"),
    ReadinessState.NEEDS_ATTENTION: ("orange", ":material/notification_important:"),
    ReadinessState.READY_UNVERIFIED: ("blue", ":material/task_alt:"),
    ReadinessState.VERIFIED: ("green", ":material/verified:"),
}
_MARKS = {
    "open": ":gray[:material/pending:]",
    "pass": ":green[:material/check_circle:]",
    "warn": ":orange[:material/warning:]",
    "fail": ":red[:material/error:]",
}
HALF, WIDE = 405, 860
"""Pixels at most: two things side by side on a desk, one under the other on a telephone."""
_LEVELS = "l0: evidence is imported afterwards · l1: guard advises · l2: a person decides · l3: enforced at run time"


def draw_state(readiness: WorkspaceReadiness, now: datetime, again: Callable[[], None]) -> None:
    """The state, large, with what it means and what to do; `again` is called by the button that asks anew."""
    color, icon = _STATES.get(readiness.state, ("gray", ":material/help:"))
    with st.container(border=True, key="state"):
        st.header(f":{color}[{icon}] {words.plain(readiness.title)}", anchor=False)
        st.markdown(words.plain(readiness.meaning))
        st.markdown(f"**Next:** {words.plain(readiness.next_step)}")
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            checked = f"{words.moment(readiness.checked_at)} ({words.ago(readiness.checked_at, now)})"
            st.caption(f"Last checked, by the service's clock: {checked}", width="stretch")
            st.button("Check again", key="check-again", icon=":material/refresh:", on_click=again, type="tertiary")


def draw_shares(readiness: WorkspaceReadiness) -> None:
    st.subheader("The last 7 days", anchor=False)
    with st.container(key="shares"):
        for column, share in zip(st.columns(len(readiness.shares)), readiness.shares, strict=True):
            with column.container(border=True, height="stretch", key=f"share-{share.name}"):
                draw_share(share)


def draw_share(share: ReadinessShare) -> None:
    st.metric(SHARE_TITLES.get(share.name, share.name), words.percent(share.percent))
    st.caption(f"**{share_of(share)}.** {words.plain(share.meaning)}")


def share_of(share: ReadinessShare) -> str:
    """What the percentage is of, or why there is none."""
    if not share.available:
        return "Not available yet"
    return f"{words.amount(share.count)} of {words.amount(share.n)}" if share.n else "Nothing to count yet"


def draw_steps(readiness: WorkspaceReadiness, now: datetime) -> None:
    """What is not in order comes first."""
    st.subheader("Validation steps", anchor=False)
    steps = validation_steps(readiness, now)
    with st.container(border=True, key="checks"):
        passed = sum(step.status == "pass" for step in steps)
        st.caption(
            f"{passed} of {len(steps)} pass. A core step that fails stops governing; any other one only wants to be "
            "looked at."
        )
        with st.container(horizontal=True, gap="medium"):
            for step in steps:
                with st.container(key=f"step-{step.name}", gap=None, width=WIDE if step.todo else HALF):
                    st.markdown(step_line(step))
                    if step.seen is not None:
                        to_page(step.seen.path, step.seen.label, step.seen.query, icon=":material/arrow_outward:")


def step_line(step: Step) -> str:
    mark = _MARKS.get(step.status, ":gray[:material/help:]")
    core = " :gray-badge[core]" if step.core else ""
    looked = f"  \n:small[:gray[{words.plain(step.looked)}]]" if step.looked else ""
    todo = f"  \n**To do:** {step.todo}" if step.todo else ""
    return f"{mark} **{words.plain(step.title)}**{core}  \n{words.plain(step.evidence)}{todo}{looked}"


def draw_states(readiness: WorkspaceReadiness) -> None:
    """The four states, with the present one marked."""
    st.subheader("What the states mean", anchor=False)
    with st.container(border=True, horizontal=True, gap="medium", key="states"):
        for meaning in readiness.states:
            color, icon = _STATES.get(meaning.state, ("gray", ":material/help:"))
            here = " :blue-badge[now]" if meaning.state is readiness.state else ""
            st.markdown(
                f":{color}[{icon}] **{words.plain(meaning.title)}**{here}  \n{words.plain(meaning.meaning)}  \n"
                f"*{words.plain(meaning.next_step)}*",
                width=HALF,
            )


def draw_profiles(readiness: WorkspaceReadiness, base_url: str) -> None:
    """The three kinds of runtime. They say how approval and evidence work, not who hosts the service."""
    st.subheader("Runtime profiles", anchor=False)
    st.caption("How approval and evidence work where agents run. They do not say who hosts the service.")
    with st.container(key="profiles"):
        for column, profile in zip(st.columns(len(readiness.profiles)), readiness.profiles, strict=True):
            with column.container(border=True, height="stretch", key=f"profile-{profile.runtime}"):
                st.markdown(f"**{words.plain(profile.name)}**")
                st.markdown(
                    f":gray[Governance range]  \n{words.plain(profile.governance_range.replace('->', '→'))}\n\n"
                    f":gray[Surface path]  \n{words.plain(profile.surface_path)}\n\n"
                    f":gray[Approval]  \n{words.plain(profile.approval)}\n\n"
                    f":gray[Evidence]  \n{words.plain(profile.evidence)}"
                )
                draw_profile_setup(profile, base_url)
    st.caption(_LEVELS)
