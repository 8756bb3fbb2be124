"""What the ledger asks the service for.

The list is asked anew for every look. What costs more is kept for a minute, for each key by itself: pages of two
people never share an answer. Nothing here reads more than a page of rows, or aggregates that the service keeps ready.
"""

from __future__ import annotations

import streamlit as st

from assent import Action, Actions, Client, GuardDecisions
from assent_dashboard.inbox.evidence import BUILT_IN
from assent_dashboard.sessions import Session
from assent_dashboard.views.addresses import LedgerAddress

PAGE = 50
KEPT_SECONDS = 60.0


def actions(client: Client, filters: LedgerAddress) -> Actions:
    """A page of the list. Raises InvalidRequest for a cursor that is none."""
    return client.get_actions(
        agent_id=filters.agent_id,
        action_type=filters.action_type,
        status=filters.status,
        decision=filters.decision,
        days=filters.days,
        limit=PAGE,
        cursor=filters.cursor,
    )


def decisions(client: Client, filters: LedgerAddress) -> GuardDecisions:
    """A page of the list. Raises InvalidRequest for a cursor that is none."""
    return client.get_guard_decisions(
        filters.decision,
        PAGE,
        agent_id=filters.agent_id,
        action_type=filters.action_type,
        days=filters.days,
        cursor=filters.cursor,
    )


def action_of(client: Client, decision_id: str) -> Action | None:
    """The action that came of a decision, None when none did; the window does not count here."""
    return next(iter(client.get_actions(decision_id=decision_id, limit=1).actions), None)


def policy_names(session: Session) -> dict[str, str]:
    """Names of the policies by their ids; those that were deleted are not among them."""
    return BUILT_IN | _policies(session.key.key_id, session.client)


@st.cache_data(ttl=KEPT_SECONDS, max_entries=100, show_spinner=False)
def _policies(key_id: str, _client: Client) -> dict[str, str]:
    return {policy.policy_id: policy.name for policy in _client.get_policies().policies}
