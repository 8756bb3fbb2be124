"""The connection test: one button, the steps as they came, and the way to the action."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from assent import Client
from assent.contract.analysis.readiness import ConnectionStep, ConnectionTest, LastTest, WorkspaceReadiness
from assent.errors import AssentError
from assent_dashboard.views import words
from assent_dashboard.views.links import to_ledger

STATE, FAILED = "assent_connection_test", "assent_connection_failed"
_STEPS = {
    "guard": "Guard decided",
    "log": "Written to the evidence log",
    "tables": "Found in the tables",
    "stream": "Heard on the live stream",
    "outcome": "Outcome recorded",
}


def draw_connection_test(
    client: Client, readiness: WorkspaceReadiness, now: datetime, tested: Callable[[], None]
) -> None:
    """`tested` is called when a test is run, since the summary then says something else."""
    st.subheader("Connection test", anchor=False)
    with st.container(border=True, key="connection"):
        st.markdown("Creates one action, of type `connection_test`, and follows it through the service.")
        with st.container(horizontal=True, vertical_alignment="center"):
            pressed = st.button(
                "Test the connection", key="test-connection", type="primary", icon=":material/network_check:"
            )
            st.caption(newest(readiness.last_test, now), width="stretch")
        # Not in a callback: one that takes its time may be called a second time by a beat of the same moment, and what
        # it has to say be lost.
        if pressed:
            tested()
            with st.spinner("Following one action through the service"):
                _run(client)
            st.rerun()
        failed, test = st.session_state.get(FAILED), st.session_state.get(STATE)
        if isinstance(failed, str):
            st.error(words.plain(failed), icon=":material/error:")
        elif isinstance(test, ConnectionTest):
            _draw(test)


def newest(last: LastTest | None, now: datetime) -> str:
    if last is None:
        return "It has not been run yet."
    return f"The newest one {'passed' if last.passed else 'did not pass'}, {words.ago(last.at, now)}."


def _run(client: Client) -> None:
    for name in (FAILED, STATE):
        st.session_state.pop(name, None)
    try:
        st.session_state[STATE] = client.test_connection()
    except AssentError as error:
        st.session_state[FAILED] = f"The test could not be run: {str(error).splitlines()[0]}"


def _draw(test: ConnectionTest) -> None:
    for step in test.steps:
        st.markdown(step_line(step))
    with st.container(horizontal=True, vertical_alignment="center"):
        if test.passed:
            st.badge(f"Passed in {took(test)}", icon=":material/check:", color="green")
        else:
            st.badge("Did not pass", icon=":material/error:", color="red")
        to_ledger(test.action.action_id, "See the action in the ledger")


def step_line(step: ConnectionStep) -> str:
    mark = ":green[:material/check_circle:]" if step.status == "pass" else ":red[:material/error:]"
    title = _STEPS.get(step.name, step.name)
    return (
        f"{mark} **{words.plain(title)}** :gray[{words.plain(at(step))}]  \n:small[:gray[{words.plain(step.detail)}]]"
    )


def at(step: ConnectionStep) -> str:
    return f"after {words.exact(step.milliseconds / 1000)}"


def took(test: ConnectionTest) -> str:
    return words.exact(max((step.milliseconds for step in test.steps), default=0.0) / 1000)
