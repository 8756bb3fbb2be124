"""The certificate of an action for people, from the operator's answer to what came of it."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from assent.contract.certificates import Certificate, CertifiedAssumption
from assent_analytics.charts.palette import spoken
from assent_dashboard.views import words
from assent_dashboard.views.ledger.action_sections import facts
from assent_dashboard.views.proof.words import code_of, codes, colon, when

_NOT_RUN = {
    "blocked": "Guard blocked it, so it never ran",
    "denied": "An operator denied it, so it never ran",
    "expired": "Nobody approved it in time, so it never ran",
}


def approval(certificate: Certificate) -> None:
    receipt = certificate.approval
    if receipt is None:
        return
    st.subheader("Approval receipt", anchor=False)
    by = f" by **{words.plain(receipt.reviewer)}**" if receipt.reviewer else ""
    on = f", {when(receipt.decided_at)}" if receipt.decided_at else ""
    st.markdown(f"**{spoken(receipt.state).capitalize()}**{by}{on}.")
    if receipt.reasoning:
        st.markdown(f"> {words.plain(receipt.reasoning)}")
    facts(
        {
            "Asked": when(receipt.requested_at),
            "Expiry": when(receipt.expires_at),
            "Because": "; ".join(words.plain(each) for each in receipt.reasons),
            "Conditions": "; ".join(words.plain(each) for each in receipt.conditions),
            "Valid till": when(receipt.valid_until) if receipt.valid_until else None,
            "Act": code_of(receipt.act_digest),
            "Used": f"{when(receipt.claimed_at)} by {words.plain(receipt.claimed_by)}" if receipt.claimed_at else None,
            "Refused": str(receipt.refused_claims) if receipt.refused_claims else None,
            "Key": code_of(receipt.reviewer_key),
        }
    )


def assumptions(believed: Iterable[CertifiedAssumption]) -> None:
    st.subheader("What it believed", anchor=False)
    for each in believed:
        held, colour = ("was wrong", "red") if each.invalidated else ("held", "green")
        if not each.invalidated and not each.validated:
            held, colour = "not checked", "gray"
        st.markdown(f":{colour}-badge[{held}] {words.plain(each.assumption)}")
        more = [f"Rests on: {words.plain(each.basis)}"] if each.basis else []
        more += [f"Why: {words.plain(each.invalidated_reason)}"] if each.invalidated_reason else []
        if more:
            st.caption(" · ".join(more))


def outcome(certificate: Certificate) -> None:
    stopped, outcome, durable = certificate.non_execution, certificate.outcome, certificate.durable_outcome
    if stopped is not None:
        st.subheader("Proof that it did not run", anchor=False)
        at = f", {when(stopped.at)}" if stopped.at else ""
        st.markdown(f"**{_NOT_RUN[stopped.basis]}**{at}.")
        st.caption(f"By {words.code(stopped.by)}, and nothing was recorded afterwards that says otherwise.")
    if outcome is not None:
        st.subheader("What came of it", anchor=False)
        st.markdown(f"**{spoken(outcome.status).capitalize()}**" + colon(outcome.output_summary))
        if outcome.error_message:
            st.error(words.plain(outcome.error_message))
        facts(
            {
                "Ended": when(outcome.timestamp_end) if outcome.timestamp_end else None,
                "Took": words.exact(outcome.duration_ms / 1000) if outcome.duration_ms is not None else None,
                "Effects": "; ".join(words.plain(each) for each in outcome.side_effects),
                "Made": codes(outcome.artifacts_created),
                "Cost": f"{outcome.cost_estimate:.4g} USD" if outcome.cost_estimate is not None else None,
                "Model": code_of(outcome.model),
            }
        )
    if durable is not None:
        by = f" by **{words.plain(durable.reported_by)}**" if durable.reported_by else ""
        st.caption(f"Said once and for all{by}: {words.plain(durable.status)}{colon(durable.summary)}")
    if stopped is None and outcome is None and certificate.envelope is not None:
        st.subheader("What came of it", anchor=False)
        st.markdown("No outcome was recorded yet.")


def changes(certificate: Certificate) -> None:
    if not certificate.changes:
        return
    corrected = {each.n: each.members for each in certificate.corrections}
    st.subheader("Changes since it was recorded", anchor=False)
    for change in certificate.changes:
        members = f": {codes(corrected[change.n])}" if change.n in corrected else ""
        kind = words.plain(spoken(change.kind)).capitalize()
        st.markdown(f"**{kind}** by {words.plain(change.by)}, {when(change.at)}{members}")
