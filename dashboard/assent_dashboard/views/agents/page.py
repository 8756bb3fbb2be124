"""The page Agents: who is there, who fell silent, and what each one does.

`/agents` is the list, `?presence=online` and `?provider=` narrow it; `?agent_id=` opens one, in `?window=`.

Keys: `agents_presence` and `agents_provider` narrow the list; `agent-<agent_id>` is the line of one; those of one that
is opened are named in `detail.py`.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial

import streamlit as st

from assent import EventName
from assent.contract.agents import AgentPresence
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.agents import detail, opened
from assent_dashboard.views.agents.presence import LOOKS, Presence, badge, doing, heard, presence
from assent_dashboard.views.agents.roster import (
    Narrowed,
    Roster,
    Row,
    connected_to,
    load,
    read,
    signals_of,
    summary,
    table,
)
from assent_dashboard.views.empty import empty
from assent_dashboard.views.links import to_page
from assent_dashboard.views.names import names
from assent_dashboard.views.rows import some
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scope_controls import with_chosen
from assent_dashboard.views.scoped_page import scoped_page

EVENTS = frozenset({EventName.CONNECTION_REPORTED, EventName.SIGNAL_DETECTED})
ANY, WIDTH = "Any presence", 165
SNIPPET = """from assent import Client

with Client(agent_id="my-agent", agent_name="My agent") as client:
    client.heartbeat("working", current_task_id="task-1")    # every minute or so
    ...
    client.heartbeat("offline")                              # when it goes
"""


def show(session: Session) -> None:
    address = st.query_params.to_dict()
    # A link from another page reaches the script and not the browser's address; saying it again does.
    st.query_params.from_dict(address)
    agent_id = address.get("agent_id", "").strip()
    if agent_id:
        scoped_page(
            "agents",
            "Agents",
            load=partial(_load_one),
            draw=detail.draw,
            tables=opened.tables,
            by=("window", "agent_id"),
            events=EVENTS,
        )(session)
        return
    narrowed, problems = read(address)
    recent = names(session).agents
    scoped_page(
        "agents",
        "Agents",
        load=lambda session, _: load(session, narrowed, recent),
        draw=partial(_draw, narrowed),
        tables=lambda roster: {"agents": table(roster)},
        by=("agent_id",),
        question=narrowed,
        above=lambda: _above(problems),
        events=EVENTS,
    )(session)


def _load_one(session: Session, scope: Scope) -> opened.Opened:
    assert scope.agent_id is not None, "only an address with an agent opens one"
    return opened.load(session, scope, scope.agent_id)


def _above(problems: list[str]) -> None:
    for problem in problems:
        st.warning(words.plain(problem), icon=":material/warning:")


def _draw(narrowed: Narrowed, session: Session, scope: Scope, roster: Roster) -> None:
    now = session.clock.now()
    _narrow(narrowed, roster)
    if not roster.rows and not roster.unheard:
        _nobody(narrowed)
        return
    st.markdown(f"**{summary(roster)}**")
    some(roster.rows, lambda row: _line(row, scope, now), name="agents")
    if roster.left_out:
        st.caption(
            f"These were heard of last; {words.amount(roster.left_out)} more are not looked at here. "
            "Type the id of any agent above to open it."
        )
    if roster.unheard:
        st.header("Known from recorded actions alone", anchor=False)
        st.caption(LOOKS[Presence.HISTORY].means)
        some(roster.unheard, lambda row: _line(row, scope, now), name="unheard_agents")
    with st.expander("What the words mean", key="agents_words"):
        for each, look in LOOKS.items():
            st.markdown(f"{badge(each)} {look.means}")


def _line(row: Row, scope: Scope, now: datetime) -> None:
    agent = row.agent
    with st.container(border=True, key=f"agent-{row.agent_id}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            name = f" · {words.plain(row.name)}" if row.name and row.name != row.agent_id else ""
            st.markdown(f"{badge(presence(agent))} **{words.plain(row.agent_id)}**{name}", width="content")
            to_page(
                "agents", "Open", {"agent_id": row.agent_id, "window": scope.window}, icon=":material/chevron_right:"
            )
        if row.signals:
            st.markdown(signals_of(row))
        facts = [] if agent is None else [heard(agent, now), *([doing(agent)] if doing(agent) else [])]
        if agent is not None and agent.actions is not None:
            facts.append(f"{words.several(agent.actions, 'action')} in all")
        if row.connections:
            facts.append(f"connected to {connected_to(row)}")
        if facts:
            st.caption(" · ".join(facts))


def _narrow(narrowed: Narrowed, roster: Roster) -> None:
    st.session_state["agents_presence"] = narrowed.presence or ANY
    st.session_state["agents_provider"] = narrowed.provider
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="agents_narrow"):
        st.segmented_control(
            "Presence",
            [ANY, *AgentPresence],
            format_func=lambda each: ANY if each == ANY else str(each).capitalize(),
            required=True,
            key="agents_presence",
            on_change=_put,
            args=("presence",),
            label_visibility="collapsed",
        )
        if roster.providers or narrowed.provider:
            st.selectbox(
                "Provider",
                with_chosen(narrowed.provider, roster.providers),
                format_func=words.clean,
                index=None,
                placeholder="Any provider",
                key="agents_provider",
                on_change=_put,
                args=("provider",),
                width=WIDTH,
                label_visibility="collapsed",
            )


def _put(name: str) -> None:
    chosen = st.session_state[f"agents_{name}"]
    if chosen and chosen != ANY:
        st.query_params[name] = str(chosen)
    else:
        st.query_params.pop(name, None)


def _nobody(narrowed: Narrowed) -> None:
    if narrowed != Narrowed():
        st.info("No agent fits your choice.", icon=":material/filter_alt_off:")
        return
    empty(
        "No agent has called yet.",
        "An agent appears with its first call. With heartbeats you also see how it is, and that it fell silent.",
        SNIPPET,
        key="agents_empty",
    )
