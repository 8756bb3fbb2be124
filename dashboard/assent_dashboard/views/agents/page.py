"""The page Agents: who is there, who fell silent, and what each one does.

Keys: `agents_presence` and `agents_provider` narrow the list; `agent-<agent_id>` is the line of one; those of one that
is opened are named in `detail.py`.
"""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent import EventName
from assent.contract.people.agents import AgentPresence
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import AgentsAddress, Scope
from assent_dashboard.views.agents import agent
from assent_dashboard.views.agents.roster import (
    LOOKS,
    PresenceLabel,
    Roster,
    RosterRow,
    badge,
    connected_to,
    doing,
    heard,
    load,
    presence,
    signalled,
    signals_of,
    summary,
    table,
)
from assent_dashboard.views.blocks import empty, some
from assent_dashboard.views.controls import choose, here, names, put
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.links import to_page

EVENTS = frozenset({EventName.CONNECTION_REPORTED, EventName.SIGNAL_DETECTED})
ANY = "Any presence"
SNIPPET = """from assent import Client

with Client(agent_id="my-agent", agent_name="My agent") as client:
    client.heartbeat("working", current_task_id="task-1")    # every minute or so
    ...
    client.heartbeat("offline")                              # when it goes
"""


def show(session: Session) -> None:
    address, _ = here(AgentsAddress)
    agent_id = address.agent_id
    if agent_id is not None:
        scoped_page(
            AgentsAddress,
            "Agents",
            load=lambda session, address: agent.load(session, address.scope, agent_id),
            draw=agent.draw,
            tables=agent.tables,
            by=("window", "agent_id"),
            events=EVENTS,
        )(session)
        return
    recent = names(session).agents
    scoped_page(
        AgentsAddress,
        "Agents",
        load=lambda session, address: load(session, address, recent),
        draw=_draw,
        tables=lambda roster: {"agents": table(roster)},
        by=("agent_id",),
        question=lambda address: (address.presence, address.provider),
        events=EVENTS,
    )(session)


def _draw(session: Session, address: AgentsAddress, roster: Roster) -> None:
    now = session.clock.now()
    there = bool(roster.rows or roster.unheard)
    if there:
        st.markdown(f"**{summary(roster)} {signalled(roster)}**")
    _narrow(address, roster)
    if not there:
        _nobody(address)
        return
    some(roster.rows, lambda row: _line(row, address, now), name="agents")
    if roster.left_out:
        st.caption(
            f"These were heard of last; {words.amount(roster.left_out)} more are not looked at here. "
            "Type the id of any agent above to open it."
        )
    if roster.unheard:
        st.header("Known from recorded actions alone", anchor=False)
        st.caption(LOOKS[PresenceLabel.HISTORY].means)
        some(roster.unheard, lambda row: _line(row, address, now), name="unheard_agents")
    with st.expander("What the words mean", key="agents_words"):
        for each, look in LOOKS.items():
            st.markdown(f"{badge(each)} {look.means}")


def _line(row: RosterRow, scope: Scope, now: datetime) -> None:
    agent = row.agent
    with st.container(border=True, key=f"agent-{row.agent_id}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            name = f" · {words.plain(row.name)}" if row.name and row.name != row.agent_id else ""
            st.markdown(f"{badge(presence(agent))} **{words.plain(row.agent_id)}**{name}", width="content")
            to_page(AgentsAddress, "Open", icon=":material/chevron_right:", agent_id=row.agent_id, window=scope.window)
        if row.signals:
            st.markdown(signals_of(row))
        facts = [] if agent is None else [heard(agent, now), *([doing(agent)] if doing(agent) else [])]
        if agent is not None and agent.actions is not None:
            facts.append(f"{words.several(agent.actions, 'action')} in all")
        if row.connections:
            facts.append(f"connected to {connected_to(row)}")
        if facts:
            st.caption(" · ".join(facts))


def _narrow(address: AgentsAddress, roster: Roster) -> None:
    st.session_state["agents_presence"] = address.presence or ANY
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="agents_narrow"):
        st.segmented_control(
            "Presence",
            [ANY, *AgentPresence],
            format_func=lambda each: ANY if each == ANY else str(each).capitalize(),
            required=True,
            key="agents_presence",
            on_change=lambda: _put_presence(address),
            label_visibility="collapsed",
        )
        if roster.providers or address.provider:
            choose(address, "provider", "Provider", roster.providers, nothing="Any provider", labelled=False)


def _put_presence(address: AgentsAddress) -> None:
    chosen = st.session_state["agents_presence"]
    put(address, presence=None if chosen in (None, ANY) else str(chosen))


def _nobody(address: AgentsAddress) -> None:
    if address.presence or address.provider:
        st.info("No agent fits your choice.", icon=":material/filter_alt_off:")
        return
    empty(
        "No agent has called yet.",
        "An agent appears with its first call. With heartbeats you also see how it is, and that it fell silent.",
        SNIPPET,
        key="agents_empty",
    )
