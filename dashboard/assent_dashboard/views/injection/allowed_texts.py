"""Allowing one text, letter by letter, and having it scanned like any other again. A reason is asked for; only keys
that may do it can press.

Keys: `injection_allow_<digest>` is the popover, `injection_reason_<digest>` its text, `injection_allowed_<digest>` its
button; `injection_remove_<digest>` and `injection_removed_<digest>` are popover and button of the list.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from assent.contract.control.injection import AllowedText
from assent.contract.roles import OPERATING
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.press import attempt, report

LONGEST_REASON = 1000
PAGES = ("injection", "injection_allowed")


def may_allow(session: Session) -> bool:
    return session.key.role in OPERATING


def draw_allowing(session: Session, text_digest: str) -> None:
    name = text_digest.removeprefix("sha256:")[:16]
    with st.popover("Allow this text…", icon=":material/verified:", key=f"injection_allow_{name}"):
        st.markdown(
            "This very text, letter by letter, passes from now on whatever the scan finds in it; any other is scanned "
            "as before. Only its digest is kept."
            if may_allow(session)
            else "To allow a text, an operator's or an admin's key is needed."
        )
        reason = f"injection_reason_{name}"
        st.text_area(
            "Why it may pass", key=reason, max_chars=LONGEST_REASON, height=96, disabled=not may_allow(session)
        )
        st.button(
            "Allow it",
            key=f"injection_allowed_{name}",
            type="primary",
            disabled=not may_allow(session),
            on_click=_allow,
            args=(session, text_digest, reason),
        )


def draw_allowed(session: Session, texts: list[AllowedText]) -> None:
    """The list of those that are allowed."""
    if not texts:
        empty(
            "No text is allowed.",
            "Where the scan stops a text that is harmless, open the finding and allow it with a reason. It is known by "
            "its digest, so that any change makes it another text.",
            key="injection_none_allowed",
        )
        return
    st.markdown(
        f"**{words.several(len(texts), 'text')}** that {'passes' if len(texts) == 1 else 'pass'} whatever is found."
    )
    for each in texts:
        name = each.text_digest.removeprefix("sha256:")[:16]
        with st.container(key=f"injection_entry_{name}", border=True, gap="xxsmall"):
            st.text(words.clean(each.reason))
            st.caption(
                f"{words.code(each.text_digest)} · by {words.code(each.allowed_by)}, {words.moment(each.created_at)}"
            )
            _removing(session, each.text_digest, name)


def _removing(session: Session, text_digest: str, name: str) -> None:
    with st.popover("Scan it again…", icon=":material/undo:", key=f"injection_remove_{name}"):
        st.markdown(
            "It leaves the list, and is scanned like any other text from now on. The evidence log keeps that it was "
            "allowed, and why."
            if may_allow(session)
            else "To take a text off the list, an operator's or an admin's key is needed."
        )
        st.button(
            "Take it off the list",
            key=f"injection_removed_{name}",
            type="primary",
            disabled=not may_allow(session),
            on_click=_do,
            args=(lambda: session.client.remove_allowed_text(text_digest), "It is scanned again from now on."),
        )


def _allow(session: Session, text_digest: str, reason: str) -> None:
    why = str(st.session_state.get(reason) or "").strip()
    if not why:
        report("", "Say why. The reason is recorded, and it is all that the next operator has.")
        return
    _do(lambda: session.client.allow_text(text_digest=text_digest, reason=why), "Allowed from now on.")


def _do(act: Callable[[], object], did: str) -> None:
    _, problem = attempt(act, "look at the list before you press again")
    report(did, problem)
    for page in PAGES:
        forget(page)
