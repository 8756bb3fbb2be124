"""One session as a flow: what happened in a sentence, the picture, its labels, and each step.

Keys: `flow_sentence`, `flow_chart_picture`, `flow_labels` (a popover) with `flow_label`, `flow_reason`, `flow_remove`
and `flow_reread`, `flow_steps`, and `flow_step_<number>` for each call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from assent import Client, EventName, InvalidRequest
from assent.contract.control.flow_steps import FlowAsked, FlowStep, FlowSteps
from assent.contract.control.flows import FlowSession
from assent.contract.control.guard import Source
from assent.contract.names import same_name
from assent.contract.roles import OPERATING
from assent.origins import origins
from assent_analytics.charts import session_flow
from assent_analytics.flow_steps import first_step, label_spans, looked_at, step_frame, value_frame
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import ApprovalsAddress, FlowsAddress
from assent_dashboard.views.answers import forget
from assent_dashboard.views.blocks import empty, picture, some
from assent_dashboard.views.export import Tables
from assent_dashboard.views.flows.words import (
    LONGEST_REASON,
    MEANINGS,
    spoken_picture,
    summary,
    told_by,
    told_line,
    value_line,
    verdict,
)
from assent_dashboard.views.links import to_ledger, to_page
from assent_dashboard.views.press import attempt, draw_report, report

T = TypeVar("T")
PAGE = FlowsAddress.page
MOST_STEPS = 1000
"""Of one page."""
LONGEST_WHY = 500
EVENTS = frozenset(
    {
        EventName.FLOW_SESSION_CREATED,
        EventName.FLOW_SESSION_UPDATED,
        EventName.GUARD_DECISION_CREATED,
        EventName.ACTION_CREATED,
        EventName.ACTION_UPDATED,
        EventName.APPROVAL_DECIDED,
    }
)
LABEL, REASON, BEGUN = "flow_label", "flow_reason", "flow_begun"
"""The last one is kept in the state: which session, and how often it was told something, when somebody began to write
why its labels may go."""


def page_at(cursor: str | None, ask: Callable[[str | None], T]) -> T:
    """What the address names; the first page where it names one that is none."""
    try:
        return ask(cursor)
    except InvalidRequest:
        if cursor is None:
            raise
        return ask(None)


def paging(address: FlowsAddress, cursor: str | None, first: str, following: str) -> None:
    """The way to the next page, and to the first one. Key: `flows_paging`."""
    if cursor is None and address.cursor is None:
        return
    with st.container(key="flows_paging", horizontal=True, horizontal_alignment="center"):
        if address.cursor is not None:
            to_page(address.at(None), first, icon=":material/first_page:")
        if cursor is not None:
            to_page(address.at(cursor), following, icon=":material/chevron_right:")


@dataclass(frozen=True)
class Opened:
    """`steps` is None where nothing was told of a session of this name."""

    session_id: str
    steps: FlowSteps | None


def load(client: Client, session_id: str, cursor: str | None = None) -> Opened:
    """The page of steps that the address names, or the last one."""
    known = client.get_flows(session_id=session_id, limit=1).flows
    if not known:
        return Opened(session_id, None)
    flow_id = known[0].flow_id
    return Opened(session_id, page_at(cursor, lambda at: client.get_flow_steps(flow_id, limit=MOST_STEPS, cursor=at)))


def tables(opened: Opened) -> Tables:
    if opened.steps is None:
        return {}
    return {"steps": step_frame(opened.steps), "values": value_frame(opened.steps)}


def draw(session: Session, address: FlowsAddress, opened: Opened) -> None:
    to_page(FlowsAddress, "All sessions", icon=":material/arrow_back:")
    paging(address, None if opened.steps is None else opened.steps.next_cursor, "Latest steps", "Earlier steps")
    draw_report()
    st.header(words.plain(opened.session_id), anchor=False)
    found = opened.steps
    if found is None:
        empty(
            "Nothing was told of this session.",
            "So nobody knows where a value in its calls came from, and a flow policy asks about whatever it writes. "
            "Its agent tells it with `user_said` and `tool_answered`; check the id if you expected something here.",
            key="flow_untold",
        )
        return
    flow = found.flow
    if flow.session_id != opened.session_id:
        st.caption(f"It was begun inside of session {words.code(flow.session_id)}, whose steps these are.")
    with st.container(key="flow_sentence"):
        st.markdown(f"**{summary(found)}**")
    for gap in gaps(found):
        st.caption(f":red[:material/help:] {gap}")
    picture(session_flow(found), spoken_picture(found), key="flow_chart")
    _labels(session, found)
    st.header("Step by step", anchor=False)
    st.caption(MEANINGS)
    looked = {number for number, _ in looked_at(found)}
    with st.container(key="flow_steps", gap="small"):
        some(
            list(enumerate(found.steps, first_step(found))),
            lambda each: _step(found, each[0], each[1], looked),
            name=f"flow_{flow.flow_id}",
        )


def gaps(found: FlowSteps) -> list[str]:
    """What is not known of the session, and not shown."""
    said: list[str] = []
    if found.missing:
        said.append(
            f"It was told something {words.several(found.missing, 'time')} that is erased, so a value may have "
            "stood there: calls ask."
        )
    elif not found.flow.complete:
        said.append("Not everything that it was told is kept, so a value may have stood there: calls ask.")
    if found.total > len(found.steps):
        first, last = words.amount(found.before + 1), words.amount(found.before + len(found.steps))
        said.append(f"These are steps {first} to {last} of {words.amount(found.total)}.")
    return said


def _step(found: FlowSteps, number: int, step: FlowStep, looked: set[int]) -> None:
    if step.told is not None:
        inside = "" if step.told.session_id == found.flow.session_id else f" · in {words.code(step.told.session_id)}"
        st.markdown(told_line(number, step.told) + inside + told_by(found.flow, step.told))
    elif step.asked is not None:
        _call(found, number, step.asked, number in looked)


def _call(found: FlowSteps, number: int, asked: FlowAsked, looked: bool) -> None:
    with st.container(border=True, key=f"flow_step_{number}", gap="xsmall"):
        tool = words.code(asked.action_type if asked.flow is None else asked.flow.tool)
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(f"**{number}** · :material/smart_toy: {tool} {verdict(asked)}", width="content")
            if asked.action_id is not None:
                to_ledger(asked.action_id, "In the ledger")
        facts = [words.plain(asked.declared_goal)] if asked.declared_goal else []
        facts += [f"agent {words.code(asked.agent_id)}"] if asked.agent_id else []
        if asked.session_id != found.flow.session_id:
            facts.append(f"in {words.code(asked.session_id)}")
        if asked.source is Source.SIMULATED:
            facts.append(":violet-badge[simulated]")
        if facts:
            st.caption(" · ".join(facts))
        if asked.flow is None:
            st.caption("No flow policy looked at it.")
        elif looked:
            told = origins(asked.flow, asked.context or {})
            lines = [value_line(found, each) for each in told.values]
            lines += [f"- {words.several(told.more, 'more value')} looked at."] if told.more else []
            st.markdown("\n".join(lines) or "It has no value that could be traced.")
        if asked.reason:
            st.caption(f"Why: {words.plain(words.shorten(words.clean(asked.reason), LONGEST_REASON))}")
        if asked.approval == "awaiting" and asked.action_id is not None:
            to_page(ApprovalsAddress, "Decide", icon=":material/front_hand:", action_id=asked.action_id)


def _labels(session: Session, found: FlowSteps) -> None:
    flow = found.flow
    since = {span.label: span.since for span in label_spans(found) if span.until is None}
    for each in flow.removed:
        st.caption(
            f":material/label_off: {words.code(each.label)} was taken off {words.moment(each.at)}: "
            f"“{words.plain(each.reason)}”"
        )
    if not flow.labels and not _begun(flow):
        return
    why_not = may_not(session, flow)
    with st.popover("Take labels off…", icon=":material/label_off:", key="flow_labels"):
        st.markdown(
            why_not
            or "Later calls are decided without a label that is off. What the session is told afterwards puts it on "
            "again. What waits already stays as it was asked for."
        )
        changed = _changed(found)
        chosen = st.multiselect(
            "Labels",
            list(dict.fromkeys([*flow.labels, *_kept_labels()])),
            key=LABEL,
            format_func=lambda label: f"{label}, since step {since[label]}" if since.get(label) else label,
            placeholder="Choose",
            disabled=why_not is not None,
            on_change=_begin,
            args=(flow,),
        )
        st.text_area(
            "Why they need not hold any more",
            key=REASON,
            max_chars=LONGEST_WHY,
            height=90,
            disabled=why_not is not None,
            on_change=_begin,
            args=(flow,),
        )
        if changed:
            st.warning(changed, icon=":material/update:")
            st.button("I have looked", key="flow_reread", on_click=_begin_anew, args=(flow,))
        st.button(
            "Take off",
            key="flow_remove",
            type="primary",
            disabled=why_not is not None or not chosen,
            on_click=_remove,
            args=(session.client, flow),
        )


def may_not(session: Session, flow: FlowSession) -> str | None:
    """Why whoever looks may not take labels off; None for who may."""
    if session.key.role not in OPERATING:
        return "To take labels off, an operator's or an admin's key is needed."
    if session.key.agent_id is not None and same_name(session.key.agent_id, flow.agent_id):
        return "A key never takes labels off the sessions of the agent that it is bound to."
    return None


def _changed(found: FlowSteps) -> str | None:
    """What the session was told since somebody began to write, as far as it matters."""
    begun = _begun(found.flow)
    if begun is None or begun == found.flow.told:
        return None
    later = [each.told for each in found.steps if each.told is not None and each.told.number > begun]
    put = sorted({label for each in later if each.kind != "removal" for label in each.labels})
    off = sorted({label for each in later if each.kind == "removal" for label in each.labels})
    times = words.several(found.flow.told - begun, "time")
    what = f"The session was told something {times} since you began"
    what += f"; {', '.join(map(words.code, put))} was put on again" if put else ""
    what += f"; {', '.join(map(words.code, off))} was taken off" if off else ""
    return f"{what}. A label that was put on since then is not taken off before you have looked."


def _kept_labels() -> list[str]:
    """What is chosen, also where somebody else has taken it off meanwhile."""
    return [str(each) for each in st.session_state.get(LABEL) or ()]


def _begun(flow: FlowSession) -> int | None:
    kept: Mapping[str, int] = st.session_state.get(BEGUN) or {}
    return kept.get(flow.flow_id)


def _begin(flow: FlowSession) -> None:
    """From the first thing that is written on, the session counts as it was read then."""
    if _begun(flow) is None:
        _begin_anew(flow)


def _begin_anew(flow: FlowSession) -> None:
    st.session_state[BEGUN] = {flow.flow_id: flow.told}


def _remove(client: Client, flow: FlowSession) -> None:
    # What is pressed is read from the widgets' state: a callback knows only what they held when it was drawn.
    labels, why = _kept_labels(), str(st.session_state.get(REASON) or "").strip()
    if not why:
        report("", "Nothing was changed. Say why these labels need not hold any more.")
        return
    begun = _begun(flow)
    _, problem = attempt(
        lambda: client.remove_flow_labels(flow.flow_id, labels, why, flow.told if begun is None else begun),
        "look at the labels before you press again",
    )
    report(f"Taken off: {', '.join(map(words.clean, labels))}", problem)
    if problem is None:
        st.session_state[LABEL], st.session_state[REASON] = [], ""
        st.session_state.pop(BEGUN, None)
    forget(PAGE)
