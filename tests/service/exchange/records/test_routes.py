"""What a few kinds can besides, over HTTP: digest, sessions, workflows and purchases at their edges."""

from __future__ import annotations

import httpx
import pytest

from assent.contract.people.keys import CreateKey
from assent.contract.roles import Role
from assent_service.core.elsewhere import PLACES, Elsewhere
from tests.service.control.actions.world import DAY, World

TOLD = dict.fromkeys(["declared_goal", "purchase_reason", "context_gap", "expected_value"], "so")


async def test_a_digest_counts_a_day_and_no_other(world: World) -> None:
    for path, body in (("goals", {"title": "a"}), ("tokens", {"tokens_in": 3, "tokens_out": 4, "cost_estimate": 0.5})):
        await world.http("POST", f"/api/{path}", body)
    await world.act(agent_id="bot")
    world.clock.turn(DAY)
    await world.http("POST", "/api/goals", {"title": "b"})
    first = (await world.http("GET", "/api/digest?date=2026-03-02")).json()
    assert first["records"] == {"n": 2, "by": {"goal": 1, "token_usage": 1}}
    assert first["tokens"] == {"n": 1, "tokens_in": 3, "tokens_out": 4, "cost_estimate": 0.5}
    assert (first["actions"], first["decisions"]["n"]) == ({"n": 1, "by": {"running": 1}}, 1)
    today = (await world.http("GET", "/api/digest")).json()
    assert (today["date"], today["records"]["n"], today["actions"]["n"]) == ("2026-03-03", 1, 0)


async def test_the_last_day_that_can_be_written_is_refused(world: World) -> None:
    refused = await world.http("GET", "/api/digest?date=9999-12-31")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_query")
    assert (await world.http("GET", "/api/digest?date=9999-12-30")).status_code == 200


async def test_a_bound_key_has_a_digest_of_its_own(world: World) -> None:
    for name in ("ada", "eve"):
        await world.act(agent_id=name)
    made = await world.service.keys.create(world.admin, CreateKey(name="k", role=Role.AGENT, agent_id="ada"))
    transport = httpx.ASGITransport(app=world.service.app)  # type: ignore[arg-type]  # Litestar's own types of ASGI
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        headers = {"x-api-key": made.api_key}
        own = (await client.get("/api/digest", headers=headers)).json()
        other = await client.get("/api/digest?agent_id=eve", headers=headers)
    assert (own["agent_id"], own["actions"]["n"]) == ("ada", 1)
    assert other.json()["code"] == "agent_mismatch"


async def test_a_purchase_waits_when_guard_asks(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["purchase"]})
    answer = await world.http("POST", "/api/x402/purchases", {"provider": "Maps", **TOLD, "spend_amount": 2})
    made = answer.json()
    assert (answer.status_code, made["action"]["status"]) == (202, "pending_approval")
    assert made["purchase"]["action_id"] == made["action_id"]
    assert made["action"]["metadata"]["purchase"]["spend_amount"] == 2


async def test_a_workflow_that_guard_blocks_is_not_launched(world: World) -> None:
    made = (await world.http("POST", "/api/workflows/templates", {"name": "w", "steps": [{"a": 1}]})).json()
    await world.policy("block_action_type", {"action_types": ["workflow"]})
    answer = await world.http("POST", f"/api/workflows/templates/{made['template_id']}/launch", {})
    assert (answer.status_code, answer.json()["code"]) == (403, "action_blocked")


async def test_a_provider_is_found_by_id_name_or_origin(world: World) -> None:
    made = (await world.http("POST", "/api/x402/providers", {"name": "Maps", "origin": "https://maps.example"})).json()
    for provider in (made["provider_id"], "Maps", "https://maps.example"):
        bought = (await world.http("POST", "/api/x402/purchases", {"provider": provider, **TOLD})).json()
        assert bought["purchase"]["provider_id"] == made["provider_id"]
    assert (await world.http("GET", "/api/x402/providers")).json()["total"] == 1


async def test_a_search_puts_the_most_words_first(world: World) -> None:
    kept = (await world.http("POST", "/api/knowledge/collections", {"name": "k"})).json()["collection_id"]
    items = f"/api/knowledge/collections/{kept}/items"
    for uri, content in (("a", "one"), ("b", "ONE two"), ("c", "three"), ("d", "x' OR '1'='1")):
        await world.http("POST", items, {"source_uri": uri, "content": content})
    search = f"/api/knowledge/collections/{kept}/search"
    found = (await world.http("POST", search, {"query": "one Two"})).json()
    assert [(each["item"]["source_uri"], each["score"]) for each in found["results"]] == [("b", 1.0), ("a", 0.5)]
    assert (await world.http("POST", search, {"query": "one", "limit": 1})).json()["total"] == 2
    assert (await world.http("POST", search, {"query": " "})).json()["results"] == []
    assert (await world.http("POST", search, {"query": "100%"})).json()["total"] == 0


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place[0])
def test_what_is_elsewhere_is_refused_by_its_methods_only(place: tuple[str, tuple[str, ...], str]) -> None:
    path, methods, instead = place
    elsewhere = Elsewhere()
    for method in methods:
        refusal = elsewhere.find(method, path.replace("{id}", "x_1"))
        assert refusal is not None
        assert refusal.detail.endswith(instead)
    assert elsewhere.find("PUT", path.replace("{id}", "x_1")) is None
    assert (elsewhere.fixed(methods[0], path) is None) == ("{id}" in path)
