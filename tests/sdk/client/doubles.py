"""A service played by the test: every request is kept, every answer is scripted, time passes only when told."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

import httpx

from assent import Ambient, AsyncClient, Client

Way = Literal["sync", "async"]
Handler = Callable[[httpx.Request], httpx.Response]
BASE = "http://assent.test:8484"


@dataclass
class Time:
    """A clock that only sleeping moves, and the sleeps it saw."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list[float])

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_async(self, seconds: float) -> None:
        self.sleep(seconds)


class Stage:
    """One client of either kind before a scripted service; `await stage(name, ...)` calls an operation. Answers are
    bound to their requests, as the service's are, unless `bind` says otherwise."""

    def __init__(self, way: Way, handler: Handler, *, bind: bool = True, **options: Any) -> None:
        self.time = Time()
        self.requests: list[httpx.Request] = []
        self.said: list[str] = []

        def keep(request: httpx.Request) -> httpx.Response:
            self.requests.append(request)
            return bound(handler)(request) if bind else handler(request)

        numbers = iter(range(1, 1000))
        ambient = Ambient(
            clock=self.time.clock,
            today=lambda: datetime(2026, 11, 20, 10, 0, 0, tzinfo=UTC),
            chance=lambda: 1.0,
            new_key=lambda: f"key-{next(numbers)}",
        )
        given: dict[str, Any] = {
            "base_url": BASE,
            "api_key": "sk_secret",
            "agent_id": "agent-7",
            "say": self.said.append,
            "ambient": ambient,
            **options,
        }
        self.client: Any
        if way == "sync":
            http = httpx.Client(transport=httpx.MockTransport(keep))
            self.client = Client(http=http, sleep=self.time.sleep, **given)
        else:
            http_async = httpx.AsyncClient(transport=httpx.MockTransport(keep))
            self.client = AsyncClient(http=http_async, sleep=self.time.sleep_async, **given)
        self.way = way

    async def __call__(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        answer = getattr(self.client, name)(*args, **kwargs)
        return await answer if self.way == "async" else answer

    async def take(self, stream: Any, count: int) -> list[Any]:
        """The first `count` items of a stream, which is then closed."""
        items: list[Any] = []
        if self.way == "sync":
            while len(items) < count:
                items.append(next(stream))
            stream.close()
        else:
            while len(items) < count:
                items.append(await anext(stream))
            await stream.aclose()
        return items

    @property
    def paths(self) -> list[str]:
        return [request.url.path for request in self.requests]


def bound(handler: Handler) -> Handler:
    """The handler, which answers with the id of the request, as the service does."""

    def answer(request: httpx.Request) -> httpx.Response:
        response = handler(request)
        response.headers.setdefault("x-request-id", request.headers["x-request-id"])
        return response

    return answer


def answering(body: Any, status: int = 200, **headers: str) -> Handler:
    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json=body, headers=headers)

    return bound(handler)


def problematic(body: dict[str, Any], **headers: str) -> httpx.Response:
    content = {"content-type": "application/problem+json", **headers}
    return httpx.Response(body["status"], content=json.dumps(body).encode(), headers=content)


def again(response: httpx.Response) -> httpx.Response:
    """The same answer anew: httpx changes the one that it hands on."""
    return httpx.Response(response.status_code, headers=response.headers, content=response.content)


Cue = bytes | Exception | Callable[[], None]


class Script(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A response body that plays its cues: bytes arrive, exceptions break the connection, callables happen."""

    def __init__(self, *cues: Cue) -> None:
        self.cues = cues
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        for cue in self.cues:
            if isinstance(cue, Exception):
                raise cue
            if isinstance(cue, bytes):
                yield cue
            else:
                cue()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self:
            yield chunk

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


def streaming(script: Script, status: int = 200, content: str = "text/event-stream; charset=utf-8") -> httpx.Response:
    return httpx.Response(status, headers={"content-type": content}, stream=script)


def frame(event: str, data: Any, number: int | None = None) -> bytes:
    head = b"" if number is None else b"id: %d\n" % number
    return head + f"event: {event}\ndata: {json.dumps(data)}\n\n".encode()


def connected(last: int | None = 5) -> bytes:
    return frame("connected", {"status": "connected", "last_event_id": last})
