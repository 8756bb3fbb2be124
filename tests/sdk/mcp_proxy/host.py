"""A host by hand, on a relay in this process with a real server behind it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from assent import AsyncClient
from assent.governing import Governor
from assent.governing.governor import How
from assent.mcp_proxy.pins import Pins
from assent.mcp_proxy.relay import Relay
from assent.mcp_proxy.results import ResultScan, Scanning
from assent.mcp_proxy.servers import ProcessServer
from assent.mcp_proxy.service_transport import Turns
from tests.live import WAIT
from tests.stories.tenant import Tenant

SCRIPT = str(Path(__file__).with_name("scripted_server.py"))


def tool(name: str, description: str = "Does what it says.", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **more}


class Host:
    """`told` is what the proxy said to the person, `heard` what the server heard."""

    def __init__(self, folder: Path) -> None:
        self.pages, self._heard = folder / "pages.json", folder / "heard.jsonl"
        self.answers: asyncio.Queue[bytes] = asyncio.Queue()
        self.told: list[str] = []
        self.relay: Relay | None = None
        self.show([tool("echo")])

    @property
    def command(self) -> list[str]:
        return [sys.executable, SCRIPT, str(self.pages), str(self._heard)]

    @property
    def heard(self) -> list[bytes]:
        return self._heard.read_bytes().splitlines() if self._heard.exists() else []

    @property
    def called(self) -> list[str]:
        """The tools that the server was asked for."""
        found = [json.loads(line) for line in self.heard]
        return [each["params"]["name"] for each in found if each.get("method") == "tools/call"]

    def show(self, *pages: list[dict[str, Any]]) -> None:
        """What the server lists from now on."""
        self.pages.write_text(json.dumps(pages))

    def prepare(self, message: dict[str, Any]) -> None:
        """What the tools `gives` and `says` say from now on, as an answer and by themselves."""
        self.pages.with_name("prepared.json").write_text(json.dumps(message))

    async def write(self, message: dict[str, Any] | bytes) -> None:
        assert self.relay is not None
        await self.relay.from_host(message if isinstance(message, bytes) else json.dumps(message).encode())

    async def read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await asyncio.wait_for(self.answers.get(), WAIT))
        return message

    async def ask(self, number: object, method: str, **params: Any) -> None:
        await self.write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    async def call(self, number: object, name: str, **arguments: Any) -> None:
        await self.ask(number, "tools/call", name=name, arguments=arguments)

    async def words(self, number: object, name: str, **arguments: Any) -> str:
        """The text of a call's result."""
        await self.call(number, name, **arguments)
        message = await self.read()
        assert message["id"] == number, message
        return str(message["result"]["content"][0]["text"])

    async def listed(self, number: object, **params: Any) -> list[str]:
        await self.ask(number, "tools/list", **params)
        return [each["name"] for each in (await self.read())["result"]["tools"]]


@asynccontextmanager
async def relayed(
    client: AsyncClient,
    folder: Path,
    *,
    mode: How = "enforce",
    scanning: Scanning = "scan",
    hold_changes: bool = True,
    wait: float = 5.0,
    turns: Turns | None = None,
) -> AsyncIterator[Host]:
    """Pins are in `folder`, so that a second host on it knows what the first one saw."""
    host = Host(folder)
    async with client:
        server = await ProcessServer.start(host.command, {"ASSENT_API_KEY": "assent_secret"})
        host.relay = relay = Relay(
            "scripted",
            server,
            host.answers.put,
            Governor(async_client=client, approval_timeout=wait, mode=mode),
            ResultScan(client, host.told.append),
            Pins(folder / "pins", "scripted", "scripted"),
            scanning=scanning,
            hold_changes=hold_changes,
            turns=turns,
            say=host.told.append,
        )

        async def pump() -> None:
            async for frame in server.frames():
                await relay.from_server(frame)
            await relay.server_ended()

        pumping = asyncio.create_task(pump())
        try:
            yield host
        finally:
            await relay.stop()
            await server.close()
            await pumping


def actions(tenant: Tenant) -> list[dict[str, Any]]:
    """The newest first."""
    found: list[dict[str, Any]] = tenant.call("GET", "/api/actions")["actions"]
    return found


async def action_with(tenant: Tenant, status: str) -> dict[str, Any]:
    """The one action, once it has this status."""
    await until(lambda: [each["status"] for each in actions(tenant)] == [status])
    return actions(tenant)[0]


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(int(WAIT / 0.02)):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it does not come to pass")
