"""The scan for secrets over HTTP."""

from __future__ import annotations

import asyncio

import msgspec

from assent.contract.secrets import SCAN_CONTENT, SECRETS_FOUND
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock
from assent_service.core.payload import encode
from assent_service.core.route import Route, route
from assent_service.secrets.scan import recorded, scanned
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

SHORT = 4096
"""Characters up to which a text is looked through on the loop; longer ones beside it, since guard answers there."""


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @route(SCAN_CONTENT)
    async def scan(call: Call) -> Answer:
        said, principal = call.body, call.principal
        agent_id = principal.speaks_for(said.agent_id)
        found = scanned(said) if len(said.text) <= SHORT else await asyncio.to_thread(scanned, said)
        if not (said.store and found.findings):
            return Answer(found)
        now, by = clock(), principal.key_id
        kept = recorded(
            found, org_id=principal.org_id, agent_id=agent_id, length=len(said.text), created_by=by, now=now
        )
        draft = Draft(
            org=principal.org_id, type=SECRETS_FOUND.value, ts=now, subject=kept.scan_id, actor=by, data=encode(kept)
        )
        await ledger.append(draft)
        return Answer(msgspec.structs.replace(found, scan_id=kept.scan_id))

    return (scan,)
