"""The section Pairings of the settings: agents that ask that a key be trusted, the one that a link leads to, and what
became of others.

Anybody who knows a pairing's id may see how it stands; all else is an admin's, so an operator who opens a link is told
what there is to tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import polars as pl
import streamlit as st

from assent import Client, Identity, Pairing, Role
from assent.contract.people.pairings import PairingState, PairingStatus
from assent.errors import InvalidRequest, NotFound
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import each, later
from assent_dashboard.views.blocks import empty, some
from assent_dashboard.views.press import attempt
from assent_dashboard.views.settings.dialogs import begin, buttons, end

MOST, LATELY = 200, 20


@dataclass(frozen=True)
class PairingList:
    """`linked` is the pairing of the address: whole where it is this organization's and the key an admin's. `names` has
    the names of keys by their ids."""

    waiting: list[Pairing] = field(default_factory=list)
    past: list[Pairing] = field(default_factory=list)
    identities: Mapping[str, Identity] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    pairing_id: str | None = None
    linked: PairingStatus | None = None

    @property
    def others(self) -> list[Pairing]:
        """Those that wait beside the linked one."""
        return [pairing for pairing in self.waiting if pairing.pairing_id != self.pairing_id]


def load(session: Session, pairing_id: str | None) -> PairingList:
    client = session.client
    status = later(lambda: _status(session, pairing_id))
    if session.key.role is not Role.ADMIN:
        return PairingList(pairing_id=pairing_id, linked=status())
    keys, identities = later(client.get_keys), later(client.get_identities)
    waiting, approved, expired = each(
        lambda state: client.get_pairings(state, MOST if state is PairingState.PENDING else LATELY).pairings,
        (PairingState.PENDING, PairingState.APPROVED, PairingState.EXPIRED),
    )
    past = sorted([*approved, *expired], key=lambda pairing: pairing.updated_at, reverse=True)
    known = {pairing.pairing_id: pairing for pairing in [*waiting, *past]}
    standing = status()
    return PairingList(
        waiting=waiting,
        past=past[:LATELY],
        identities={identity.agent_id: identity for identity in identities().identities},
        names={key.key_id: key.name for key in keys().keys},
        pairing_id=pairing_id,
        linked=standing and known.get(standing.pairing_id, standing),
    )


def compared(given: str, fingerprint: str) -> bool | None:
    """Whether a fingerprint that somebody typed or pasted is this one; None when nothing was. Spaces, case and the
    `sha256:` before it do not matter."""
    typed = "".join(given.split()).lower().replace(":", "").removeprefix("sha256")
    return None if not typed else typed == fingerprint.lower().removeprefix("sha256:")


def replaces(pairing: Pairing, identities: Mapping[str, Identity]) -> str | None:
    """Markdown that says which key the agent has now, when it is another one."""
    now = identities.get(pairing.agent_id)
    if now is None or now.revoked_at is not None or now.fingerprint == pairing.fingerprint:
        return None
    return f"It replaces the key that {words.code(pairing.agent_id)} signs with now, {words.code(now.fingerprint)}."


def asks(pairing: PairingStatus) -> str:
    """`**The bot** (bot) asks that its key be trusted.`"""
    name = f" and calls itself **{words.plain(pairing.agent_name)}**" if pairing.agent_name else ""
    return f"**{words.plain(pairing.agent_id)}** asks that its signing key be trusted{name}."


def times(pairing: PairingStatus, now: datetime, names: Mapping[str, str]) -> str:
    """When it was asked, with which key, and how long it still waits."""
    by = ""
    if isinstance(pairing, Pairing):
        by = f" with the key {words.plain(names.get(pairing.created_by, pairing.created_by))}"
    asked = f"Asked {words.ago(pairing.created_at, now)}{by}"
    return f"{asked} · expires {words.left(pairing.expires_at, now)} · {words.code(pairing.pairing_id)}"


def became(pairing: PairingStatus, now: datetime) -> str:
    """What a pairing that no longer waits came to."""
    if pairing.status is PairingState.APPROVED:
        who = pairing.approved_by if isinstance(pairing, Pairing) else None
        by = f" by **{words.plain(who)}**" if who else ""
        return f"approved{by} {words.ago(pairing.updated_at, now)}"
    return f"expired {words.ago(pairing.expires_at, now)}, before anybody approved it"


def tables(found: PairingList) -> dict[str, pl.DataFrame]:
    return {"pairings": _table([*found.waiting, *found.past])}


def _table(pairings: Iterable[Pairing]) -> pl.DataFrame:
    texts = ("pairing_id", "agent_id", "agent_name", "algorithm", "fingerprint", "created_by", "approved_by")
    moments = ("created_at", "expires_at", "approved_at")
    schema: dict[str, pl.DataType | type[pl.DataType]] = dict.fromkeys((*texts, "status"), pl.String)
    schema |= {name: pl.Datetime("us", "UTC") for name in moments}
    rows = [
        {name: getattr(each, name) for name in (*texts, *moments)} | {"status": each.status.value} for each in pairings
    ]
    return pl.DataFrame(rows, schema=schema)


def _status(session: Session, pairing_id: str | None) -> PairingStatus | None:
    if pairing_id is None:
        return None
    try:
        return session.client.get_pairing(pairing_id).pairing
    except (NotFound, InvalidRequest):
        return None


# The section Pairings: agents that ask to be trusted, each with the fingerprint to compare before it is approved.
#
# Keys: `pairing-<pairing_id>` is the card of one and `approve-<pairing_id>` its button; `linked` holds the one that a
# link leads to, `pairings_past` what became of others; in the dialog `fingerprint` is what the agent shows, to compare.


LONGEST_FINGERPRINT = 200
SNIPPET = """from assent import Client
from assent.proof.private_key import Signer, new_private_key, private_pem

key = new_private_key()          # keep it: private_pem(key) is the agent's own secret
signer = Signer(key)
with Client(agent_id="my-agent") as client:
    asked = client.create_pairing(signer.public_pem, signer.algorithm, "My agent")
    print(asked.pairing_url)             # a person opens this, compares
    print(asked.pairing.fingerprint)     # this, and approves
    client.wait_for_pairing(asked.pairing.pairing_id)
"""


def draw(session: Session, found: PairingList, now: datetime) -> None:
    if found.pairing_id is not None:
        with st.container(key="linked"):
            _linked(session, found, now)
    elsewhere = found.pairing_id is not None
    if found.others:
        waiting = words.several(len(found.others), "agent waits", "agents wait")
        st.markdown(f"**{waiting} to be paired.**")
        st.header("Also waiting" if elsewhere else "Waiting", anchor=False)
        some(found.others, lambda pairing: _card(session, found, pairing, now), name="pairings")
    elif not elsewhere:
        empty(
            "No agent waits to be paired.",
            "An agent that signs its actions asks once that its public key be trusted. It appears here by itself.",
            SNIPPET,
            key="pairings_empty",
        )
    st.caption("To refuse one, leave it: a pairing that nobody approves expires, and its key is never trusted.")
    if found.past:
        with st.expander(f"Lately · {len(found.past)}", key="pairings_past"):
            for pairing in found.past:
                st.markdown(_past(pairing, now))


def draw_barred(found: PairingList, now: datetime) -> None:
    """What somebody sees of a link who may not approve."""
    if found.pairing_id is None:
        return
    if found.linked is None:
        _unknown(found.pairing_id)
        return
    with st.container(border=True, key=f"pairing-{found.linked.pairing_id}"):
        _stands(found.linked, now)
        if found.linked.status is PairingState.PENDING:
            st.caption(times(found.linked, now, {}))
            st.button("Approve…", key=f"approve-{found.linked.pairing_id}", icon=":material/check:", disabled=True)


def _linked(session: Session, found: PairingList, now: datetime) -> None:
    linked = found.linked
    if linked is None:
        _unknown(found.pairing_id)
    elif not isinstance(linked, Pairing):
        st.warning(
            f"The pairing {words.code(linked.pairing_id)} of {words.code(linked.agent_id)} is not among those of this "
            "organization. Sign in with an admin key of the organization whose key the agent asks with.",
            icon=":material/domain_disabled:",
        )
    elif linked.status is PairingState.PENDING:
        _card(session, found, linked, now)
    else:
        with st.container(border=True, key=f"pairing-{linked.pairing_id}"):
            _stands(linked, now)
            _fingerprint(linked)


def _card(session: Session, found: PairingList, pairing: Pairing, now: datetime) -> None:
    with st.container(border=True, key=f"pairing-{pairing.pairing_id}"):
        st.markdown(f":material/handshake: {asks(pairing)}")
        _fingerprint(pairing)
        replaced = replaces(pairing, found.identities)
        if replaced is not None:
            st.markdown(f":orange[:material/warning:] {replaced}")
        st.caption(times(pairing, now, found.names))
        st.button(
            "Approve…",
            key=f"approve-{pairing.pairing_id}",
            icon=":material/check:",
            on_click=lambda: begin(Approving(session.client, pairing, replaced)),
        )


def _stands(pairing: PairingStatus, now: datetime) -> None:
    if pairing.status is PairingState.PENDING:
        st.markdown(f":material/handshake: {asks(pairing)}")
    else:
        icon = ":green[:material/check_circle:]" if pairing.status is PairingState.APPROVED else ":material/timer_off:"
        st.markdown(f"{icon} The pairing of **{words.plain(pairing.agent_id)}** {_was(pairing)}{became(pairing, now)}.")
    if pairing.status is PairingState.EXPIRED:
        st.markdown("Have the agent ask again, and open the new link.")


def _was(pairing: PairingStatus) -> str:
    return "was " if pairing.status is PairingState.APPROVED else ""


def _fingerprint(pairing: Pairing) -> None:
    st.caption(f"Fingerprint of its key ({words.plain(pairing.algorithm)}), to compare with what the agent shows")
    st.code(pairing.fingerprint, language=None, wrap_lines=True)


def _past(pairing: Pairing, now: datetime) -> str:
    icon = ":green[:material/check_circle:]" if pairing.status is PairingState.APPROVED else ":material/timer_off:"
    return f"{icon} **{words.plain(pairing.agent_id)}** · {became(pairing, now)} · {words.code(pairing.pairing_id)}"


def _unknown(pairing_id: str | None) -> None:
    st.warning(
        f"There is no pairing {words.code(pairing_id)}. Check the link, or have the agent ask again.",
        icon=":material/search_off:",
    )


@dataclass
class Approving:
    """The dialog that approves one. A fingerprint that was given and is another one stops it."""

    client: Client
    pairing: Pairing
    replaced: str | None
    title: str = "Trust this key?"
    problem: str | None = field(default=None, init=False)

    def draw(self) -> None:
        st.markdown(
            f"What {words.code(self.pairing.agent_id)} signs with this key is then verified as its own, and the agent "
            "that waits goes on at once."
        )
        _fingerprint(self.pairing)
        if self.replaced is not None:
            st.markdown(f":orange[:material/warning:] {self.replaced}")
        given = st.text_input(
            "Fingerprint that the agent shows (optional)",
            key="fingerprint",
            max_chars=LONGEST_FINGERPRINT,
            on_change="ignore",
            placeholder="Paste it here to have the two compared",
        )
        problem = st.empty()
        confirmed, left = buttons("Approve", ":material/check:")
        if left:
            end()
        elif confirmed:
            self._approve(given or "")
        if self.problem is not None:
            problem.error(words.plain(self.problem), icon=":material/error:")

    def _approve(self, given: str) -> None:
        if compared(given, self.pairing.fingerprint) is False:
            self.problem = "These are two different keys. Do not approve: somebody else may be asking."
            return
        _, self.problem = attempt(lambda: self.client.approve_pairing(self.pairing.pairing_id))
        if self.problem is None:
            end(f"Approved: {words.plain(self.pairing.agent_id)}")
