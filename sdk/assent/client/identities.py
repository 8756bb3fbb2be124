"""Identities: whose signature is whose. Needs an admin's key."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.pairings import known_algorithm
from assent.contract.identities import (
    GET_IDENTITIES,
    REGISTER_IDENTITY,
    REVOKE_IDENTITY,
    Algorithm,
    Identities,
    IdentityDetail,
    RegisterIdentity,
    RevokedIdentity,
)


class IdentityOperations(Caller):
    @operation
    def register_identity(
        self, agent_id: str, public_key: str, algorithm: Algorithm | str = Algorithm.RSA
    ) -> Flow[IdentityDetail]:
        """Say which public key (an SPKI PEM) an agent signs with, without a pairing. It replaces the key that the agent
        had. Raises InvalidRequest for a key that cannot be used, ValueError for an unknown algorithm.
        """
        body = RegisterIdentity(agent_id=agent_id, public_key=public_key, algorithm=known_algorithm(algorithm))
        return (yield from send(REGISTER_IDENTITY, body=body))

    @operation
    def get_identities(self) -> Flow[Identities]:
        """The agents whose signatures are known, by agent; revoked ones have `revoked_at`."""
        return (yield from send(GET_IDENTITIES))

    @operation
    def revoke_identity(self, agent_id: str) -> Flow[RevokedIdentity]:
        """Stop trusting an agent's signatures; the next one is not verified any more. Raises NotFound."""
        return (yield from send(REVOKE_IDENTITY, path={"agent_id": agent_id}))
