"""A backtest over HTTP: the policies in force say what they said, others what they would have; nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assent import Client
from assent.contract.control.policies import PolicyDraft
from assent.errors import InvalidRequest
from tests.stories.problems import refused
from tests.stories.tenant import Tenant
from tests.tiers import deep

PATH = "/api/policies/backtest"
THRESHOLD: dict[str, Any] = {
    "name": "Ask at 60",
    "policy_type": "risk_threshold",
    "rules": {"threshold": 60, "action": "require_approval"},
}
LARGE: dict[str, Any] = {
    "name": "No large refunds",
    "policy_type": "condition",
    "rules": {
        "when": {
            "all": [
                {"field": "action_type", "op": "eq", "value": "refund"},
                {"field": "metadata.amount", "op": "gt", "value": 500},
            ]
        },
        "action": "block",
    },
}


@pytest.fixture
def history(tenant: Tenant) -> dict[str, str]:
    """Four refunds, two of them large and failed, and a block: decision ids by name."""
    tenant.governed()
    made: dict[str, str] = {}
    for name, amount, status in (("small", 20, "completed"), ("large", 900, "failed"), ("huge", 9000.5, "failed")):
        action_id = tenant.create("refund", metadata={"amount": amount}, agent_id="bot")
        tenant.call("PATCH", f"/api/actions/{action_id}", {"status": status})
        made[name] = tenant.action(action_id)["decision_id"]
    open_one = tenant.create("refund", metadata={"amount": "900"}, agent_id="bot")
    made["text"] = tenant.action(open_one)["decision_id"]
    blocked = tenant.send("POST", "/api/actions", {"action_type": "wipe", "agent_id": "bot"}, key="agent")
    assert blocked.status == 403
    asked = tenant.call("POST", "/api/guard", {"action_type": "pay", "agent_id": "bot"}, key="agent")
    made["asked"] = asked["decision_id"]
    return made


def test_the_policies_in_force_decide_as_they_did(tenant: Tenant, history: dict[str, str]) -> None:
    answer = tenant.call("POST", PATH, {})
    assert (answer["status"], answer["n"], answer["changed"], answer["window"]) == ("ok", 6, 0, "30d")
    assert answer["before"] == answer["after"] == {"allow": 4, "warn": 0, "require_approval": 1, "block": 1}
    assert answer["causes"] == {"other_version": 0, "other_templates": 0, "webhook": 0, "unexplained": 0}
    matched = {each["name"]: each["matched"] for each in answer["policies"] if each["matched"]}
    assert matched == {"Nobody wipes": 1, "Ask before paying": 1}
    assert "verdicts" not in answer
    tenant.policy("Nobody refunds", "block_action_type", {"action_types": ["refund"]})
    changed = tenant.call("POST", PATH, {})
    assert (changed["changed"], changed["causes"]["other_version"], changed["causes"]["unexplained"]) == (4, 4, 0)


@deep("one story of each kind is in the quick tier")
def test_other_policies_with_outcomes_and_costs(tenant: Tenant, history: dict[str, str]) -> None:
    before = tenant.recorded()
    body = {"policies": [LARGE], "include": "changes", "costs": {"interruption": 1, "failure": 100}, "seed": 7}
    with tenant.client("auditor", None) as auditor:
        found = auditor.backtest(**body)  # type: ignore[arg-type]  # as JSON has it
    assert (found.n, found.changed, found.after.block, found.after.allow) == (6, 4, 2, 4)
    outcomes = found.outcomes
    assert (outcomes.failed, outcomes.completed, outcomes.unknown) == (2, 1, 3)
    assert (outcomes.failures_stopped.n, outcomes.failures_stopped.of, outcomes.failures_stopped.rate) == (2, 2, 1.0)
    assert (outcomes.work_stopped.n, outcomes.work_stopped.rate) == (0, 0.0)
    assert (found.approvals_before.total, found.approvals_after.total) == (1, 0)
    assert [(each.name, each.matched) for each in found.policies] == [("No large refunds", 2)]
    stopped = {each.decision_id for each in found.verdicts or () if each.after == "block"}
    assert stopped == {history["large"], history["huge"]}
    (sample,) = (each for each in found.samples if each.after == "block")
    assert (sample.before, set(sample.decision_ids)) == ("allow", stopped)
    assert found.costs is not None
    assert (len(found.costs.points), found.costs.never, found.costs.points[0].interruptions) == (101, 200.0, 6)
    again = tenant.call("POST", PATH, body, key="operator")
    assert again["costs"] == tenant.call("POST", PATH, body)["costs"], "the same seed gives the same intervals"
    assert tenant.recorded() == before, "nothing is recorded"


@deep("one story of each kind is in the quick tier")
def test_rate_limits_in_the_order_of_time(tenant: Tenant) -> None:
    ids = [tenant.action(tenant.create("look", agent_id="bot"))["decision_id"] for _ in range(5)]
    limit = {"max_actions": 2, "window_minutes": 60, "action": "block"}
    draft = {"name": "two an hour", "policy_type": "rate_limit", "rules": limit}
    found = tenant.call("POST", PATH, {"policies": [draft], "include": "verdicts"})
    after = {each["decision_id"]: each["after"] for each in found["verdicts"]}
    assert [after[each] for each in ids] == ["allow", "allow", "block", "block", "block"]
    assert found["policies"][0]["matched"] == 3


@deep("one story of each kind is in the quick tier")
def test_risk_templates_rate_anew(tenant: Tenant) -> None:
    wire = {"action_type": "wire", "agent_id": "bot", "amount": 5000}
    rules = [{"condition": "amount > 5", "add": 10}]
    template = {"name": "wires", "action_type": "wire", "base_risk": 50, "rules": rules}
    tenant.call("POST", "/api/guard", wire, key="agent")
    with tenant.client("admin", None) as boss:
        draft = PolicyDraft(**THRESHOLD)
        assert boss.backtest([draft]).after.allow == 1
        found = boss.backtest([draft], templates=[template])
        assert (found.after.require_approval, found.changed) == (1, 1)
        # Guard, asked again under the template, says the same.
        boss.create_policy(**THRESHOLD)
        boss.create_risk_template("wires", rules, 50, "wire")
        assert tenant.call("POST", "/api/guard", wire, key="agent")["decision"] == "require_approval"


@deep("one story of each kind is in the quick tier")
def test_nothing_recorded_is_insufficient_data(tenant: Tenant) -> None:
    answer = tenant.call("POST", PATH, {"policies": [THRESHOLD], "costs": {"interruption": 1, "failure": 1}})
    assert (answer["status"], answer["n"], answer["changed"], answer["samples"]) == ("insufficient_data", 0, 0, [])
    assert answer["outcomes"]["failures_stopped"] == {
        "n": 0,
        "of": 0,
        "rate": None,
        "low": 0,
        "high": 1,
        "status": "insufficient_data",
    }
    assert (answer["costs"]["status"], answer["costs"]["best"]) == ("insufficient_data", None)


@deep("one story of each kind is in the quick tier")
def test_a_webhook_is_named_and_left_out(tenant: Tenant, history: dict[str, str]) -> None:
    hook = {"name": "asks outside", "policy_type": "webhook_check", "rules": {"url": "https://guard.example"}}
    answer = tenant.call("POST", PATH, {"policies": [hook, THRESHOLD]})
    assert [(each["index"], each["name"]) for each in answer["not_replayed"]] == [(0, "asks outside")]
    assert [each["index"] for each in answer["policies"]] == [1]


@deep("one story of each kind is in the quick tier")
def test_the_kill_switch_is_replayed_as_recorded(tenant: Tenant) -> None:
    tenant.call("POST", "/api/halt", {"reason": "a drill"})
    tenant.call("POST", "/api/guard", {"action_type": "look", "agent_id": "bot"}, key="agent")
    tenant.call("DELETE", "/api/halt")
    answer = tenant.call("POST", PATH, {"policies": []})
    assert (answer["halted"], answer["after"]["block"], answer["changed"]) == (1, 1, 0)


@deep("one story of each kind is in the quick tier")
def test_others_see_nothing_of_it(tenant: Tenant, new_tenant: Callable[[], Tenant], history: dict[str, str]) -> None:
    other = new_tenant()
    assert other.call("POST", PATH, {"policies": [THRESHOLD]})["n"] == 0
    assert tenant.call("POST", PATH, {"policies": [THRESHOLD], "agentId": "somebody else"})["n"] == 0
    assert tenant.call("POST", PATH, {"policies": [THRESHOLD], "source": "import"})["n"] == 0


def leaf(**members: Any) -> dict[str, Any]:
    when = {"field": "risk_score", "op": "gte", "value": 60} | members
    return {"name": "x", "policy_type": "condition", "rules": {"when": when, "action": "block"}}


WRONG: dict[str, tuple[dict[str, Any], str, str]] = {
    "an unknown op": ({"policies": [THRESHOLD, leaf(op="between")]}, "invalid_policy", "policies[1].rules.when.op"),
    "a pattern that looks ahead": (
        {"policies": [leaf(op="matches", value="(?=a)a")]},
        "invalid_policy",
        "policies[0].rules.when.value",
    ),
    "a huge pattern": (
        {"policies": [leaf(op="matches", value="((a{100}){100}){100}")]},
        "invalid_policy",
        "policies[0].rules.when.value",
    ),
    "a long pattern": (
        {"policies": [leaf(op="matches", value="a" * 2001)]},
        "invalid_policy",
        "policies[0].rules.when.value",
    ),
    "an unknown kind": (
        {"policies": [THRESHOLD | {"policy_type": "vibes"}]},
        "invalid_policy",
        "policies[0].policy_type",
    ),
    "rules of another kind": ({"policies": [LARGE | {"rules": {}}]}, "invalid_policy", "policies[0].rules"),
    "a template's rule": (
        {"templates": [{"name": "t", "rules": [{"condition": "amount ~ 5", "add": 1}]}]},
        "invalid_risk_template",
        "templates[0].rules[0].condition",
    ),
    "a template's pattern": (
        {
            "templates": [
                {"name": "t", "rules": [{"condition": {"field": "a", "op": "matches", "value": "("}, "add": 1}]},
            ]
        },
        "invalid_risk_template",
        "templates[0].rules[0].condition.value",
    ),
    "no window": ({"window": "last week"}, "invalid_body", "window"),
    "a window too long": ({"window": "3651d"}, "invalid_body", "window"),
    "a window backwards": ({"window": "-1d"}, "invalid_body", "window"),
    "a negative cost": ({"costs": {"interruption": -1, "failure": 1}}, "invalid_body", "costs.interruption"),
    "half of the costs": ({"costs": {"interruption": 1}}, "invalid_body", "costs"),
    "too many policies": ({"policies": [THRESHOLD] * 1001}, "invalid_body", "policies"),
    "too many verdicts": ({"limit": 10_001}, "invalid_body", "limit"),
    "a seed below 0": ({"seed": -1}, "invalid_body", "seed"),
    "an unknown part": ({"include": "everything"}, "invalid_body", "include"),
    "an unknown source": ({"source": "dreamt"}, "invalid_body", "source"),
    "policies as text": ({"policies": "all"}, "invalid_body", "policies"),
}


@pytest.mark.parametrize(("body", "code", "place"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_asked(shared_tenant: Tenant, body: dict[str, Any], code: str, place: str) -> None:
    before = shared_tenant.recorded()
    refused(shared_tenant.send("POST", PATH, body), 400, code, place)
    assert shared_tenant.recorded() == before


@deep("one story of each kind is in the quick tier")
def test_the_client_names_the_place(shared_tenant: Tenant) -> None:
    client: Client
    with shared_tenant.client("admin", None) as client, pytest.raises(InvalidRequest, match=r"policies\[0\]\.rules"):
        client.backtest([leaf(op="between")])
