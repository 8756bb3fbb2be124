"""Serving on standard input and output until the client goes, or somebody says so.

Nothing but the protocol is ever written to standard output: the package's transport moves the descriptor away, so that
whatever prints writes to standard error instead. Standard input is read in a thread that nothing but input ends, so it
is read through a door that can be closed from inside; otherwise Ctrl-C would have to wait for the client.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import select
import signal
import sys

import anyio
from mcp.server.stdio import stdio_server

from assent import AsyncClient
from assent.mcp.failures import without_key
from assent.mcp.server import make_server

logger = logging.getLogger(__name__)


class Input(io.RawIOBase):
    """The bytes of a descriptor, until it ends or `end` is called."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._ended, self._door = os.pipe()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # what a reader hands in
        ready, _, _ = select.select([self._descriptor, self._ended], [], [])
        if self._ended in ready:
            return 0
        found = os.read(self._descriptor, len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def end(self) -> None:
        os.write(self._door, b".")


def run(*, base_url: str, api_key: str, agent_id: str | None, timeout: float, patience: float) -> None:
    """Serve until standard input ends. `timeout` is in seconds for each attempt to reach the service, of which there
    are two; `patience` is how many seconds an approval is waited for where the call does not say.

    Raises KeyboardInterrupt after Ctrl-C, ValueError for settings that cannot be. SIGTERM ends it as the client's going
    does.
    """
    api_key = api_key.strip()
    _log_to_standard_error(api_key)
    client = AsyncClient(base_url, api_key, agent_id, timeout=timeout, retries=1, say=logger.info)
    if asyncio.run(_serve(client, api_key, patience)) is signal.SIGINT:
        raise KeyboardInterrupt


class _Keyless(logging.Formatter):
    """Lines in which the key never stands, whoever logs it."""

    def __init__(self, api_key: str) -> None:
        super().__init__("assent mcp: %(levelname)s: %(message)s")
        self._api_key = api_key

    def format(self, record: logging.LogRecord) -> str:
        return without_key(super().format(record), self._api_key)


def _log_to_standard_error(api_key: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Keyless(api_key))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


async def _serve(client: AsyncClient, api_key: str, patience: float) -> signal.Signals | None:
    source = Input(sys.stdin.fileno())
    told: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        told.append(number)
        source.end()
        # Whoever says it twice means it: then nothing is tidied up.
        for each in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)

    loop = asyncio.get_running_loop()
    for each in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(each, end, each)
    lines = anyio.wrap_file(io.TextIOWrapper(io.BufferedReader(source), encoding="utf-8", errors="replace"))
    server = make_server(client, api_key=api_key, patience=patience)
    try:
        async with client, stdio_server(stdin=lines) as (incoming, outgoing):
            try:
                # What is printed and still unwritten at the end would otherwise be written behind the last answer.
                with contextlib.redirect_stdout(sys.stderr):
                    await server.run(incoming, outgoing, server.create_initialization_options())
            finally:
                source.end()
    except* BrokenPipeError:
        pass  # the client has stopped listening
    return told[0] if told else None
