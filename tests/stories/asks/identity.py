"""Pairings and identities: whoever acts may ask for a pairing; all else is an admin's, but for how one stands."""

from __future__ import annotations

import itertools

from assent.proof.private_key import new_private_key
from assent.proof.public_key import pem_of
from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

PEM = pem_of(new_private_key("Ed25519").public_key())
_numbers = itertools.count(1)


def body() -> dict[str, str]:
    return {"agent_id": f"asker-{next(_numbers)}", "public_key": PEM, "algorithm": "Ed25519"}


def pairing(owner: Tenant) -> str:
    return str(owner.call("POST", "/api/pairings", body())["pairing"]["id"])


def identity(owner: Tenant) -> str:
    return str(owner.call("POST", "/api/identities", body())["identity"]["agent_id"])


ASKS = {
    "create_pairing": Asking("ao m", lambda _: Ask("/api/pairings", body())),
    "get_pairings": Asking("   m", lambda _: Ask("/api/pairings")),
    "get_pairing": Asking("open", lambda owner: Ask(f"/api/pairings/{pairing(owner)}")),
    "approve_pairing": Asking("   m", lambda owner: Ask(f"/api/pairings/{pairing(owner)}/approve")),
    "register_identity": Asking("   m", lambda _: Ask("/api/identities", body())),
    "get_identities": Asking("   m", lambda _: Ask("/api/identities")),
    "get_identity": Asking("   m", lambda owner: Ask(f"/api/identities/{identity(owner)}")),
    "revoke_identity": Asking("   m", lambda owner: Ask(f"/api/identities/{identity(owner)}")),
}
