"""Identities over HTTP."""

from __future__ import annotations

from assent.contract.identities import (
    GET_IDENTITIES,
    REGISTER_IDENTITY,
    REVOKE_IDENTITY,
    IdentityDetail,
    RevokedIdentity,
)
from assent.contract.identities import Identities as IdentityList
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.identities.identities import Identities


def routes(identities: Identities) -> tuple[Route, ...]:
    @route(REGISTER_IDENTITY)
    async def register(call: Call) -> Answer:
        return Answer(IdentityDetail(identity=await identities.register(call.principal, call.body)))

    @route(GET_IDENTITIES)
    async def list_all(call: Call) -> Answer:
        return Answer(IdentityList(identities=identities.all(call.principal)))

    @route(REVOKE_IDENTITY)
    async def revoke(call: Call) -> Answer:
        revoked = await identities.revoke(call.principal, call.path["agent_id"])
        return Answer(RevokedIdentity(identity=revoked, revoked=True))

    return register, list_all, revoke
