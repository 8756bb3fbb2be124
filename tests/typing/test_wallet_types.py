"""Read by mypy and basedpyright, never called: what operations of signing keys give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.evidence.wallet import Jwks, RevokedSigningKey, RotatedSigningKey, SigningKeys, SigningKeyStatus


def blocking(client: Client) -> None:
    assert_type(client.get_signing_keys(), SigningKeys)
    assert_type(client.get_signing_keys().keys[0].status, SigningKeyStatus)
    assert_type(client.rotate_signing_key(), RotatedSigningKey)
    assert_type(client.rotate_signing_key("yearly"), RotatedSigningKey)
    assert_type(client.revoke_signing_key("kid", "stolen"), RevokedSigningKey)
    assert_type(client.get_jwks("org_1"), Jwks)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.get_signing_keys(), SigningKeys)
    assert_type(await client.rotate_signing_key(reason="yearly"), RotatedSigningKey)
    assert_type(await client.revoke_signing_key("kid", reason="stolen"), RevokedSigningKey)
    assert_type(await client.get_jwks(), Jwks)
