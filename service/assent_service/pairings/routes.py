"""Pairings over HTTP."""

from __future__ import annotations

from assent.contract.pairings import (
    APPROVE_PAIRING,
    CREATE_PAIRING,
    GET_PAIRING,
    GET_PAIRINGS,
    CreatedPairing,
    PairingDetail,
)
from assent.contract.pairings import Pairings as PairingList
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.pairings.pairings import Pairings


def routes(pairings: Pairings, dashboard_url: str) -> tuple[Route, ...]:
    page = f"{dashboard_url.rstrip('/')}/settings?section=pairings&pairing_id="

    @route(CREATE_PAIRING)
    async def create(call: Call) -> Answer:
        created = await pairings.create(call.principal, call.body)
        return Answer(CreatedPairing(pairing=created, pairing_url=page + created.pairing_id))

    @route(GET_PAIRINGS)
    async def list_all(call: Call) -> Answer:
        return Answer(PairingList(pairings=await pairings.page(call.principal, call.query)))

    @route(GET_PAIRING)
    async def get(call: Call) -> Answer:
        return Answer(PairingDetail(pairing=pairings.status(call.path["pairing_id"])))

    @route(APPROVE_PAIRING)
    async def approve(call: Call) -> Answer:
        return Answer(await pairings.approve(call.principal, call.path["pairing_id"]))

    return create, list_all, get, approve
