"""Messages in process: a world, and the nouns of messages on its ledger."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from assent.contract.exchange.message_threads import (
    CreateMessageThread,
    MessageThread,
    MessageThreadsQuery,
    ResolveMessageThread,
)
from assent.contract.exchange.message_threads import MessageThreads as ThreadPage
from assent.contract.exchange.messages import MarkMessages, Message, MessagesQuery, SendMessage
from assent.contract.exchange.messages import Messages as MessagePage
from assent_service.core.principal import Principal
from assent_service.exchange.messages import Messages, Threads
from assent_service.store.blobs import Blobs
from tests.service.control.actions.world import World, locks_of, opened


def file(content: bytes = b"a file", name: str = "a.txt", kind: str = "text/plain") -> dict[str, str]:
    return {"filename": name, "mime_type": kind, "data": b64encode(content).decode()}


class Post:
    """`a`, `b` and `c` are keys bound to the agents of these names; `free` is an agent's key bound to none."""

    def __init__(self, world: World, home: Path) -> None:
        self.world, self.blobs_at = world, home / "blobs"
        service, locks = world.service, locks_of(world.service.ledger)
        self.threads = Threads(service.ledger, world.clock, locks)
        self.messages = Messages(
            service.ledger,
            world.clock,
            locks,
            service.actions,
            self.threads,
            Blobs(self.blobs_at),
            service.injection.screen,
        )
        self.a, self.b, self.c = (world.somebody(agent_id=name, name=name) for name in "abc")
        self.free = world.somebody(name="free")

    async def send(self, by: Principal, to: str | None = None, body: str = "hello", **more: Any) -> Message:
        said = msgspec.convert({"to_agent_id": to, "body": body, **more}, SendMessage)
        return (await self.messages.send(by, said)).message

    async def page(self, by: Principal, direction: str = "all", **more: Any) -> MessagePage:
        return await self.messages.page(by, msgspec.convert({"direction": direction, **more}, MessagesQuery))

    async def bodies(self, by: Principal, direction: str = "all", **more: Any) -> list[str]:
        """What the messages of the page say, the oldest first."""
        return [each.body for each in reversed((await self.page(by, direction, **more)).messages)]

    async def mark(self, by: Principal, action: str, *messages: Message | str, **more: Any) -> int:
        ids = [each if isinstance(each, str) else each.message_id for each in messages]
        return await self.messages.mark(
            by, msgspec.convert({"message_ids": ids, "action": action, **more}, MarkMessages)
        )

    async def thread(self, by: Principal, name: str = "a thread", **more: Any) -> MessageThread:
        return await self.threads.open(by, msgspec.convert({"name": name, **more}, CreateMessageThread))

    async def resolve(self, by: Principal, thread_id: str, **more: Any) -> MessageThread:
        return await self.threads.resolve(by, msgspec.convert({"thread_id": thread_id, **more}, ResolveMessageThread))

    async def thread_page(self, by: Principal, **more: Any) -> ThreadPage:
        return await self.threads.page(by, msgspec.convert(more, MessageThreadsQuery))


@asynccontextmanager
async def posting(home: Path) -> AsyncIterator[Post]:
    async with opened(home) as world:
        yield Post(world, home)
