"""Who may do what with plain records: whoever acts notes things down and changes them, everybody reads."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

ACTS, READS = "ao m", "aoum"
_numbers = itertools.count(1)
Body = Callable[[Tenant], dict[str, Any]]


def _named(_: Tenant) -> dict[str, Any]:
    return {"name": f"n{next(_numbers)}"}


def _told(_: Tenant) -> dict[str, Any]:
    reasons = dict.fromkeys(["declared_goal", "purchase_reason", "context_gap", "expected_value"], "so")
    return {"provider": "Maps", **reasons}


BODIES: dict[str, Body] = {
    "/api/calendar": lambda _: {"summary": "s", "start_time": "2026-11-21"},
    "/api/goals": lambda _: {"title": "t"},
    "/api/content": lambda _: {"title": "t"},
    "/api/relationships": lambda _: {"summary": "s"},
    "/api/inspiration": lambda _: {"title": "t"},
    "/api/memory": lambda _: {"health": 80},
    "/api/learning": lambda _: {"decision": "d"},
    "/api/messages/docs": lambda owner: {**_named(owner), "content": "c"},
    "/api/tokens": lambda _: {"tokens_in": 1, "tokens_out": 2},
    "/api/snippets": lambda owner: {**_named(owner), "code": "c"},
    "/api/preferences": lambda _: {"type": "mood", "mood": "fine"},
    "/api/sessions": lambda _: {"workspace": "w"},
    "/api/workflows/templates": _named,
    "/api/model-strategies": lambda owner: {**_named(owner), "config": {}},
    "/api/knowledge/collections": _named,
    "/api/capabilities": _named,
    "/api/agents/registry": _named,
    "/api/x402/providers": _named,
    "/api/x402/purchases": _told,
    "/api/artifacts": _named,
}
"""A new record of each path."""


def keep(path: str) -> Asking:
    return Asking(ACTS, lambda owner: Ask(path, BODIES[path](owner)))


def read(path: str) -> Asking:
    return Asking(READS, lambda _: Ask(path))


def one(may: str, path: str, id_name: str, body: dict[str, Any] | None = None, then: str = "") -> Asking:
    """About a record that the owner has, new each time."""

    def make(owner: Tenant) -> Ask:
        made = owner.call("POST", path, BODIES[path](owner))
        return Ask(f"{path}/{made[id_name]}{then}", body)

    return Asking(may, make)


def _link(owner: Tenant) -> Ask:
    agent = owner.call("POST", "/api/agents/registry", _named(owner))["registered_agent_id"]
    capability = owner.call("POST", "/api/capabilities", _named(owner))["capability_id"]
    return Ask(f"/api/agents/registry/{agent}/capabilities", {"capability_id": capability})


ASKS: dict[str, Asking] = {
    "create_calendar_event": keep("/api/calendar"),
    "get_calendar_events": read("/api/calendar"),
    "create_goal": keep("/api/goals"),
    "get_goals": read("/api/goals"),
    "get_goal": one(READS, "/api/goals", "goal_id"),
    "update_goal": one(ACTS, "/api/goals", "goal_id", {"progress": 5}),
    "record_content": keep("/api/content"),
    "get_content": read("/api/content"),
    "record_interaction": keep("/api/relationships"),
    "get_interactions": read("/api/relationships"),
    "record_idea": keep("/api/inspiration"),
    "get_ideas": read("/api/inspiration"),
    "report_memory_health": keep("/api/memory"),
    "get_memory_health": read("/api/memory"),
    "record_decision": keep("/api/learning"),
    "get_agent_decisions": read("/api/learning"),
    "save_shared_doc": keep("/api/messages/docs"),
    "get_shared_docs": read("/api/messages/docs"),
    "get_shared_doc": one(READS, "/api/messages/docs", "doc_id"),
    "report_token_usage": keep("/api/tokens"),
    "get_token_usage": read("/api/tokens"),
    "save_snippet": keep("/api/snippets"),
    "get_snippets": read("/api/snippets"),
    "get_snippet": one(READS, "/api/snippets", "snippet_id"),
    "use_snippet": one(ACTS, "/api/snippets", "snippet_id", {}, "/use"),
    "delete_snippet": one(ACTS, "/api/snippets", "snippet_id"),
    "record_preference": keep("/api/preferences"),
    "get_preferences": read("/api/preferences"),
    "get_daily_digest": read("/api/digest"),
    "create_session": keep("/api/sessions"),
    "list_sessions": read("/api/sessions"),
    "get_session": one(READS, "/api/sessions", "session_id"),
    "update_session": one(ACTS, "/api/sessions", "session_id", {"status": "done"}),
    "get_session_events": one(READS, "/api/sessions", "session_id", None, "/events"),
    "create_workflow_template": keep("/api/workflows/templates"),
    "list_workflow_templates": read("/api/workflows/templates"),
    "get_workflow_template": one(READS, "/api/workflows/templates", "template_id"),
    "update_workflow_template": one(ACTS, "/api/workflows/templates", "template_id", {"status": "active"}),
    "duplicate_workflow_template": one(ACTS, "/api/workflows/templates", "template_id", {}, "/duplicate"),
    "launch_workflow_template": one(ACTS, "/api/workflows/templates", "template_id", {}, "/launch"),
    "create_model_strategy": keep("/api/model-strategies"),
    "list_model_strategies": read("/api/model-strategies"),
    "get_model_strategy": one(READS, "/api/model-strategies", "strategy_id"),
    "update_model_strategy": one(ACTS, "/api/model-strategies", "strategy_id", {"config": {"a": 1}}),
    "delete_model_strategy": one(ACTS, "/api/model-strategies", "strategy_id"),
    "create_knowledge_collection": keep("/api/knowledge/collections"),
    "list_knowledge_collections": read("/api/knowledge/collections"),
    "get_knowledge_collection": one(READS, "/api/knowledge/collections", "collection_id"),
    "update_knowledge_collection": one(ACTS, "/api/knowledge/collections", "collection_id", {"description": "d"}),
    "add_knowledge_collection_item": one(
        ACTS, "/api/knowledge/collections", "collection_id", {"source_uri": "a"}, "/items"
    ),
    "list_knowledge_collection_items": one(READS, "/api/knowledge/collections", "collection_id", None, "/items"),
    "sync_knowledge_collection": one(ACTS, "/api/knowledge/collections", "collection_id", {}, "/sync"),
    "search_knowledge_collection": one(ACTS, "/api/knowledge/collections", "collection_id", {"query": "a"}, "/search"),
    "create_capability": keep("/api/capabilities"),
    "list_capabilities": read("/api/capabilities"),
    "get_capability": one(READS, "/api/capabilities", "capability_id"),
    "update_capability": one(ACTS, "/api/capabilities", "capability_id", {"status": "off"}),
    "register_agent": keep("/api/agents/registry"),
    "list_registered_agents": read("/api/agents/registry"),
    "get_registered_agent": one(READS, "/api/agents/registry", "registered_agent_id"),
    "update_registered_agent": one(ACTS, "/api/agents/registry", "registered_agent_id", {"status": "off"}),
    "add_agent_capability": Asking(ACTS, _link),
    "list_agent_capabilities": one(READS, "/api/agents/registry", "registered_agent_id", None, "/capabilities"),
    "create_provider": keep("/api/x402/providers"),
    "list_providers": read("/api/x402/providers"),
    "get_provider": one(READS, "/api/x402/providers", "provider_id"),
    "update_provider": one(ACTS, "/api/x402/providers", "provider_id", {"status": "off"}),
    "create_provider_endpoint": one(ACTS, "/api/x402/providers", "provider_id", {"name": "route"}, "/endpoints"),
    "list_provider_endpoints": one(READS, "/api/x402/providers", "provider_id", None, "/endpoints"),
    "record_purchase": keep("/api/x402/purchases"),
    "list_purchases": read("/api/x402/purchases"),
    "create_artifact": keep("/api/artifacts"),
    "get_artifacts": read("/api/artifacts"),
}
