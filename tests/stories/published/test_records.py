"""Plain records through the real clients: what they send is kept, and what they ask for comes back."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import MIDDLE, NEWEST, only
from tests.stories.tenant import Tenant


def test_a_calendar_event(agent: PublishedClient, asking: Tenant) -> None:
    made = agent.create_calendar_event("Stand-up", "2026-11-21T09:00", location="Room 4", rsvp="yes")
    assert made["event"]["summary"] == "Stand-up"
    assert made["event"]["event_id"] == made["event_id"]
    (listed,) = asking.call("GET", "/api/calendar")["events"]
    assert (listed["start_time"], listed["location"], listed["rsvp"]) == ("2026-11-21T09:00", "Room 4", "yes")
    with pytest.raises(PublishedError) as refused:
        agent.create_calendar_event("Stand-up", "soon")
    assert refused.value.members["status"] == 400


def test_a_goal(agent: PublishedClient, asking: Tenant) -> None:
    made = agent.create_goal("Ship 1.0", category="release", progress=40)
    goal = made["goal"]
    assert (goal["title"], goal["progress"], goal["agent_id"], goal["status"]) == ("Ship 1.0", 40, "bot", "active")
    assert made["goal_id"].startswith("goal_")
    assert asking.call("GET", "/api/goals?category=release")["goals"] == [goal]


def test_content_interactions_and_ideas(agent: PublishedClient, asking: Tenant) -> None:
    written = agent.record_content("How we deploy", platform="blog", url="https://example.com/1")["content"]
    met = agent.record_interaction("Asked for a refund", contact_name="Ada", direction="inbound")["interaction"]
    thought = agent.record_idea("Cache it", score=70, category="speed")["idea"]
    assert (written["url"], written["agent_id"]) == ("https://example.com/1", "bot")
    assert (met["contact_name"], met["summary"]) == ("Ada", "Asked for a refund")
    assert (thought["score"], thought["category"]) == (70, "speed")
    for path, name, row in (("content", "content", written), ("relationships", "interactions", met)):
        assert asking.call("GET", f"/api/{path}")[name] == [row]
    assert asking.call("GET", "/api/inspiration?search=CACHE")["ideas"] == [thought]


def test_memory(agent: PublishedClient, asking: Tenant) -> None:
    first = agent.report_memory_health({"score": 80}, entities=[{"name": "Ada"}], topics=["refunds"])
    assert first["snapshot"]["entities"] == [{"name": "Ada"}]
    second = agent.report_memory_health({"health": {"score": 81}, "topics": ["x"]})
    assert second["snapshot"]["health"] == {"score": 81}
    listed = asking.call("GET", "/api/memory")
    assert [each["snapshot_id"] for each in listed["snapshots"]] == [second["snapshot_id"], first["snapshot_id"]]


def test_snippets(agent: PublishedClient) -> None:
    saved = agent.save_snippet("retry", "for _ in range(3): ...", language="python", tags=["net", "io"])
    snippet_id = saved["snippet"]["snippet_id"]
    agent.save_snippet("other", "x", language="bash")
    replaced = agent.save_snippet("retry", "while True: ...")
    assert replaced["snippet_id"] == snippet_id
    one = agent.get_snippet(snippet_id)["snippet"]
    assert (one["code"], one["language"], one["use_count"]) == ("while True: ...", "python", 0)
    assert agent.use_snippet(snippet_id)["snippet"]["use_count"] == 1
    assert agent.use_snippet(snippet_id)["snippet"]["use_count"] == 2
    for filters in ({"language": "python"}, {"tag": "io"}, {"search": "WHILE"}):
        assert [each["name"] for each in agent.get_snippets(**filters)["snippets"]] == ["retry"]
    assert agent.get_snippets(tag="i")["total"] == 0
    assert agent.delete_snippet(snippet_id)["deleted"] is True
    assert [each["name"] for each in agent.get_snippets()["snippets"]] == ["other"]
    with pytest.raises(PublishedError) as gone:
        agent.get_snippet(snippet_id)
    assert gone.value.members["status"] == 404


def test_preferences(agent: PublishedClient) -> None:
    seen = agent.log_observation("Prefers mornings", category="time", importance=7)
    assert (seen["observation"]["importance"], seen["type"]) == (7, "observation")
    agent.set_preference("Short answers", category="tone", confidence=60)
    again = agent.set_preference("Short answers", category="tone", confidence=90)
    assert again["preference"]["confidence"] == 90
    assert agent.log_mood("tired", energy="low", notes="late")["mood"]["notes"] == "late"
    agent.track_approach("Ask first", context="refunds", success=True)
    agent.track_approach("Ask first", success=False)
    counted = agent.track_approach("Ask first", success=True)["approach"]
    assert (counted["success_count"], counted["fail_count"]) == (2, 1)
    summary = agent.get_preference_summary()["summary"]
    counts = [summary[f"{name}_count"] for name in ("observation", "preference", "mood", "approach")]
    assert counts == [1, 1, 1, 1]
    assert summary["preferences"][0]["preference"] == "Short answers"
    approaches = agent.get_approaches(limit=5)
    assert (approaches["total"], approaches["approaches"][0]["success_count"]) == (1, 2)


def test_tokens_and_the_digest(agent: PublishedClient, asking: Tenant) -> None:
    used = agent.report_token_usage(1200, 300, model="m-1", cost_estimate=0.25)
    assert (used["usage"]["tokens_in"], used["usage"]["model"]) == (1200, "m-1")
    agent.report_token_usage(1, 2)
    agent.create_goal("Ship it")
    agent.create_action("look", "See", agent_id="bot")
    agent.create_action("look", "See", agent_id="somebody-else")
    today = datetime.now(UTC).date().isoformat()
    digest = agent.get_daily_digest(date=today)
    assert digest["date"] == today
    assert (digest["tokens"]["n"], digest["tokens"]["tokens_in"], digest["tokens"]["tokens_out"]) == (2, 1201, 302)
    assert digest["tokens"]["cost_estimate"] == 0.25
    assert digest["actions"] == {"n": 1, "by": {"running": 1}}
    assert digest["records"] == {"n": 3, "by": {"goal": 1, "token_usage": 2}}
    assert agent.get_daily_digest()["records"]["n"] == 3
    assert agent.get_daily_digest(date="2020-01-01")["actions"]["n"] == 0
    assert asking.call("GET", "/api/digest")["actions"]["n"] == 2


def test_a_decision_of_its_own(agent: PublishedClient, asking: Tenant) -> None:
    made = agent.record_decision("Roll back", reasoning="Errors doubled", confidence=80)
    assert (made["decision"]["decision"], made["decision"]["confidence"]) == ("Roll back", 80)
    assert asking.call("GET", "/api/learning")["decisions"] == [made["decision"]]


def test_a_shared_document(agent: PublishedClient, boss: PublishedClient, asking: Tenant) -> None:
    made = agent.save_shared_doc("runbook", "Step one")
    assert (made["doc"]["content"], made["doc"]["version"]) == ("Step one", 1)
    again = boss.save_shared_doc("runbook", "Step one and two")
    assert (again["doc_id"], again["doc"]["version"]) == (made["doc_id"], 2)
    assert asking.call("GET", f"/api/messages/docs/{made['doc_id']}")["doc"]["content"] == "Step one and two"


@only(MIDDLE, NEWEST)
def test_sessions(agent: PublishedClient) -> None:
    session_id = agent.create_session(workspace="shop", branch="main")["session"]["session_id"]
    changed = agent.update_session(session_id, status="blocked", blocked_reason="Tests", commits_behind=3)
    assert (changed["session"]["status"], changed["session"]["commits_behind"]) == ("blocked", 3)
    assert agent.get_session(session_id)["session"]["branch"] == "main"
    assert agent.list_sessions(status="blocked")["total"] == 1
    assert agent.list_sessions(agent_id="bot", status="active", limit=5)["sessions"] == []
    action_id = agent.create_action("look", "See", session_id=session_id)["action_id"]
    events = agent.get_session_events(session_id)["events"]
    assert [each["type"] for each in events[:2]] == ["record.created", "record.updated"]
    assert "action.created" in [each["type"] for each in events if each["action_id"] == action_id]


@only(NEWEST)
def test_workflow_templates(agent: PublishedClient) -> None:
    steps = [{"name": "build"}, {"name": "test"}]
    strategy = agent.create_model_strategy(name="small", config={"primary": {"provider": "p", "model": "m"}})
    made = agent.create_workflow_template(name="Release", steps=steps, model_strategy_id=strategy["strategy_id"])
    template_id = made["template"]["template_id"]
    assert (made["template"]["version"], made["template"]["status"]) == (1, "draft")
    assert agent.update_workflow_template(template_id, status="active")["template"]["version"] == 1
    assert agent.update_workflow_template(template_id, steps=steps[:1])["template"]["version"] == 2
    copy = agent.duplicate_workflow_template(template_id)["template"]
    assert (copy["name"], copy["status"], copy["version"]) == ("Release (copy)", "draft", 1)
    assert copy["duplicated_from"] == template_id
    assert agent.get_workflow_template(template_id)["template"]["steps"] == steps[:1]
    assert [each["name"] for each in agent.list_workflow_templates(status="active")["templates"]] == ["Release"]
    launched = agent.launch_workflow_template(template_id, declared_goal="Ship", variables={"tag": "1.0"})
    workflow = launched["action"]["metadata"]["workflow"]
    assert (launched["action"]["status"], launched["action"]["declared_goal"]) == ("running", "Ship")
    assert (workflow["version"], workflow["variables"]) == (2, {"tag": "1.0"})
    assert workflow["model_strategy"]["config"]["primary"]["model"] == "m"


@only(NEWEST)
def test_model_strategies(agent: PublishedClient) -> None:
    config = {"primary": {"provider": "p", "model": "m"}, "fallback": []}
    strategy_id = agent.create_model_strategy(name="small", config=config)["strategy"]["strategy_id"]
    changed = agent.update_model_strategy(strategy_id, config={"budget": 5})["strategy"]
    assert changed["config"] == {**config, "budget": 5}
    assert agent.get_model_strategy(strategy_id)["strategy"] == changed
    assert agent.list_model_strategies()["strategies"] == [changed]
    assert agent.delete_model_strategy(strategy_id)["deleted"] is True
    assert agent.list_model_strategies()["total"] == 0


@only(NEWEST)
def test_knowledge(agent: PublishedClient) -> None:
    made = agent.create_knowledge_collection(name="Handbook", source_type="files")
    collection_id = made["collection"]["collection_id"]
    for uri, content in (("a.md", "Refunds take five days"), ("b.md", "Deploys happen on Monday")):
        item = agent.add_knowledge_collection_item(collection_id, source_uri=uri, content=content)["item"]
        assert (item["status"], item["collection_id"]) == ("pending", collection_id)
    assert agent.get_knowledge_collection(collection_id)["collection"]["doc_count"] == 2
    assert agent.list_knowledge_collection_items(collection_id)["total"] == 2
    synced = agent.sync_knowledge_collection(collection_id)
    assert (synced["synced"], synced["collection"]["last_synced_at"] is not None) == (2, True)
    assert agent.sync_knowledge_collection(collection_id)["synced"] == 0
    (found,) = agent.search_knowledge_collection(collection_id, "REFUNDS when")["results"]
    assert (found["item"]["source_uri"], found["score"], found["item"]["status"]) == ("a.md", 0.5, "synced")
    assert agent.update_knowledge_collection(collection_id, description="All")["collection"]["description"] == "All"
    assert agent.list_knowledge_collections(source_type="files")["total"] == 1
    assert agent.list_knowledge_collections(source_type="web")["collections"] == []


@only(NEWEST)
def test_capabilities_and_registered_agents(agent: PublishedClient) -> None:
    capability = agent.create_capability(name="Translate", category="text", risk_level="low")["capability"]
    capability_id = capability["capability_id"]
    assert agent.update_capability(capability_id, risk_level="high")["capability"]["risk_level"] == "high"
    assert agent.get_capability(capability_id)["capability"]["name"] == "Translate"
    assert agent.list_capabilities(category="text", risk_level="high", search="trans")["total"] == 1
    assert agent.list_capabilities(risk_level="low")["capabilities"] == []
    registered = agent.register_agent("Translator", provider="outside")["registered_agent"]
    its_id = registered["registered_agent_id"]
    assert agent.update_registered_agent(its_id, status="paused")["registered_agent"]["status"] == "paused"
    assert agent.get_registered_agent(its_id)["registered_agent"]["provider"] == "outside"
    assert [each["name"] for each in agent.list_registered_agents(status="paused")["registered_agents"]] == [
        "Translator"
    ]
    for _ in range(2):
        link = agent.add_agent_capability(its_id, capability_id)["link"]
        assert (link["registered_agent_id"], link["capability_id"]) == (its_id, capability_id)
    listed = agent.list_agent_capabilities(its_id)
    assert [each["capability_id"] for each in listed["capabilities"]] == [capability_id]
    with pytest.raises(PublishedError) as unknown:
        agent.add_agent_capability(its_id, "cap_nothing")
    assert unknown.value.members["status"] == 404


@only(NEWEST)
def test_purchases(agent: PublishedClient, asking: Tenant) -> None:
    provider = agent.create_provider("Maps", origin="https://maps.example", category="geo")["provider"]
    provider_id = provider["provider_id"]
    assert agent.update_provider(provider_id, status="trusted")["provider"]["status"] == "trusted"
    offered = agent.create_provider_endpoint(provider_id, "route", price=0.01, currency="USDC")["endpoint"]
    assert (offered["name"], offered["provider_id"]) == ("route", provider_id)
    assert agent.get_provider(provider_id)["endpoints"][0]["name"] == "route"
    assert agent.list_provider_endpoints(provider_id)["endpoints"][0]["price"] == 0.01
    assert agent.list_providers(status="trusted")["total"] == 1
    told = ("Find the way", "No map here", "No routes", "A route")
    bought = agent.record_purchase("bot", "https://maps.example", *told, spend_amount=0.01)
    assert (bought["action"]["status"], bought["purchase"]["provider_id"]) == ("running", provider_id)
    assert bought["decision"]["decision"] == "allow"
    settled = agent.record_x402_purchase("bot", "https://new.example", 0.5, transaction_hash="0xabc")
    assert settled["action"]["action_id"] == settled["purchase"]["action_id"]
    assert asking.action(settled["action"]["action_id"])["cost_estimate"] == 0.5
    assert agent.list_purchases(provider_id=provider_id)["total"] == 1
    assert agent.list_purchases()["total"] == 2
    (artifact,) = asking.call("GET", "/api/artifacts")["artifacts"]
    assert artifact["content_json"]["transactionHash"] == "0xabc"
    asking.policy("No purchases", "block_action_type", {"action_types": ["purchase"]})
    with pytest.raises(PublishedError) as blocked:
        agent.record_purchase("bot", "Maps", *told)
    assert blocked.value.type == "GuardBlockedError"
    assert agent.list_purchases()["total"] == 2
