"""Who asks, and for whom: what every call has at hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import quote

from assent import AsyncClient

Progress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Seconds waited, seconds at most, and words; does nothing where the host did not ask for it."""


@dataclass(frozen=True, kw_only=True)
class Desk:
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
