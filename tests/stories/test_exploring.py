"""An organization that finds out what asking changes: off until an admin says so, and never where it could harm."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from assent.contract.control.exploration import ASKED, PASSED
from tests.stories.proving import bundle_of, failing, offline, published_keys
from tests.stories.tenant import Tenant

LOOK: dict[str, Any] = {"action_type": "look", "declared_goal": "Look it up", "agent_id": "bot", "reversible": True}


@pytest.fixture
def exploring(tenant: Tenant) -> Tenant:
    """`look` asks and `tell` warns, each with a share of a half; the organization has not opted in."""
    tenant.policy("Ask before looking", "require_approval", {"action_types": ["look"]}, explore=0.5)
    telling = {"when": {"field": "action_type", "op": "eq", "value": "tell"}, "action": "warn"}
    tenant.policy("Mind what is told", "condition", telling, explore=0.5)
    return tenant


def opt_in(tenant: Tenant, below: float = 60) -> None:
    tenant.call("PATCH", f"/api/orgs/{tenant.org_id}", {"explore_below": below})


def ask(tenant: Tenant, key: str, **members: Any) -> dict[str, Any]:
    return tenant.call("POST", "/api/guard", LOOK | members, key=key)


def early_in_an_hour() -> None:
    """A draw is of one hour; what a test asks twice is asked within one."""
    now = datetime.now(UTC)
    if now.minute == 59 and now.second > 45:
        time.sleep(61 - now.second)


def key_that(tenant: Tenant, explored: bool) -> str:
    """A key whose draw of this hour is below a half, or not: half of them are."""
    for number in range(60):
        name = f"key-{explored}-{number}"
        tenant.add_key(name, "agent")
        if ask(tenant, name).get("explored", False) is explored:
            return name
    raise AssertionError("60 keys in a row drew the same half")


def decisions(tenant: Tenant) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tenant.call("GET", "/api/guard?limit=200", key="operator")["decisions"]
    return found


def test_nobody_explores_who_has_not_opted_in(exploring: Tenant) -> None:
    for number in range(12):
        exploring.add_key(f"key-{number}", "agent")
        found = ask(exploring, f"key-{number}")
        assert found["decision"] == "require_approval"
        assert "explored" not in found
    assert {(each["propensity"], each["explored"]) for each in decisions(exploring)} == {(1.0, False)}


def test_only_an_admin_opts_in_and_only_for_low_risks(exploring: Tenant) -> None:
    path = f"/api/orgs/{exploring.org_id}"
    for key in ("agent", "operator", "auditor"):
        assert exploring.send("PATCH", path, {"explore_below": 40}, key=key).status == 403
    for wrong in (71, -1, "all"):
        refused = exploring.send("PATCH", path, {"explore_below": wrong})
        assert (refused.status, refused.code) == (400, "invalid_body")
    opt_in(exploring, 40)
    found = exploring.call("GET", path)["organization"]
    assert found["explore_below"] == 40
    assert "explore_seed" not in found, "who knows it knows in which hours to ask"
    exploring.call("PATCH", path, {"name": "Another"})
    assert exploring.call("GET", path)["organization"]["explore_below"] == 40


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"explore": 0.6}, "explore"),
        ({"explore": -0.1}, "explore"),
        ({"explore": 0.1, "policy_type": "block_action_type"}, "explore"),
        ({"explore": 0.1, "policy_type": "risk_threshold", "rules": {"action": "block"}}, "explore"),
    ],
)
def test_a_share_that_cannot_be_is_refused_and_named(exploring: Tenant, members: dict[str, Any], place: str) -> None:
    draft = {"name": "x", "policy_type": "require_approval", "rules": {"action_types": ["x"]}} | members
    refused = exploring.send("POST", "/api/policies", draft)
    assert (refused.status, refused.places) == (400, [place])


def test_a_policy_that_explores_cannot_be_made_to_block(exploring: Tenant) -> None:
    when = {"field": "action_type", "op": "eq", "value": "x"}
    policy_id = exploring.policy("x", "condition", {"when": when, "action": "warn"}, explore=0.1)
    path = f"/api/policies/{policy_id}"
    blocking = {"rules": {"when": when, "action": "block"}}
    assert exploring.send("PATCH", path, blocking).places == ["explore"]
    changed = exploring.call("PATCH", path, blocking | {"explore": 0})
    assert changed["policy"]["explore"] == 0


def test_what_is_explored_is_said_in_words_and_recorded_with_its_propensity(exploring: Tenant) -> None:
    opt_in(exploring)
    early_in_an_hour()
    passing, asking = key_that(exploring, True), key_that(exploring, False)
    found = ask(exploring, passing, declared_goal="Look again, in other words")
    assert (found["decision"], found["explored"]) == ("warn", True), "one draw for a key and an hour"
    assert found["warnings"] == [f"Ask before looking: actions of this type need approval; {PASSED}"]
    assert found["reasons"] == []
    made = exploring.call("POST", "/api/actions", LOOK, key=passing)
    assert made["action"]["status"] == "running"
    waits = exploring.call("POST", "/api/actions", LOOK, key=asking)
    assert waits["action"]["status"] == "pending_approval"
    recorded = {each["decision_id"]: each for each in decisions(exploring)}
    for one, explored in ((made, True), (waits, False)):
        row = recorded[one["decision"]["decision_id"]]
        assert (row["propensity"], row["explored"]) == (0.5, explored)
    told = exploring.call("POST", "/api/actions", LOOK | {"action_type": "tell"}, key=passing)
    assert told["action"]["status"] == "pending_approval"
    assert any(reason.endswith(ASKED) for reason in told["approval"]["reasons"]), "the operator reads why"


def test_nothing_is_explored_that_cannot_be_taken_back_or_is_too_risky(exploring: Tenant) -> None:
    opt_in(exploring)
    exploring.policy("No third", "block_action_type", {"action_types": ["look at this"]})
    early_in_an_hour()
    key = key_that(exploring, True)
    for members in (
        {"reversible": False},
        {"reversible": None},
        {"risk_score": 60},
        {"risk_score": 61},
        {"declared_goal": "delete all customer data"},
    ):
        found = ask(exploring, key, **members)
        assert found["decision"] in ("require_approval", "block"), members
        assert "explored" not in found
    exploring.policy("Nobody looks now", "block_action_type", {"action_types": ["look"]})
    blocked = ask(exploring, key)
    assert (blocked["decision"], "explored" in blocked) == ("block", False)


def test_a_halt_and_an_opting_out_end_it_at_once(exploring: Tenant) -> None:
    opt_in(exploring)
    early_in_an_hour()
    key = key_that(exploring, True)
    passed = ask(exploring, key)
    opt_in(exploring, 0)
    refused = exploring.send("POST", "/api/actions", LOOK | {"decision_id": passed["decision_id"]}, key=key)
    assert (refused.status, refused.code) == (409, "decision_unusable")
    assert ask(exploring, key)["decision"] == "require_approval"
    opt_in(exploring)
    exploring.call("POST", "/api/halt", {"reason": "stop"})
    assert ask(exploring, key)["decision"] == "block"


def test_a_proof_of_what_was_explored_verifies_without_the_service(exploring: Tenant) -> None:
    opt_in(exploring)
    early_in_an_hour()
    key = key_that(exploring, True)
    made = exploring.call("POST", "/api/actions", LOOK, key=key)
    bundle = bundle_of(exploring, made["action_id"])
    found = offline(bundle, published_keys(exploring.service, exploring.org_id))
    assert failing(found) == set()
    replayed = next(check for check in found["checks"] if "the draw" in (check["detail"] or ""))
    assert replayed["status"] == "pass"


def test_what_a_policy_would_cause_is_asked_of_the_service(exploring: Tenant) -> None:
    for number in range(3):
        action_id = exploring.create("read", agent_id=f"bot-{number}")
        exploring.call("PATCH", f"/api/actions/{action_id}", {"status": "failed"}, key="agent")
    exploring.create("look", agent_id="bot-4")
    with exploring.client("operator") as operator:
        found = operator.evaluate_policy(
            [{"name": "x", "policy_type": "block_action_type", "rules": {"action_types": ["read"]}}],
            "7d",
            costs={"interruption": 1, "failure": 10},
        )
        present = operator.evaluate_policy()
    assert (found.n, found.stopped, found.without, found.unknown) == (4, 3, 1, 1)
    assert found.status == "not_identified"
    assert found.failures is not None
    assert (found.failures.staying.least, found.failures.going.least, found.failures.going.most) == (0.75, 0.0, 0.25)
    assert found.costs is not None
    assert present.same == 4
    assert present.failures is not None
    assert (present.failures.change.least, present.failures.change.most) == (0.0, 0.0)
    wrong = [{"name": "x", "policy_type": "rate_limit", "rules": {"max_actions": 3}, "explore": 0.1}]
    refused = exploring.send("POST", "/api/policies/evaluate", {"policies": wrong}, key="operator")
    assert (refused.status, refused.places) == (400, ["policies[0].explore"])
    assert exploring.send("POST", "/api/policies/evaluate", {"window": "soon"}, key="operator").places == ["window"]
    costs = {"interruption": 1, "failure": 10, "lost": 2}
    refused = exploring.send("POST", "/api/policies/evaluate", {"costs": costs}, key="operator")
    assert (refused.status, refused.code, "`lost`" in str(refused.content)) == (400, "invalid_body", True)
    assert exploring.send("POST", "/api/policies/evaluate", {}, key="agent").status == 403
