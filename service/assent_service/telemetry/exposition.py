"""`/metrics`, for Prometheus. A page of numbers and not an operation, so the contract does not have it.

They count what all organizations do. So with the setting `metrics = "key"` it takes the key of an auditor or an admin
of the service's first organization, and `open` is for a service that only the scraper can reach.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from prometheus_client.exposition import choose_encoder

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.roles import OPEN, Role
from assent_service.core.call import Answer, Call
from assent_service.core.problem import refuse
from assent_service.core.route import Route, route
from assent_service.telemetry.meters import Meters

READERS = frozenset({Role.AUDITOR, Role.ADMIN})


def metrics(meters: Meters, *, open_to_all: bool, first: Callable[[], str | None]) -> Route:
    """`first` gives the id of the service's first organization."""
    endpoint = Endpoint(
        operation="metrics",
        method="GET",
        path="/metrics",
        summary="The service's numbers, as Prometheus reads them.",
        roles=OPEN if open_to_all else READERS,
        response=str,
        content="text/plain",
    )

    @route(endpoint)
    async def answer(call: Call) -> Answer:
        if not open_to_all and call.principal.org_id != first():
            raise refuse(Code.FORBIDDEN, "The service's metrics take a key of its first organization.")
        try:
            encoder, media_type = choose_encoder(call.header("accept") or "")
        except (TypeError, ValueError):
            # A version that is no number; it is no reason to refuse, so the plain format is answered.
            encoder, media_type = choose_encoder("")
        # Making the text takes milliseconds, which guard need not wait for.
        return Answer(await asyncio.to_thread(encoder, meters.registry), media_type=media_type)

    return answer
