"""Recording who is there, apart from the calls that showed it: at most one write in an interval, of so many agents.

What could not be written is written with the next one. When the service stops, everything that memory knows better
than the log is written; after a crash, times may be as old as the interval between two records of an agent.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from assent.contract.events import EventName
from assent_service.agents.agents import Agents
from assent_service.agents.presence import StoredAgent
from assent_service.core.clock import Clock
from assent_service.core.payload import encode
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

SYSTEM = "system"
MOST_AT_ONCE = 1000

log = logging.getLogger("assent.agents")


class Recorder:
    """`seconds` is the shortest time between two writes."""

    def __init__(self, ledger: Ledger, clock: Clock, agents: Agents, *, seconds: float) -> None:
        self._ledger, self._clock, self._agents, self._seconds = ledger, clock, agents, seconds
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        try:
            while await self.record(everything=True) == MOST_AT_ONCE:
                pass
        except Exception as error:  # noqa: BLE001 - a full disk must not keep the service from stopping
            log.warning("who was there last is not recorded: %s", error)

    async def record(self, *, everything: bool = False) -> int:
        """Write what is due now, and say of how many agents; raises what `Ledger.append` does."""
        found = self._agents.due(MOST_AT_ONCE, everything=everything)
        if found:
            now = self._clock()
            await self._ledger.append(*(_event(each, now) for each in found))
        return len(found)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            try:
                await self.record()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next write tries again
                log.warning("who is there could not be recorded: %s", error)


def _event(agent: StoredAgent, now: int) -> Draft:
    return Draft(
        org=agent.org_id,
        type=EventName.AGENT_SEEN.value,
        ts=now,
        subject=agent.presence_id,
        actor=agent.key_id or SYSTEM,
        data=encode(agent),
    )
