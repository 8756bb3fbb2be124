"""What each tool does: one call of the client, whose answer is told as the tool tells it.

Waiting for a person is the client's own. Beside it the host is told every few seconds how long it has waited, if it
asked for progress; hosts that end silent calls then keep this one. A cancelled call ends both, and the action still
waits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from assent import AsyncClient
from assent.contract.analysis.lessons import Lessons
from assent.contract.control.actions import ActionDetail, UpdatedAction
from assent.contract.control.assumptions import RecordedAssumption
from assent.contract.control.questions import QuestionDetail
from assent.contract.record import Record
from assent.errors import ApprovalError, GuardBlockedError
from assent.mcp.answers import Claimed, Guarded, Opened, Waited, allowed, claimed, guarded, not_allowed, opened, refused

Progress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Seconds waited, seconds at most, and words; does nothing where the host did not ask for it."""


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """`patience` is how long a wait is, in seconds, where the call does not say."""

    client: AsyncClient
    patience: float
    progress: Progress

    def replay(self, action_id: str) -> str:
        """Where a person sees how the action came about, and decides."""
        return f"{self.client.base_url}/replay/{quote(action_id, safe='')}"

    async def own_agent(self) -> str | None:
        """Which agent this is, as the settings say, else as the key does; None where neither names one."""
        return self.client.agent_id or (await self.client.get_own_key()).agent_id


INTERVAL = 5.0
"""Seconds between two words of progress."""
Said = dict[str, Any]
"""Checked arguments."""


async def guard(context: ToolContext, said: Said) -> Guarded:
    return guarded(await context.client.guard(said, raise_on_block=False))


async def create_action(context: ToolContext, said: Said) -> Opened:
    try:
        created = await context.client.create_action(**said)
    except GuardBlockedError as error:
        return refused(error)
    return opened(created, context.replay(created.action_id))


async def wait_for_approval(context: ToolContext, said: Said) -> Waited:
    timeout = float(said.get("timeout_seconds", context.patience))
    return await wait(context, said["action_id"], timeout)


async def answer_question(context: ToolContext, said: Said) -> QuestionDetail:
    return await context.client.answer_question(**said)


async def claim_action(context: ToolContext, said: Said) -> Claimed:
    return claimed(await context.client.claim_action(**said))


async def record_assumption(context: ToolContext, said: Said) -> RecordedAssumption:
    return await context.client.record_assumption(said)


async def update_outcome(context: ToolContext, said: Said) -> UpdatedAction:
    return await context.client.update_outcome(**said)


async def get_action(context: ToolContext, said: Said) -> ActionDetail:
    return await context.client.get_action(**said)


async def get_lessons(context: ToolContext, said: Said) -> Lessons:
    return await context.client.get_lessons(agent_id=await context.own_agent(), **said)


async def wait(context: ToolContext, action_id: str, timeout: float) -> Waited:
    """How the wait ended. Raises what the service's failures are."""
    telling = asyncio.create_task(_tell(context, action_id, timeout))
    try:
        return await _wait(context, action_id, timeout)
    finally:
        telling.cancel()


async def _wait(context: ToolContext, action_id: str, timeout: float) -> Waited:
    try:
        await context.client.wait_for_approval(action_id, timeout, withdraw_on_cancel=False, questions=True)
    except ApprovalError as error:
        return not_allowed(error)
    # The approval comes with conditions and a time limit, which the action alone does not tell.
    return allowed(await context.client.get_action(action_id), await context.own_agent())


async def _tell(context: ToolContext, action_id: str, timeout: float) -> None:
    words = f"Waiting for an operator to decide on {action_id}: {context.replay(action_id)}"
    began = time.monotonic()
    while True:
        await context.progress(round(time.monotonic() - began, 1), timeout, words)
        await asyncio.sleep(INTERVAL)


CALLS: Mapping[str, Callable[[ToolContext, Said], Awaitable[Record]]] = {
    call.__name__: call
    for call in (
        guard,
        create_action,
        wait_for_approval,
        answer_question,
        claim_action,
        record_assumption,
        update_outcome,
        get_action,
        get_lessons,
    )
}
"""By the names of `tools.TOOLS`."""
