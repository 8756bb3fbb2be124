"""`assent mcp` as hosts start it: a process of its own, whose standard output holds MCP and nothing else."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.live import WAIT, start_service
from tests.sdk.mcp.host import (
    ASSENT,
    DOWN_LEVEL,
    INITIALIZE,
    MODERN,
    environment,
    over_stdio,
    refused,
    spoken,
    told,
)
from tests.stories.tenant import Tenant
from tests.tiers import deep

LARGEST_LIST = 15_000
"""Bytes of the tools as a host hears them; it gives them to its model with every request."""


class ByHand:
    """A host that writes JSON-RPC itself."""

    def __init__(self, command: list[str], env: dict[str, str], folder: Path) -> None:
        self._errors = (folder / "stderr").open("wb+")
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, env=env
        )
        self.heard = b""

    def write(self, message: dict[str, Any] | bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        self.heard += line
        (message,) = spoken(line)
        return message

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        asked = {"name": tool, "arguments": arguments}
        self.write({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": asked})

    def end(self, how: Callable[[subprocess.Popen[bytes]], object]) -> int:
        """The exit code after `how`; what was still said is in `heard`."""
        how(self.process)
        assert self.process.stdout is not None
        self.heard += self.process.stdout.read()
        return self.process.wait(WAIT)

    @property
    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._errors):
            assert pipe is not None
            pipe.close()


@pytest.fixture
def by_hand(tenant: Tenant, tmp_path: Path) -> Iterator[Callable[..., ByHand]]:
    """Starts the server, through the handshake; `command` is what runs instead of it."""
    started: list[ByHand] = []

    def start(command: list[str] | None = None, **env: str) -> ByHand:
        host = ByHand(command or [ASSENT, "mcp"], environment(tenant, **env), tmp_path)
        started.append(host)
        host.write(INITIALIZE)
        assert host.read()["result"]["protocolVersion"] == "2025-11-25"
        host.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return host

    yield start
    for host in started:
        host.close()


def close_input(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.close()


def interrupt(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)


def terminate(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)


@pytest.mark.parametrize(
    ("mode", "version"),
    [("auto", MODERN), pytest.param(DOWN_LEVEL, "2025-11-25", marks=deep("the version of today is in the quick tier"))],
)
async def test_a_host_lists_the_tools_and_nothing_but_mcp_is_said(
    tenant: Tenant, tmp_path: Path, mode: str, version: str
) -> None:
    heard = tmp_path / "stdout"
    async with over_stdio(environment(tenant), heard, mode, "--wait", "30") as host:
        assert host.protocol_version == version
        assert "may_act" in (host.instructions or "")
        tools = (await host.list_tools()).tools
        assert {"guard", "create_action", "wait_for_approval", "get_lessons"} <= {tool.name for tool in tools}
        assert all(tool.description and tool.input_schema and tool.output_schema for tool in tools)
        assert (await told(host, "guard", action_type="wipe"))["may_act"] is False
        action_id = (await told(host, "create_action", action_type="pay"))["action_id"]
        waits = asyncio.create_task(told(host, "wait_for_approval", action_id=action_id))
        assert (await told(host, "guard", action_type="look"))["may_act"] is True
        assert not waits.done()
        env = environment(tenant, ASSENT_API_KEY=tenant.keys["operator"])
        approve = [ASSENT, "approve", action_id, "--reason", "Checked"]
        await asyncio.to_thread(subprocess.run, approve, env=env, check=True, capture_output=True, timeout=WAIT)
        assert (await waits)["ended"] == "approved"
        with anyio.move_on_after(0.5):
            await host.call_tool("wait_for_approval", {"action_id": tenant.create("pay")})
        await refused(host, "guard", nonsense=1)
    messages = spoken(heard.read_bytes())
    (listed,) = [line for line in heard.read_bytes().splitlines() if b'"tools":[' in line]
    assert len(listed) < LARGEST_LIST
    numbers = [message["id"] for message in messages if "id" in message]
    assert len(numbers) == len(set(numbers)) >= 7
    assert tenant.keys["agent"].encode() not in heard.read_bytes()


@deep("each starts a process; the first test of the file shows that one serves")
async def test_a_service_that_goes_away_allows_nothing_until_it_is_back(tmp_path: Path) -> None:
    import httpx

    home = tmp_path / "home"
    with start_service(home) as service, httpx.Client(timeout=WAIT, trust_env=False) as http:
        tenant = Tenant(service, http)
        async with over_stdio(environment(tenant), tmp_path / "stdout", "auto", "--timeout", "2") as host:
            before = await told(host, "create_action", action_type="look")
            service.kill()
            texts = [
                await refused(host, "guard", action_type="look"),
                await refused(host, "create_action", action_type="look"),
                await refused(host, "wait_for_approval", action_id=before["action_id"]),
                await refused(host, "update_outcome", action_id=before["action_id"], status="completed"),
            ]
            assert all("no answer from" in text for text in texts)
            assert all("DO NOT CARRY OUT THE ACTION" in text for text in texts[:3])
            with start_service(home, port=service.port):
                assert (await told(host, "guard", action_type="look"))["may_act"] is True
                await told(host, "update_outcome", action_id=before["action_id"], status="completed")
    spoken((tmp_path / "stdout").read_bytes())


@deep("each starts a process; the first test of the file shows that one serves")
@pytest.mark.parametrize(("how", "code"), [(close_input, 0), (terminate, 0), (interrupt, 130)])
def test_it_ends_cleanly_whoever_ends_it(
    by_hand: Callable[..., ByHand], tenant: Tenant, how: Callable[[subprocess.Popen[bytes]], object], code: int
) -> None:
    action_id = tenant.create("pay")
    host = by_hand()
    host.call(1, "wait_for_approval", action_id=action_id)
    host.call(2, "guard", action_type="look")
    assert host.read()["id"] == 2
    assert host.end(how) == code
    spoken(host.heard)
    assert host.errors.split() == (["Interrupted."] if code else [])
    assert tenant.action(action_id)["status"] == "pending_approval"


def test_garbage_is_passed_over(by_hand: Callable[..., ByHand]) -> None:
    host = by_hand()
    for line in (
        b"not json",
        b"",
        b"\xff\xfe\x00",
        b"[1, 2]",
        b'{"jsonrpc": "2.0"}',
        b"[" * 100_000,
        b'{"id": 7}',
        b"null",
    ):
        host.write(line)
    host.call(1, "guard", action_type="look")
    assert host.read()["result"]["structuredContent"]["may_act"] is True
    host.write(
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"guard","arguments":'
        b'{"action_type":"look","risk_score":NaN,"metadata":{"x":Infinity}}}}'
    )
    assert host.read()["result"]["isError"] is True
    host.write({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "guard", "arguments": [1]}})
    assert host.read()["error"]["code"] == -32602
    host.write({"jsonrpc": "2.0", "id": 4, "method": "resources/list"})
    assert host.read()["error"]["code"] == -32601
    assert host.end(close_input) == 0
    assert "Traceback" not in host.errors


NOISY = """
import os, sys, warnings
from assent.mcp import calls

async def guard(desk, said):
    print("printed and left in the buffer")
    os.write(1, b"written to the descriptor\\n")
    os.system("echo said by a child")
    warnings.warn("a warning")
    raise RuntimeError("a defect")

calls.CALLS["guard"] = guard
from assent.cli import main
sys.argv = ["assent", "mcp"]
main()
"""


@deep("each starts a process; the first test of the file shows that one serves")
def test_whatever_prints_warns_or_fails_is_not_heard_on_standard_output(by_hand: Callable[..., ByHand]) -> None:
    host = by_hand([sys.executable, "-c", NOISY])
    host.call(1, "guard", action_type="look")
    result = host.read()["result"]
    assert result["isError"] is True
    assert "RuntimeError" in result["content"][0]["text"]
    assert host.end(close_input) == 0
    assert len(spoken(host.heard)) == 2
    for words in ("left in the buffer", "to the descriptor", "by a child", "a warning", "RuntimeError: a defect"):
        assert words in host.errors


@deep("each starts a process; the first test of the file shows that one serves")
def test_a_host_that_stops_listening_ends_it_without_a_traceback(by_hand: Callable[..., ByHand]) -> None:
    host = by_hand()
    assert host.process.stdout is not None
    host.process.stdout.close()
    host.call(1, "guard", action_type="look")
    assert host.process.wait(WAIT) == 0
    assert host.errors == ""


@deep("each starts a process; the first test of the file shows that one serves")
async def test_the_configuration_of_the_page_starts_it(tenant: Tenant) -> None:
    page = Path(__file__).parents[3] / "docs" / "how-to" / "give-agents-tools-over-mcp.md"
    (snippet,) = re.findall(
        r"^```json[^\n]*\n(\{\n  \"mcpServers\".*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    said = json.loads(snippet)["mcpServers"]["assent"]
    assert set(said["env"]) == set(environment(tenant)) - {"PATH"}
    env = said["env"] | environment(tenant, PATH=str(Path(ASSENT).parent))
    server = StdioServerParameters(command=said["command"], args=said["args"], env=env)
    async with Client(stdio_client(server)) as host:
        assert (await told(host, "guard", action_type="wipe"))["verdict"]["decision"] == "block"
