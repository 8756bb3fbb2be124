"""The tools as the official package serves them: listed with their schemas, called, and answered in both forms.

An answer is structured content and the same JSON as text, for clients that read only that. What goes wrong is an
answer with `isError`, which the model reads; only a tool that does not exist is an error of the protocol.

`run` serves on standard input and output until the client goes, or somebody says so. Nothing but the protocol is ever
written to standard output: the package's transport moves the descriptor away, so that whatever prints writes to
standard error instead. Standard input is read in a thread that nothing but input ends, so it is read through a door
that can be closed from inside; otherwise Ctrl-C would have to wait for the client.
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
from typing import Any

import anyio
import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from assent import AsyncClient, __version__
from assent.contract.openapi_schemas import standalone
from assent.contract.record import Record
from assent.mcp.answers import no_answer, without_key, wrong_arguments
from assent.mcp.calls import CALLS, ToolContext
from assent.mcp.help import HELP, explained
from assent.mcp.outline import answer_in_short, arguments_in_short
from assent.mcp.tools import INSTRUCTIONS, TOOLS, Tool

Context = ServerRequestContext[Any, Any]
OFFERED = {**TOOLS, HELP.name: HELP}


def make_server(client: AsyncClient, *, api_key: str | None, patience: float) -> Server[Any]:
    """The server that asks through `client`. `patience` is how long a wait is, in seconds, where a call does not say;
    `api_key` is taken out of every text."""
    listed = [listing(tool) for tool in OFFERED.values()]

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = OFFERED.get(asked.name)
        if tool is None:
            words = f"there is no tool {asked.name[:80]!r}; there are {', '.join(OFFERED)}"
            raise MCPError(types.INVALID_PARAMS, words)
        said, wrong = tool.members.check(asked.arguments or {})
        if wrong:
            return failed(without_key(wrong_arguments(tool.name, wrong), api_key))
        call = ToolContext(client=client, patience=patience, progress=context.session.report_progress)
        try:
            if tool is HELP:
                return answered(explained(said.get("tool"), said.get("part")))
            return answered(await CALLS[tool.name](call, said))
        except Exception as error:  # noqa: BLE001 - whatever it is, the model must not take it for a yes
            return failed(without_key(no_answer(tool.name, error, tool.consequence), api_key))

    return Server(
        "assent",
        version=__version__,
        title="Assent",
        description="Governance for AI agents: ask before acting, record durably.",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def listing(tool: Tool) -> types.Tool:
    """In short; `help` tells the rest."""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=arguments_in_short(tool.members.schema()),
        output_schema=answer_in_short(standalone(tool.answer)),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=False,
            idempotent_hint=tool.read_only,
            open_world_hint=False,
        ),
    )


def answered(record: Record) -> types.CallToolResult:
    content = msgspec.json.encode(record)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=content.decode())], structured_content=msgspec.json.decode(content)
    )


def failed(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


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
