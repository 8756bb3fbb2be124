"""The tools as the official package serves them: listed with their schemas, called, and answered in both forms.

An answer is structured content and the same JSON as text, for clients that read only that. What goes wrong is an answer
with `isError`, which the model reads; only a tool that does not exist is an error of the protocol.
"""

from __future__ import annotations

from typing import Any

import mcp_types as types
import msgspec
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from assent import AsyncClient, __version__
from assent.contract.openapi_schemas import standalone
from assent.contract.record import Record
from assent.mcp.calls import CALLS
from assent.mcp.desk import Desk
from assent.mcp.failures import no_answer, without_key, wrong_arguments
from assent.mcp.tools import INSTRUCTIONS, TOOLS, Tool

Context = ServerRequestContext[Any, Any]


def make_server(client: AsyncClient, *, api_key: str | None, patience: float) -> Server[Any]:
    """The server that asks through `client`. `patience` is how long a wait is, in seconds, where a call does not say;
    `api_key` is taken out of every text."""
    listed = [listing(tool) for tool in TOOLS.values()]

    async def list_tools(_: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(asked.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {asked.name[:80]!r}; there are {', '.join(TOOLS)}")
        said, wrong = tool.members.check(asked.arguments or {})
        if wrong:
            return failed(without_key(wrong_arguments(tool.name, wrong), api_key))
        desk = Desk(client=client, patience=patience, progress=context.session.report_progress)
        try:
            return answered(await CALLS[tool.name](desk, said))
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
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.members.schema(),
        output_schema=standalone(tool.answer),
        annotations=types.ToolAnnotations(
            title=tool.title,
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
