"""An organization that says what its agents do: what is not on the list waits for a person, who accepts it once."""

from __future__ import annotations

from typing import Any

from tests.stories.tenant import Tenant


def ask(tenant: Tenant, action_type: str, agent_id: str = "bot") -> Any:
    return tenant.call("POST", "/api/guard", {"action_type": action_type, "agent_id": agent_id}, key="agent")[
        "decision"
    ]


def known(tenant: Tenant) -> Any:
    return tenant.call("GET", "/api/readiness", key="auditor")["known_types"]


def test_an_unknown_type_waits_until_it_is_accepted(tenant: Tenant) -> None:
    assert ask(tenant, "invent") != "require_approval", "off until somebody says what is known"
    assert known(tenant) is None
    tenant.policy("What we do", "known_types", {"action_types": ["Read", "refund"]})
    assert [ask(tenant, said) for said in ("read", " ＲＥＡＤ", "invent", "Invent", "conjure")] == [
        "allow", "allow", "require_approval", "require_approval", "require_approval",
    ]  # fmt: skip
    ask(tenant, "conjure", "other-bot")

    found = known(tenant)
    assert found["known"] == ["Read", "refund"]
    assert [(each["action_type"], each["count"], each["agents"]) for each in found["unknown"]] == [
        ("conjure", 2, ["bot", "other-bot"]),
        ("invent", 3, ["bot"]),
    ]
    assert found["unknown_total"] == 2

    accepted = tenant.call("POST", "/api/policies/known-types", {"action_type": "INVENT"}, key="operator")
    assert (accepted["action_type"], accepted["changed"]) == ("invent", 1)
    assert accepted["policies"][0]["rules"]["action_types"] == ["Read", "refund", "invent"]
    assert ask(tenant, "Invent") == "allow"
    assert ask(tenant, "conjure") == "require_approval"
    assert [each["action_type"] for each in known(tenant)["unknown"]] == ["conjure"]
    again = tenant.call("POST", "/api/policies/known-types", {"action_type": "Invent "}, key="operator")
    assert again["changed"] == 0, "it is known already, and nothing is recorded"


def test_what_a_known_list_may_say(tenant: Tenant) -> None:
    nothing = tenant.send("POST", "/api/policies/known-types", {"action_type": "read"}, key="operator")
    assert (nothing.status, nothing.code) == (404, "policy_not_found")
    draft = {"name": "n", "policy_type": "known_types", "rules": {"action_types": ["read"], "action": "allow"}}
    assert tenant.send("POST", "/api/policies", draft).code == "invalid_policy"
    tenant.policy("Only this", "known_types", {"action": "block"})
    assert ask(tenant, "read") == "block", "nothing is known yet"
    hidden = tenant.send("POST", "/api/policies/known-types", {"action_type": "re\u200bad"}, key="operator")
    assert (hidden.status, hidden.places) == (400, ["action_type"])
    full = [f"type-{number}" for number in range(500)]
    tenant.policy("A long one", "known_types", {"action_types": full})
    refused = tenant.send("POST", "/api/policies/known-types", {"action_type": "one-more"}, key="operator")
    assert (refused.status, refused.code) == (400, "invalid_policy")
    assert ask(tenant, "one-more") == "block", "all or none: the first list has not got it either"


def test_a_key_of_an_agent_lets_no_types_in(tenant: Tenant) -> None:
    tenant.policy("Known types", "known_types", {"action_types": ["read"], "action": "block"})
    tenant.add_key("bound", "operator", "agent-a")
    refused = tenant.send("POST", "/api/policies/known-types", {"action_type": "invent"}, key="bound")
    assert (refused.status, refused.code) == (403, "self_approval")
    asked = {"action_type": "invent", "agent_id": "agent-a"}
    assert tenant.call("POST", "/api/guard", asked, key="agent")["decision"] == "block"
