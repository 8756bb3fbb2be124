"""Whatever has a list is read one by one, too: as the list has it, and by nobody who would not see it there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assent.proof.private_key import new_private_key
from assent.proof.public_key import pem_of
from tests.stories.asks.drift import alert
from tests.stories.tenant import Tenant
from tests.tiers import deep

PEM = pem_of(new_private_key("Ed25519").public_key())
LOOPS, RECOMMENDATIONS = "/api/actions/loops", "/api/learning/recommendations"


def loop(tenant: Tenant, **more: Any) -> str:
    body = {"action_id": tenant.create(**more), "loop_type": "question", "description": "which account?"}
    return str(tenant.call("POST", LOOPS, body)["loop_id"])


def recommendation(tenant: Tenant) -> str:
    for _ in range(5):
        tenant.call("PATCH", f"/api/actions/{tenant.create(agent_id='bot')}", {"status": "completed"})
    return str(tenant.call("GET", RECOMMENDATIONS)["recommendations"][0]["id"])


def made(path: str, body: dict[str, Any], *place: str) -> Callable[[Tenant], str]:
    def make(tenant: Tenant) -> str:
        found: Any = tenant.call("POST", path, body)
        for member in place:
            found = found[member]
        return str(found)

    return make


SCORER = {"name": "Short", "scorer_type": "contains", "config": {"keywords": ["ok"]}}
TEMPLATE = {"name": "Deploys", "action_type": "deploy", "base_risk": 5}
WEBHOOK = {"url": "https://receiver.invalid/hook", "events": ["halt.changed"]}
POLICY = {"name": "Never", "policy_type": "block_action_type", "rules": {"action_types": ["never"]}}
IDENTITY = {"agent_id": "signer", "public_key": PEM, "algorithm": "Ed25519"}
NOUNS: dict[str, tuple[Callable[[Tenant], str], str, str, str, str]] = {
    "loop": (loop, LOOPS, "loops", "loop_id", "loop_not_found"),
    "scorer": (
        made("/api/evaluations/scorers", SCORER, "id"),
        *("/api/evaluations/scorers", "scorers", "id", "scorer_not_found"),
    ),
    "identity": (
        made("/api/identities", IDENTITY, "identity", "agent_id"),
        *("/api/identities", "identities", "agent_id", "identity_not_found"),
    ),
    "key": (
        made("/api/keys", {"name": "one more"}, "key", "key_id"),
        *("/api/keys", "keys", "key_id", "key_not_found"),
    ),
    "policy": (
        made("/api/policies", POLICY, "policy", "policy_id"),
        *("/api/policies", "policies", "policy_id", "policy_not_found"),
    ),
    "recommendation": (recommendation, RECOMMENDATIONS, "recommendations", "id", "recommendation_not_found"),
    "risk template": (
        made("/api/scoring/risk-templates", TEMPLATE, "id"),
        *("/api/scoring/risk-templates", "templates", "id", "risk_template_not_found"),
    ),
    "webhook": (
        made("/api/webhooks", WEBHOOK, "webhook", "webhook_id"),
        *("/api/webhooks", "webhooks", "webhook_id", "webhook_not_found"),
    ),
    "drift alert": (alert, "/api/drift/alerts", "alerts", "id", "drift_alert_not_found"),
}
"""How one is made, where its list is and under which member, its id, and what is answered where there is none."""
MOVING = {"since", "until", "computed_at"}
"""Of a recommendation: the window that it was read in, and when."""


def alone(answer: dict[str, Any]) -> dict[str, Any]:
    """The row, by itself or under its noun."""
    inner = [value for value in answer.values() if isinstance(value, dict)]
    found = inner[0] if len(answer) - len(MOVING & answer.keys()) <= 2 and len(inner) == 1 else answer
    return {name: value for name, value in found.items() if name not in MOVING}


@pytest.mark.parametrize(
    "noun", [pytest.param(each, marks=deep("makes 160 decisions") if each == "drift alert" else ()) for each in NOUNS]
)
def test_one_is_as_the_list_has_it_and_strangers_find_nothing(noun: str, tenant: Tenant, new_tenant: Any) -> None:
    make, path, member, id_, missing = NOUNS[noun]
    own = make(tenant)
    (listed,) = [each for each in tenant.call("GET", path)[member] if each[id_] == own]
    assert alone(tenant.call("GET", f"{path}/{own}")) == {
        name: value for name, value in listed.items() if name not in MOVING
    }
    for asking, asked in ((tenant, "nobody"), (new_tenant(), own)):
        reply = asking.send("GET", f"{path}/{asked}")
        assert (reply.status, reply.code) == (404, missing)


def test_a_loop_of_another_agent_is_not_there(tenant: Tenant) -> None:
    tenant.add_key("bound", "agent", "bot")
    own, other = loop(tenant, agent_id="bot"), loop(tenant, agent_id="somebody")
    assert tenant.call("GET", f"/api/loops/{own}", key="bound")["loop"]["agent_id"] == "bot"
    assert tenant.send("GET", f"/api/loops/{other}", key="bound").code == "loop_not_found"
    tenant.call("PATCH", f"{LOOPS}/{own}", {"status": "cancelled"})
    assert tenant.call("GET", f"{LOOPS}/{own}")["loop"]["status"] == "cancelled"


def test_a_recommendation_is_found_switched_off_and_not_without_its_episodes(tenant: Tenant) -> None:
    own = recommendation(tenant)
    tenant.call("PATCH", f"{RECOMMENDATIONS}/{own}", {"active": False})
    found = tenant.call("GET", f"{RECOMMENDATIONS}/{own}?lookback_days=7")
    assert (found["recommendation"]["active"], found["lookback_days"]) == (False, 7)
    few = tenant.send("GET", f"{RECOMMENDATIONS}/{own}?min_samples=50")
    assert (few.status, few.code) == (404, "recommendation_not_found")
    assert "fewer than 50 episodes of look in 30 days" in few.body["error"]
    tenant.add_key("bound", "agent", "somebody")
    assert tenant.send("GET", f"{RECOMMENDATIONS}/{own}", key="bound").code == "recommendation_not_found"
    assert tenant.send("GET", f"{RECOMMENDATIONS}/metrics").status == 200


def test_words_in_a_place_of_an_id_still_lead_where_they_did(tenant: Tenant) -> None:
    """The lists of further things stand beside the ids."""
    assert "role" in tenant.call("GET", "/api/keys/own")
    for path in ("/api/policies/proof", "/api/policies/history"):
        assert tenant.send("GET", path).status == 200
    assert tenant.send("GET", "/api/policies/import").code == "method_not_allowed"
    deleted = tenant.policy("Gone", "block_action_type", {"action_types": ["never"]})
    tenant.call("DELETE", f"/api/policies/{deleted}")
    assert tenant.send("GET", f"/api/policies/{deleted}").code == "policy_not_found"
