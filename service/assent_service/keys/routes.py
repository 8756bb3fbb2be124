"""Keys over HTTP."""

from __future__ import annotations

from assent.contract.keys import CREATE_KEY, GET_KEYS, GET_OWN_KEY, REVOKE_KEY, RevokedKey
from assent.contract.keys import Keys as KeyList
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.keys.keys import Keys


def routes(keys: Keys) -> tuple[Route, ...]:
    @route(CREATE_KEY)
    async def create(call: Call) -> Answer:
        return Answer(await keys.create(call.principal, call.body), 201)

    @route(GET_KEYS)
    async def list_keys(call: Call) -> Answer:
        return Answer(KeyList(keys=keys.list(call.principal.org_id)))

    @route(GET_OWN_KEY)
    async def own(call: Call) -> Answer:
        return Answer(keys.own(call.principal))

    @route(REVOKE_KEY)
    async def revoke(call: Call) -> Answer:
        return Answer(RevokedKey(key=await keys.revoke(call.principal, call.path["key_id"]), revoked=True))

    return create, list_keys, own, revoke
