"""The certificate of an action for people: what is proven, in the order in which it happened.

What agents and operators wrote is shown letter by letter, as on the action's own page.
"""

from __future__ import annotations

import streamlit as st

from assent import Source
from assent.contract.certificates import Certificate, CertifiedEnvelope
from assent.contract.externality import Externality
from assent_analytics.charts.palette import spoken
from assent_dashboard.views import words
from assent_dashboard.views.ledger import action_checkpoints
from assent_dashboard.views.ledger.action_detail import COLOURS, LONGEST_GOAL, NO_GOAL
from assent_dashboard.views.ledger.action_sections import facts
from assent_dashboard.views.links import to_ledger
from assent_dashboard.views.proof import ending as proof_ending
from assent_dashboard.views.proof.words import code_of, codes, when


def draw_head(certificate: Certificate) -> None:
    """What it is about. Key: `proof_goal`."""
    envelope = certificate.envelope
    simulated = envelope is not None and envelope.source is Source.SIMULATED
    with st.container(key="proof_goal"):
        if envelope is not None:
            goal = words.clean(envelope.declared_goal) or NO_GOAL
            st.header(words.plain(words.shorten(goal, LONGEST_GOAL)), anchor=False)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            if certificate.status is not None:
                st.markdown(f":{COLOURS.get(certificate.status, 'gray')}-badge[{spoken(certificate.status)}]")
            if simulated:
                st.badge("simulated", color="violet")
            to_ledger(certificate.action_id, "In the ledger")
        if simulated:
            st.caption(
                "A simulator made this action. It never happened; what is proven is what the simulator recorded."
            )


def draw_standing(certificate: Certificate) -> None:
    """Whether it was erased, and the five checkpoints. Keys: `proof_erasure`, `action_checkpoints`,
    `action_receipts`."""
    _erasure(certificate)
    if certificate.checkpoints:
        action_checkpoints.cards({each.id: each.status for each in certificate.checkpoints})
    if certificate.receipts is not None:
        action_checkpoints.receipts(certificate.receipts)


def draw(certificate: Certificate) -> None:
    """Keys: `proof_left`, `proof_right`."""
    left, right = st.columns(2, gap="large")
    with left, st.container(key="proof_left"):
        if certificate.envelope is not None:
            _envelope(certificate.envelope)
        if certificate.assumptions:
            proof_ending.assumptions(certificate.assumptions)
        proof_ending.outcome(certificate)
    with right, st.container(key="proof_right"):
        _decision(certificate)
        proof_ending.approval(certificate)
        proof_ending.changes(certificate)


def _erasure(certificate: Certificate) -> None:
    erasure = certificate.erasure
    if erasure is None:
        return
    by = f" by **{words.plain(erasure.erased_by)}**" if erasure.erased_by else ""
    why = f" Reason: {words.plain(erasure.reason)}." if erasure.reason else ""
    with st.container(key="proof_erasure"):
        st.info(
            f"**The content was erased**, {when(erasure.erased_at)}{by}: {words.several(erasure.events, 'event')} of "
            f"this proof.{why} What was written is gone for good; that, when and in which place of the log it was "
            "recorded is still proven.",
            icon=":material/ink_eraser:",
        )


def _envelope(envelope: CertifiedEnvelope) -> None:
    st.subheader("What the agent wanted", anchor=False)
    agent = words.plain(envelope.agent_name) or words.code(envelope.agent_id)
    if envelope.agent_name and envelope.agent_id:
        agent = f"{agent} ({words.code(envelope.agent_id)})"
    facts(
        {
            "Agent": agent,
            "Signature": spoken(envelope.verification) if envelope.verification else None,
            "Type": words.code(envelope.action_type),
            "Happened": when(envelope.timestamp_start),
            "Recorded": when(envelope.created_at),
            "Reasoning": words.plain(envelope.reasoning),
            "Trigger": words.plain(envelope.trigger),
            "Allowed to": words.plain(envelope.authorization_scope),
            "Input": words.plain(envelope.input_summary),
            "Touches": codes(envelope.systems_touched),
            "Undo": "can be undone" if envelope.reversible else "cannot be undone",
            "Runtime": f"{spoken(envelope.runtime)} ({spoken(envelope.enforceability)})",
            "Parameters": code_of(envelope.parameters_digest),
            "Context": code_of(envelope.context_digest),
            **_externality(envelope.externality),
        }
    )


def _externality(said: Externality | None) -> dict[str, str | None]:
    if said is None:
        return {}
    bound = said.reversal_bound_seconds
    return {
        "Seen by": spoken(said.destination_visibility) if said.destination_visibility else None,
        "Account": spoken(said.account_provenance) if said.account_provenance else None,
        "Data": spoken(said.data_classification) if said.data_classification else None,
        "Can be taken back": None if bound is None else f"within {words.span(bound)}" if bound else "not at all",
    }


def _decision(certificate: Certificate) -> None:
    decision = certificate.decision
    if decision is None:
        return
    st.subheader("What guard decided", anchor=False)
    st.markdown(f"**{spoken(decision.decision).capitalize()}** at risk **{decision.risk_score:g}** of 100.")
    lines = [f"- {words.plain(reason)}" for reason in decision.reasons]
    lines += [f"- Warning: {words.plain(warning)}" for warning in decision.warnings]
    st.markdown("\n".join(lines) or "No policy had anything to say.")
    version = certificate.policy.version
    facts(
        {
            "Decided": when(decision.evaluated_at),
            "Risk": " + ".join(f"{spoken(name)} {value:g}" for name, value in decision.risk_breakdown.items()),
            "Policies": f"version {version}" if version is not None else None,
            "Their digest": code_of(certificate.policy.digest),
            "Matched": codes(decision.matched_policies),
            "Observed": codes(decision.observed_policies),
            "Enforced": spoken(decision.would_decide)
            if decision.would_decide not in (None, decision.decision)
            else None,
            "Decision": words.code(decision.decision_id),
        }
    )
