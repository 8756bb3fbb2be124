"""The tools through the official client, on a real service: what a model is answered, in both generations of MCP."""

from __future__ import annotations

import asyncio
import socket
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import httpx
import pytest
from mcp import MCPError

from assent import AsyncClient
from tests.sdk.mcp.host import DOWN_LEVEL, MODERN, inside, refused, told
from tests.stories.tenant import Tenant

FORBIDDEN = "DO NOT CARRY OUT THE ACTION"
each_mode = pytest.mark.parametrize("mode", [MODERN, DOWN_LEVEL])


@each_mode
async def test_the_loop_of_an_action_that_is_allowed(tenant: Tenant, mode: str) -> None:
    async with inside(tenant.async_client(), mode) as host:
        assert host.protocol_version == ("2025-11-25" if mode == DOWN_LEVEL else MODERN)
        verdict = await told(host, "guard", action_type="look", declared_goal="Look at it", risk_score=10)
        assert verdict["may_act"] is True
        decision_id = verdict["verdict"]["decision_id"]
        assert decision_id in verdict["what_to_do"]
        created = await told(
            host,
            "create_action",
            action_type="look",
            declared_goal="Look at it",
            risk_score=10,
            decision_id=decision_id,
        )
        assert created["may_act"] is True
        assert created["verdict"]["decision_id"] == decision_id
        action_id = created["action_id"]
        recorded = await told(host, "record_assumption", action_id=action_id, assumption="It is there", basis="A list")
        assert recorded["assumption"]["basis"] == "A list"
        await told(
            host, "update_outcome", action_id=action_id, status="completed", output_summary="Seen", duration_ms=5
        )
        detail = await told(host, "get_action", action_id=action_id)
        assert detail["action"]["status"] == "completed"
        assert detail["action"]["agent_id"] == "bot"
        assert [each["assumption"] for each in detail["assumptions"]] == ["It is there"]
        lessons = await told(host, "get_lessons", action_type="look")
        assert [(each["action_type"], each["sample_size"]) for each in lessons["insufficient_data"]] == [("look", 1)]
        waited = await told(host, "wait_for_approval", action_id=action_id)
        assert (waited["may_act"], waited["ended"]) == (False, "over")
    assert tenant.action(action_id)["duration_ms"] == 5


@each_mode
async def test_a_block_is_an_answer_that_says_so(tenant: Tenant, mode: str) -> None:
    async with inside(tenant.async_client(), mode) as host:
        asked = await told(host, "guard", action_type="wipe")
        tried = await told(host, "create_action", action_type="wipe")
    for answer in (asked, tried):
        assert answer["may_act"] is False
        assert answer["verdict"]["decision"] == "block"
        assert answer["what_to_do"].startswith("Blocked. Do not carry it out")
        assert "Nobody wipes" in answer["what_to_do"]
    assert tried["status"] == "blocked"
    assert tenant.action(tried["action_id"])["status"] == "blocked"


async def test_a_repeated_creation_finds_the_first(tenant: Tenant) -> None:
    async with inside(tenant.async_client()) as host:
        first = await told(host, "create_action", action_type="look", idempotency_key="once")
        again = await told(host, "create_action", action_type="look", idempotency_key="once")
        await told(host, "update_outcome", action_id=first["action_id"], status="completed")
        late = await told(host, "create_action", action_type="look", idempotency_key="once")
    assert (again["action_id"], again["idempotent_replay"], again["may_act"]) == (first["action_id"], True, True)
    assert "created before" in again["what_to_do"]
    assert (late["action_id"], late["may_act"]) == (first["action_id"], False)
    assert "completed: do not do it again" in late["what_to_do"]


async def test_lessons_are_the_agents_own_as_the_key_says_where_the_settings_do_not(tenant: Tenant) -> None:
    tenant.add_key("bound", "agent", agent_id="bound")
    for name in ("agent", "bound"):
        tenant.create("look", key=name, **{} if name == "bound" else {"agent_id": "another"}, status="completed")
    async with inside(tenant.async_client("bound", agent_id=None)) as host:
        own = await told(host, "get_lessons")
    async with inside(tenant.async_client("agent", agent_id=None)) as host:
        every = await told(host, "get_lessons")
    assert own["agent_id"] == "bound"
    assert {each["agent_id"] for each in own["insufficient_data"]} == {"bound"}
    assert {each["agent_id"] for each in every["insufficient_data"]} == {"bound", "another"}


async def test_what_is_wrong_is_named_and_nothing_is_called(tenant: Tenant) -> None:
    async with inside(AsyncClient("http://127.0.0.1:9", "k", retries=0)) as host:
        text = await refused(host, "guard", actiontype="look", risk_score=400)
    assert "- action_type: is required" in text
    assert "did you mean action_type?" in text
    assert "- risk_score: Expected `float` <= 100.0" in text
    assert "no answer" not in text


async def test_what_the_service_refuses_allows_nothing(tenant: Tenant) -> None:
    async with inside(tenant.async_client()) as host:
        action_id = (await told(host, "create_action", action_type="pay", declared_goal="Pay 5"))["action_id"]
        early = await refused(host, "claim_action", action_id=action_id, action_type="pay", declared_goal="Pay 5")
        nowhere = await refused(host, "wait_for_approval", action_id="act_nowhere")
        late = await refused(host, "update_outcome", action_id=action_id, status="completed")
    assert "not_approved" in early
    assert "action_not_found" in nowhere
    assert all(FORBIDDEN in text for text in (early, nowhere))
    assert "awaiting_approval" in late
    assert "Nothing was confirmed" in late


async def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(tenant: Tenant) -> None:
    async with inside(tenant.async_client()) as host:
        with pytest.raises(MCPError, match="there is no tool 'approve_action'; there are guard, "):
            await host.call_tool("approve_action", {})


async def test_a_key_that_is_refused_allows_nothing(tenant: Tenant) -> None:
    key = "assent_no_such_key_0123456789abcdef"
    async with inside(AsyncClient(tenant.service.base_url, key)) as host:
        texts = [await refused(host, tool, action_type="look") for tool in ("guard", "create_action")]
    assert all(FORBIDDEN in text and "401 unauthorized" in text for text in texts)
    assert all(key not in text for text in texts)


async def test_a_service_that_never_answers_allows_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        async with inside(AsyncClient(url, "k", timeout=0.2, retries=0)) as host:
            texts = [
                await refused(host, "guard", action_type="look"),
                await refused(host, "create_action", action_type="look"),
                await refused(host, "wait_for_approval", action_id="act_1", timeout_seconds=0.5),
            ]
    assert all("no answer within 0.2 s" in text and FORBIDDEN in text for text in texts)


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was sent, the key included, as something in between may."""

    def do_POST(self) -> None:
        said = str(self.headers).encode()
        self.send_response(502)
        self.send_header("content-length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: object) -> None:
        return None


async def test_a_key_that_comes_back_is_not_shown() -> None:
    from mcp import Client

    from assent.mcp.server import make_server

    key = "assent_a_key_that_comes_back"
    with HTTPServer(("127.0.0.1", 0), Echo) as echo:
        Thread(target=echo.serve_forever, daemon=True).start()
        client = AsyncClient(f"http://127.0.0.1:{echo.server_port}", key, retries=0)
        async with client, Client(make_server(client, api_key=key, patience=1)) as host:
            text = await refused(host, "guard", action_type="look")
        echo.shutdown()
    assert key not in text
    assert "x-api-key: [REDACTED:key_header]" in text
    assert FORBIDDEN in text


async def test_a_defect_allows_nothing_and_keeps_its_words_to_the_log(
    tenant: Tenant, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: httpx.Request) -> httpx.Response:
        raise ZeroDivisionError("words of a defect")

    http = httpx.AsyncClient(transport=httpx.MockTransport(broken))
    async with inside(AsyncClient("http://127.0.0.1:9", "k", http=http)) as host:
        text = await refused(host, "guard", action_type="look")
    await http.aclose()
    assert "ZeroDivisionError" in text
    assert FORBIDDEN in text
    assert "words of a defect" not in text
    assert "words of a defect" in caplog.text


async def test_many_calls_at_once_each_get_their_own_answer(tenant: Tenant) -> None:
    async with inside(tenant.async_client()) as host:
        answers = await asyncio.gather(
            *(told(host, "create_action", action_type="look", declared_goal=f"Look {n}") for n in range(20))
        )
    goals = [tenant.action(answer["action_id"])["declared_goal"] for answer in answers]
    assert goals == [f"Look {n}" for n in range(20)]
