"""The page Proof: what can be shown to a stranger, and whether it holds.

`/proof` is the organization's proof, `/proof?action=act_...` that of an action, `/proof?view=verify` checks a bundle
that somebody holds.

Keys: `proof_view`, `proof_of` (which proof), `proof_since` (a head that was kept), `proof_bundle` and `proof_jwks` (the
downloads), `proof_export` (the checks as a table), `proof_again`; those of the parts are named where they are drawn.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from assent import Action
from assent.contract.problems import Code
from assent.errors import Forbidden, InvalidRequest, NotFound, Unavailable
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.checked import draw_checked
from assent_dashboard.views.empty import empty
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.kept import asked, checked_at
from assent_dashboard.views.part import draw_part
from assent_dashboard.views.proof import data as proof_data
from assent_dashboard.views.proof import shown as proof_shown
from assent_dashboard.views.proof import upload as proof_upload
from assent_dashboard.views.proof.checks import table
from assent_dashboard.views.proof.data import Proof
from assent_dashboard.views.proof.position import draw_keys
from assent_dashboard.views.proof.words import LONGEST_NOTE, kept

ORGANIZATION = "organization"
LONGEST_GOAL = 60


class View(StrEnum):
    READ = "read"
    VERIFY = "verify"


def show(session: Session) -> None:
    address = st.query_params.to_dict()
    # A link from another page reaches the script and not the browser's address; saying it again does.
    st.query_params.from_dict(address)
    view = View.VERIFY if address.get("view") == View.VERIFY else View.READ
    with st.container(
        key="proof_title", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Proof", width="content", anchor=False)
        _draw_view(view)
    if view is View.VERIFY:
        proof_upload.draw(session)
    else:
        _read(session, address.get("action") or None)


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
        proof_shown.draw(proof.examination)
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


def _draw_view(view: View) -> None:
    titles = {each: "Read a proof" if each is View.READ else "Verify a bundle" for each in View}
    draw_part("What to do", "proof_view", view, titles, _go_to_view)


def _choose(newest: list[Action], action_id: str | None) -> None:
    labels = {action.action_id: label(action) for action in newest}
    chosen = action_id or ORGANIZATION
    st.session_state["proof_of"] = chosen
    options = [ORGANIZATION, *labels]
    st.selectbox(
        "Proof of",
        options if chosen in options else [chosen, *options],
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
    return kept(text)


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


def _go_to_view() -> None:
    chosen = st.session_state.get("proof_view")
    st.query_params.from_dict({"view": View.VERIFY.value} if chosen is View.VERIFY else {})


def _go_to_action() -> None:
    chosen = str(st.session_state.get("proof_of") or ORGANIZATION).strip()
    st.query_params.from_dict({} if chosen in ("", ORGANIZATION) else {"action": chosen})
