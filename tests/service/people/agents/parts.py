"""Agents on a ledger of their own, and a clock that tests turn."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from assent.contract.roles import Role
from assent_service.core.principal import Principal
from assent_service.people.agents import AGENTS, CONNECTIONS, Agents, ProviderConnections, Recorder
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger
from tests.service.control.actions.world import locks_of

NOON = 1_772_452_800_000_000
SECOND, MINUTE = 1_000_000, 60_000_000


class Hands:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


@dataclass
class Parts:
    ledger: Ledger
    clock: Hands
    agents: Agents
    recorder: Recorder
    connections: ProviderConnections

    async def events(self, org_id: str = "org_a") -> list[Event]:
        await self.ledger.caught_up()
        return self.ledger.events(org_id, -1, 10**9, 10**9)


@asynccontextmanager
async def opened(home: Path, clock: Hands | None = None) -> AsyncIterator[Parts]:
    """Offline after ten minutes; recorded every five."""
    clock = clock or Hands()
    ledger = Ledger(home, [AGENTS, CONNECTIONS])
    agents = Agents(ledger, clock, offline_after=timedelta(minutes=10), interval=timedelta(minutes=5))
    connections = ProviderConnections(ledger, clock, locks_of(ledger), interval=timedelta(minutes=5))
    ledger.remember([agents.state])
    ledger.start()
    try:
        yield Parts(ledger, clock, agents, Recorder(ledger, clock, agents, seconds=0.01), connections)
    finally:
        ledger.close()


def somebody(
    agent_id: str | None = None, org_id: str = "org_a", role: Role = Role.AGENT, key_id: str = "key_1"
) -> Principal:
    return Principal(org_id, key_id, "somebody", role, agent_id)
