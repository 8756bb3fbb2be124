"""A blocked type under every name that somebody tried, against the real service: blocked or refused, never let through.

These 18 spellings passed when policies compared names letter by letter.
"""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

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


def test_a_message_reaches_its_agent_however_its_name_is_spelled(tenant: Tenant) -> None:
    tenant.add_key("hers", "agent", "agent-b")
    sent = {"from_agent_id": "agent-a", "to_agent_id": "AGENT-B", "subject": "To you", "body": "Read this"}
    made = tenant.call("POST", "/api/messages", sent, key="agent")["message"]
    assert made["to_agent_id"] == "AGENT-B", "what was said stays as it was said"
    inbox = tenant.call("GET", "/api/messages?direction=inbox", key="hers")
    assert ([each["subject"] for each in inbox["messages"]], inbox["unread_count"]) == (["To you"], 1)
    read = {"message_ids": [made["id"]], "action": "read", "agent_id": "Agent-B"}
    assert tenant.call("PATCH", "/api/messages", read, key="hers")["updated"] == 1
    assert tenant.call("PATCH", "/api/messages", read | {"agent_id": "agent-b"}, key="hers")["updated"] == 0
    for said in ("agent-b", "ＡＧＥＮＴ-B", "аgent-b"):
        asked = f"/api/messages?{urlencode({'direction': 'inbox', 'agent_id': said})}"
        assert [each["is_read"] for each in tenant.call("GET", asked)["messages"]] == [True]
    other = tenant.call("GET", "/api/messages?direction=inbox&agent_id=agent-bb")
    assert other["messages"] == []


def test_a_thread_knows_its_participants_in_any_spelling(tenant: Tenant) -> None:
    for name, agent in (("a", "agent-a"), ("b", "agent-b"), ("c", "agent-c")):
        tenant.add_key(name, "agent", agent)
    opened = {"name": "Plan", "participants": ["AGENT-B"]}
    thread = tenant.call("POST", "/api/messages/threads", opened, key="a")["thread"]
    said = {"subject": "Hello", "body": "All of you", "thread_id": thread["id"]}
    tenant.call("POST", "/api/messages", said, key="a")
    assert len(tenant.call("GET", "/api/messages?direction=inbox", key="b")["messages"]) == 1
    assert [each["id"] for each in tenant.call("GET", "/api/messages/threads", key="b")["threads"]] == [thread["id"]]
    assert tenant.call("GET", "/api/messages/threads", key="c")["threads"] == []
    assert tenant.send("POST", "/api/messages", said, key="c").code == "thread_not_found"


def test_what_an_agent_has_of_its_own_is_its_own_in_any_spelling(tenant: Tenant) -> None:
    tenant.add_key("hers", "agent", "Agent-B")
    asked = "/api/messages?direction=inbox&agent_id=agent-b"
    refused = tenant.send("GET", asked, key="agent")
    assert (refused.status, refused.code) == (403, "agent_mismatch")


def test_filters_presence_and_pairings_take_any_spelling(tenant: Tenant) -> None:
    for said in ("Night-Bot", "night-bot"):
        tenant.call("POST", "/api/actions", {"action_type": "read", "agent_id": said}, key="agent")
        tenant.call("POST", "/api/agents/heartbeat", {"agent_id": said}, key="agent")
    found = tenant.call("GET", "/api/actions?agent_id=NIGHT-BOT")["actions"]
    assert [each["agent_id"] for each in found] == ["night-bot", "Night-Bot"]
    agents = tenant.call("GET", "/api/agents?agent_id=night-BOT&with_actions=true")["agents"]
    assert [(each["agent_id"], each["actions"]) for each in agents] == [("Night-Bot", 2)]
    key = Ed25519PrivateKey.generate().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    asked = {"public_key": key.decode(), "algorithm": "Ed25519"}
    pairings = [
        tenant.call("POST", "/api/pairings", {"agent_id": said, **asked}, key="agent")["pairing"]["id"]
        for said in ("Night-Bot", "NIGHT-bot")
    ]
    assert pairings[0] == pairings[1]


def test_a_retry_under_another_spelling_of_the_agent_is_no_second_action(tenant: Tenant) -> None:
    sent = {"action_type": "read", "declared_goal": "Look", "agent_id": "Night-Bot", "idempotency_key": "once"}
    tenant.call("POST", "/api/actions", sent, key="agent")
    again = tenant.send("POST", "/api/actions", sent | {"agent_id": "night-bot"}, key="agent")
    assert (again.status, again.code) == (422, "idempotency_mismatch")
    assert len(tenant.call("GET", "/api/actions?agent_id=night-bot")["actions"]) == 1
