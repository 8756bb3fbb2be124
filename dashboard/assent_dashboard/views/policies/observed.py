"""What an observed policy would have done, as guard recorded it with each decision. Key: `policy_observed`."""

from __future__ import annotations

import streamlit as st

from assent import GuardDecision
from assent.contract.policies import Policy
from assent_dashboard.sessions import Session
from assent_dashboard.views import links, words
from assent_dashboard.views.policies.data import Listing
from assent_dashboard.views.policies.listing import observed_said
from assent_dashboard.views.policies.verdicts import said
from assent_dashboard.views.side_by_side import each

SHOWN = 20


def draw_observed(session: Session, policy: Policy, listing: Listing) -> None:
    now = session.clock.now()
    told = observed_said(policy, listing, now)
    st.markdown(words.plain(f"{told[0].upper()}{told[1:]}."))
    seen = listing.observed(policy.policy_id)[:SHOWN]
    if not seen:
        return
    st.caption("Beside each decision stands what it would have been with every observed policy enforced.")
    actions = _actions(session, seen)
    with st.container(key="policy_observed", gap="small"):
        for decision in seen:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                would = decision.would_decide or decision.decision
                st.markdown(f"{said(decision.decision)} → {said(would)}", width="content")
                who = words.plain(decision.agent_id or "no agent")
                when = words.ago(decision.occurred_at, now)
                st.markdown(f"{who}: {words.code(decision.action_type)}, {when}", width="content")
                action_id = actions.get(decision.decision_id)
                if action_id is not None:
                    links.to_ledger(action_id, "Ledger")


def _actions(session: Session, decisions: list[GuardDecision]) -> dict[str, str]:
    """The actions that came of decisions, looked up once for a tab."""
    known: dict[str, str | None] = st.session_state.setdefault("assent_policy_actions", {})
    wanted = [one.decision_id for one in decisions if one.decision_id not in known]
    found = each(lambda decision_id: session.client.get_actions(decision_id=decision_id, limit=1).actions, wanted)
    known.update({name: listed[0].action_id if listed else None for name, listed in zip(wanted, found, strict=True)})
    return {name: action_id for name, action_id in known.items() if action_id is not None}
