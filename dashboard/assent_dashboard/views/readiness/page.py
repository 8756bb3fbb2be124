"""The page Readiness: whether agents' actions are governed here, what to do next, and the unknown types of action to
accept.

Selectors that stay the same, as CSS classes `st-key-<key>`: `state` holds the state, `check-again` the button that
asks anew, `shares`, `checks` (the validation steps, each `step-<name>`), `setup`, `states` and `profiles` (each with
`setup-<runtime>`) their parts, `health` the checkpoints, `test-connection` the button of the connection test and
`connection` its result, `known-types` the unknown types with `accept-<n>` for each.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import streamlit as st

from assent import Client
from assent.contract.analysis.readiness import (
    KnownTypesSummary,
    ReadinessShare,
    ReadinessState,
    UnknownType,
    WorkspaceReadiness,
)
from assent.contract.evidence.pcaa import PcaaHealth
from assent.errors import ApiError, AssentError
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import asked, forget
from assent_dashboard.views.frame import beat
from assent_dashboard.views.links import to_page
from assent_dashboard.views.pcaa import WINDOW, draw_health
from assent_dashboard.views.readiness.connection_test import draw_connection_test
from assent_dashboard.views.readiness.setup import draw_profile_setup, draw_setup
from assent_dashboard.views.readiness.steps import SHARE_TITLES, ReadinessStep, share_of, validation_steps

AGE_SECONDS = 10.0
READINESS, HEALTH = "readiness", "readiness_health"


def show(session: Session) -> None:
    st.title("Readiness")
    # Counting checkpoints takes longest with a long history, so it is begun first and waited for last.
    health = asked(HEALTH, lambda: _health(session.client))
    kept = asked(READINESS, session.client.get_readiness)()
    readiness, now = kept.answer, kept.answer.checked_at + timedelta(seconds=kept.age)
    st.set_page_config(page_title=f"{readiness.title} · Readiness")
    draw_state(readiness, now, again=check_again)
    draw_simulated(readiness)
    draw_connection_test(session.client, readiness, now, tested=check_again)
    draw_known_types(session.client, readiness, now, accepted=check_again)
    draw_shares(readiness)
    draw_steps(readiness, now)
    draw_setup(session.client.base_url)
    place = st.container()
    draw_profiles(readiness, session.client.base_url)
    draw_states(readiness)
    with place:
        draw_health(health().answer)
    beat(lambda: False, age=AGE_SECONDS)


def draw_simulated(readiness: WorkspaceReadiness) -> None:
    if readiness.simulated:
        st.info(
            f"**Simulated data.** A simulator made {words.several(readiness.simulated, 'action')} of the last 7 days. "
            "The numbers below count them too.",
            icon=":material/science:",
        )


def check_again() -> None:
    """Ask for the summary at the next look; the checkpoints of a month do not change with one action."""
    forget(READINESS)


def _health(client: Client) -> PcaaHealth | None:
    # The summary says what is the matter, and must be seen then most of all.
    try:
        return client.get_pcaa_health(window=WINDOW)
    except ApiError:
        return None


# The parts of the readiness page that only show what the service said.


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
FIRST = 3
"""So many steps that are not in order are told beside the state; all of them stand below."""
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
        wrong = [step for step in validation_steps(readiness, now) if step.status in ("fail", "warn")]
        for step in wrong[:FIRST]:
            st.markdown(f"{_MARKS[step.status]} **{words.plain(step.title)}**: {words.plain(step.evidence)}")
        if len(wrong) > FIRST:
            st.caption(f"{words.several(len(wrong) - FIRST, 'further step')} below can be looked at, too.")
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
                        to_page(step.seen.page, step.seen.label, icon=":material/arrow_outward:", **step.seen.query)


def step_line(step: ReadinessStep) -> str:
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


# The unknown types of action that agents asked about, each to be accepted with one press.
#
# Selectors that stay the same: `known-types` holds the part, `accept-<n>` the button of each unknown type, in order.


FAILED = "assent_accepting_failed"


def draw_known_types(
    client: Client, readiness: WorkspaceReadiness, now: datetime, accepted: Callable[[], None]
) -> None:
    """Nothing where no policy knows types. `accepted` is called when a type was accepted."""
    found = readiness.known_types
    if found is None:
        return
    st.subheader("Known types of action", anchor=False)
    with st.container(border=True, key="known-types"):
        st.markdown(_summary(found))
        failed = st.session_state.get(FAILED)
        if isinstance(failed, str):
            st.error(words.plain(failed), icon=":material/error:")
        for at, unknown in enumerate(found.unknown):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(_line(unknown, now), width="stretch")
                # Not in a callback, as the connection test is not.
                if st.button("Accept", key=f"accept-{at}", icon=":material/check:"):
                    _accept(client, unknown.action_type)
                    accepted()
                    st.rerun()


def _summary(found: KnownTypesSummary) -> str:
    known = words.several(len(found.known), "type") + (" is" if len(found.known) == 1 else " are") + " known."
    if not found.unknown_total:
        return f"{known} No other was asked about in the last 30 days."
    shown = "" if len(found.unknown) == found.unknown_total else f", the newest {len(found.unknown)} of them here"
    unknown = words.several(found.unknown_total, "unknown type")
    return f"{known} Agents asked about {unknown} in the last 30 days{shown}. What you accept is known from now on."


def _line(unknown: UnknownType, now: datetime) -> str:
    agents = ", ".join(words.plain(each) for each in unknown.agents) or "no agent named"
    asked = words.several(unknown.count, "time")
    return (
        f"**{words.plain(unknown.action_type)}** :gray[{asked}, last {words.ago(unknown.last_seen, now)}, by {agents}]"
    )


def _accept(client: Client, action_type: str) -> None:
    st.session_state.pop(FAILED, None)
    try:
        client.accept_action_type(action_type)
    except AssentError as error:
        st.session_state[FAILED] = f"The type could not be accepted: {str(error).splitlines()[0]}"
