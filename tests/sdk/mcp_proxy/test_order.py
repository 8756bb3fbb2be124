"""What comes before what: the answer before the report of its outcome, whoever is slow; a session's knowledge and a
verdict that holds back before the answer; calls before reports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from assent.mcp_proxy import service_transport
from assent.mcp_proxy.results import Scanning
from assent.mcp_proxy.service_transport import ServiceTransport, Turns
from tests.sdk.mcp_proxy.host import Host, action_with, actions, relayed, until
from tests.sdk.mcp_proxy.scripted_server import INJECTION
from tests.stories.tenant import Tenant


class Gate(httpx.AsyncBaseTransport):
    """What `holds` says of waits until `go`. `came` is each request before that."""

    def __init__(self, tenant: Tenant, holds: Callable[[str, str], bool]) -> None:
        self.turns = Turns()
        self._inner = ServiceTransport(tenant.service.base_url, self.turns)
        self._holds, self.go, self.came = holds, asyncio.Event(), list[tuple[str, str]]()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        what = (request.method, request.url.path)
        self.came.append(what)
        if self._holds(*what):
            await self.go.wait()
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


@asynccontextmanager
async def behind(tenant: Tenant, gate: Gate, folder: Path, scanning: Scanning = "scan") -> AsyncGenerator[Host]:
    """A host whose relay reaches the service through the gate."""
    async with httpx.AsyncClient(transport=gate) as http:
        client = tenant.async_client(http_client=http).with_options(session="run-1")
        async with relayed(client, folder, scanning=scanning, turns=gate.turns) as host:
            yield host


def outcomes(method: str, _: str) -> bool:
    return method == "PATCH"


@pytest.mark.parametrize("tool", ["echo", "fail"])
@pytest.mark.parametrize(("scanning", "tells"), [("scan", False), ("off", False), ("hold", False), ("scan", True)])
async def test_an_outcome_that_takes_long_delays_no_answer(
    tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scanning: Scanning, tells: bool, tool: str
) -> None:
    monkeypatch.setenv("ASSENT_TELL_SESSIONS", "1" if tells else "0")
    gate = Gate(tenant, outcomes)
    async with behind(tenant, gate, tmp_path, scanning) as host:
        await host.words(1, tool)
        await until(lambda: any(outcomes(*each) for each in gate.came))
        assert [each["status"] for each in actions(tenant)] == ["running"]
        gate.go.set()
        await action_with(tenant, "failed" if tool == "fail" else "completed")


async def test_a_session_is_told_before_the_host_has_the_answer(
    tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSENT_TELL_SESSIONS", "1")
    gate = Gate(tenant, lambda _, path: path == "/api/flows")
    async with behind(tenant, gate, tmp_path) as host:
        await host.call(1, "echo")
        await until(lambda: ("POST", "/api/flows") in gate.came)
        await asyncio.sleep(0.1)
        assert host.answers.empty()
        gate.go.set()
        assert (await host.read())["id"] == 1


async def test_a_verdict_that_holds_back_comes_before_the_answer(tenant: Tenant, tmp_path: Path) -> None:
    gate = Gate(tenant, lambda _, path: path.endswith("/prompt-injection"))
    async with behind(tenant, gate, tmp_path, "hold") as host:
        await host.call(1, "poisoned")
        await action_with(tenant, "completed")  # it ran, whatever is found
        assert host.answers.empty()
        gate.go.set()
        result = (await host.read())["result"]
        assert result["isError"] is True
        assert INJECTION not in result["content"][0]["text"]


async def test_a_report_steps_back_for_a_call_and_not_for_ever(
    tenant: Tenant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_transport, "LONGEST", 60.0)
    gate = Gate(tenant, lambda *_: False)
    async with behind(tenant, gate, tmp_path) as host:
        await host.call(1, "silent")
        await until(lambda: host.called == ["silent"])
        assert await host.words(2, "echo") == '["echo", {}]'
        await asyncio.sleep(0.3)
        assert [each["status"] for each in actions(tenant)] == ["running", "running"]
        await host.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        await until(lambda: [each["status"] for each in actions(tenant)] == ["completed", "cancelled"])
        monkeypatch.setattr(service_transport, "LONGEST", 0.05)
        await host.call(3, "silent")
        await until(lambda: host.called == ["silent", "echo", "silent"])
        assert await host.words(4, "echo") == '["echo", {}]'
        await until(lambda: [each["status"] for each in actions(tenant)][:2] == ["completed", "running"])
        # The reports of one that are behind another's come in the order of their calls.
        monkeypatch.setattr(service_transport, "LONGEST", 60.0)
        first = len(gate.came)
        for number in (5, 6, 7):
            assert await host.words(number, f"echo_{number}") == f'["echo_{number}", {{}}]'
        await host.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}})
        await until(lambda: {each["status"] for each in actions(tenant)} == {"completed", "cancelled"})
        ids = {each["action_type"]: each["action_id"] for each in actions(tenant)}
        reported = [path for method, path in gate.came[first:] if method == "PATCH"]
        own = [f"/api/actions/{ids[f'mcp.scripted.echo_{number}']}" for number in (5, 6, 7)]
        assert [path for path in reported if path in own] == own
