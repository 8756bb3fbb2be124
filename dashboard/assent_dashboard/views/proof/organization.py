"""The certificate of an organization for people: what its log holds, and which policies and keys are in force."""

from __future__ import annotations

import streamlit as st

from assent.contract.certificates import OrganizationCertificate
from assent_dashboard.views import words
from assent_dashboard.views.ledger.action_sections import facts
from assent_dashboard.views.proof.words import code_of, when


def draw(certificate: OrganizationCertificate) -> None:
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
