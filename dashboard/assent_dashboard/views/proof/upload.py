"""A bundle that somebody holds: checked here, offline, and by the service.

Keys: `proof_file` (the file), `proof_file_since` (a head that was kept); below them those of `proof_shown`.
"""

from __future__ import annotations

import streamlit as st

from assent.contract.endpoint import MEGABYTE
from assent.contract.file import File
from assent.contract.proofs import BUNDLE_LIMIT, PROOF_FILE
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.proof import data as proof_data
from assent_dashboard.views.proof import shown as proof_shown
from assent_dashboard.views.proof.checks import table
from assent_dashboard.views.proof.data import Examination
from assent_dashboard.views.proof.words import LONGEST_NOTE, kept


def draw(session: Session) -> None:
    st.markdown(
        "Whoever was given a bundle can have it checked here. It is checked twice: by this page, offline, with your "
        "organization's public keys and nothing else, and by the service, against its log and its tables as they are."
    )
    left, right = st.columns(2, gap="large")
    with left:
        given = st.file_uploader(
            "Bundle", key="proof_file", max_upload_size=BUNDLE_LIMIT // MEGABYTE, help="One file, svc.proof.v1"
        )
    with right:
        since = st.text_area(
            "A head that you kept (optional)",
            key="proof_file_since",
            max_chars=LONGEST_NOTE,
            height=130,
            placeholder="The text of a signed tree head from earlier: whether the log has only grown since",
        )
    if given is None:
        return
    client, org_id = session.client, session.key.org_id
    file = File(data=given.getvalue(), filename=given.name, mime_type=PROOF_FILE)
    with st.spinner("Checking"):
        found = proof_data.examine(client, file, client.get_jwks(org_id), kept(since))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"{words.code(given.name)}, {words.amount(len(file.data))} bytes · checked by the service's clock: "
            f"{words.moment(session.clock.now())}"
        )
        draw_export("proof_file", {"checks": table(found)}, "file")
    if not proof_data.is_own(found, org_id):
        _of_another(found, org_id)
    proof_shown.draw(found)


def _of_another(found: Examination, org_id: str) -> None:
    st.info(
        f"This bundle is of another organization: {words.code(found.here.org_id)}; yours is {words.code(org_id)}. Here "
        "it is checked against your keys and your log, so it cannot hold. Check it with the key set of that "
        "organization: `assent verify bundle.json --key jwks.json`.",
        icon=":material/domain_disabled:",
    )
