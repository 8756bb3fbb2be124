"""The proxy as a process: it serves one host on standard input and output, and ends with it.

One connection is one session of the agent's, unless the environment names another. Standard output is the protocol's
alone. The proxy ends when the host closes its input, when the server ends, or at SIGTERM and Ctrl-C; calls that still
wait are withdrawn, and the server is ended with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from assent.client.client import AsyncClient
from assent.governing import Governor
from assent.governing.governor import How
from assent.mcp_proxy.frames import Frame, Lines
from assent.mcp_proxy.http_server import HttpServer
from assent.mcp_proxy.pins import Pins, checked_name, folder, name_of
from assent.mcp_proxy.relay import Relay, Write
from assent.mcp_proxy.results import ResultScan, Scanning
from assent.mcp_proxy.servers import CHUNK, LEAVING, ProcessServer, Server, ServerGone
from assent.mcp_proxy.service_transport import Turns, http_client
from assent.secrets import displayed

SESSION_VARIABLES = ("ASSENT_SESSION_ID", "ASSENT_PARENT_SESSION_ID")


@dataclass(frozen=True, kw_only=True)
class ProxySettings:
    """`command` starts the server, or it is at `url`, with `headers`. `timeout` is in seconds for each attempt to reach
    the service, of which there are two; `wait` is how many seconds a call waits for its approval."""

    base_url: str
    api_key: str
    agent_id: str | None
    command: Sequence[str] = ()
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    name: str | None = None
    mode: How = "enforce"
    timeout: float = 10.0
    wait: float = 50.0
    results: Scanning = "scan"
    hold_changes: bool = True

    @property
    def server_name(self) -> str:
        """Raises PinsRefused."""
        if self.name is not None:
            return checked_name(self.name)
        if self.url is not None:
            return name_of([self.url.split("://", 1)[-1].partition("/")[0].partition(":")[0]])
        return name_of(self.command)

    @property
    def target(self) -> str:
        """The server, as a person knows it, without what looks like a secret."""
        return displayed(" ".join(self.command) if self.url is None else self.url.partition("?")[0])


def run(settings: ProxySettings) -> int:
    """Serve until it ends; the exit code. Raises KeyboardInterrupt after Ctrl-C, ValueError for settings that cannot
    be, SpoolRefused where this user has no home."""
    return asyncio.run(_serve(settings))


async def _serve(settings: ProxySettings) -> int:
    pins = Pins(folder(), settings.server_name, settings.target)
    ended: asyncio.Future[signal.Signals] = asyncio.get_running_loop().create_future()

    def end(number: signal.Signals) -> None:
        # Whoever says it twice means it: then nothing is tidied up.
        for each in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        ended.set_result(number)

    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, end, each)
    turns = Turns()
    http = http_client(settings.base_url, turns)
    client = AsyncClient(
        settings.base_url,
        settings.api_key,
        settings.agent_id,
        timeout=settings.timeout,
        retries=1,
        http_client=http,
        say=say,
    )
    with contextlib.redirect_stdout(sys.stderr):
        async with client, http or contextlib.nullcontext():
            bound = client
            if not any(os.environ.get(name) for name in SESSION_VARIABLES):
                bound = client.with_options(session=f"mcp-{os.urandom(16).hex()}")
            server: Server = (
                await ProcessServer.start(settings.command, os.environ)
                if settings.url is None
                else HttpServer(settings.url, settings.headers)
            )
            try:
                relay = Relay(
                    settings.server_name,
                    server,
                    await host_writer(sys.__stdout__.buffer),  # type: ignore[union-attr,arg-type]  # the command has looked
                    Governor(async_client=bound, approval_timeout=settings.wait, mode=settings.mode),
                    ResultScan(bound, say),
                    pins,
                    scanning=settings.results,
                    hold_changes=settings.hold_changes,
                    turns=turns,
                    say=say,
                )
                by_itself = await _between(relay, server, host_frames(sys.stdin.buffer), ended)
            finally:
                code = await server.close()
    if ended.done() and ended.result() is signal.SIGINT:
        raise KeyboardInterrupt
    return (code if 0 <= code < 256 else 1) if by_itself else 0


async def _between(
    relay: Relay, server: Server, host: AsyncIterator[Frame], ended: asyncio.Future[signal.Signals]
) -> bool:
    """Whether it was the server that ended first."""
    from_host = asyncio.create_task(_pump(host, relay.from_host))
    from_server = asyncio.create_task(_pump(server.frames(), relay.from_server))
    ends: set[asyncio.Future[Any]] = {from_host, from_server, ended}
    try:
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        if ended.done():
            await relay.stop()
            return False
        if from_host.done() and not from_server.done() and from_host.result() is None:
            await relay.host_ended()
            await server.end_input()
            await asyncio.wait(ends - {from_host}, timeout=LEAVING, return_when=asyncio.FIRST_COMPLETED)
            return False
        await relay.server_ended()
        return True
    finally:
        for task in (from_host, from_server):
            task.cancel()
        await asyncio.gather(from_host, from_server, return_exceptions=True)


async def _pump(frames: AsyncIterator[Frame], onward: Callable[[Frame], Awaitable[None]]) -> ServerGone | None:
    """Until one end has gone; ServerGone where that was the server's, noticed by sending."""
    try:
        async for frame in frames:
            await onward(frame)
    except ServerGone as gone:
        return gone
    except ConnectionError:
        return None  # the host has stopped listening
    return None


async def host_frames(stream: BinaryIO) -> AsyncIterator[Frame]:
    lines = Lines()
    read = await _reader(stream)
    while chunk := await read():
        for frame in lines.feed(chunk):
            yield frame
    for frame in lines.end():
        yield frame


async def _reader(stream: BinaryIO) -> Callable[[], Awaitable[bytes]]:
    if not _waits(stream):
        return lambda: asyncio.to_thread(os.read, stream.fileno(), CHUNK)
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stream)
    return lambda: reader.read(CHUNK)


async def host_writer(stream: BinaryIO) -> Write:
    """Writes a line; it is on its way when this returns."""
    if not _waits(stream):

        async def write_file(line: bytes) -> None:
            stream.write(line + b"\n")
            stream.flush()

        return write_file
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, stream)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    transport.set_write_buffer_limits(high=0)

    async def write(line: bytes) -> None:
        writer.write(line + b"\n")
        await writer.drain()

    return write


def _waits(stream: BinaryIO) -> bool:
    """Whether reading and writing there may take its time: not for a file or /dev/null."""
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(stream.fileno())


def say(text: str) -> None:
    """Tell the person who looks at the host's log, in one line without what steers a terminal."""
    line = "".join(sign if sign.isprintable() else " " for sign in text)
    print(f"assent mcp proxy: {line}", file=sys.stderr, flush=True)  # noqa: T201
