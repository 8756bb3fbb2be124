"""A small ASGI application in a server of its own, which answers with the ids of requests and counts connections."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Self

import uvicorn

Scope = MutableMapping[str, Any]
Send = Callable[[Scope], Awaitable[None]]
Application = Callable[[Scope, Any, Send], Awaitable[None]]


class Server:
    """`most` is how many connections were there at once, as every request found them."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=2048)
        # asyncio sets it only on sockets that say their protocol; without it each answer waits for 40 ms.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        config = uvicorn.Config(
            self._answer,
            lifespan="off",
            log_config=None,
            timeout_graceful_shutdown=1,
            loop="asyncio",
            interface="asgi3",
        )
        self.server = uvicorn.Server(config)
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self.serve)
        self.most = 0

    @property
    def connections(self) -> int:
        return len(self.server.server_state.connections)

    async def _answer(self, scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] != "http":
            return
        self.most = max(self.most, self.connections)
        asked = [(name, value) for name, value in scope["headers"] if name == b"x-request-id"]

        async def bound(message: Scope) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *asked]
            await send(message)

        await self._application(scope, receive, bound)

    def serve(self) -> None:
        async def main() -> None:
            self.loop = asyncio.get_running_loop()
            self.ready.set()
            await self.server.serve(sockets=[self.socket])

        asyncio.run(main())

    def __enter__(self) -> Self:
        self.thread.start()
        assert self.ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(60)
        assert not self.thread.is_alive()
