"""Policy packs: what is read, and that nothing hostile is."""

import json
from typing import Any

import msgspec
import pytest

from assent.contract.control.guard import Decision
from assent.contract.control.policies import Mode, PolicyDraft
from assent.packs import PackError, parse_pack
from assent_service.control.guard import PolicySet, check_rules
from assent_service.control.guard.context import Facts, gather
from assent_service.control.guard.decide import decide
from assent_service.control.guard.rates import RateWindow
from assent_service.control.guard.risk import RiskHistory, assess
from assent_service.control.guard.verdict import Verdict
from assent_service.control.policies.change import made
from assent_service.control.policies.policies import default_pack, outdated

PACK = """
version: 1
policies:
  - name: Ask before refunds
    policy_type: require_approval
    rules: {action_types: [refund]}
    agent_ids: [support-1]
    mode: observe
    active: false
  - name: No shell at night
    policy_type: condition
    rules:
      when: {all: [{field: action_type, op: eq, value: shell}, {field: metadata.hour, op: gte, value: 22}]}
      action: block
"""


def test_a_pack_becomes_drafts_with_normalised_rules() -> None:
    assert parse_pack(PACK) == [
        PolicyDraft(
            name="Ask before refunds",
            policy_type="require_approval",
            rules={"action_types": ["refund"]},
            active=False,
            agent_ids=("support-1",),
            mode=Mode.OBSERVE,
        ),
        PolicyDraft(
            name="No shell at night",
            policy_type="condition",
            rules={
                "when": {
                    "all": [
                        {"field": "action_type", "op": "eq", "value": "shell"},
                        {"field": "metadata.hour", "op": "gte", "value": 22},
                    ]
                },
                "action": "block",
            },
        ),
    ]


def test_json_is_read_as_well() -> None:
    body = {"version": 1, "policies": [{"name": "n", "policy_type": "risk_threshold", "rules": {"threshold": 61}}]}
    drafts = parse_pack(json.dumps(body))
    assert drafts == [PolicyDraft(name="n", policy_type="risk_threshold", rules={"threshold": 61, "action": "block"})]


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


def entry(rules: str, kind: str = "condition", more: str = "") -> str:
    return f"version: 1\npolicies:\n  - {{name: n, policy_type: {kind}, rules: {rules}{more}}}\n"


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", "pack", "mapping"),
        ("- 1", "pack", "a list"),
        ("policies: []", "version", "version 1"),
        ("version: 2\npolicies: []", "version", "2"),
        ("version: true\npolicies: []", "version", "True"),
        ("version: 1", "policies", "list"),
        ("version: 1\npolicies: []\nnote: x", "pack", "'note'"),
        ("version: 1\npolicies: [3]", "policies[0]", "3"),
        ("version: 1\nversion: 1\npolicies: []", "line 2", "twice"),
        ("version: 1\npolicies:\n  - {name: a, name: b}", "line 3", "twice"),
        ('{"version": 1, "version": 1, "policies": []}', "pack", "twice"),
        ('{"version": NaN}', "pack", "NaN"),
        ("version: 1\npolicies: [&a {name: n}]", "line 2", "alias"),
        ("version: &v 1\npolicies: *v", "line 1", "alias"),
        (bomb(30), "line 1", "alias"),
        ("version: 1\npolicies: [}", "line 2", "flow"),
        ("version: 1\n---\nversion: 1", "line 2", "document"),
        ("version: !!python/object/apply:os.getcwd []", "line 1", "tag"),
        ("? [a, b]\n: 1", "line 1", "keys are strings"),
        ("1: 2", "line 1", "keys are strings"),
        ("[" * 100_000, "line 1", "64 levels"),
        ('{"a":' * 40_000, "line 1", "64 levels"),
        ("a:\n" + "\n".join(" " * n + "- x:" for n in range(2, 200, 2)), "line", "64 levels"),
        ("x: " + "9" * 5000, "pack", "cannot be read"),
        ("x: 2026-99-99", "pack", "cannot be read"),
        ("x: \x01", "pack", "YAML"),
        ("x: \ud800", "pack", "cannot be read"),
        ("#" * (256 * 1024 + 1), "pack", "256 KB"),
        ("#" + "é" * (128 * 1024), "pack", "256 KB"),
        (entry("{}", "semantic_check"), "policies[0].policy_type", "risk_threshold"),
        (entry("{treshold: 90}", "risk_threshold"), "policies[0].rules", "'treshold'"),
        (entry("{threshold: .nan}", "risk_threshold"), "policies[0].rules.threshold", "nan"),
        (entry("{}", "risk_threshold", ", mode: of"), "policies[0].mode", "of"),
        (entry("{}", "risk_threshold", ", agents: [a]"), "policies[0]", "'agents'"),
        (entry("{}", "risk_threshold", ", agent_ids: a"), "policies[0].agent_ids", "array"),
        (
            entry("{action: warn, when: {all: [{field: a, op: above, value: 1}]}}"),
            "policies[0].rules.when.all[0].op",
            "'above'",
        ),
        (
            entry("{action: warn, when: {not: {field: a, op: matches, value: '(?=x)'}}}"),
            "policies[0].rules.when.not.value",
            "RE2",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(text: str, place: str, said: str) -> None:
    with pytest.raises(PackError) as caught:
        parse_pack(text, check_rules)
    assert caught.value.place.startswith(place)
    assert said in caught.value.message
    assert len(str(caught.value)) < 600


def test_the_place_counts_the_policies() -> None:
    good = {"name": "n", "policy_type": "risk_threshold", "rules": {}}
    bad: dict[str, Any] = {"name": "n", "policy_type": "condition", "rules": {"action": "warn", "when": {"all": [1]}}}
    with pytest.raises(PackError) as caught:
        parse_pack(json.dumps({"version": 1, "policies": [good, good, good, bad]}))
    assert caught.value.place == "policies[3].rules.when.all[0]"


def test_a_thousand_policies_are_read_and_one_more_refused() -> None:
    policies = [{"name": f"n{n}", "policy_type": "risk_threshold", "rules": {}} for n in range(1001)]
    assert len(parse_pack(json.dumps({"version": 1, "policies": policies[:1000]}))) == 1000
    with pytest.raises(PackError, match="1000"):
        parse_pack(json.dumps({"version": 1, "policies": policies}))


def default_verdict(facts: Facts) -> tuple[int, Verdict]:
    stored = [
        made(draft, org_id="org_1", policy_id=f"p{n}", by="k", now=1_800_000_000_000_000, version=n)
        for n, draft in enumerate(default_pack())
    ]
    risk = assess(facts, RiskHistory(total=3))
    return risk.score, decide(facts, risk, PolicySet(stored), RateWindow(), 1_800_000_000_000_000)


def destruction(**changes: Any) -> Facts:
    # deploy 75 + irreversible 15 + production 10 + destructive 20 = 120, clamped to 100
    members: dict[str, Any] = {
        "action_type": "deploy",
        "declared_goal": "DROP TABLE customers",
        "systems_touched": ("Production",),
        "reversible": False,
    }
    return gather({}, **{**members, **changes})


@pytest.mark.parametrize(
    "changes",
    [
        # delete all customer data, whatever its risk: it is destructive
        {"action_type": "review", "declared_goal": "delete all customer data"},
        {"action_type": "cleanup", "declared_goal": "wipe the backups"},
        {"action_type": "message", "declared_goal": "Alle Kundendaten l\u00f6schen"},
        # anything of risk 90 or more
        {"action_type": "api", "declared_goal": "Show customers", "agent_risk_score": 90.0},
        {"action_type": "deploy", "declared_goal": "Show customers"},
    ],
)
def test_the_default_pack_blocks_what_is_risky_or_destructive(changes: dict[str, Any]) -> None:
    assert default_verdict(destruction(**changes))[1].decision is Decision.BLOCK
    for harmless in ({"reversible": True}, {"reversible": None}, {"systems_touched": ("crm",)}):
        assert default_verdict(destruction(**changes, **harmless))[1].decision is Decision.ALLOW


@pytest.mark.parametrize("environment", ["production", "prod", "live", "staging", None])
def test_production_is_also_what_a_context_calls_its_environment(environment: str | None) -> None:
    context = {} if environment is None else {"environment": environment}
    facts = gather(context, action_type="api", declared_goal="delete all customer data", reversible=False)
    blocked = environment in ("production", "prod", "live")
    assert (default_verdict(facts)[1].decision is Decision.BLOCK) is blocked


def test_a_policy_that_an_earlier_release_shipped_is_told_apart() -> None:
    now = 1_800_000_000_000_000
    stored = [made(each, org_id="o", policy_id="p", by="k", now=now, version=1) for each in default_pack()]
    assert outdated(stored) == []
    when = {
        "all": [
            {"field": "reversible", "op": "eq", "value": False},
            {"field": "risk_factors", "op": "contains", "value": "production_system"},
            {"field": "risk_factors", "op": "contains", "value": "destructive_goal"},
            {"field": "risk_score", "op": "gte", "value": 95},
        ]
    }
    earlier = msgspec.structs.replace(stored[0], rules={"when": when, "action": "block"})
    changed = msgspec.structs.replace(earlier, rules={"when": when["all"][3], "action": "block"})
    renamed = msgspec.structs.replace(earlier, name="Ours")
    assert outdated([earlier, *stored[1:], changed, renamed]) == [earlier]


def test_the_default_pack_blocks_irreversible_destruction_in_production() -> None:
    score, verdict = default_verdict(destruction())
    assert (score, verdict.decision, verdict.matched_policies) == (100, Decision.BLOCK, ("p0",))
    assert verdict.would_decide is Decision.BLOCK


@pytest.mark.parametrize(
    ("changes", "score", "would"),
    [
        ({"reversible": True}, 100, Decision.REQUIRE_APPROVAL),  # 75 + 10 + 20 = 105
        ({"reversible": None}, 100, Decision.REQUIRE_APPROVAL),
        ({"systems_touched": ("crm",)}, 100, Decision.REQUIRE_APPROVAL),  # 75 + 15 + 20 = 110
        (
            {"action_type": "migrate", "declared_goal": "Show customers", "systems_touched": ("x",)},
            85,
            Decision.REQUIRE_APPROVAL,
        ),  # 70 + 15
        ({"action_type": "api", "declared_goal": "Show customers"}, 60, Decision.WARN),  # 35 + 15 + 10
        (
            {"action_type": "api", "declared_goal": "Show customers", "agent_risk_score": 89.0},
            89,
            Decision.REQUIRE_APPROVAL,
        ),
        ({"action_type": "review", "declared_goal": "delete the draft"}, 35, None),  # 10 + 15 + 10
    ],
)
def test_anything_less_is_allowed_and_only_observed(
    changes: dict[str, Any], score: int, would: Decision | None
) -> None:
    found, verdict = default_verdict(destruction(**changes))
    assert (found, verdict.decision, verdict.would_decide) == (score, Decision.ALLOW, would)
