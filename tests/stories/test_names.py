"""A blocked type under every name that somebody tried, against the real service: blocked or refused, never let through.

These 18 spellings passed when policies compared names letter by letter.
"""

from __future__ import annotations

import pytest

from tests.stories.tenant import Tenant

BLOCKED = [
    "Delete", "DELETE", " delete", "delete ", "delete\n", "\tdelete", "ｄｅｌｅｔｅ", "dеlete", "dеlеtе", "𝐝elete",
]  # fmt: skip
REFUSED = [
    "de\u200blete", "delete\u200d", "de\u00adlete", "\u202eeteled\u202c", "delete\u2066", "\ufeffdelete", "dele\x00te",
    "delete\u3164",
]  # fmt: skip


@pytest.fixture(scope="module")
def strict(shared_tenant: Tenant) -> Tenant:
    shared_tenant.policy("Nobody deletes", "block_action_type", {"action_types": ["delete"]})
    return shared_tenant


@pytest.mark.parametrize("said", BLOCKED)
def test_a_spelling_of_a_blocked_type_is_blocked(strict: Tenant, said: str) -> None:
    answer = strict.call("POST", "/api/guard", {"action_type": said, "agent_id": "bot"}, key="agent")
    assert answer["decision"] == "block"
    assert answer.get("action_type_as_sent", answer["action_type"]) == said
    made = strict.send("POST", "/api/actions", {"action_type": said, "agent_id": "bot"}, key="agent")
    assert (made.status, made.code) == (403, "action_blocked")
    kept = strict.call("GET", f"/api/actions/{made.body['action']['action_id']}")["action"]
    assert (kept["action_type"], kept["action_type_as_sent"] or kept["action_type"]) == (answer["action_type"], said)


@pytest.mark.parametrize("said", REFUSED)
def test_a_type_with_what_cannot_be_seen_is_refused_by_name(strict: Tenant, said: str) -> None:
    for path in ("/api/guard", "/api/actions"):
        refused = strict.send("POST", path, {"action_type": said, "agent_id": "bot"}, key="agent")
        assert (refused.status, refused.code, refused.places) == (400, "invalid_body", ["action_type"])
        assert "U+" in refused.body["detail"]


@pytest.mark.parametrize(
    ("member", "value"),
    [("agent_id", "bo\u200bt"), ("systems_touched", ["prod\u00aduction"]), ("tool", "sh\u200bell")],
)
def test_agents_systems_and_tools_are_looked_at_alike(strict: Tenant, member: str, value: object) -> None:
    refused = strict.send("POST", "/api/guard", {"action_type": "read", member: value}, key="agent")
    assert (refused.status, refused.code) == (400, "invalid_body")
    assert refused.places[0].partition("[")[0] == member


def test_one_agent_by_all_its_spellings(tenant: Tenant) -> None:
    tenant.policy("Two an hour", "rate_limit", {"max_actions": 2, "window_minutes": 60, "action": "block"})
    for said in ("Night-Bot", "night-bot"):
        tenant.call("POST", "/api/actions", {"action_type": "read", "agent_id": said}, key="agent")
    third = tenant.call("POST", "/api/guard", {"action_type": "read", "agent_id": "ＮＩＧＨＴ-bot "}, key="agent")
    assert third["decision"] == "block"
    assert third["predictive_risk"]["statistical"]["total_actions"] == 2
    tenant.add_key("day", "agent", "day-bot")
    other = tenant.call("POST", "/api/guard", {"action_type": "read"}, key="day")
    assert other["decision"] != "block"


def test_a_key_of_an_agent_speaks_for_it_in_any_case(tenant: Tenant) -> None:
    tenant.add_key("hers", "agent", "Night-Bot")
    made = tenant.call("POST", "/api/actions", {"action_type": "read", "agent_id": "night-BOT"}, key="hers")
    assert made["action"]["agent_id"] == "Night-Bot"
    refused = tenant.send("POST", "/api/actions", {"action_type": "read", "agent_id": "night-bot-2"}, key="hers")
    assert (refused.status, refused.code) == (403, "agent_mismatch")


def test_trying_policies_compares_as_guard_does(tenant: Tenant) -> None:
    draft = {"name": "n", "policy_type": "block_action_type", "rules": {"action_types": ["ＤＥＬＥＴＥ"]}}
    tried = tenant.call("POST", "/api/policies/test", {"context": {"action_type": "dеlete"}, "policies": [draft]})
    assert tried["result"]["decision"] == "block"
    refused = tenant.send("POST", "/api/policies/test", {"context": {"action_type": "de\u200blete"}})
    assert (refused.status, refused.code) == (400, "invalid_body")
