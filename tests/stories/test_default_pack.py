"""What a new organization's guard does before anybody has written a policy.

Scores are worked out by hand from the wire's formula: a base by type (deploy 75, security 80, cleanup 30), 15 for
irreversible, 10 for production, 20 for a destructive goal; the agent's own estimate if that is higher; then 5 for an
agent without history; 100 at most.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stories.tenant import Tenant

WORST: dict[str, Any] = {
    "action_type": "security",
    "declared_goal": "drop table users",
    "systems_touched": ["production"],
    "reversible": False,
}


def guard(tenant: Tenant, **context: Any) -> dict[str, Any]:
    return tenant.call("POST", "/api/guard", context, key="agent")


def test_four_policies_and_one_of_them_enforced(shared_tenant: Tenant) -> None:
    policies = shared_tenant.call("GET", "/api/policies")["policies"]
    assert [(policy["name"], policy["mode"], policy["active"]) for policy in policies] == [
        ("Irreversible destruction in production", "enforce", True),
        ("Ask before high risk", "observe", True),
        ("Warn about raised risk", "observe", True),
        ("Ask where a value came from", "observe", True),
    ]


def test_where_values_come_from_is_observed_in_sessions_that_are_told_and_enforced_by_one_change(
    tenant: Tenant,
) -> None:
    pay: dict[str, Any] = {"action_type": "send_money", "parameters": {"recipient": "DE89370400440532013000"}}
    bill = "The total is due by the end of this week; kindly pay it to DE89370400440532013000, with many thanks."
    found = guard(tenant, **pay, session_id="run 1")
    assert (found["decision"], found["would_decide"], found["observed_policies"]) == ("allow", None, [])
    tenant.call("POST", "/api/flows", {"session_id": "run 1", "tool": "read_file", "result": bill}, key="agent")
    found = guard(tenant, **pay, session_id="run 1")
    assert (found["decision"], found["would_decide"]) == ("allow", "require_approval")
    (policy_id,) = found["observed_policies"]
    tenant.call("PATCH", f"/api/policies/{policy_id}", {"mode": "enforce"})
    assert guard(tenant, **pay, session_id="run 1")["decision"] == "require_approval"
    assert guard(tenant, **pay, session_id="run 2")["decision"] == "require_approval"


def test_destruction_that_cannot_be_undone_in_production_is_blocked(shared_tenant: Tenant) -> None:
    found = guard(shared_tenant, **WORST)
    assert (found["decision"], found["risk_score"], found["would_decide"]) == ("block", 100, "block")
    assert found["reasons"][0].startswith("Irreversible destruction in production")


@pytest.mark.parametrize(
    ("change", "score"),
    [
        ({"reversible": True}, 100),
        ({"reversible": None}, 100),
        ({"systems_touched": ["staging"]}, 100),
        ({"declared_goal": "read table users", "action_type": "cleanup", "risk_score": 80}, 85),
        ({"declared_goal": "delete the draft", "action_type": "cleanup", "risk_score": 84}, 89),
    ],
    ids=["reversible", "nobody said", "not production", "not destructive", "an ordinary goal, risk 89"],
)
def test_anything_less_goes_ahead_and_shows_what_asking_would_have_cost(
    shared_tenant: Tenant, change: dict[str, Any], score: float
) -> None:
    found = guard(shared_tenant, **(WORST | change))
    assert (found["decision"], found["risk_score"]) == ("allow", score)
    assert (found["would_decide"], found["reasons"], found["matched_policies"]) == ("require_approval", [], [])
    assert len(found["observed_policies"]) == 2


@pytest.mark.parametrize(
    "goal",
    [
        "delete all customer data",
        "get rid of every backup",
        "L\u00f6sche alle Kundendaten",
        "\u5220\u9664\u6240\u6709\u5ba2\u6237\u6570\u636e",
    ],
)
def test_a_destructive_goal_needs_no_high_risk(shared_tenant: Tenant, goal: str) -> None:
    asked = WORST | {"declared_goal": goal, "action_type": "review"}
    found = guard(shared_tenant, **asked)
    assert (found["decision"], found["risk_score"] < 60) == ("block", True)
    assert guard(shared_tenant, **(asked | {"reversible": True}))["decision"] == "allow"


def test_the_agents_own_estimate_can_only_raise_the_risk(shared_tenant: Tenant) -> None:
    ordinary = WORST | {"declared_goal": "read table users", "action_type": "cleanup"}
    raised = guard(shared_tenant, **(ordinary | {"risk_score": 85}))
    assert (raised["decision"], raised["risk_score"], raised["agent_risk_score"]) == ("block", 90, 85)
    lowered = guard(shared_tenant, **(WORST | {"risk_score": 0}))
    assert (lowered["decision"], lowered["risk_score"], lowered["agent_risk_score"]) == ("block", 100, 0)


@pytest.mark.parametrize(
    ("own", "would"),
    [(54, None), (55, "warn"), (74, "warn"), (75, "require_approval")],
)
def test_the_observed_thresholds(shared_tenant: Tenant, own: int, would: str | None) -> None:
    found = guard(shared_tenant, action_type="look", risk_score=own)
    assert (found["decision"], found["would_decide"], found["warnings"]) == ("allow", would, [])


@pytest.mark.parametrize("goal", ["feed the monkey", "check the formatting", "a tokenizer"])
def test_words_are_whole_words(shared_tenant: Tenant, goal: str) -> None:
    plain = guard(shared_tenant, action_type="look", declared_goal="see")
    assert guard(shared_tenant, action_type="look", declared_goal=goal)["risk_score"] == plain["risk_score"]


def test_production_is_production_however_it_is_written(tenant: Tenant) -> None:
    asked = {"action_type": "cleanup", "declared_goal": "delete all customer records", "reversible": False}
    for said in ("production", "Production", "PROD", "prod ", "ｐｒｏｄ", "pr\N{CYRILLIC SMALL LETTER O}d", "Live"):
        found = tenant.call("POST", "/api/guard", {**asked, "environment": said}, key="agent")
        assert found["decision"] == "block", said
    for system in ("prod", "LIVE", "production-db", "Production DB", "prod_db"):
        found = tenant.call("POST", "/api/guard", {**asked, "systems_touched": [system]}, key="agent")
        assert found["decision"] == "block", system
    for said in ("pre-production", "staging", "nonprod", "test"):
        found = tenant.call("POST", "/api/guard", {**asked, "environment": said}, key="agent")
        assert found["decision"] != "block", said
    hidden = tenant.send("POST", "/api/guard", {**asked, "environment": "pro\u200bd"}, key="agent")
    assert (hidden.status, hidden.code) == (400, "invalid_body")
