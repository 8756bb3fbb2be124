"""Certificates for people: what is proven of an action, of an organization, or of a bundle that was examined.

The certificate of an action tells it in the order in which it happened.

What agents and operators wrote is shown letter by letter, as on the action's own page.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import streamlit as st

from assent import Source
from assent.contract.conditions import in_words
from assent.contract.control.externality import Externality
from assent.contract.evidence.certificates import (
    Certificate,
    CertifiedAssumption,
    CertifiedEnvelope,
    OrganizationCertificate,
)
from assent.contract.evidence.proofs import CheckName, CheckStatus, ProofBundle, ProofKind, ProofVerification
from assent.contract.prepared import prepared
from assent_analytics.charts.palette import spoken
from assent_dashboard.views import words
from assent_dashboard.views.ledger import trace
from assent_dashboard.views.ledger.action import COLOURS, LONGEST_GOAL, NO_GOAL, facts
from assent_dashboard.views.links import to_ledger
from assent_dashboard.views.proof.checks import draw_checks, draw_verdict, rows
from assent_dashboard.views.proof.data import Examination
from assent_dashboard.views.proof.position import draw_log_head, draw_tree
from assent_dashboard.views.proof.words import code_of, codes, colon, when


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
                stands = standing(certificate)
                colour = "red" if stands == "denied" else COLOURS.get(certificate.status, "gray")
                st.markdown(f":{colour}-badge[{spoken(stands)}]")
            if simulated:
                st.badge("simulated", color="violet")
            to_ledger(certificate.action_id, "In the ledger")
        if simulated:
            st.caption(
                "A simulator made this action. It never happened; what is proven is what the simulator recorded."
            )


def standing(certificate: Certificate) -> str:
    """How the action stands, as the ledger says it: its status, or what kept it from running instead of `cancelled`;
    empty where its status is not certified."""
    stopped = certificate.non_execution
    if certificate.status is None:
        return ""
    return str(certificate.status) if stopped is None else stopped.basis


def draw_standing(certificate: Certificate) -> None:
    """Whether it was erased, and the five checkpoints. Keys: `proof_erasure`, `action_checkpoints`,
    `action_receipts`."""
    _erasure(certificate)
    if certificate.checkpoints:
        trace.cards({each.id: each.status for each in certificate.checkpoints})
    if certificate.receipts is not None:
        trace.receipts(certificate.receipts)


def draw_certificate(certificate: Certificate) -> None:
    """Keys: `proof_left`, `proof_right`."""
    left, right = st.columns(2, gap="large")
    with left, st.container(key="proof_left"):
        if certificate.envelope is not None:
            _envelope(certificate.envelope)
        if certificate.assumptions:
            draw_assumptions(certificate.assumptions)
        draw_outcome(certificate)
    with right, st.container(key="proof_right"):
        _decision(certificate)
        draw_approval(certificate)
        draw_changes(certificate)


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
    lines = [f"- {words.plain(in_words(reason))}" for reason in decision.reasons]
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


# The certificate of an action for people, from the operator's answer to what came of it.


_NOT_RUN = {
    "blocked": "Guard blocked it, so it never ran",
    "denied": "An operator denied it, so it never ran",
    "expired": "Nobody approved it in time, so it never ran",
    "withdrawn": "Whoever asked for its approval withdrew it, so it never ran",
}


def draw_approval(certificate: Certificate) -> None:
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
            "Because": "; ".join(words.plain(in_words(each)) for each in receipt.reasons),
            "Conditions": "; ".join(words.plain(each) for each in receipt.conditions),
            "Valid till": when(receipt.valid_until) if receipt.valid_until else None,
            "Act": code_of(receipt.act_digest),
            "Used": f"{when(receipt.claimed_at)} by {words.plain(receipt.claimed_by)}" if receipt.claimed_at else None,
            "Refused": str(receipt.refused_claims) if receipt.refused_claims else None,
            "Key": code_of(receipt.reviewer_key),
            "Who decided": "the key that had asked" if receipt.self_decided else None,
            "Standing grant": code_of(receipt.grant_id or None),
        }
    )


def draw_assumptions(believed: Iterable[CertifiedAssumption]) -> None:
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


def draw_outcome(certificate: Certificate) -> None:
    stopped, draw_outcome, durable = certificate.non_execution, certificate.outcome, certificate.durable_outcome
    if stopped is not None:
        st.subheader("Proof that it did not run", anchor=False)
        at = f", {when(stopped.at)}" if stopped.at else ""
        st.markdown(f"**{_NOT_RUN[stopped.basis]}**{at}.")
        st.caption(f"By {words.code(stopped.by)}, and nothing was recorded afterwards that says otherwise.")
    if draw_outcome is not None:
        st.subheader("What came of it", anchor=False)
        st.markdown(f"**{spoken(draw_outcome.status).capitalize()}**" + colon(draw_outcome.output_summary))
        if draw_outcome.error_message:
            st.error(words.plain(draw_outcome.error_message))
        facts(
            {
                "Ended": when(draw_outcome.timestamp_end) if draw_outcome.timestamp_end else None,
                "Took": words.exact(draw_outcome.duration_ms / 1000) if draw_outcome.duration_ms is not None else None,
                "Effects": "; ".join(words.plain(each) for each in draw_outcome.side_effects),
                "Made": codes(draw_outcome.artifacts_created),
                "Cost": f"{draw_outcome.cost_estimate:.4g} USD" if draw_outcome.cost_estimate is not None else None,
                "Model": code_of(draw_outcome.model),
            }
        )
    if durable is not None:
        by = f" by **{words.plain(durable.reported_by)}**" if durable.reported_by else ""
        st.caption(f"Said once and for all{by}: {words.plain(durable.status)}{colon(durable.summary)}")
    if stopped is None and draw_outcome is None and certificate.envelope is not None:
        st.subheader("What came of it", anchor=False)
        st.markdown("No outcome was recorded yet.")


def draw_changes(certificate: Certificate) -> None:
    if not certificate.changes:
        return
    corrected = {each.n: each.members for each in certificate.corrections}
    st.subheader("Changes since it was recorded", anchor=False)
    for change in certificate.changes:
        members = f": {codes(corrected[change.n])}" if change.n in corrected else ""
        kind = words.plain(spoken(change.kind)).capitalize()
        st.markdown(f"**{kind}** by {words.plain(change.by)}, {when(change.at)}{members}")


# The certificate of an organization for people: what its log holds, and which policies and keys are in force.


def draw_organization(certificate: OrganizationCertificate) -> None:
    """Key: `proof_organization`."""
    st.header("What the log holds", anchor=False)
    with st.container(key="proof_organization"):
        policy = certificate.policy
        facts(
            {
                "Organization": words.code(certificate.org_id),
                "Events": words.amount(certificate.log.size),
                "First": when(certificate.first_event_at),
                "Last": when(certificate.last_event_at),
                "Erasures": words.amount(certificate.erasures),
                "Policies": f"version {policy.version}" if policy.version is not None else None,
                "Their digest": code_of(policy.digest),
            }
        )
        ordered = sorted(certificate.events_by_type.items(), key=lambda each: (-each[1], each[0]))
        with st.expander(f"Events by type ({len(ordered)})"):
            facts({words.code(name): words.amount(count) for name, count in ordered})
        st.caption(
            "The service counted this and signed for it. Offline it can be seen that the counts add up to the size of "
            "the log; `assent log verify` counts them again on the data folder."
        )


# A bundle that was examined, from the verdict down to the place in the log.
#
# Only what was found to hold is drawn as a fact; what does not hold is not drawn at all, whoever signed it.


STYLE = """<style>
[class*="st-key-proof_"] td { white-space: normal; overflow-wrap: anywhere; }
[class*="st-key-proof_"] td code, [class*="st-key-proof_"] p code { white-space: normal; overflow-wrap: anywhere; }
[class*="st-key-proof_"] td:first-child { overflow-wrap: normal; }
</style>"""
_TRUE = (CheckName.SCHEMA, CheckName.CHECKPOINT, CheckName.SIGNATURE, CheckName.DIGEST, CheckName.CERTIFICATE)


def draw_examination(examination: Examination) -> None:
    """What it is about, the verdict, the checks, and below them what is proven."""
    st.html(STYLE)
    found = proven(examination)
    certificate = found[1] if found is not None else None
    if isinstance(certificate, Certificate):
        draw_head(certificate)
    draw_verdict(examination)
    if isinstance(certificate, Certificate):
        draw_standing(certificate)
    draw_checks(examination.here, examination.there)
    if found is None:
        st.caption(
            "Nothing is proven, so nothing is shown of what the file says about itself. The checks that failed say "
            "what is wrong."
        )
        return
    _draw_proven(*found)


def _draw_proven(bundle: ProofBundle, certificate: Certificate | OrganizationCertificate) -> None:
    if isinstance(certificate, OrganizationCertificate):
        draw_organization(certificate)
    else:
        simulated = certificate.envelope is not None and certificate.envelope.source is Source.SIMULATED
        draw_tree(bundle, certificate.evidence, simulated=simulated)
        draw_certificate(certificate)
    draw_log_head(bundle)


def proven(examination: Examination) -> tuple[ProofBundle, Certificate | OrganizationCertificate] | None:
    """The bundle and its certificate, None unless all that they rest on was found to hold."""
    here = examination.here
    if not holds(here, examination.there) or here.certificate is None:
        return None
    kind: type[Certificate | OrganizationCertificate]
    kind = Certificate if here.kind is ProofKind.ACTION else OrganizationCertificate
    try:
        return msgspec.convert(examination.bundle, prepared(ProofBundle)), msgspec.convert(
            here.certificate, prepared(kind)
        )
    except msgspec.ValidationError:
        return None


def holds(here: ProofVerification, there: ProofVerification | None) -> bool:
    """Whether the certificate follows from what was signed and recorded, and nothing that both found is wrong with
    whose signature it is."""
    statuses = {row.name: row.status for row in rows(here, there)}
    signed = statuses.get(CheckName.KEY) is not CheckStatus.FAIL
    placed = statuses.get(CheckName.INCLUSION, CheckStatus.PASS) is CheckStatus.PASS
    return signed and placed and all(statuses.get(name) is CheckStatus.PASS for name in _TRUE)
