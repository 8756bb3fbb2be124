"""An MCP host: the official client on a server in this process, and on `assent mcp` as a process of its own."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types
from mcp import Client, StdioServerParameters, stdio_client

from assent import AsyncClient
from assent.mcp.server import make_server
from tests.stories.tenant import Tenant

ASSENT = str(Path(sys.executable).with_name("assent"))
MODERN, DOWN_LEVEL = "2026-07-28", "legacy"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "a host by hand", "version": "1"},
    },
}


def environment(tenant: Tenant, **more: str) -> dict[str, str]:
    """What a host's configuration holds."""
    return {
        "PATH": os.environ["PATH"],
        "ASSENT_BASE_URL": tenant.service.base_url,
        "ASSENT_API_KEY": tenant.keys["agent"],
        "ASSENT_AGENT_ID": "bot",
    } | more


@asynccontextmanager
async def inside(client: AsyncClient, mode: str = "auto", patience: float = 5.0) -> AsyncIterator[Client]:
    """The official client on a server in this process that asks through `client`."""
    async with client, Client(make_server(client, api_key=None, patience=patience), mode=mode) as host:
        yield host


@asynccontextmanager
async def over_stdio(env: Mapping[str, str], heard: Path, mode: str = "auto", *arguments: str) -> AsyncIterator[Client]:
    """The official client on `assent mcp`; every byte of its standard output goes into `heard` as well."""
    command = f"{shlex.join([ASSENT, 'mcp', *arguments])} | tee {shlex.quote(str(heard))}"
    server = StdioServerParameters(command="/bin/sh", args=["-c", command], env=dict(env))
    async with Client(stdio_client(server), mode=mode) as host:
        yield host


def spoken(content: bytes) -> list[dict[str, Any]]:
    """The messages of a standard output on which nothing else stands."""
    assert content.endswith(b"\n"), content[-200:]
    messages = []
    for line in content.splitlines():
        mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        messages.append(json.loads(line))
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    return messages


async def told(host: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call, which the client has held against the tool's output schema."""
    result = await host.call_tool(tool, arguments)
    (text,) = result.content
    assert isinstance(text, mcp_types.TextContent)
    assert not result.is_error, text.text
    assert json.loads(text.text) == result.structured_content
    answer: dict[str, Any] = result.structured_content
    return answer


async def refused(host: Client, tool: str, /, **arguments: Any) -> str:
    """The text of a call that went wrong; a model reads it, so it must not look like an answer."""
    result = await host.call_tool(tool, arguments)
    (text,) = result.content
    assert isinstance(text, mcp_types.TextContent)
    assert result.is_error, text.text
    assert result.structured_content is None
    return text.text
