"""The second press of what changes a policy from the list: off, on, enforce, observe, delete.

Keys, in the dialog: `policy_confirm`, `policy_cancel`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from assent import Client
from assent.contract.control.policies import Mode, Policy, once_enforced
from assent.contract.problems import Code
from assent.errors import Conflict, NotFound
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.policies import drafts
from assent_dashboard.views.policies.sentences import does
from assent_dashboard.views.press import attempt

STATE = "assent_policy_asked"


@dataclass(frozen=True)
class ConfirmedChange:
    """`title` asks, `says` tells what follows, `done` what was done."""

    title: str
    says: str
    button: str
    icon: str
    done: str
    make: Callable[[Client, Policy], object]


CHANGES = {
    "off": ConfirmedChange(
        "Switch this policy off?",
        "The next guard call does without it. It stays here, and can be switched on again.",
        "Switch off",
        ":material/pause:",
        "Switched off",
        lambda client, old: client.update_policy(old.policy_id, active=False, if_version=old.version),
    ),
    "on": ConfirmedChange(
        "Switch this policy on?",
        "The next guard call follows it.",
        "Switch on",
        ":material/play_arrow:",
        "Switched on",
        lambda client, old: client.update_policy(old.policy_id, active=True, if_version=old.version),
    ),
    "enforce": ConfirmedChange(
        "Enforce this policy?",
        "Until now it only recorded what it would decide. From the next guard call on it decides. Open it and "
        "backtest it first if you have not.",
        "Enforce",
        ":material/gavel:",
        "Enforced",
        lambda client, old: client.update_policy(old.policy_id, mode=Mode.ENFORCE, if_version=old.version),
    ),
    "observe": ConfirmedChange(
        "Only observe this policy?",
        "From the next guard call on it stops nobody; what it would decide is recorded.",
        "Observe",
        ":material/visibility:",
        "Now observed",
        lambda client, old: client.update_policy(old.policy_id, mode=Mode.OBSERVE, if_version=old.version),
    ),
    "delete": ConfirmedChange(
        "Delete this policy?",
        "The next guard call does without it. Decisions that it took part in stay as they are. It cannot be taken "
        "back; download the YAML first to keep it.",
        "Delete",
        ":material/delete:",
        "Deleted",
        lambda client, old: client.delete_policy(old.policy_id, if_version=old.version),
    ),
}


def ask(kind: str, policy: Policy) -> None:
    """For callbacks of widgets."""
    st.session_state[STATE] = (kind, policy)


def asking() -> bool:
    return STATE in st.session_state


def end() -> None:
    st.session_state.pop(STATE, None)


def open_dialog(session: Session) -> None:
    """Show the question that is open, if there is one."""
    open_one = st.session_state.get(STATE)
    if open_one is None:
        return
    kind, policy = open_one
    change = CHANGES[kind]

    @st.dialog(change.title, on_dismiss=end)
    def dialog() -> None:
        with st.container(border=True):
            st.markdown(f"**{words.plain(policy.name)}**")
            st.markdown(words.plain(does(policy.policy_type, policy.rules)))
        st.markdown(change.says)
        follows = once_enforced(policy) if kind == "enforce" else None
        if follows is not None:
            st.markdown(follows)
        problem = st.empty()
        with st.container(horizontal=True):
            pressed = st.button(change.button, key="policy_confirm", type="primary", icon=change.icon)
            left = st.button("Cancel", key="policy_cancel")
        if left:
            end()
            st.rerun()
        if pressed:
            said = make(session.client, change, policy)
            forget("policies")
            if said is not None:
                problem.error(words.plain(said), icon=":material/error:")
                return
            end()
            st.session_state[drafts.SAID] = f"{change.done}: {words.plain(policy.name)}"
            st.rerun()

    dialog()


def make(client: Client, change: ConfirmedChange, policy: Policy) -> str | None:
    """Make the change; otherwise why not. What somebody else changed since it was drawn is told before it is lost."""

    def once() -> None:
        try:
            change.make(client, policy)
        except NotFound:
            raise ValueError("Somebody removed this policy a moment ago.") from None
        except Conflict as error:
            if error.code != Code.POLICY_CHANGED:
                raise
            raise ValueError(
                "Somebody changed this policy a moment ago. Close this, look at it again, and decide then."
            ) from None

    return attempt(once)[1]
