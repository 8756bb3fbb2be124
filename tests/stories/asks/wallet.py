"""Signing keys: whoever reads may see them, an admin changes them, and anybody at all may have the public ones."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def signing_key(owner: Tenant) -> str:
    """One that was never revoked."""
    return str(owner.call("POST", "/api/signing-keys/rotate")["key"]["kid"])


ASKS: dict[str, Asking] = {
    "get_signing_keys": Asking(" oum", lambda _: Ask("/api/signing-keys")),
    "rotate_signing_key": Asking("   m", lambda _: Ask("/api/signing-keys/rotate", {"reason": "yearly"})),
    "revoke_signing_key": Asking(
        "   m", lambda owner: Ask(f"/api/signing-keys/{signing_key(owner)}/revoke", {"reason": "stolen"})
    ),
    "get_jwks": Asking("open", lambda owner: Ask(f"/.well-known/jwks.json?org_id={owner.org_id}")),
}
