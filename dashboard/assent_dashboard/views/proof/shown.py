"""A bundle that was examined, from the verdict down to the place in the log.

Only what was found to hold is drawn as a fact; what does not hold is not drawn at all, whoever signed it.
"""

from __future__ import annotations

import msgspec
import streamlit as st

from assent import Source
from assent.contract.certificates import Certificate, OrganizationCertificate
from assent.contract.prepared import prepared
from assent.contract.proofs import CheckName, CheckStatus, ProofBundle, ProofKind, ProofVerification
from assent_dashboard.views.proof import certificate as proof_certificate
from assent_dashboard.views.proof import organization as proof_organization
from assent_dashboard.views.proof.checks import draw_checks, draw_verdict, rows
from assent_dashboard.views.proof.data import Examination
from assent_dashboard.views.proof.position import draw_log_head, draw_tree

STYLE = """<style>
[class*="st-key-proof_"] td { white-space: normal; overflow-wrap: anywhere; }
[class*="st-key-proof_"] td code, [class*="st-key-proof_"] p code { white-space: normal; overflow-wrap: anywhere; }
[class*="st-key-proof_"] td:first-child { overflow-wrap: normal; }
</style>"""
_TRUE = (CheckName.SCHEMA, CheckName.CHECKPOINT, CheckName.SIGNATURE, CheckName.DIGEST, CheckName.CERTIFICATE)


def draw(examination: Examination) -> None:
    """What it is about, the verdict, the checks, and below them what is proven."""
    st.html(STYLE)
    found = proven(examination)
    certificate = found[1] if found is not None else None
    if isinstance(certificate, Certificate):
        proof_certificate.draw_head(certificate)
    draw_verdict(examination)
    if isinstance(certificate, Certificate):
        proof_certificate.draw_standing(certificate)
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
        proof_organization.draw(certificate)
    else:
        simulated = certificate.envelope is not None and certificate.envelope.source is Source.SIMULATED
        draw_tree(bundle, certificate.evidence, simulated=simulated)
        proof_certificate.draw(certificate)
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
