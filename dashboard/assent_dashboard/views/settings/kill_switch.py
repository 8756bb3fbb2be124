"""The section Kill switch: while it is on, guard blocks everything. Operators may use it.

Keys: `switch` holds the state, `halt` and `resume` the buttons.
"""

from __future__ import annotations

from datetime import datetime

import polars as pl
import streamlit as st

from assent import Client, Halt
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.halt import changed
from assent_dashboard.views.settings.dialogs import Confirming, begin

_STYLE = """<style>
.st-key-halt button { background: #b3261e; border-color: #b3261e; color: #fff; min-height: 3.25rem; font-weight: 600; }
.st-key-halt button:hover, .st-key-halt button:focus-visible {
  background: #8c1d18; border-color: #8c1d18; color: #fff;
}
</style>"""


def load(session: Session, _: str | None) -> Halt:
    return session.client.get_halt()


def draw(session: Session, halt: Halt, now: datetime) -> None:
    st.html(_STYLE)
    with st.container(border=True, key="switch"):
        if halt.halted:
            st.header(":red[:material/emergency_home: On: everything is blocked]", anchor=False)
            st.markdown(f"Reason: {words.plain(halt.reason or 'none was given')}")
        else:
            st.header(":green[:material/play_circle: Off: guard decides by policy]", anchor=False)
        st.caption(touched(halt, now))
        if halt.halted:
            st.button(
                "Resume…",
                key="resume",
                icon=":material/play_arrow:",
                type="primary",
                on_click=lambda: begin(_resuming(session.client)),
            )
        else:
            st.button(
                "Stop everything…",
                key="halt",
                icon=":material/emergency_home:",
                on_click=lambda: begin(_halting(session.client)),
            )
    st.markdown(
        "- While it is on, guard answers **block** to every agent of this organization, whatever the policies say, and "
        "the reason is among what the agent is told.\n"
        "- It reaches agents that ask. What is running already is not interrupted.\n"
        "- Approvals that wait keep waiting, and everybody who is signed in sees a banner on every page.\n"
        "- From a terminal: `assent halt on 'the reason'` and `assent halt off`."
    )


def touched(halt: Halt, now: datetime) -> str:
    if halt.changed_at is None:
        return "It was never touched."
    by = f" by **{words.plain(halt.changed_by)}**" if halt.changed_by else ""
    return f"Changed{by} {words.ago(halt.changed_at, now)} ({words.moment(halt.changed_at)})."


def tables(halt: Halt) -> dict[str, pl.DataFrame]:
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "halted": pl.Boolean,
        "reason": pl.String,
        "changed_at": pl.Datetime("us", "UTC"),
        "changed_by": pl.String,
    }
    return {"kill_switch": pl.DataFrame([{name: getattr(halt, name) for name in schema}], schema=schema)}


def _halting(client: Client) -> Confirming:
    def do(reason: str) -> None:
        client.halt(reason)
        changed()

    return Confirming(
        title="Stop everything?",
        says=["Guard blocks every action of every agent, until somebody resumes. Your name stands under it."],
        label="Stop everything",
        icon=":material/emergency_home:",
        do=do,
        done="The kill switch is on",
        asks="Reason",
    )


def _resuming(client: Client) -> Confirming:
    def do(_: str) -> None:
        client.resume()
        changed()

    return Confirming(
        title="Resume?",
        says=["Guard decides by policy again. Agents that were blocked have to ask again."],
        label="Resume",
        icon=":material/play_arrow:",
        do=do,
        done="The kill switch is off",
    )
