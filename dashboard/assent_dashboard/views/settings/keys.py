"""The section Keys of the settings: the API keys of the organization, what is said of each, a new one, and revoking
one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl
import streamlit as st

from assent import Agent, Client, Key, Organization, Role
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import later
from assent_dashboard.views.blocks import some
from assent_dashboard.views.press import attempt
from assent_dashboard.views.settings.dialogs import Confirming, Making, begin, written

AGENTS = 200
"""Agents that are looked at for when a key was last heard of, those heard of last first."""
MEANS = {
    Role.AGENT: "asks, acts and reports; decides nothing",
    Role.OPERATOR: "also approves, denies, and uses the kill switch",
    Role.AUDITOR: "reads everything and changes nothing",
    Role.ADMIN: "does everything, keys and policies included",
}


@dataclass(frozen=True)
class KeyList:
    """`heard` has, by key, the agent that was last heard of with it."""

    organization: Organization
    keys: list[Key]
    heard: Mapping[str, Agent]

    @property
    def names(self) -> dict[str, str]:
        return {key.key_id: key.name for key in self.keys}


def load(session: Session, _: str | None) -> KeyList:
    client = session.client
    agents = later(lambda: client.get_agents(limit=AGENTS).agents)
    organization = later(lambda: client.get_org_by_id(session.key.org_id).organization)
    keys = client.get_keys().keys
    return KeyList(organization(), arranged(keys), heard_with(agents()))


def arranged(keys: Iterable[Key]) -> list[Key]:
    """Those that are valid first, the newest of each first."""
    newest = sorted(keys, key=lambda key: key.created_at, reverse=True)
    return sorted(newest, key=lambda key: key.revoked_at is not None)


def heard_with(agents: Iterable[Agent]) -> dict[str, Agent]:
    """By key, the agent that was last heard of with it. An agent is known with the last key that it used alone, so a
    key that is not here may have been used all the same."""
    found: dict[str, Agent] = {}
    for agent in sorted(agents, key=lambda agent: agent.last_seen):
        if agent.key_id is not None:
            found[agent.key_id] = agent
    return found


def may_do(key: Key) -> str:
    """`agent · only as bot`"""
    bound = "" if key.agent_id is None else f", only as {words.code(key.agent_id)}"
    return f"**{key.role}**{bound}: {MEANS.get(key.role, 'another role')}"


def made(key: Key, names: Mapping[str, str], now: datetime) -> str:
    """When it was made and by whom, and when it was revoked."""
    said = f"ends in {words.code(key.hint)} · made {words.ago(key.created_at, now)}{_by(key.created_by, names)}"
    if key.revoked_at is not None:
        said += f" · revoked {words.ago(key.revoked_at, now)}{_by(key.revoked_by, names)}"
    return said


def last_heard(key: Key, agent: Agent | None, now: datetime) -> str | None:
    """When it was last used, as far as that is known; None for a person's, of which nothing is."""
    if agent is None:
        return "no agent was last heard of with it" if key.role is Role.AGENT else None
    return f"agent {words.code(agent.agent_id)} was last heard of with it {words.ago(agent.last_seen, now)}"


def tables(found: KeyList) -> dict[str, pl.DataFrame]:
    heard = found.heard
    return {
        "keys": pl.DataFrame(
            [
                {
                    "key_id": key.key_id,
                    "name": key.name,
                    "role": key.role.value,
                    "agent_id": key.agent_id,
                    "hint": key.hint,
                    "created_at": key.created_at,
                    "created_by": key.created_by,
                    "revoked_at": key.revoked_at,
                    "revoked_by": key.revoked_by,
                    "agent_last_heard_at": heard[key.key_id].last_seen if key.key_id in heard else None,
                }
                for key in found.keys
            ],
            schema=SCHEMA,
        )
    }


SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "key_id": pl.String,
    "name": pl.String,
    "role": pl.String,
    "agent_id": pl.String,
    "hint": pl.String,
    "created_at": pl.Datetime("us", "UTC"),
    "created_by": pl.String,
    "revoked_at": pl.Datetime("us", "UTC"),
    "revoked_by": pl.String,
    "agent_last_heard_at": pl.Datetime("us", "UTC"),
}


def _by(key_id: str | None, names: Mapping[str, str]) -> str:
    if key_id is None or key_id == "system":
        return ""
    return f" by {words.plain(names.get(key_id, key_id))}"


# The section Keys: who may speak to the service, a new key, and the end of one.
#
# Keys: `keys_new` opens the dialog of a new one, whose members are `key_name`, `key_role` and `key_agent`;
# `key-<key_id>` is the line of one and `revoke-<key_id>` its button; `keys_revoked` holds those that were revoked.


LONGEST_NAME = 128
ROLES: list[Role] = list(Role)
ADVICE = (
    "Give it to whom it is for, as `ASSENT_API_KEY` in the environment. It is sent with every request, so treat it "
    "like a password. It can be revoked here at any time."
)


def headline(valid: Sequence[Key], revoked: int) -> str:
    """`4 keys are valid: 2 agents, 1 operator, 1 admin; 3 are revoked.`"""
    counts = Counter(key.role for key in valid)
    by_role = ", ".join(words.several(counts[role], role.value) for role in Role if counts[role])
    rest = f"; {words.amount(revoked)} {'is' if revoked == 1 else 'are'} revoked" if revoked else ""
    return f"{words.several(len(valid), 'key is', 'keys are')} valid: {by_role}{rest}."


def draw(session: Session, found: KeyList, now: datetime) -> None:
    valid = [key for key in found.keys if key.revoked_at is None]
    past = [key for key in found.keys if key.revoked_at is not None]
    st.markdown(f"**{headline(valid, len(past))}**")
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
class NewKey(Making):
    title = "New key"
    what, advice, label = "The key", ADVICE, "Make the key"

    client: Client

    def ask(self) -> None:
        st.text_input("Name", key="key_name", max_chars=LONGEST_NAME, on_change="ignore", placeholder="Whose it is")
        st.selectbox("Role", ROLES, key="key_role", format_func=_role, on_change="ignore")
        st.text_input(
            "Bound to the agent",
            key="key_agent",
            max_chars=LONGEST_NAME,
            on_change="ignore",
            help="Such a key speaks for this agent alone.",
        )
        st.checkbox(
            "For any agent",
            key="key_any_agent",
            help="A key of role agent that many agents share: whoever has it speaks for any of them.",
        )

    def make(self) -> str | None:
        name, role, agent_id = written("key_name"), Role(st.session_state["key_role"]), written("key_agent")
        if not name:
            self.problem = "Give it a name: what its holder decides carries it."
            return None
        any_agent = bool(st.session_state["key_any_agent"])
        if role is Role.AGENT and not agent_id and not any_agent:
            self.problem = "Name the agent that it speaks for, or say that it is for any."
            return None
        answer, self.problem = attempt(
            lambda: self.client.create_key(name, role, agent_id or None, any_agent=any_agent)
        )
        return None if answer is None else answer.api_key


def _role(role: Role) -> str:
    return f"{role}: {MEANS[role]}"
