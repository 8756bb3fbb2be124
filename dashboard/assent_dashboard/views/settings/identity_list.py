"""Identities: which public key each agent signs with. Pure but for the asking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from assent import Identity
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.side_by_side import both


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
