"""The replay link that clients print: it leads to the dashboard, which knows how to sign people in.

It is a page's address and not an operation, so the contract does not have it; it goes through the same door.
"""

from __future__ import annotations

from assent.contract.endpoint import Endpoint
from assent.contract.roles import OPEN
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route

REPLAY = Endpoint(
    operation="replay",
    method="GET",
    path="/replay/{action_id}",
    summary="Leads to the action in the dashboard's ledger.",
    roles=OPEN,
    response=dict,
    statuses=(302,),
)


def replay(dashboard_url: str) -> Route:
    """`GET /replay/{action_id}`, open: the answer tells nothing that its own path does not say."""
    ledger = f"{dashboard_url.rstrip('/')}/ledger?action_id="

    @route(REPLAY)
    async def lead(call: Call) -> Answer:
        location = ledger + call.path["action_id"]
        return Answer({"location": location}, 302, ((b"location", location.encode()),))

    return lead
