"""The server on the other side of the proxy, started as a process that speaks on its standard input and output.

It does not get the agent's key: what it does is to be governed, and must not decide on itself.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from assent.mcp_proxy.frames import ENDLESS, SECONDS, Frame, Lines

CHUNK = 65_536
LEAVING = 5.0
"""Seconds that a server has to end by itself, and then as many to end when it is told to."""
KEPT_FROM_SERVERS = ("ASSENT_API_KEY",)


class ServerGone(Exception):
    """The server cannot be reached any more."""


class Server(Protocol):
    """What the relay needs of a server."""

    async def send(self, line: bytes) -> None:
        """Raises ServerGone."""

    def frames(self) -> AsyncIterator[Frame]:
        """What it says, until it ends."""
        ...

    async def end_input(self) -> None:
        """Nothing more will be sent."""

    async def close(self) -> int:
        """End it. The exit code of a process, 0 for what is none."""
        ...


class ProcessServer:
    """A server that was started."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._input, self._output = process, process.stdin, process.stdout

    @classmethod
    async def start(cls, command: Sequence[str], environment: Mapping[str, str]) -> ProcessServer:
        """Raises ValueError for a command that cannot be started. Its standard error is that of the proxy."""
        given = {name: value for name, value in environment.items() if name not in KEPT_FROM_SERVERS}
        try:
            process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=given)
        except OSError as error:
            raise ValueError(f"the server {command[0]!r} cannot be started: {error.strerror or error}") from None
        return cls(process)

    async def send(self, line: bytes) -> None:
        try:
            self._input.write(line + b"\n")
            await self._input.drain()
        except (ConnectionError, RuntimeError):
            raise ServerGone("the server has ended") from None

    async def frames(self) -> AsyncIterator[Frame]:
        """Until the server ends, or one of its lines does not: nothing comes behind that."""
        lines, until = Lines(), None
        clock = asyncio.get_running_loop().time
        while lines.begun <= ENDLESS:
            try:
                async with asyncio.timeout_at(until):
                    chunk = await self._output.read(CHUNK)
            except TimeoutError:
                break
            ended = list(lines.feed(chunk))
            for frame in ended:
                yield frame
            if not chunk:
                break
            if not lines.begun or ended or until is None:
                until = clock() + SECONDS if lines.begun else None
        for frame in lines.end():
            yield frame

    async def end_input(self) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            self._input.close()

    async def close(self) -> int:
        await self.end_input()
        for end in (None, self._process.terminate, self._process.kill):
            with contextlib.suppress(ProcessLookupError):
                if end is not None:
                    end()
            try:
                async with asyncio.timeout(LEAVING):
                    code = await self._process.wait()
            except TimeoutError:
                continue
            # What it said last is nobody's any more; its pipe is closed at its end.
            with contextlib.suppress(TimeoutError, RuntimeError):
                async with asyncio.timeout(LEAVING):
                    while await self._output.read(CHUNK):
                        pass
            return code
        return 1
