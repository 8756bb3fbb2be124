"""Signing keys over HTTP."""

from __future__ import annotations

from collections.abc import Callable

from assent.contract.wallet import (
    GET_JWKS,
    GET_SIGNING_KEYS,
    REVOKE_SIGNING_KEY,
    ROTATE_SIGNING_KEY,
    Jwks,
    RevokedSigningKey,
    SigningKeys,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.wallet.wallet import Wallet


def routes(wallet: Wallet, first: Callable[[], str | None]) -> tuple[Route, ...]:
    """`first` is the id of the organization that the service started with."""

    @route(GET_SIGNING_KEYS)
    async def list_keys(call: Call) -> Answer:
        return Answer(SigningKeys(keys=wallet.list(call.principal.org_id)))

    @route(ROTATE_SIGNING_KEY)
    async def rotate(call: Call) -> Answer:
        return Answer(await wallet.rotate(call.principal, call.body.reason), 201)

    @route(REVOKE_SIGNING_KEY)
    async def revoke(call: Call) -> Answer:
        key = await wallet.revoke(call.principal, call.path["kid"], call.body.reason)
        return Answer(RevokedSigningKey(key=key, revoked=True))

    @route(GET_JWKS)
    async def jwks(call: Call) -> Answer:
        org_id = call.query.org_id or first()
        return Answer(Jwks(keys=[]) if org_id is None else wallet.jwks(org_id))

    return list_keys, rotate, revoke, jwks
