"""One decision, in a window over the list, with the way to the action that came of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from assent import EventName, GuardDecision, Source
from assent.contract.conditions import in_words
from assent.contract.control.actions import standing
from assent.errors import AssentError
from assent_analytics.charts.palette import spoken
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import LedgerAddress
from assent_dashboard.views.answers import asked
from assent_dashboard.views.ledger import action
from assent_dashboard.views.ledger import data as ledger_data
from assent_dashboard.views.links import to_findings, to_page

CHOSEN, NAME = "ledger_chosen", "ledger_came_of_it"
LIVE_SECONDS = 1.0
EVENTS = action.EVENTS | {EventName.ACTION_CREATED}
ARROW = ":material/arrow_forward:"


def choose(listed: Sequence[GuardDecision], row: int) -> None:
    """Have the decision shown; for the table's callback."""
    st.session_state[CHOSEN] = listed[row]


def show_chosen(session: Session, filters: LedgerAddress) -> None:
    """Until it is closed: the page below may be drawn anew while somebody reads."""
    chosen = st.session_state.get(CHOSEN)
    if isinstance(chosen, GuardDecision):
        _show(session, filters, chosen)


def is_chosen() -> bool:
    """Whether somebody reads one: the page below is not drawn anew by itself then."""
    return isinstance(st.session_state.get(CHOSEN), GuardDecision)


def forget() -> None:
    """None is chosen any more."""
    st.session_state.pop(CHOSEN, None)


@st.dialog("Guard's decision", width="medium", on_dismiss=forget)
def _show(session: Session, filters: LedgerAddress, row: GuardDecision) -> None:
    names = ledger_data.policy_names(session)
    if row.source is Source.SIMULATED:
        st.caption(":violet-badge[simulated] A simulator made this; it never happened.")
    st.markdown(f"**{spoken(row.decision).capitalize()}** · {words.code(row.action_type)} · {words.code(row.agent_id)}")
    st.caption(
        f"{words.moment(row.occurred_at)} · risk {row.risk_score:.0f} · policies at version {row.policy_version}"
    )
    if row.declared_goal:
        st.text(words.clean(row.declared_goal))
    st.markdown(f"Reason: {words.plain(in_words(row.reason or 'no policy matched'))}")
    for policy_id in row.matched_policies:
        st.markdown(
            f"- {words.plain(names.get(policy_id, 'A policy that is no longer there'))} {words.code(policy_id)}"
        )
    to_findings(row.decision_id, row.matched_policies)
    if row.would_decide is not None and row.would_decide is not row.decision:
        st.caption(f"With every observed policy enforced it would have been {spoken(row.would_decide)}.")
    st.code(row.decision_id, language=None)
    _came_of_it(session, filters, row.decision_id)


@st.fragment(run_every=LIVE_SECONDS)
def _came_of_it(session: Session, filters: LedgerAddress, decision_id: str) -> None:
    """The action, as it stands; whoever reads sees it change. Only what happens has the service asked again."""
    question = (decision_id, session.feed.version(EVENTS))
    try:
        came = asked(NAME, lambda: ledger_data.action_of(session.client, decision_id), question)().answer
    except (AssentError, RuntimeError):  # gone, or the client was closed: somebody signed out in another tab
        st.caption("What came of it cannot be told just now.")
        return
    if came is None:
        st.caption("No action came of this decision.")
    else:
        to_page(filters.opened(came.action_id), f"The action that came of it · {spoken(standing(came))}", icon=ARROW)
