"""Answers that come in pieces: server-sent events, and files that are made while they are sent.

The length of a file is not said beforehand, so the only sign of a whole body is its last, empty chunk. It is sent when
the body is complete and never otherwise: after an error, a stop or a reader that is slow, stops or goes away, the
connection is cut instead, and every HTTP client reports that. Pieces are handed over one at a time, and the server
takes the next one only when its buffer has room again, so what a slow reader costs is bounded here by one piece.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass

from litestar.types import Receive, Scope, Send

from assent_service.base.problem import Refusal


@dataclass(frozen=True)
class EventStream:
    """`chunks` are complete frames, flushed one by one; `stop` makes `chunks` end soon, and may be called twice."""

    chunks: AsyncGenerator[bytes, None]
    stop: Callable[[], None]


class Interrupted(Exception):
    """A body ends before it is complete; the message says why. It must not look like a whole one."""


@dataclass(frozen=True)
class ByteStream:
    """A body of unknown length. `chunks` raises for a body that cannot be completed: the connection is cut then, so
    that nobody takes half of it for the whole. A reader that takes no chunk for `patience` seconds is cut off too.
    `stop` makes `chunks` raise soon; it is called in any case, also after the end and more than once. `stopped` is set
    when that has happened, whoever stopped it: a reader that stalls is not waited for then."""

    chunks: AsyncGenerator[bytes, None]
    stop: Callable[[], None]
    stopped: asyncio.Event
    headers: tuple[tuple[bytes, bytes], ...]
    patience: float
    status: int = 200


ABORT = "assent.abort"
"""The server's extension of the ASGI scope that drops a connection with all that is still to be sent. ASGI itself can
only close it, which waits for a reader who does not read."""
GONE = "assent.gone"
"""The server's extension that says whether the client has hung up, so that nothing reaches it any more."""
HANG_UP_SECONDS = 1.0

log = logging.getLogger("assent.door")


async def download(scope: Scope, receive: Receive, send: Send, stream: ByteStream) -> None:
    """Send `stream`, whole or visibly cut short."""
    watch = asyncio.create_task(stop_when_gone(receive, stream.stop))
    try:
        await _send(send, stream)
    except TimeoutError:
        stalled = f"the reader took nothing for {stream.patience:g} s"
        await _cut(scope, watch, "it was stopped" if stream.stopped.is_set() else stalled)
    except (Interrupted, Refusal) as error:
        await _cut(scope, watch, str(error))
    except Exception:
        log.exception("the answer to %s failed on the way", scope["path"])
        await _cut(scope, watch, "it failed on the way")
    finally:
        stream.stop()
        watch.cancel()


async def _send(send: Send, stream: ByteStream) -> None:
    """Raises TimeoutError when the reader takes nothing for too long, or nothing any more when it is stopped."""
    now = asyncio.get_running_loop().time
    async with asyncio.timeout(None) as limit, aclosing(stream.chunks) as chunks:
        hurry = asyncio.create_task(_end_when_stopped(stream.stopped, limit))
        try:
            await send({"type": "http.response.start", "status": stream.status, "headers": list(stream.headers)})
            async for chunk in chunks:
                if stream.stopped.is_set():
                    raise TimeoutError
                limit.reschedule(now() + stream.patience)
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
                # How long the next piece takes to be made is not the reader's fault.
                limit.reschedule(None)
            limit.reschedule(now() + stream.patience)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            hurry.cancel()


async def _end_when_stopped(stopped: asyncio.Event, limit: asyncio.Timeout) -> None:
    await stopped.wait()
    with suppress(RuntimeError):  # it is ending already
        limit.reschedule(0)


async def stop_when_gone(receive: Receive, stop: Callable[[], None]) -> None:
    """Call `stop` once the client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        continue
    stop()


async def _cut(scope: Scope, watch: asyncio.Task[None], why: str) -> None:
    """Drop the connection unless the client has done so. A server without the extension closes it when it sees an
    answer without an end."""
    if watch.done():
        return
    log.warning("the answer to %s was cut short: %s", scope["path"], why)
    abort = ((scope.get("extensions") or {}).get(ABORT) or {}).get("call")
    if callable(abort):
        abort()
        # The server complains about an answer without an end unless it has noticed by then.
        await asyncio.wait([watch], timeout=HANG_UP_SECONDS)
