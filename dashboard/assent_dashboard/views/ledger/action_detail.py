"""An action in full: `/ledger?action_id=act_...`.

Keys: `action_checkpoints`, `action_receipts`, `action_proven`, `action_left`, `action_right`, `action_replay`,
`action_loops`, `action_links`, `ledger_again`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import streamlit as st

from assent import Action, ActionStatus, ActionTrace, EventName, InvalidRequest, NotFound, Source
from assent.contract.actions import FINAL
from assent_analytics.charts.palette import spoken
from assent_analytics.replay import timeline
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.checked import draw_checked
from assent_dashboard.views.kept import FRESH_SECONDS, asked, checked_at, forget
from assent_dashboard.views.ledger import (
    action_checkpoints,
    action_history,
    action_loops,
    action_messages,
    action_replay,
    action_sections,
)
from assent_dashboard.views.ledger import data as ledger_data
from assent_dashboard.views.ledger.filters import Filters
from assent_dashboard.views.ledger.links import link
from assent_dashboard.views.links import to_proof
from assent_dashboard.views.live import beat

NAME, BEAT_SECONDS = "ledger_action", 1.0
EVENTS = frozenset(
    {
        EventName.ACTION_UPDATED,
        EventName.OUTCOME_CREATED,
        EventName.APPROVAL_DECIDED,
        EventName.APPROVAL_EXPIRED,
        EventName.APPROVAL_CLAIMED,
        EventName.ASSUMPTION_CREATED,
        EventName.ASSUMPTION_UPDATED,
        EventName.MESSAGE_CREATED,
        EventName.LOOP_CREATED,
        EventName.LOOP_UPDATED,
    }
)
"""What may change the page of an action that has not ended."""
NO_GOAL = "No goal was declared"
LONGEST_GOAL = 300
COLOURS = {
    ActionStatus.COMPLETED: "green",
    ActionStatus.RUNNING: "violet",
    ActionStatus.PENDING_APPROVAL: "blue",
    ActionStatus.FAILED: "orange",
    ActionStatus.BLOCKED: "red",
}


def show(session: Session, filters: Filters, action_id: str) -> None:
    st.set_page_config(page_title="Action · Assent")
    link("Back to the list", filters.closed(), icon=":material/arrow_back:")
    version = session.feed.version(EVENTS)
    coming = asked(NAME, lambda: session.client.get_action_trace(action_id), action_id)
    try:
        names = ledger_data.policy_names(session)
        kept = coming()
    except (NotFound, InvalidRequest):
        st.title("No such action", anchor=False)
        st.info(
            f"This organization has no action {words.code(action_id)}. Check the id; a link from another organization "
            "needs a key of that one.",
            icon=":material/search_off:",
        )
        return
    trace, now = kept.answer, session.clock.now()  # ages are the service's to tell, whatever the clock here says
    _head(trace.action)
    draw_checked("ledger", checked_at(session, kept), now, NAME)
    _proven(trace)
    action_checkpoints.draw(trace, now)
    events = timeline(msgspec.to_builtins(trace), now)
    action_replay.draw(trace.action, events)
    left, right = st.columns([3, 2], gap="large")
    with left, st.container(key="action_left"):
        _left(trace, names)
    with right, st.container(key="action_right"):
        action_history.timeline(events)
        if trace.trace.root_cause_indicators:
            action_history.causes(trace.trace.root_cause_indicators)
        if trace.trace.changes:
            action_history.changes(trace.trace.changes)
    _around(trace, filters)

    def due() -> bool:
        # What has ended hardly changes; what still waits or runs is followed as it happens.
        if trace.action.status not in FINAL and session.feed.version(EVENTS) != version:
            forget(NAME)
            return True
        return kept.age >= FRESH_SECONDS

    beat(due, every=BEAT_SECONDS)


def _proven(trace: ActionTrace) -> None:
    """Key: `action_proven`."""
    proof = trace.trace.proof
    with st.container(key="action_proven", horizontal=True, vertical_alignment="center", gap="small"):
        if proof is None:
            st.markdown(":gray[:material/hourglass_empty: No signed tree head covers it yet.]", width="content")
        else:
            st.markdown(
                f":green[:material/verified:] Proven since {words.moment(proof.signed_at)}, by the signed tree head of "
                f"{words.amount(proof.size)} events.",
                width="content",
            )
        to_proof(trace.action.action_id, "Proof of this action")


def _head(action: Action) -> None:
    st.title(words.plain(words.shorten(words.clean(action.declared_goal) or NO_GOAL, LONGEST_GOAL)), anchor=False)
    with st.container(horizontal=True, gap="small"):
        st.markdown(f":{COLOURS.get(action.status, 'gray')}-badge[{spoken(action.status)}]")
        st.badge(f"risk {action.risk_score:g} of 100", color="gray")
        if action.source is Source.SIMULATED:
            st.badge("simulated", color="violet")
        elif action.source is Source.IMPORT:
            st.badge("import", color="gray")
    if action.source is Source.SIMULATED:
        st.caption("A simulator made this action. It never happened.")
    elif action.source is Source.IMPORT:
        st.caption("It happened before and was recorded as history; guard's verdict was made afterwards.")
    st.code(action.action_id, language=None)


def _left(trace: ActionTrace, names: dict[str, str]) -> None:
    action_sections.wanted(trace.action)
    action_sections.verdict(trace, names)
    if trace.approval is not None:
        action_sections.approval(trace.approval)
    if trace.trace.assumptions.items:
        action_sections.assumptions(trace.trace.assumptions.items)
    if trace.trace.messages.items:
        action_messages.draw(trace.trace.messages)
    if action_sections.has_outcome(trace.action):
        action_sections.outcome(trace.action)
    if trace.trace.loops.items:
        action_loops.draw(trace.trace.loops)


def _around(trace: ActionTrace, filters: Filters) -> None:
    """Other actions, as links; the filters stay in them, so that the way back stays the same."""
    around = trace.trace
    groups: list[tuple[str, Sequence[Action]]] = [
        ("It was part of", around.parent_chain),
        ("It led to", around.sub_actions),
        ("The same agent within an hour", around.related_actions),
    ]
    if not any(actions for _, actions in groups):
        return
    with st.container(key="action_links"):
        for title, actions in groups:
            if actions:
                st.header(title, anchor=False)
            for action in actions:
                goal = words.plain(words.shorten(words.clean(action.declared_goal) or NO_GOAL, 80))
                simulated = " (simulated)" if action.source is Source.SIMULATED else ""
                link(
                    f"{words.code(action.action_type)} {goal} · {spoken(action.status)}{simulated}",
                    filters.opened(action.action_id),
                    icon=":material/subdirectory_arrow_right:"
                    if title != "It was part of"
                    else ":material/north_west:",
                )
