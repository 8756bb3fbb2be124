"""The clients of calls that were given none: made from the environment when they are needed first.

One blocking client for each process, which all threads share, and one awaiting client for each event loop, since its
connections belong to the loop. That of a loop is closed together with the loop's asynchronous generators, which is
what `asyncio.run` ends with: it is held by one. A forked process makes its own.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import AsyncGenerator
from typing import TypeVar

from assent.client.client import AsyncClient, Client
from assent.client.on_demand import asyncio
from assent.errors import NotConfigured

T = TypeVar("T", Client, AsyncClient)


def tell(text: str) -> None:
    """Say something to a person. Standard output may belong to a protocol."""
    print(text, file=sys.stderr)  # noqa: T201


def made(kind: type[T]) -> T:
    """A client from the environment. Raises NotConfigured."""
    if not os.environ.get("ASSENT_API_KEY", "").strip():
        raise NotConfigured("ASSENT_API_KEY is not set")
    try:
        return kind(say=tell)
    except ValueError as error:
        raise NotConfigured(str(error)) from None


class Clients:
    """What there is in this process so far."""

    def __init__(self) -> None:
        self._inherited: list[object] = []
        self._begin()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._begin_anew)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._of_loops: dict[asyncio.AbstractEventLoop, AsyncClient] = {}
        self._keepers: dict[asyncio.AbstractEventLoop, AsyncGenerator[None]] = {}

    def _begin_anew(self) -> None:
        """In a forked process: the connections so far are its parent's. They are kept, since to drop them would close
        them, and not used."""
        self._inherited += [self._client, self._of_loops, self._keepers]
        self._begin()

    def blocking(self) -> Client:
        """Raises NotConfigured."""
        with self._lock:
            if self._client is None:
                self._client = made(Client)
            return self._client

    async def awaiting(self) -> AsyncClient:
        """That of the running loop. Raises NotConfigured."""
        loop = asyncio.get_running_loop()
        with self._lock:
            found = self._of_loops.get(loop)
            if found is not None:
                return found
            self._forget_closed()
            client = self._of_loops[loop] = made(AsyncClient)
            keeper = self._keepers[loop] = self._open_while_running(loop, client)
        await anext(keeper)
        return client

    def close(self) -> None:
        """Close the blocking client; another one is made when it is needed again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _forget_closed(self) -> None:
        for loop in [loop for loop in self._of_loops if loop.is_closed()]:
            del self._of_loops[loop], self._keepers[loop]

    async def _open_while_running(self, loop: asyncio.AbstractEventLoop, client: AsyncClient) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            with self._lock:
                self._of_loops.pop(loop, None)
                self._keepers.pop(loop, None)
            await client.close()


OF_PROCESS = Clients()
atexit.register(OF_PROCESS.close)
