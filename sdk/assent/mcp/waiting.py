"""Waiting for a person while the client hears that the wait goes on.

The wait itself is the client's own. Beside it the host is told every few seconds how long it has waited, if it asked
for progress; hosts that end silent calls then keep this one. A cancelled call ends both, and the action still waits.
"""

from __future__ import annotations

import asyncio
import time

from assent.errors import ApprovalError
from assent.mcp.answers import Waited, allowed, not_allowed
from assent.mcp.desk import Desk

INTERVAL = 5.0
"""Seconds between two words of progress."""


async def wait(desk: Desk, action_id: str, timeout: float) -> Waited:
    """How the wait ended. Raises what the service's failures are."""
    telling = asyncio.create_task(_tell(desk, action_id, timeout))
    try:
        return await _wait(desk, action_id, timeout)
    finally:
        telling.cancel()


async def _wait(desk: Desk, action_id: str, timeout: float) -> Waited:
    try:
        await desk.client.wait_for_approval(action_id, timeout)
    except ApprovalError as error:
        return not_allowed(error)
    # The approval comes with conditions and a time limit, which the action alone does not tell.
    return allowed(await desk.client.get_action(action_id), await desk.own_agent())


async def _tell(desk: Desk, action_id: str, timeout: float) -> None:
    words = f"Waiting for an operator to decide on {action_id}: {desk.replay(action_id)}"
    began = time.monotonic()
    while True:
        await desk.progress(round(time.monotonic() - began, 1), timeout, words)
        await asyncio.sleep(INTERVAL)
