"""The section Identities of the settings: which public key each agent signs with, registering one by hand, and revoking
it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import polars as pl
import streamlit as st

from assent import Algorithm, Client, Identity
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import AgentsAddress
from assent_dashboard.views.answers import both
from assent_dashboard.views.blocks import empty, some
from assent_dashboard.views.links import to_page
from assent_dashboard.views.press import attempt
from assent_dashboard.views.settings.dialogs import Confirming, begin, buttons, end


@dataclass(frozen=True)
class IdentityList:
    """`names` has the names of keys by their ids."""

    identities: list[Identity]
    names: Mapping[str, str]


def load(session: Session, _: str | None) -> IdentityList:
    identities, keys = both(session.client.get_identities, session.client.get_keys)
    trusted = sorted(identities.identities, key=lambda identity: (identity.revoked_at is not None, identity.agent_id))
    return IdentityList(trusted, {key.key_id: key.name for key in keys.keys})


def came(identity: Identity, names: Mapping[str, str], now: datetime) -> str:
    """Since when its signatures count, by whom, and until when."""
    how = "by a pairing, approved" if identity.pairing_id is not None else "registered"
    by = words.plain(names.get(identity.registered_by, identity.registered_by))
    said = f"{how} by {by} · counts since {words.moment(identity.updated_at)} ({words.ago(identity.updated_at, now)})"
    if identity.revoked_at is not None:
        who = words.plain(names.get(identity.revoked_by or "", identity.revoked_by or "somebody"))
        said += f" · revoked {words.ago(identity.revoked_at, now)} by {who}"
    return said


def wrong_key(text: str) -> str | None:
    """Why a text should not even be sent; None when the service may look at it."""
    if "PRIVATE KEY" in text:
        return "This is a private key. It was not sent; keep it with the agent, and give the public one."
    if not text:
        return 'Give the public key: the text from "BEGIN PUBLIC KEY" to "END PUBLIC KEY".'
    return None


def tables(found: IdentityList) -> dict[str, pl.DataFrame]:
    texts = (
        *("identity_id", "agent_id", "algorithm", "fingerprint", "public_key"),
        *("pairing_id", "registered_by", "revoked_by"),
    )
    moments = ("created_at", "updated_at", "revoked_at")
    schema: dict[str, pl.DataType | type[pl.DataType]] = dict.fromkeys(texts, pl.String)
    schema |= {name: pl.Datetime("us", "UTC") for name in moments}
    rows = [{name: getattr(each, name) for name in (*texts, *moments)} for each in found.identities]
    return {"identities": pl.DataFrame(rows, schema=schema)}


# The section Identities: the keys that agents sign with, a key registered by hand, and the end of trust.
#
# Keys: `identities_new` opens the dialog, whose members are `identity_agent`, `identity_algorithm` and `identity_key`;
# `identity-<agent_id>` is the line of one and `revoke-identity-<agent_id>` its button.


LONGEST_NAME, LONGEST_KEY = 128, 16_000


def draw(session: Session, found: IdentityList, now: datetime) -> None:
    if found.identities:
        revoked = sum(each.revoked_at is not None for each in found.identities)
        trusted = words.several(len(found.identities) - revoked, "agent signs", "agents sign")
        st.markdown(f"**{trusted} with a key that is trusted; {words.amount(revoked)} revoked.**")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("An action that its agent signed is recorded as verified.", width="content")
        st.button(
            "Register a key…",
            key="identities_new",
            icon=":material/add:",
            type="primary",
            on_click=lambda: begin(Registering(session.client)),
        )
    if not found.identities:
        empty(
            "No agent's signature is known.",
            "An agent asks by itself (see Pairings), or an admin registers its public key here.",
            key="identities_empty",
        )
    some(found.identities, lambda identity: _line(session, found, identity, now), name="identities")


def _line(session: Session, found: IdentityList, identity: Identity, now: datetime) -> None:
    revoked = identity.revoked_at is not None
    with st.container(border=True, key=f"identity-{identity.agent_id}", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            icon = ":material/gpp_bad:" if revoked else ":green[:material/verified_user:]"
            mark = ":gray-badge[revoked]" if revoked else ":green-badge[trusted]"
            st.markdown(f"{icon} **{words.plain(identity.agent_id)}** {mark}", width="content")
            with st.container(horizontal=True, width="content", vertical_alignment="center"):
                to_page(AgentsAddress, "Agent", icon=":material/smart_toy:", agent_id=identity.agent_id)
                if not revoked:
                    st.button(
                        "Revoke…",
                        key=f"revoke-identity-{identity.agent_id}",
                        icon=":material/block:",
                        on_click=lambda: begin(_revoking(session.client, identity)),
                    )
        st.code(identity.fingerprint, language=None, wrap_lines=True)
        st.caption(f"{words.plain(identity.algorithm)} · {came(identity, found.names, now)}")


def _revoking(client: Client, identity: Identity) -> Confirming:
    agent = words.code(identity.agent_id)
    return Confirming(
        title="Stop trusting this key?",
        says=[
            f"What {agent} signs from now on is recorded as not verified. What it signed before stays verified.",
            f"Fingerprint: {words.code(identity.fingerprint)}",
        ],
        label="Revoke",
        icon=":material/block:",
        do=lambda _: client.revoke_identity(identity.agent_id),
        done=f"Revoked: {words.plain(identity.agent_id)}",
    )


@dataclass
class Registering:
    """The dialog that says which public key an agent signs with."""

    client: Client
    title: str = "Register an agent's public key"
    problem: str | None = field(default=None, init=False)

    def draw(self) -> None:
        st.markdown("It replaces the key that the agent had. Take it from the agent's own machine.")
        agent_id = st.text_input("Agent", key="identity_agent", max_chars=LONGEST_NAME, on_change="ignore")
        algorithm = st.selectbox(
            "Algorithm", [Algorithm.ED25519, Algorithm.RSA], key="identity_algorithm", on_change="ignore"
        )
        public_key = st.text_area(
            "Public key",
            key="identity_key",
            max_chars=LONGEST_KEY,
            height=160,
            on_change="ignore",
            placeholder="-----BEGIN PUBLIC KEY-----",
        )
        problem = st.empty()
        confirmed, left = buttons("Register", ":material/add:")
        if left:
            end()
        elif confirmed:
            self._register((agent_id or "").strip(), Algorithm(algorithm), (public_key or "").strip())
        if self.problem is not None:
            problem.error(words.plain(self.problem))

    def _register(self, agent_id: str, algorithm: Algorithm, public_key: str) -> None:
        self.problem = "Say which agent signs with it." if not agent_id else wrong_key(public_key)
        if self.problem is not None:
            return
        _, self.problem = attempt(lambda: self.client.register_identity(agent_id, f"{public_key}\n", algorithm))
        if self.problem is None:
            end(f"Registered: {words.plain(agent_id)}")
