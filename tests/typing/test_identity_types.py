"""Read by mypy and basedpyright, never called: what pairing and identity operations give, on both clients."""

from pathlib import Path
from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.people.identities import Algorithm, Identities, IdentityDetail, RevokedIdentity
from assent.contract.people.pairings import ApprovedPairing, CreatedPairing, PairingDetail, Pairings, PairingStatus
from assent.proof.private_key import new_private_key


def blocking(client: Client) -> None:
    assert_type(client.create_pairing("pem", agent_name="Seven"), CreatedPairing)
    assert_type(client.get_pairing("pair_1"), PairingDetail)
    assert_type(client.wait_for_pairing("pair_1", timeout=1.0), PairingStatus)
    assert_type(client.get_pairings("approved", 5), Pairings)
    assert_type(client.approve_pairing("pair_1"), ApprovedPairing)
    assert_type(client.register_identity("bot", "pem", Algorithm.ED25519), IdentityDetail)
    assert_type(client.get_identities(), Identities)
    assert_type(client.revoke_identity("bot"), RevokedIdentity)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.create_pairing("pem"), CreatedPairing)
    assert_type(await client.wait_for_pairing("pair_1"), PairingStatus)
    assert_type(await client.get_identities(), Identities)
    assert_type(await client.revoke_identity("bot"), RevokedIdentity)


def signing() -> None:
    Client(private_key="agent.pem")
    Client(private_key=b"-----BEGIN PRIVATE KEY-----")
    Client(private_key=Path("agent.pem"))
    AsyncClient(private_key=new_private_key(Algorithm.RSA))
