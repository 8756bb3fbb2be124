"""Rules of each policy kind: the wire's defaults and limits, and what is said about bad ones."""

import json
import math

import msgspec
import pytest

from assent.contract.control.policies import Mode, Policy, PolicyDraft
from assent.contract.control.rules import (
    ConditionRules,
    Effect,
    Fallback,
    PolicyError,
    RateLimit,
    RiskThreshold,
    WebhookCheck,
    parse_rules,
    rules_to_data,
)

WHEN = {"field": "risk_score", "op": "gte", "value": 60}


@pytest.mark.parametrize(
    ("kind", "rules", "normalised"),
    [
        ("risk_threshold", {}, {"threshold": 80, "action": "block"}),
        ("risk_threshold", {"threshold": 72.5, "action": "warn"}, {"threshold": 72.5, "action": "warn"}),
        ("require_approval", {"action_types": ["deploy"]}, {"action_types": ["deploy"]}),
        (
            "require_approval",
            {"action_types": ["deploy"], "escalate_to": "Leads", "escalate_after_minutes": 15},
            {"action_types": ["deploy"], "escalate_to": "Leads", "escalate_after_minutes": 15},
        ),
        ("block_action_type", {"action_types": ["a", "b"]}, {"action_types": ["a", "b"]}),
        ("rate_limit", {}, {"max_actions": 50, "window_minutes": 60, "action": "warn"}),
        (
            "webhook_check",
            {"url": "https://guard.example/check"},
            {"url": "https://guard.example/check", "timeout_ms": 5000, "on_timeout": "allow"},
        ),
        ("condition", {"when": WHEN, "action": "require_approval"}, {"when": WHEN, "action": "require_approval"}),
    ],
)
def test_defaults_are_the_wires_and_text_reads_like_an_object(
    kind: str, rules: dict[str, object], normalised: dict[str, object]
) -> None:
    parsed = parse_rules(kind, rules)
    assert rules_to_data(parsed) == normalised
    assert parse_rules(kind, json.dumps(rules)) == parsed
    assert parse_rules(kind, rules_to_data(parsed)) == parsed
    assert json.loads(msgspec.json.encode(rules_to_data(parsed))) == normalised


@pytest.mark.parametrize(("sent", "kept"), [(1, 1), (10_080, 10_080), (10_081, 10_080), (10**12, 10_080)])
def test_the_rate_window_is_clamped_to_a_week(sent: int, kept: int) -> None:
    parsed = parse_rules("rate_limit", {"window_minutes": sent})
    assert isinstance(parsed, RateLimit)
    assert parsed.window_minutes == kept


@pytest.mark.parametrize(
    ("kind", "rules", "place", "said"),
    [
        ("semantic_check", {}, "policy_type", "risk_threshold, require_approval, block_action_type, rate_limit"),
        ("risk_threshold", None, "rules", "None"),
        ("risk_threshold", [], "rules", "a list"),
        ("risk_threshold", "[]", "rules", "a list"),
        ("risk_threshold", "{", "rules", "JSON"),
        ("risk_threshold", '{"threshold": NaN}', "rules", "JSON"),
        ("risk_threshold", "[" * 9000, "rules", "JSON"),
        ("risk_threshold", " " * 16_001, "rules", "16000"),
        ("risk_threshold", {"threshold": 101}, "rules.threshold", "101"),
        ("risk_threshold", {"threshold": -1}, "rules.threshold", "-1"),
        ("risk_threshold", {"threshold": math.nan}, "rules.threshold", "nan"),
        ("risk_threshold", {"threshold": True}, "rules.threshold", "bool"),
        ("risk_threshold", {"threshold": "80"}, "rules.threshold", "str"),
        ("risk_threshold", {"action": "allow"}, "rules.action", "warn, require_approval, block"),
        ("require_approval", {}, "rules", "action_types"),
        ("require_approval", {"action_types": []}, "rules.action_types", "length >= 1"),
        ("require_approval", {"action_types": "deploy"}, "rules.action_types", "str"),
        (
            "require_approval",
            {"action_types": ["a"], "escalate_to": "L"},
            "rules.escalate_after_minutes",
            "go together",
        ),
        ("require_approval", {"action_types": ["a"], "escalate_after_minutes": 5}, "rules.escalate_to", "go together"),
        (
            "require_approval",
            {"action_types": ["a"], "escalate_to": "L", "escalate_after_minutes": 0},
            "rules.escalate_after_minutes",
            ">= 1",
        ),
        (
            "require_approval",
            {"action_types": ["a"], "escalate_to": "L", "escalate_after_minutes": 10_081},
            "rules.escalate_after_minutes",
            "10081",
        ),
        (
            "require_approval",
            {"action_types": ["a"], "escalate_to": "", "escalate_after_minutes": 5},
            "rules.escalate_to",
            "length >= 1",
        ),
        ("block_action_type", {"action_types": ["a", 3]}, "rules.action_types[1]", "3"),
        ("block_action_type", {"action_types": [""]}, "rules.action_types[0]", "length >= 1"),
        ("block_action_type", {"action_types": ["a" * 129]}, "rules.action_types[0]", "128"),
        ("rate_limit", {"max_actions": 0}, "rules.max_actions", "0"),
        ("rate_limit", {"max_actions": 2.5}, "rules.max_actions", "2.5"),
        ("rate_limit", {"window_minutes": 0}, "rules.window_minutes", "0"),
        ("webhook_check", {}, "rules", "url"),
        ("webhook_check", {"url": "http://guard.example"}, "rules.url", "https"),
        ("webhook_check", {"url": "https://"}, "rules.url", "https"),
        ("webhook_check", {"url": "https://me:secret@guard.example"}, "rules.url", "https"),
        ("webhook_check", {"url": "https://[::1"}, "rules.url", "https"),
        ("webhook_check", {"url": "https://a.example:port"}, "rules.url", "https"),
        ("webhook_check", {"url": "https://a b.example"}, "rules.url", "https"),
        ("webhook_check", {"url": "https://a.example", "timeout_ms": 999}, "rules.timeout_ms", "999"),
        ("webhook_check", {"url": "https://a.example", "timeout_ms": 10_001}, "rules.timeout_ms", "10001"),
        ("webhook_check", {"url": "https://a.example", "on_timeout": "warn"}, "rules.on_timeout", "allow, block"),
        ("condition", {"action": "block"}, "rules", "when"),
        ("condition", {"when": WHEN}, "rules", "action"),
        ("condition", {"when": {"all": [WHEN, 1]}, "action": "block"}, "rules.when.all[1]", "1"),
    ],
)
def test_bad_rules_are_refused_with_place_and_what_is_allowed(kind: str, rules: object, place: str, said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_rules(kind, rules)
    assert caught.value.place == place
    assert said in caught.value.message


def test_unknown_members_are_ignored_unless_strict() -> None:
    sent = {"treshold": 95}
    assert parse_rules("risk_threshold", sent) == RiskThreshold(threshold=80, action=Effect.BLOCK)
    with pytest.raises(PolicyError, match="'treshold', risk_threshold knows threshold, action"):
        parse_rules("risk_threshold", sent, strict=True)


def test_the_structs_carry_enums() -> None:
    hook = parse_rules("webhook_check", {"url": "https://a.example", "on_timeout": "block", "timeout_ms": 1000})
    assert hook == WebhookCheck(url="https://a.example", timeout_ms=1000, on_timeout=Fallback.BLOCK)
    condition = parse_rules("condition", {"when": WHEN, "action": "warn"})
    assert isinstance(condition, ConditionRules)
    assert condition.action is Effect.WARN


def test_a_record_of_a_newer_service_is_still_read() -> None:
    sent = {
        "policy_id": "pol_1", "name": "n", "policy_type": "something_new", "rules": {}, "active": True,
        "agent_ids": [], "mode": "observe", "org_id": "org_1", "version": 3, "deleted_at": None,
        "updated_by": "key_1", "created_at": "2026-11-20T10:00:00Z",
        "updated_at": "2026-11-20T10:00:00Z", "created_by": "key_1", "tags": ["later"],
    }  # fmt: skip
    policy = msgspec.json.decode(json.dumps(sent), type=Policy)
    assert policy.mode is Mode.OBSERVE
    assert policy.policy_type == "something_new"


@pytest.mark.parametrize("name", ["", "n" * 257])
def test_a_drafts_name_has_1_to_256_characters(name: str) -> None:
    body = {"name": name, "policy_type": "risk_threshold", "rules": {}}
    with pytest.raises(msgspec.ValidationError, match="name"):
        msgspec.convert(body, PolicyDraft)
    assert msgspec.convert({**body, "name": "n" * 256}, PolicyDraft).mode is Mode.ENFORCE
