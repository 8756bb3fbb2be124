"""What each tool does: one call of the client, whose answer is told as the tool tells it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from assent.contract.actions import ActionDetail, UpdatedAction
from assent.contract.assumptions import RecordedAssumption
from assent.contract.lessons import Lessons
from assent.contract.record import Record
from assent.errors import GuardBlockedError
from assent.mcp.answers import Claimed, Guarded, Opened, Waited, claimed, guarded, opened, refused
from assent.mcp.desk import Desk
from assent.mcp.waiting import wait

Said = dict[str, Any]
"""Checked arguments."""


async def guard(desk: Desk, said: Said) -> Guarded:
    return guarded(await desk.client.guard(said, raise_on_block=False))


async def create_action(desk: Desk, said: Said) -> Opened:
    try:
        created = await desk.client.create_action(**said)
    except GuardBlockedError as error:
        return refused(error)
    return opened(created, desk.replay(created.action_id))


async def wait_for_approval(desk: Desk, said: Said) -> Waited:
    timeout = float(said.get("timeout_seconds", desk.patience))
    return await wait(desk, said["action_id"], timeout)


async def claim_action(desk: Desk, said: Said) -> Claimed:
    return claimed(await desk.client.claim_action(**said))


async def record_assumption(desk: Desk, said: Said) -> RecordedAssumption:
    return await desk.client.record_assumption(said)


async def update_outcome(desk: Desk, said: Said) -> UpdatedAction:
    return await desk.client.update_outcome(**said)


async def get_action(desk: Desk, said: Said) -> ActionDetail:
    return await desk.client.get_action(**said)


async def get_lessons(desk: Desk, said: Said) -> Lessons:
    return await desk.client.get_lessons(agent_id=await desk.own_agent(), **said)


CALLS: Mapping[str, Callable[[Desk, Said], Awaitable[Record]]] = {
    call.__name__: call
    for call in (
        guard,
        create_action,
        wait_for_approval,
        claim_action,
        record_assumption,
        update_outcome,
        get_action,
        get_lessons,
    )
}
"""By the names of `tools.TOOLS`."""
