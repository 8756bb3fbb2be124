"""The page Sessions: those that were told something of late, and each of them as a flow.

A session's address is `/flows?session_id=...`, with the session's id as its program names it.

Keys, besides those of the frame: `flow-<flow_id>` is the line of a session; those of one that is opened are named in
`session.py`.
"""

from __future__ import annotations

import msgspec
import polars as pl
import streamlit as st

from assent.contract.control.flows import Flows, FlowSession
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import FlowsAddress
from assent_dashboard.views.blocks import empty, some
from assent_dashboard.views.controls import here
from assent_dashboard.views.flows import session as one_session
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.links import to_page

TITLE = "Sessions"
LATELY = 200
"""Sessions on a page of the list."""
SNIPPET = """with client.session("bill 17"):
    client.user_said("Please pay the bill in bill.txt")
    client.tool_answered("read_file", text, arguments=["path"])
"""


def show(session: Session) -> None:
    address, _ = here(FlowsAddress)
    session_id = address.session_id
    if session_id is not None:
        scoped_page(
            FlowsAddress,
            TITLE,
            load=lambda session, address: one_session.load(session.client, session_id, address.cursor),
            draw=one_session.draw,
            tables=one_session.tables,
            by=(),
            question=lambda address: (address.session_id, address.cursor),
            events=one_session.EVENTS,
        )(session)
        return
    scoped_page(
        FlowsAddress,
        TITLE,
        load=lambda session, address: one_session.page_at(
            address.cursor,
            lambda cursor: session.client.get_flows(agent_id=address.agent_id, limit=LATELY, cursor=cursor),
        ),
        draw=_draw,
        tables=lambda found: {"sessions": table(found)},
        by=("agent_id",),
        question=lambda address: address.cursor,
        events=one_session.EVENTS,
    )(session)


def _draw(session: Session, address: FlowsAddress, found: Flows) -> None:
    if not found.flows:
        empty(
            "No session of this agent was told anything." if address.agent_id else "No session was told anything yet.",
            "An agent tells its session what the user said and what tools answered; the service keeps digests of it "
            "and no text. Then a flow policy knows where a value comes from, and this page shows it.",
            SNIPPET,
            key="flows_empty",
        )
        return
    st.markdown(f"**{summary(found)}**")
    now = session.clock.now()
    some(found.flows, lambda flow: _line(flow, words.ago(flow.updated_at, now)), name="flows")
    one_session.paging(address, found.next_cursor, "Newest sessions", "Older sessions")


def summary(found: Flows) -> str:
    """How many there are, and what they carry."""
    marked = sum(bool(flow.labels) for flow in found.flows)
    gaps = sum(not flow.complete for flow in found.flows)
    of = "" if found.total == len(found.flows) else f" of the {words.amount(len(found.flows))} on this page"
    carry = f"{words.amount(marked)}{of} {'carries' if marked == 1 else 'carry'} a label"
    missing = f"; of {words.amount(gaps)} not all is known, so their writes ask" if gaps else ""
    were = "was" if found.total == 1 else "were"
    return f"{words.several(found.total, 'session')} {were} told something: {carry}{missing}."


def _line(flow: FlowSession, told: str) -> None:
    with st.container(border=True, key=f"flow-{flow.flow_id}", gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            labels = " ".join(f":orange-badge[{words.plain(label)}]" for label in flow.labels)
            gap = "" if flow.complete else " :red-badge[not all is known]"
            st.markdown(f"**{words.plain(flow.session_id)}** {labels}{gap}", width="content")
            to_page(FlowsAddress, "Open", icon=":material/chevron_right:", session_id=flow.session_id)
        facts = [f"agent {words.plain(flow.agent_id)}"] if flow.agent_id else []
        if flow.root_id != flow.flow_id:
            facts.append(f"begun in {words.plain(flow.parent_session_id)}, which has what was told")
        else:
            facts.append(f"told {words.several(flow.told, 'time')}, {words.several(flow.calls, 'answer')} of tools")
        facts += [f"{words.plain(each.label)} was taken off" for each in flow.removed]
        st.caption(" · ".join([*facts, told]))


def table(found: Flows) -> pl.DataFrame:
    return pl.DataFrame([msgspec.to_builtins(each) for each in found.flows], infer_schema_length=None)
