"""A whole state in one call: every section kept by its noun, one bad item alone refused, a repeat changing nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.stories.tenant import Tenant
from tests.tiers import deep

STATE: dict[str, Any] = {
    "actions": [
        {"action_type": "look", "declared_goal": "See", "status": "completed", "output_summary": "seen"},
        {"action_type": "look", "declaredGoal": "See more"},
        {"action_id": "mine-1", "action_type": "look", "status": "failed", "error_message": "dark"},
    ],
    "decisions": [{"decision": "Use the cache", "reasoning": "It is warm"}],
    "goals": [{"title": "Ship it", "progress": 40}],
    "connections": [{"provider": "openai", "authType": "api_key"}],
    "memory": {"health": 80, "entities": [{"name": "Ada"}]},
    "learning": [{"decision": "Ask first"}],
    "content": [{"title": "A post"}],
    "inspiration": [{"title": "An idea"}],
    "context_points": [{"content": "Mind the gap", "importance": 8}],
    "context_threads": [{"name": "Release", "summary": "Under way"}, {"name": "Old", "status": "closed"}],
    "handoffs": [{"summary": "Done for today", "context": {"branch": "main"}, "tags": ["daily"]}],
    "preferences": {
        "observations": [{"observation": "Reads at night"}],
        "preferences": [{"preference": "Short answers"}],
        "moods": [{"mood": "calm"}],
        "approaches": [{"approach": "Ask twice", "success": True}],
    },
    "snippets": [{"name": "hello", "code": "print(1)"}],
    "relationships": [{"summary": "Met Ada"}],
    "capabilities": [{"name": "search"}],
}
COUNTS = dict.fromkeys(STATE, 1) | {"actions": 3, "context_threads": 2, "preferences": 4}


def push(tenant: Tenant, state: dict[str, Any], key: str = "agent") -> dict[str, Any]:
    return tenant.call("POST", "/api/sync", {"agent_id": "bot", **state}, key=key)


def test_every_section_is_kept_and_read_where_it_belongs(tenant: Tenant) -> None:
    answer = push(tenant, STATE)
    assert {name: (each["synced"], each["failed"], each["errors"]) for name, each in answer["results"].items()} == {
        name: (count, 0, []) for name, count in COUNTS.items()
    }
    assert (answer["total_synced"], answer["total_errors"]) == (sum(COUNTS.values()), 0)
    assert answer["duration_ms"] >= 0
    actions = tenant.call("GET", "/api/actions?agent_id=bot")["actions"]
    assert {(each["declared_goal"], each["status"], each["output_summary"]) for each in actions} == {
        ("See", "completed", "seen"),
        ("See more", "running", None),
        (None, "failed", None),
    }
    assert tenant.action("mine-1")["error_message"] == "dark"
    handoff = tenant.call("GET", "/api/handoffs?agent_id=bot&latest=true")["handoff"]
    assert (handoff["context"], handoff["tags"]) == ({"branch": "main"}, ["daily"])
    threads = {each["name"]: each["status"] for each in tenant.call("GET", "/api/context/threads")["threads"]}
    assert threads == {"Release": "active", "Old": "closed"}
    assert tenant.call("GET", "/api/goals")["goals"][0]["progress"] == 40
    assert tenant.call("GET", "/api/context/points")["points"][0]["importance"] == 8
    assert tenant.call("GET", "/api/agents/connections")["connections"][0]["provider"] == "openai"
    decisions = tenant.call("GET", "/api/learning")["decisions"]
    assert {each["decision"] for each in decisions} == {"Use the cache", "Ask first"}


@deep("one story of each kind is in the quick tier")
def test_repeating_it_changes_nothing(tenant: Tenant) -> None:
    first = push(tenant, STATE)
    before = tenant.recorded()
    again = push(tenant, STATE)
    assert tenant.recorded() == before
    assert again["results"] == first["results"]


@deep("one story of each kind is in the quick tier")
def test_the_same_state_at_the_same_time_is_kept_once_and_nobody_hears_of_an_error(tenant: Tenant) -> None:
    actions = [{"action_type": "look", "declared_goal": str(n), "status": "completed"} for n in range(40)]
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: push(tenant, {**STATE, "actions": actions}), range(4)))
    assert [each["results"]["actions"]["errors"] for each in answers] == [[]] * 4
    assert [(each["total_synced"], each["total_errors"]) for each in answers] == [
        (sum(COUNTS.values()) + 37, 0),
    ] * 4
    listed = tenant.call("GET", "/api/actions?agent_id=bot&limit=200")
    assert (listed["total"], {each["status"] for each in listed["actions"]}) == (40, {"completed"})
    for path in ("/api/context/points", "/api/context/threads", "/api/goals", "/api/agents/connections"):
        rows = tenant.call("GET", path)
        assert rows["total"] == {"/api/context/threads": 2}.get(path, 1), path


@deep("one story of each kind is in the quick tier")
def test_a_connection_is_its_items_agents_in_either_spelling(tenant: Tenant) -> None:
    push(tenant, {"connections": [{"provider": "github", "agentId": "other"}, {"provider": "slack"}]})
    found = tenant.call("GET", "/api/agents/connections")["connections"]
    assert {(each["provider"], each["agent_id"]) for each in found} == {("github", "other"), ("slack", "bot")}


@pytest.mark.parametrize(
    ("section", "item"),
    [
        ("connections", {"provider": "github", "agent_id": 5}),
        ("connections", {"provider": "github", "agent_id": {"a": 1}}),
        ("connections", {"provider": "github", "agent_id": ["a"]}),
        ("connections", {"provider": "github", "agent_id": "x" * 129}),
        ("context_threads", {"name": "T", "status": ["active"]}),
        ("context_threads", {"name": "T", "status": {"is": "active"}}),
        ("actions", {"action_type": "look", "status": "pending_approval"}),
        ("actions", {"action_type": "look", "status": "blocked"}),
    ],
)
def test_an_item_that_is_wrong_leaves_nothing_behind(tenant: Tenant, section: str, item: dict[str, Any]) -> None:
    before = tenant.recorded()
    answer = push(tenant, {section: [item]})
    assert [(each["index"], each["code"]) for each in answer["results"][section]["errors"]] == [(0, "invalid_body")]
    assert tenant.recorded() == before


@deep("one story of each kind is in the quick tier")
def test_an_outcome_of_nothing_is_none(tenant: Tenant) -> None:
    answer = push(tenant, {"actions": [{"action_type": "look", "output_summary": None, "errorMessage": None}]})
    assert (answer["total_synced"], answer["total_errors"]) == (1, 0)


@deep("one story of each kind is in the quick tier")
def test_what_has_changed_since_is_an_update_of_the_same_row(tenant: Tenant) -> None:
    push(tenant, STATE)
    later = {
        "actions": [{"action_type": "look", "declared_goal": "See more", "status": "completed"}],
        "goals": [{"title": "Ship it", "progress": 90}],
        "context_threads": [{"name": "Release", "status": "closed"}],
    }
    assert push(tenant, later)["total_errors"] == 0
    listed = tenant.call("GET", "/api/actions?agent_id=bot")
    assert listed["total"] == 3
    assert {each["status"] for each in listed["actions"]} == {"completed", "failed"}
    (goal,) = tenant.call("GET", "/api/goals")["goals"]
    assert goal["progress"] == 90
    assert tenant.call("GET", "/api/context/threads?status=active")["total"] == 0


def test_one_bad_item_never_loses_the_others(tenant: Tenant) -> None:
    tenant.governed()
    answer = push(
        tenant,
        {
            "goals": [{"title": "First"}, {"title": ""}, "not an object", {"title": "Last"}],
            "actions": [
                {"action_type": "wipe", "declared_goal": "Make room"},
                {"action_type": "look", "status": "completed"},
                {"action_type": "pay", "status": "completed"},
                {"action_type": "look", "status": "done"},
            ],
            "handoffs": [{"context": {}}],
            "context_threads": [{"name": "T", "status": "open"}],
            "connections": [{"plan_name": "no provider"}],
            "preferences": {"observations": [{"observation": "o"}], "habits": [{"habit": "h"}]},
        },
    )
    results = answer["results"]
    assert [(each["index"], each["code"]) for each in results["goals"]["errors"]] == [
        (1, "invalid_body"),
        (2, "invalid_body"),
    ]
    assert results["goals"]["synced"] == 2
    assert [(each["index"], each["code"]) for each in results["actions"]["errors"]] == [
        (0, "action_blocked"),
        (2, "awaiting_approval"),
        (3, "invalid_body"),
    ]
    assert "Nobody wipes" in results["actions"]["errors"][0]["error"]
    assert results["handoffs"]["errors"][0]["error"].startswith("The body is not valid")
    assert (results["preferences"]["synced"], results["preferences"]["errors"][0]["index"]) == (1, 1)
    assert "habits" in results["preferences"]["errors"][0]["error"]
    assert results["context_threads"]["failed"] == results["connections"]["failed"] == 1
    assert answer["total_errors"] == sum(each["failed"] for each in results.values()) == 9
    titles = {each["title"] for each in tenant.call("GET", "/api/goals")["goals"]}
    assert titles == {"First", "Last"}
    before = tenant.recorded()
    again = push(tenant, {"actions": [{"action_type": "wipe", "declared_goal": "Make room"}]})
    assert again["results"]["actions"]["errors"][0]["code"] == "action_blocked"
    assert tenant.recorded() == before, "the attempt is on record already"


@deep("one story of each kind is in the quick tier")
def test_a_key_bound_to_an_agent_pushes_for_it_alone(tenant: Tenant) -> None:
    tenant.add_key("bound", "agent", "bot")
    assert tenant.send("POST", "/api/sync", {"agent_id": "other", "goals": []}, key="bound").code == "agent_mismatch"
    theirs = {"content": "What other knows", "summary": "What other knows", "title": "T", "agentId": "other"}
    sections = ("goals", "context_points", "handoffs")
    assert push(tenant, {name: [theirs] for name in sections})["total_errors"] == 0
    mine = {"content": "mine", "summary": "mine", "title": "mine"}
    answer = push(tenant, {name: [mine, theirs] for name in sections}, key="bound")
    for name in sections:
        (error,) = answer["results"][name]["errors"]
        assert (error["index"], error["code"]) == (1, "agent_mismatch"), name


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize("state", [{"goals": {}}, {"memory": []}, {"preferences": []}, {"actions": "all"}])
def test_a_section_of_another_shape_is_refused_before_anything_is_kept(tenant: Tenant, state: dict[str, Any]) -> None:
    before = tenant.recorded()
    reply = tenant.send("POST", "/api/sync", {"content": [{"title": "kept?"}], **state}, key="agent")
    assert (reply.status, reply.code, reply.places) == (400, "invalid_body", list(state))
    assert tenant.recorded() == before
