"""What a policy does, in one plain sentence. Texts here are not yet harmless as Markdown: names come from anywhere."""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.conditions import (
    WORDS,
    All,
    Any_,
    Compare,
    Condition,
    Not,
    Op,
    Past,
    SameMembers,
    SameValue,
    Value,
    ValueFrom,
    session_words,
    whole_words,
)
from assent.contract.control.rules import (
    BlockActionType,
    ConditionRules,
    Effect,
    Fallback,
    FlowRules,
    KnownTypes,
    PolicyError,
    PolicyType,
    RateLimit,
    RequireApproval,
    RiskThreshold,
    Rules,
    WebhookCheck,
    parse_rules,
)
from assent_dashboard.views import words

LONGEST = 240
FEW = 4
"""So many names are listed; the others are counted."""
DOES = {Effect.WARN: "Warns", Effect.REQUIRE_APPROVAL: "Asks a person", Effect.BLOCK: "Blocks"}
TYPES = {
    PolicyType.RISK_THRESHOLD: "Risk threshold",
    PolicyType.REQUIRE_APPROVAL: "Ask a person before types of action",
    PolicyType.BLOCK_ACTION_TYPE: "Block types of action",
    PolicyType.RATE_LIMIT: "Rate limit",
    PolicyType.WEBHOOK_CHECK: "Ask a webhook",
    PolicyType.CONDITION: "Condition",
    PolicyType.KNOWN_TYPES: "Known types of action, and a decision for all others",
    PolicyType.FLOW: "Where values come from",
}


def does(policy_type: str, rules: object) -> str:
    """The sentence; for rules that cannot be read, which place is wrong."""
    try:
        parsed = parse_rules(policy_type, rules)
    except PolicyError as error:
        return f"Cannot be read: {error.place} {error.message}."
    return words.shorten(_sentence(parsed), LONGEST)


def _sentence(rules: Rules) -> str:
    match rules:
        case RiskThreshold(threshold=threshold, action=action):
            return f"{DOES[action]} when the risk is {number(threshold)} or more."
        case RequireApproval(action_types=types, escalate_after_minutes=minutes, escalate_to=group):
            then = "" if minutes is None else f" After {span(minutes)} without a decision it escalates to {group}."
            return f"Asks a person before {names(types)}.{then}"
        case BlockActionType(action_types=types):
            return f"Blocks {names(types)}."
        case KnownTypes(action_types=types, action=action):
            return f"{DOES[action]} when the type is not {names(types)}." if types else f"{DOES[action]} every action."
        case RateLimit(max_actions=most, window_minutes=minutes, action=action):
            return f"{DOES[action]} when an agent already has {words.several(most, 'action')} within {span(minutes)}."
        case WebhookCheck(url=url, timeout_ms=timeout, on_timeout=fallback):
            then = "goes on without it" if fallback is Fallback.ALLOW else "blocks"
            return f"Asks {url}, and {then} when there is no answer within {number(timeout / 1000)} s."
        case FlowRules(action=action, when=when) if when is not None:
            return f"{DOES[action]} when {condition(when)}, and when nobody can tell."
        case FlowRules(action=action):
            return f"{DOES[action]} when a value that is sent comes from a text that somebody else wrote."
        case ConditionRules(when=when, action=action):
            return f"{DOES[action]} when {condition(when)}."


def condition(tree: Condition, *, top: bool = True) -> str:
    """A tree as a clause: `risk_score is at least 60 and action_type is "pay"`."""
    match tree:
        case Compare(field=field, op=Op.EXISTS, value=there):
            return f"{field} is {'there' if there else 'not there'}"
        case Compare(field=field, op=op, value=value):
            return f"{field} {WORDS[op]} {written(value)}"
        case SameValue() | SameMembers():
            return whole_words(tree)
        case ValueFrom() | Past():
            return session_words(tree)
        case Not(branch):
            return f"not ({condition(branch)})"
        case All(branches):
            text = " and ".join(condition(branch, top=False) for branch in branches)
        case Any_(branches):
            text = " or ".join(condition(branch, top=False) for branch in branches)
    return text if top or len(branches) == 1 else f"({text})"


def written(value: Value) -> str:
    if isinstance(value, tuple):
        return names([written(each) for each in value])
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"“{value}”" if isinstance(value, str) else number(value)


def names(of: Sequence[str]) -> str:
    """`pay`, `pay or refund`, `a, b, c, d or 3 others`."""
    shown = list(of[:FEW])
    if len(of) > FEW:
        shown.append(words.several(len(of) - FEW, "other"))
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def span(minutes: int) -> str:
    if minutes % 1440 == 0:
        return words.several(minutes // 1440, "day")
    return words.several(minutes // 60, "hour") if minutes % 60 == 0 else words.several(minutes, "minute")


def number(value: float) -> str:
    return f"{value:g}" if abs(value) < 1e6 else str(value)
