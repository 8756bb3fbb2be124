"""Pairings: who asks that a key be trusted, the one that a link leads to, and what became of others. Pure but for the
asking.

Anybody who knows a pairing's id may see how it stands; all else is an admin's, so an operator who opens a link is told
what there is to tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import polars as pl

from assent import Identity, Pairing, Role
from assent.contract.pairings import PairingState, PairingStatus
from assent.errors import InvalidRequest, NotFound
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.side_by_side import each, later

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
