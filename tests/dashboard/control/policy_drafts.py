"""Drafts of every kind of policy, for properties."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from assent.contract.conditions import MAX_INTEGER, Op
from assent.contract.control.exploration import check_explore
from assent.contract.control.policies import Mode, PolicyDraft
from assent.contract.control.rules import Effect, Fallback, PolicyError, PolicyType, parse_rules, rules_to_data

# Text that YAML 1.2 can hold: no lone surrogates, and no control characters that YAML does not know.
TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=20)
LINES = st.text(st.characters(blacklist_categories=("Cs", "Cc"), whitelist_characters="\n\t"), max_size=20)
NUMBERS = st.integers(-MAX_INTEGER, MAX_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = LINES | st.sampled_from(["true", "60", "1e3", '"quoted"', " a ", "a, b", "no", "~", "2026-11-20", ""])
VALUES = SCALARS | NUMBERS | st.booleans()
NAMES = st.lists(TEXT, min_size=1, max_size=4)
EFFECTS = st.sampled_from([effect.value for effect in Effect])


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    op = draw(st.sampled_from(Op))
    return {"field": draw(fields()), "op": op.value, "value": draw(value_of(op))}


def fields() -> st.SearchStrategy[str]:
    part = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="."), min_size=1, max_size=8)
    return st.lists(part, min_size=1, max_size=3).map(".".join)


def value_of(op: Op) -> st.SearchStrategy[Any]:
    if op in (Op.IN, Op.NOT_IN):
        return st.lists(VALUES, min_size=1, max_size=4)
    if op is Op.EXISTS:
        return st.booleans()
    if op in (Op.LT, Op.LTE, Op.GT, Op.GTE):
        return NUMBERS
    if op in (Op.STARTS_WITH, Op.ENDS_WITH, Op.MATCHES):
        return SCALARS
    return VALUES


def trees() -> st.SearchStrategy[dict[str, Any]]:
    def grouped(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        several = st.lists(inner, min_size=1, max_size=3)
        return st.one_of(
            several.map(lambda each: {"all": each}),
            several.map(lambda each: {"any": each}),
            inner.map(lambda each: {"not": each}),
        )

    return st.recursive(rows(), grouped, max_leaves=6)


def session_trees() -> st.SearchStrategy[dict[str, Any]]:
    """Trees with leaves about the session beside others."""
    leaf: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
        [
            {"value_from": "recipient", "in": ["free", "unknown"]},
            {"label": "untrusted_seen"},
            {"not": {"before": {"tool": "verify_*"}}},
            {"count_within": {"of": {"all": [{"tool": "export_*"}]}, "at_least": 4, "seconds": 3600}},
            {"never_after": {"this": {"effect": "send"}, "after": {"tool": "read_salaries"}}},
        ]
    )
    return st.lists(leaf | rows(), min_size=1, max_size=3).map(lambda each: {"all": each})


RULES: dict[PolicyType, st.SearchStrategy[dict[str, Any]]] = {
    PolicyType.RISK_THRESHOLD: st.fixed_dictionaries(
        {"threshold": st.integers(0, 100) | st.floats(0, 100), "action": EFFECTS}
    ),
    PolicyType.REQUIRE_APPROVAL: st.tuples(
        st.fixed_dictionaries({"action_types": NAMES}),
        st.just({}) | st.fixed_dictionaries({"escalate_after_minutes": st.integers(1, 10_080), "escalate_to": TEXT}),
    ).map(lambda both: both[0] | both[1]),
    PolicyType.BLOCK_ACTION_TYPE: st.fixed_dictionaries({"action_types": NAMES}),
    PolicyType.KNOWN_TYPES: st.fixed_dictionaries({"action_types": NAMES, "action": EFFECTS}),
    PolicyType.RATE_LIMIT: st.fixed_dictionaries(
        {"max_actions": st.integers(1, 1_000_000), "window_minutes": st.integers(1, 10_080), "action": EFFECTS}
    ),
    PolicyType.WEBHOOK_CHECK: st.fixed_dictionaries(
        {
            "url": st.sampled_from(["https://hooks.example/guard", "https://127.0.0.1:8443/?a=%20#x"]),
            "timeout_ms": st.integers(1000, 10_000),
            "on_timeout": st.sampled_from([fallback.value for fallback in Fallback]),
        }
    ),
    PolicyType.FLOW: st.fixed_dictionaries(
        {"action": EFFECTS, "when": session_trees()},
    )
    | st.fixed_dictionaries(
        {
            "action": EFFECTS,
            "pack": st.sampled_from(
                [
                    {},
                    {"tools": {"pay_*": {"effect": "send", "arguments": {"to_whom": "destination"}}}},
                    {"labels": ["customer_data"], "rules": {"blind": False}},
                ]
            ),
        }
    ),
    PolicyType.CONDITION: st.fixed_dictionaries({"when": trees(), "action": EFFECTS}),
}


@st.composite
def drafts(draw: st.DrawFn, policy_type: PolicyType) -> PolicyDraft:
    """A policy that the contract takes, with normalised rules."""
    rules = draw(RULES[policy_type])
    return PolicyDraft(
        name=draw(TEXT),
        policy_type=policy_type.value,
        rules=rules_to_data(parse_rules(policy_type, rules)),
        active=draw(st.booleans()),
        agent_ids=tuple(draw(st.lists(TEXT, max_size=3))),
        mode=draw(st.sampled_from(Mode)),
        explore=draw(shares(policy_type, rules)),
    )


def shares(policy_type: PolicyType, rules: dict[str, Any]) -> st.SearchStrategy[float]:
    """For which share of hours it may do the other thing."""
    try:
        check_explore(parse_rules(policy_type, rules), 0.1)
    except PolicyError:
        return st.just(0.0)
    return st.sampled_from([0.0, 0.02, 0.5])
