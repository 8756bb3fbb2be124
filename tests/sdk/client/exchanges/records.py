"""Plain records and what they are answered, written by hand as they stand on the wire."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

COMMON = {
    "org_id": "org_1",
    "agent_id": "agent-7",
    "created_by": "key_1",
    "created_at": samples.NOW,
    "updated_at": samples.NOW,
}
ME = {"agent_id": "agent-7"}
GONE = {"deleted": True, "id": "x_1"}


def one(name: str, /, **members: Any) -> dict[str, Any]:
    """One record with its id, which is x_1."""
    return {name: {**COMMON, f"{name}_id": "x_1", **members}, f"{name}_id": "x_1"}


def many(plural: str, name: str, /, **members: Any) -> dict[str, Any]:
    return {plural: [one(name, **members)[name]], "total": 1, "next_cursor": None}


def noted(operation: str, path: str, name: str, sent: dict[str, Any], *args: Any, **kwargs: Any) -> Case:
    """A record that is kept, answered with what was sent."""
    return Case(operation, "POST", path, {**sent, **ME}, one(name, **sent), args, kwargs, status=201)


EVENT = {"summary": "Stand-up", "start_time": "2026-11-21"}
GOAL = {"title": "Ship"}
ITEM = {"source_uri": "a.md", "collection_id": "kc_1"}
PURCHASE = {
    "provider": "Maps",
    "declared_goal": "Find",
    "purchase_reason": "No map",
    "context_gap": "No routes",
    "expected_value": "A route",
}
TOLD = tuple(PURCHASE.values())
BOUGHT = {
    **one("purchase", **PURCHASE, provider_id="prv_1", action_id="act_0192"),
    "action": samples.action(),
    "action_id": "act_0192",
    "decision": samples.decision(),
}
PART = {"n": 0, "by": {}}
PARTS = dict.fromkeys(["actions", "decisions", "approvals", "assumptions", "loops", "records"], PART)
DIGEST = {
    "date": "2026-11-20",
    "agent_id": "agent-7",
    **PARTS,
    "tokens": {"n": 1, "tokens_in": 2, "tokens_out": 3, "cost_estimate": 0.5},
}
SUMMARY = {
    **{f"{name}_count": 0 for name in ("observation", "preference", "mood", "approach")},
    **{name: [] for name in ("observations", "preferences", "moods", "approaches")},
}


def said(type_: str) -> dict[str, Any]:
    """What keeping an observation, a preference, a mood or an approach is answered with."""
    return {"type": type_, "id": "x_1", type_: {**COMMON, f"{type_}_id": "x_1", type_: "so"}}


def told(operation: str, type_: str, **more: Any) -> Case:
    sent = {"type": type_, type_: "so", **more, **ME}
    path, kwargs = "/api/preferences", dict(more)
    return Case(operation, "POST", path, sent, said(type_), ("so",), kwargs, status=201, of="record_preference")


JOURNAL = [
    noted("create_calendar_event", "/api/calendar", "event", EVENT, "Stand-up", "2026-11-21"),
    Case("get_calendar_events", "GET", "/api/calendar?search=up", answer=many("events", "event", **EVENT),
         kwargs={"search": "up"}),
    noted("create_goal", "/api/goals", "goal", {"title": "Ship", "progress": 40}, "Ship", progress=40),
    Case("get_goals", "GET", "/api/goals?status=active", answer=many("goals", "goal", **GOAL),
         kwargs={"status": "active"}),
    Case("get_goal", "GET", "/api/goals/x_1", answer=one("goal", **GOAL), args=("x_1",)),
    Case("update_goal", "PATCH", "/api/goals/x_1", {"status": "done"}, one("goal", **GOAL), ("x_1",),
         {"status": "done"}),
    noted("record_content", "/api/content", "content", {"title": "Post"}, "Post"),
    Case("get_content", "GET", "/api/content?limit=2", answer=many("content", "content", title="Post"),
         kwargs={"limit": 2}),
    noted("record_interaction", "/api/relationships", "interaction", {"summary": "Met"}, "Met"),
    Case("get_interactions", "GET", "/api/relationships", answer=many("interactions", "interaction", summary="Met")),
    noted("record_idea", "/api/inspiration", "idea", {"title": "Cache", "score": 70}, "Cache", score=70),
    Case("get_ideas", "GET", "/api/inspiration?agent_id=a", answer=many("ideas", "idea", title="Cache"),
         kwargs={"agent_id": "a"}),
    Case("report_memory_health", "POST", "/api/memory", {"health": 80, "topics": ["x"], **ME},
         one("snapshot", health=80), (80,), {"topics": ["x"]}, status=201),
    Case("report_memory_health", "POST", "/api/memory", {"health": {"score": 1}, **ME},
         one("snapshot", health={"score": 1}), ({"health": {"score": 1}},), status=201, same=" whole"),
    Case("get_memory_health", "GET", "/api/memory", answer=many("snapshots", "snapshot", health=80)),
    noted("record_decision", "/api/learning", "decision", {"decision": "Roll back"}, "Roll back"),
    Case("get_agent_decisions", "GET", "/api/learning", answer=many("decisions", "decision", decision="Roll back")),
    noted("save_shared_doc", "/api/messages/docs", "doc", {"name": "r", "content": "c"}, "r", "c"),
    Case("get_shared_docs", "GET", "/api/messages/docs", answer=many("docs", "doc", name="r", content="c")),
    Case("get_shared_doc", "GET", "/api/messages/docs/x_1", answer=one("doc", name="r", content="c"), args=("x_1",)),
    noted("report_token_usage", "/api/tokens", "usage", {"tokens_in": 1, "tokens_out": 2}, 1, 2),
    Case("get_token_usage", "GET", "/api/tokens?model=m", answer=many("usage", "usage", tokens_in=1, tokens_out=2),
         kwargs={"model": "m"}),
]  # fmt: skip
SNIPPETS = [
    noted("save_snippet", "/api/snippets", "snippet", {"name": "n", "code": "c", "tags": ["t"]}, "n", "c", tags=["t"]),
    Case("get_snippets", "GET", "/api/snippets?search=a%20b&tag=t",
         answer=many("snippets", "snippet", name="n", code="c"), kwargs={"search": "a b", "tag": "t"}),
    Case("get_snippet", "GET", "/api/snippets/x_1", answer=one("snippet", name="n", code="c"), args=("x_1",)),
    Case("use_snippet", "POST", "/api/snippets/x_1/use", {}, one("snippet", name="n", code="c"), ("x_1",)),
    Case("delete_snippet", "DELETE", "/api/snippets/x_1", answer=GONE, args=("x_1",)),
    Case("record_preference", "POST", "/api/preferences", {"type": "mood", "mood": "so", **ME}, said("mood"),
         ("mood",), {"mood": "so"}, status=201),
    told("log_observation", "observation", importance=7),
    told("set_preference", "preference", confidence=60),
    told("log_mood", "mood", energy="low"),
    told("track_approach", "approach", success=True),
    Case("get_preferences", "GET", "/api/preferences?type=moods&limit=3",
         answer={"type": "moods", "moods": [], "total": 0}, args=("moods",), kwargs={"limit": 3}),
    Case("get_preference_summary", "GET", "/api/preferences?type=summary&agent_id=agent-7",
         answer={"type": "summary", "summary": SUMMARY}, of="get_preferences"),
    Case("get_approaches", "GET", "/api/preferences?type=approaches&agent_id=agent-7&limit=5",
         answer={"type": "approaches", "approaches": [], "total": 0}, args=(5,), of="get_preferences"),
    Case("get_daily_digest", "GET", "/api/digest?date=2026-11-20&agent_id=agent-7", answer=DIGEST,
         args=("2026-11-20",)),
]  # fmt: skip
STUDIO = [
    noted("create_session", "/api/sessions", "session", {"workspace": "w", "branch": "b"}, "w", "b"),
    Case("get_session", "GET", "/api/sessions/x_1", answer=one("session"), args=("x_1",)),
    Case("update_session", "PATCH", "/api/sessions/x_1", {"commits_behind": 3}, one("session"), ("x_1",),
         {"commits_behind": 3}),
    Case("list_sessions", "GET", "/api/sessions?limit=50&status=active", answer=many("sessions", "session"),
         kwargs={"status": "active"}),
    Case("get_session_events", "GET", "/api/sessions/x_1/events", answer={"events": [], "total": 0}, args=("x_1",)),
    noted("create_workflow_template", "/api/workflows/templates", "template", {"name": "R", "steps": []}, "R",
          steps=[]),
    Case("list_workflow_templates", "GET", "/api/workflows/templates?limit=50&offset=0",
         answer=many("templates", "template", name="R")),
    Case("get_workflow_template", "GET", "/api/workflows/templates/x_1", answer=one("template", name="R"),
         args=("x_1",)),
    Case("update_workflow_template", "PATCH", "/api/workflows/templates/x_1", {"steps": [{}]},
         one("template", name="R"), ("x_1",), {"steps": [{}]}),
    Case("duplicate_workflow_template", "POST", "/api/workflows/templates/x_1/duplicate", {"name": "S"},
         one("template", name="S"), ("x_1",), {"name": "S"}, status=201),
    Case("launch_workflow_template", "POST", "/api/workflows/templates/x_1/launch", {"declared_goal": "Go", **ME},
         {"action": samples.action(), "action_id": "act_0192", "decision": samples.decision(), "template_id": "x_1",
          "version": 1}, ("x_1",), {"declared_goal": "Go"}, status=201),
    noted("create_model_strategy", "/api/model-strategies", "strategy", {"name": "s", "config": {"a": 1}}, "s",
          {"a": 1}),
    Case("list_model_strategies", "GET", "/api/model-strategies",
         answer=many("strategies", "strategy", name="s", config={})),
    Case("get_model_strategy", "GET", "/api/model-strategies/x_1", answer=one("strategy", name="s", config={}),
         args=("x_1",)),
    Case("update_model_strategy", "PATCH", "/api/model-strategies/x_1", {"config": {"b": 2}},
         one("strategy", name="s", config={}), ("x_1",), {"config": {"b": 2}}),
    Case("delete_model_strategy", "DELETE", "/api/model-strategies/x_1", answer=GONE, args=("x_1",)),
    noted("create_knowledge_collection", "/api/knowledge/collections", "collection", {"name": "k"}, "k"),
    Case("list_knowledge_collections", "GET", "/api/knowledge/collections?limit=50&offset=0&source_type=files",
         answer=many("collections", "collection", name="k"), args=("files",)),
    Case("get_knowledge_collection", "GET", "/api/knowledge/collections/x_1", answer=one("collection", name="k"),
         args=("x_1",)),
    Case("update_knowledge_collection", "PATCH", "/api/knowledge/collections/x_1", {"description": "d"},
         one("collection", name="k"), ("x_1",), {"description": "d"}),
    Case("add_knowledge_collection_item", "POST", "/api/knowledge/collections/kc_1/items",
         {"source_uri": "a.md", "content": "c", **ME}, one("item", **ITEM), ("kc_1", "a.md"), {"content": "c"},
         status=201),
    Case("list_knowledge_collection_items", "GET", "/api/knowledge/collections/kc_1/items?limit=100&offset=0",
         answer=many("items", "item", **ITEM), args=("kc_1",)),
    Case("sync_knowledge_collection", "POST", "/api/knowledge/collections/x_1/sync", {},
         {**one("collection", name="k"), "synced": 2}, ("x_1",)),
    Case("search_knowledge_collection", "POST", "/api/knowledge/collections/kc_1/search", {"query": "a b"},
         {"query": "a b", "results": [{**one("item", **ITEM), "score": 0.5}], "total": 1}, ("kc_1", "a b")),
    noted("create_capability", "/api/capabilities", "capability", {"name": "c", "risk_level": "low"}, "c",
          risk_level="low"),
    Case("list_capabilities", "GET", "/api/capabilities?limit=100&offset=0&category=text",
         answer=many("capabilities", "capability", name="c"), args=("text",)),
    Case("get_capability", "GET", "/api/capabilities/x_1", answer=one("capability", name="c"), args=("x_1",)),
    Case("update_capability", "PATCH", "/api/capabilities/x_1", {"status": "off"}, one("capability", name="c"),
         ("x_1",), {"status": "off"}),
    noted("register_agent", "/api/agents/registry", "registered_agent", {"name": "r"}, "r"),
    Case("list_registered_agents", "GET", "/api/agents/registry?status=active",
         answer=many("registered_agents", "registered_agent", name="r"), args=("active",)),
    Case("get_registered_agent", "GET", "/api/agents/registry/x_1", answer=one("registered_agent", name="r"),
         args=("x_1",)),
    Case("update_registered_agent", "PATCH", "/api/agents/registry/x_1", {"name": "q"},
         one("registered_agent", name="q"), ("x_1",), {"name": "q"}),
    Case("add_agent_capability", "POST", "/api/agents/registry/rag_1/capabilities", {"capability_id": "cap_1", **ME},
         one("link", capability_id="cap_1", registered_agent_id="rag_1"), ("rag_1", "cap_1"), status=201),
    Case("list_agent_capabilities", "GET", "/api/agents/registry/rag_1/capabilities",
         answer=many("capabilities", "link", capability_id="cap_1", registered_agent_id="rag_1"), args=("rag_1",)),
]  # fmt: skip
PURCHASES = [
    Case("create_provider", "POST", "/api/x402/providers", {"name": "Maps", **ME},
         {**one("provider", name="Maps"), "endpoints": []}, ("Maps",), status=201),
    Case("list_providers", "GET", "/api/x402/providers?status=active",
         answer=many("providers", "provider", name="Maps"), args=("active",)),
    Case("get_provider", "GET", "/api/x402/providers/x_1", answer={**one("provider", name="Maps"), "endpoints": []},
         args=("x_1",)),
    Case("update_provider", "PATCH", "/api/x402/providers/x_1", {"status": "off"},
         {**one("provider", name="Maps"), "endpoints": []}, ("x_1",), {"status": "off"}),
    Case("create_provider_endpoint", "POST", "/api/x402/providers/prv_1/endpoints", {"name": "r", "price": 1.5, **ME},
         one("endpoint", name="r", provider_id="prv_1"), ("prv_1", "r"), {"price": 1.5}, status=201),
    Case("list_provider_endpoints", "GET", "/api/x402/providers/prv_1/endpoints",
         answer=many("endpoints", "endpoint", name="r", provider_id="prv_1"), args=("prv_1",)),
    Case("record_purchase", "POST", "/api/x402/purchases", {"agent_id": "other", **PURCHASE, "spend_amount": 0.5},
         BOUGHT, ("other", *TOLD), {"spend_amount": 0.5}, status=201),
    Case("list_purchases", "GET", "/api/x402/purchases?provider_id=prv_1",
         answer=many("purchases", "purchase", **PURCHASE, provider_id="prv_1", action_id="act_1"), args=("prv_1",)),
    Case("create_artifact", "POST", "/api/artifacts", {"name": "r", "content_json": {"a": 1}, **ME},
         one("artifact", name="r"), ("r",), {"content_json": {"a": 1}}, status=201),
    Case("get_artifacts", "GET", "/api/artifacts?source_action_id=act_1",
         answer=many("artifacts", "artifact", name="r"), kwargs={"source_action_id": "act_1"}),
]  # fmt: skip

CASES = [*JOURNAL, *SNIPPETS, *STUDIO, *PURCHASES]
