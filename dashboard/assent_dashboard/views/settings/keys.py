"""The section Keys: who may speak to the service, a new key, and the end of one.

Keys: `keys_new` opens the dialog of a new one, whose members are `key_name`, `key_role` and `key_agent`;
`key-<key_id>` is the line of one and `revoke-<key_id>` its button; `keys_revoked` holds those that were revoked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import streamlit as st

from assent import Client, Key, Role
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.attempt import attempt
from assent_dashboard.views.rows import some
from assent_dashboard.views.settings.dialogs import Confirming, begin, buttons, end, pressed, written
from assent_dashboard.views.settings.key_list import MEANS, KeyList, last_heard, made, may_do
from assent_dashboard.views.settings.secret import gone, show_secret

LONGEST_NAME = 128
ROLES: list[Role] = list(Role)
ADVICE = (
    "Give it to whom it is for, as `ASSENT_API_KEY` in the environment. It is sent with every request, so treat it "
    "like a password. It can be revoked here at any time."
)


def draw(session: Session, found: KeyList, now: datetime) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        organization = found.organization
        st.markdown(
            f"Organization **{words.plain(organization.name)}** ({words.code(organization.slug)}), "
            f"since {words.moment(organization.created_at)}",
            width="content",
        )
        st.button(
            "New key…",
            key="keys_new",
            icon=":material/add:",
            type="primary",
            on_click=lambda: begin(NewKey(session.client)),
        )
    valid = [key for key in found.keys if key.revoked_at is None]
    past = [key for key in found.keys if key.revoked_at is not None]
    some(valid, lambda key: _line(session, found, key, now), name="keys")
    if past:
        with st.expander(f"Revoked · {len(past)}", key="keys_revoked"):
            some(past, lambda key: _line(session, found, key, now), name="revoked_keys")
    st.caption("When a person's key was last used is not recorded; for an agent's, its signs of life tell it.")


def _line(session: Session, found: KeyList, key: Key, now: datetime) -> None:
    revoked = key.revoked_at is not None
    own = key.key_id == session.key.key_id
    with st.container(border=True, key=f"key-{key.key_id}", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            icon = ":material/key_off:" if revoked else ":material/key:"
            marks = (" :gray-badge[revoked]" if revoked else "") + (" :blue-badge[yours]" if own else "")
            st.markdown(f"{icon} **{words.plain(key.name)}**{marks}", width="content")
            if not revoked:
                st.button(
                    "Revoke…",
                    key=f"revoke-{key.key_id}",
                    icon=":material/block:",
                    on_click=lambda: begin(_revoking(session, key)),
                )
        st.markdown(may_do(key))
        heard = last_heard(key, found.heard.get(key.key_id), now)
        st.caption("  \n".join([made(key, found.names, now), *([heard] if heard else [])]))


def _revoking(session: Session, key: Key) -> Confirming:
    says = [
        f"**{words.plain(key.name)}** (ends in {words.code(key.hint)}) is refused from the next request on. "
        "This cannot be taken back; a new key can be made.",
    ]
    if key.key_id == session.key.key_id:
        says.append(":material/warning: **This is the key that you signed in with.** You will be signed out.")
    return Confirming(
        title="Revoke this key?",
        says=says,
        label="Revoke",
        icon=":material/block:",
        do=lambda _: session.client.revoke_key(key.key_id),
        done=f"Revoked: {words.plain(key.name)}",
    )


@dataclass
class NewKey:
    """The dialog of a new key. Of the key that was made it keeps that there was one, and nothing else."""

    client: Client
    title: str = "New key"
    made: bool = False
    problem: str | None = field(default=None, init=False)

    def draw(self) -> None:
        if self.made:
            gone("The key")
            return
        # Before anything of the form is drawn: what is drawn after it would stand beside its buttons.
        secret = self._make() if pressed() else None
        if secret is not None:
            show_secret(secret, "The key", ADVICE)
        else:
            self._ask()

    def _ask(self) -> None:
        st.text_input("Name", key="key_name", max_chars=LONGEST_NAME, on_change="ignore", placeholder="Whose it is")
        st.selectbox("Role", ROLES, key="key_role", format_func=_role, on_change="ignore")
        st.text_input(
            "Bound to the agent (optional)",
            key="key_agent",
            max_chars=LONGEST_NAME,
            on_change="ignore",
            help="Such a key speaks for this agent alone.",
        )
        if self.problem is not None:
            st.error(words.plain(self.problem))
        _, left = buttons("Make the key", ":material/add:")
        if left:
            end()

    def _make(self) -> str | None:
        name, role, agent_id = written("key_name"), Role(st.session_state["key_role"]), written("key_agent")
        if not name:
            self.problem = "Give it a name: what its holder decides carries it."
            return None
        answer, self.problem = attempt(lambda: self.client.create_key(name, role, agent_id or None))
        if answer is None:
            return None
        self.made = True
        return answer.api_key


def _role(role: Role) -> str:
    return f"{role}: {MEANS[role]}"
