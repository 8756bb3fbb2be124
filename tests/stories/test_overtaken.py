"""Every operation on a service that is overtaken each time: it is answered as busy, nothing of it is there, and nothing
is held, so that the same request goes through a moment later."""

from __future__ import annotations

from pathlib import Path

import httpx

from assent.contract.operations import ENDPOINTS
from tests.live import WAIT, start_service
from tests.stories.ask import Ask
from tests.stories.asks.evaluations import settle
from tests.stories.tenant import Tenant
from tests.stories.test_authorization import BY_NAME, ask, send
from tests.tiers import deep

OFTEN = {"guard", "create_action", "approve_action", "claim_action", "update_outcome", "sync_state", "send_message"}
"""What agents and operators call all day."""
RECORDED_FIRST = {"get_readiness"}
"""It answers without a signed head, and says so."""


def try_out(folder: Path, operations: set[str]) -> None:
    busy = folder / "busy"
    with (
        start_service(folder / "home", module="tests.contested_service", BUSY=str(busy)) as running,
        httpx.Client(timeout=WAIT, trust_env=False) as http,
    ):
        owner = Tenant(running, http)
        owner.governed()
        wrong: dict[str, object] = {}
        for operation in (each.operation for each in ENDPOINTS if each.operation in operations):
            asked = ask(operation, owner)
            settle(owner)
            key = running.admin_key if operation == "create_org" else "admin"
            before = owner.recorded()
            busy.touch()
            refused = send(owner, operation, asked, key)
            busy.unlink()
            if owner.recorded() != before:
                wrong[operation] = "it records, busy as it is"
            if refused.status >= 300 and (refused.status, refused.code) != (503, "busy"):
                wrong[operation] = refused.content
            reply = send(owner, operation, asked, key)
            if reply.status >= 300:
                wrong[operation] = reply.content
            elif refused.status < 300 and owner.recorded() != before and operation not in RECORDED_FIRST:
                wrong[operation] = "it was answered, and its record was lost"
            if operation == "halt":
                send(owner, "resume", Ask(BY_NAME["resume"].path, None), "admin")
    assert not wrong


def test_what_is_called_all_day_leaves_nothing_behind_when_it_is_busy(tmp_path: Path) -> None:
    try_out(tmp_path, OFTEN)


@deep("every operation, twice")
def test_whatever_records_leaves_nothing_behind_when_it_is_busy(tmp_path: Path) -> None:
    try_out(tmp_path, {each.operation for each in ENDPOINTS})
