"""The page Proof: what can be shown to a stranger, whether it holds, and the check of a bundle that somebody holds.

Keys: `proof_view`, `proof_of` (which proof), `proof_since` (a head that was kept), `proof_bundle` and `proof_jwks` (the
downloads), `proof_export` (the checks as a table), `proof_again`; those of the parts are named where they are drawn.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from assent import Action
from assent.contract.endpoint import MEGABYTE
from assent.contract.evidence.proofs import BUNDLE_LIMIT, PROOF_FILE
from assent.contract.file import File
from assent.contract.problems import Code
from assent.errors import Forbidden, InvalidRequest, NotFound, Unavailable
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import ProofAddress, ProofView
from assent_dashboard.views.answers import asked, checked_at
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.controls import choose_part, draw_problems, go, here, with_chosen
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.frame import draw_checked
from assent_dashboard.views.proof import certificate as proof_shown
from assent_dashboard.views.proof import data as proof_data
from assent_dashboard.views.proof.checks import table
from assent_dashboard.views.proof.data import Examination, Proof
from assent_dashboard.views.proof.position import draw_keys
from assent_dashboard.views.proof.words import LONGEST_NOTE, pasted_head

LABELS = {ProofView.READ: "Read a proof", ProofView.VERIFY: "Verify a bundle"}
ORGANIZATION = "organization"
LONGEST_GOAL = 60


def show(session: Session) -> None:
    address, problems = here(ProofAddress)
    with st.container(
        key="proof_title", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Proof", width="content", anchor=False)
        choose_part(address, "view", "What to do", LABELS, _open_view)
    draw_problems(problems)
    if address.view is ProofView.VERIFY:
        draw_upload(session)
    else:
        _read(session, address.action)


def _read(session: Session, action_id: str | None) -> None:
    newest = asked("proof_newest", lambda: proof_data.newest(session.client))().answer
    _choose(newest, action_id)
    row = st.container(horizontal=True, gap="small", vertical_alignment="center", key="proof_downloads")
    downloads = row.container(horizontal=True, gap="small", width="content")
    since = _since(row)
    last = st.container()
    client, org_id = session.client, session.key.org_id
    coming = asked("proof", lambda: proof_data.load(client, org_id, action_id, since), (action_id, since))
    try:
        with st.spinner("Asking the service for the proof", show_time=True):
            answered = coming()
    except (NotFound, InvalidRequest):
        _unknown(action_id)
    except Forbidden as error:
        st.info(f"Your key may not read this proof. {words.plain(error.detail)}", icon=":material/lock:")
    except Unavailable as error:
        if error.code != Code.WALLET_UNAVAILABLE:
            raise
        _unsigned(error)
    else:
        proof = answered.answer
        with last:
            draw_checked("proof", checked_at(session, answered), session.clock.now(), "proof", "proof_newest")
        _downloads(downloads, proof)
        with row:
            draw_export("proof", {"checks": table(proof.examination)}, action_id or ORGANIZATION)
        if not newest:
            empty(
                "No action was recorded yet.",
                "This is the proof of the organization itself. Run the connection test on Readiness, or let an agent "
                "ask guard, and the proof of that action is here.",
                key="proof_empty",
            )
        proof_shown.draw_examination(proof.examination)
        draw_keys(proof.keys)


def _unknown(action_id: str | None) -> None:
    st.info(
        f"This organization has no action {words.code(action_id)}. Check the id; a link from another organization "
        "needs a key of that one.",
        icon=":material/search_off:",
    )


def _unsigned(error: Unavailable) -> None:
    st.error(
        f"**The signing key cannot be used, so nothing new can be proven.**  \n{words.plain(error.detail)}",
        icon=":material/key_off:",
    )
    st.caption("Nothing is lost: what was recorded stays in the log, and bundles that were given out still hold.")


def _choose(newest: list[Action], action_id: str | None) -> None:
    labels = {action.action_id: label(action) for action in newest}
    chosen = action_id or ORGANIZATION
    st.session_state["proof_of"] = chosen
    st.selectbox(
        "Proof of",
        with_chosen(chosen, [ORGANIZATION, *labels]),
        format_func=lambda each: (
            "The whole organization" if each == ORGANIZATION else labels.get(each, words.clean(each))
        ),
        key="proof_of",
        on_change=_go_to_action,
        accept_new_options=True,
        help="The newest actions are listed; the id of any other can be typed.",
    )


def label(action: Action) -> str:
    """How an action is named among others, as plain text."""
    goal = words.shorten(words.clean(action.declared_goal) or "no goal declared", LONGEST_GOAL)
    return f"{goal} · {words.clean(action.action_type)} · {action.action_id}"


def _since(row: DeltaGenerator) -> str | None:
    """The text of a head that the reader kept, as far as one was given."""
    with row.popover("A head that you kept", icon=":material/bookmark:", width="content"):
        st.caption("Paste a signed tree head from earlier. The proof then shows that the log has only grown since.")
        text = st.text_area("Signed tree head", key="proof_since", max_chars=LONGEST_NOTE, height=160)
    return pasted_head(text)


def _downloads(place: DeltaGenerator, proof: Proof) -> None:
    file = proof.examination.file
    with place:
        st.download_button(
            "Bundle",
            data=file.data,
            file_name=file.filename,
            mime=file.mime_type,
            icon=":material/download:",
            key="proof_bundle",
            on_click="ignore",
            type="primary",
            help="One file. Anybody can check it without us: `assent verify bundle.json --key jwks.json`",
        )
        st.download_button(
            "Key set",
            data=msgspec.json.format(msgspec.json.encode(proof.jwks), indent=2),
            file_name="jwks.json",
            mime="application/jwk-set+json",
            icon=":material/key:",
            key="proof_jwks",
            on_click="ignore",
            help="The organization's public keys (JWKS), which a bundle is checked with",
        )


def _open_view(view: StrEnum) -> None:
    go(ProofAddress(view=ProofView(view)))


def _go_to_action() -> None:
    chosen = str(st.session_state.get("proof_of") or ORGANIZATION).strip()
    go(ProofAddress(action=None if chosen in ("", ORGANIZATION) else chosen))


# A bundle that somebody holds: checked here, offline, and by the service.
#
# Keys: `proof_file` (the file), `proof_file_since` (a head that was kept); below them those of `certificate`.


def draw_upload(session: Session) -> None:
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
        found = proof_data.examine(client, file, client.get_jwks(org_id), pasted_head(since))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"{words.code(given.name)}, {words.amount(len(file.data))} bytes · checked by the service's clock: "
            f"{words.moment(session.clock.now())}"
        )
        draw_export("proof_file", {"checks": table(found)}, "file")
    if not proof_data.is_own(found, org_id):
        _of_another(found, org_id)
    proof_shown.draw_examination(found)


def _of_another(found: Examination, org_id: str) -> None:
    st.info(
        f"This bundle is of another organization: {words.code(found.here.org_id)}; yours is {words.code(org_id)}. Here "
        "it is checked against your keys and your log, so it cannot hold. Check it with the key set of that "
        "organization: `assent verify bundle.json --key jwks.json`.",
        icon=":material/domain_disabled:",
    )
