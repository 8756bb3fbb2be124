"""A reader of the live stream that waits for one action."""

from __future__ import annotations

import asyncio
from types import TracebackType

from assent.contract.events import EventName, StreamQuery
from assent_service.core.principal import Principal
from assent_service.core.stream import EventStream
from assent_service.events import Events
from assent_service.readiness.trail import StepFailed

PATIENCE = 5.0
"""Seconds. An event is handed over in the turn of the loop in which it becomes durable."""


class Listener:
    """Subscribed from its beginning to its end to the creations of one agent, as any reader is."""

    def __init__(self, events: Events, principal: Principal, agent_id: str) -> None:
        self._events, self._principal, self._agent_id = events, principal, agent_id
        self._stream: EventStream | None = None

    async def __aenter__(self) -> Listener:
        query = StreamQuery(types=EventName.ACTION_CREATED.value, agent_id=self._agent_id)
        self._stream = await self._events.open(self._principal, query, None, "")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            self._stream.stop()
            await self._stream.chunks.aclose()

    async def hear(self, action_id: str) -> str:
        """Raises StepFailed when the stream ends, or is silent for too long."""
        assert self._stream is not None, "the listener is not subscribed"
        wanted = action_id.encode()
        try:
            async with asyncio.timeout(PATIENCE):
                async for chunk in self._stream.chunks:
                    if wanted in chunk:
                        return "A reader of the live stream heard of it."
        except TimeoutError:
            raise StepFailed(
                f"The live stream did not bring it within {PATIENCE:.0f} s; restart the service."
            ) from None
        raise StepFailed("The live stream ended before it came: the service is stopping, or the key was revoked.")
