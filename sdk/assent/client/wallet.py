"""Signing keys: what the organization's evidence is signed with."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.wallet import (
    GET_JWKS,
    GET_SIGNING_KEYS,
    REVOKE_SIGNING_KEY,
    ROTATE_SIGNING_KEY,
    Jwks,
    RevokedSigningKey,
    RevokeSigningKey,
    RotatedSigningKey,
    RotateSigningKey,
    SigningKeys,
)


class WalletOperations(Caller):
    @operation
    def get_signing_keys(self) -> Flow[SigningKeys]:
        """The organization's signing keys in the order in which they were made, retired and revoked ones included.
        Needs an operator's, auditor's or admin's key.
        """
        return (yield from send(GET_SIGNING_KEYS))

    @operation
    def rotate_signing_key(self, reason: str | None = None) -> Flow[RotatedSigningKey]:
        """Sign with a new key from now on; what the one before signed stays valid. Needs an admin's key."""
        return (yield from send(ROTATE_SIGNING_KEY, body=RotateSigningKey(reason=reason)))

    @operation
    def revoke_signing_key(self, kid: str, reason: str) -> Flow[RevokedSigningKey]:
        """Say that nothing counts any more that this key signed; the reason is published with it. Raises NotFound, and
        Conflict when it is revoked already. Needs an admin's key.
        """
        return (yield from send(REVOKE_SIGNING_KEY, path={"kid": kid}, body=RevokeSigningKey(reason=reason)))

    @operation
    def get_jwks(self, org_id: str | None = None) -> Flow[Jwks]:
        """The public signing keys of an organization, without `org_id` those of the service's first one: what
        strangers verify with. Empty until something was signed, and for an organization that is not there.
        """
        return (yield from send(GET_JWKS, query={} if org_id is None else {"org_id": org_id}))
