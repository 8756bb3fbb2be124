"""One policy against one recorded decision: whether it matches, and what it says when it does. Pure.

This is what guard's policies mean, written a second time and as plainly as it can be; `assent.proof.replay` uses it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from assent.contract.conditions import All, Any_, Compare, Condition, Not, SpecialLeaf, describe
from assent.contract.control.flows import FlowTrace
from assent.contract.control.guard import Decision, Source, TriageMark
from assent.contract.control.policies import Mode
from assent.contract.control.rules import (
    AlwaysAsk,
    BlockActionType,
    ConditionRules,
    Effect,
    FlowRules,
    KnownTypes,
    RateLimit,
    RequireApproval,
    RiskThreshold,
    Rules,
    WebhookCheck,
    parse_rules,
)
from assent.contract.names import NAME_FIELDS, RULE, comparable, compared, named, with_nested
from assent.flows import read_pack, uncertain
from assent.proof.flowing import PresentCall, flow_text, reasons_of, rule_holds
from assent.proof.matching import holds

NO_FACTORS = frozenset({"base", "template", "history"})
"""Additions to the risk that are no factors of the action itself."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Recorded(Struct, frozen=True, kw_only=True):
    """What is looked at of a recorded decision."""

    agent_id: str | None
    action_type: str
    declared_goal: str | None
    decision: Decision
    would_decide: Decision | None
    reason: str | None
    reasons: list[str]
    warnings: list[str]
    matched_policies: list[str]
    observed_policies: list[str]
    risk_score: int | float
    agent_risk_score: int | float | None
    risk_breakdown: dict[str, Any]
    context: dict[str, Any]
    context_digest: str
    policy_digest: str
    destructive: bool | UnsetType = UNSET
    destructive_table: str | UnsetType = UNSET
    limited_by_key: list[str] = []
    name_rule: int | None = None
    propensity: float = 1.0
    explored: bool = False
    explore_draw: float | UnsetType = UNSET
    explore_below: float | UnsetType = UNSET
    source: Source = Source.LIVE
    triage: TriageMark | UnsetType = UNSET
    flow: FlowTrace | UnsetType = UNSET
    evaluated_at: datetime | UnsetType = UNSET


class AppliedPolicy(Struct, frozen=True):
    """A policy that applies to the agent."""

    policy_id: str
    name: str
    rules: Rules
    observed: bool
    explore: float = 0.0
    always_ask: AlwaysAsk = AlwaysAsk.NEVER


class Match(Struct, frozen=True):
    """A policy that matches; `text` is "policy name: why"."""

    policy: AppliedPolicy
    effect: Effect
    text: str


def applying_policies(
    given: Sequence[Mapping[str, Any]], agent_id: str | None, name_rule: int | None = None
) -> list[AppliedPolicy]:
    """Those of a snapshot that apply to the agent, in its order. Raises PolicyError, and KeyError for what is none."""
    return [
        _applied(policy)
        for policy in given
        if not policy["agent_ids"] or _among(agent_id, policy["agent_ids"], name_rule)
    ]


def _applied(policy: Mapping[str, Any]) -> AppliedPolicy:
    rules = parse_rules(policy["policy_type"], policy["rules"])
    always = policy.get("always_ask", AlwaysAsk.NEVER)
    return AppliedPolicy(
        policy["policy_id"],
        policy["name"],
        rules,
        policy["mode"] == Mode.OBSERVE,
        policy.get("explore", 0.0),
        AlwaysAsk.ALWAYS if isinstance(rules, FlowRules) else AlwaysAsk(always),
    )


def _among(name: str | None, names: Sequence[str], name_rule: int | None) -> bool:
    """Whether a name is one of these, by the rule that the decision was made under; without one, letter by letter."""
    if name is None or name_rule is None:
        return name in names
    return comparable(name, name_rule) in [comparable(each, name_rule) for each in names]


def fields_of(said: Recorded) -> dict[str, Any]:
    """What conditions look at; names as they were compared."""
    fields = _as_sent(said)
    if said.name_rule is None:
        return fields
    rule = said.name_rule
    folded = {name: compared(value, rule) if name in NAME_FIELDS else value for name, value in fields.items()}
    return with_nested(folded, rule)


def _as_sent(said: Recorded) -> dict[str, Any]:
    told = {} if said.destructive is UNSET else {"destructive": said.destructive}
    return {
        **said.context,
        **told,
        "action_type": said.action_type,
        "agent_id": said.agent_id,
        "declared_goal": said.declared_goal,
        "systems_touched": said.context.get("systems_touched") or [],
        "risk_score": said.risk_score,
        "agent_risk_score": said.agent_risk_score,
        "risk_factors": [name for name in said.risk_breakdown if name not in NO_FACTORS],
    }


def decide_policy(rules: Rules, said: Recorded, fields: Mapping[str, Any]) -> bool | None:
    """Whether a policy matches; None where that cannot be decided later."""
    match rules:
        case BlockActionType(action_types=types) | RequireApproval(action_types=types):
            return _among(said.action_type, types, said.name_rule)
        case KnownTypes(action_types=types):
            return not _among(said.action_type, types, said.name_rule)
        case RiskThreshold(threshold=threshold):
            return said.risk_score >= threshold
        case ConditionRules(when=when):
            return holds(when if said.name_rule is None else named(when, said.name_rule), fields)
        case FlowRules():
            return said.flow is not UNSET and _flow_matches(rules, said, said.flow, fields)
        case _:
            return None


def _flow_matches(rules: FlowRules, said: Recorded, flow: FlowTrace, fields: Mapping[str, Any]) -> bool | None:
    if rules.when is None:
        return bool(reasons_of(flow, read_pack(rules.pack).rules))
    return rule_holds(_compared(rules.when, said), flow, _present(said, flow, fields), doubt=True)


def _compared(when: Condition, said: Recorded) -> Condition:
    return when if said.name_rule is None else named(when, said.name_rule)


def _present(said: Recorded, flow: FlowTrace, fields: Mapping[str, Any]) -> PresentCall:
    """Raises ValueError where the decision does not say when it was made."""
    if said.evaluated_at is UNSET:
        raise ValueError("a rule of the house applies, and the decision does not say when it was made")
    at = (said.evaluated_at - _EPOCH) // timedelta(microseconds=1) / 1_000_000
    return PresentCall(comparable(flow.tool, said.name_rule or RULE), fields, at)


def asks_for(policy: AppliedPolicy, field: str) -> bool:
    """Whether a policy has a condition on a field."""
    when = policy.rules.when if isinstance(policy.rules, ConditionRules | FlowRules) else None
    return when is not None and _asks(when, field)


def _asks(condition: Condition, field: str) -> bool:
    match condition:
        case Compare():
            return condition.field == field
        case Not(branch):
            return _asks(branch, field)
        case All(branches) | Any_(branches):
            return any(_asks(branch, field) for branch in branches)
        case SpecialLeaf():
            return False


def match_of(policy: AppliedPolicy, said: Recorded, fields: Mapping[str, Any]) -> Match:
    """What a policy says when it matches."""
    match policy.rules:
        case BlockActionType():
            effect, why = Effect.BLOCK, "actions of this type are blocked"
        case RequireApproval():
            effect, why = Effect.REQUIRE_APPROVAL, "actions of this type need approval"
        case RiskThreshold(threshold=threshold, action=effect):
            why = f"the risk score is {threshold} or more"
        case RateLimit(max_actions=most, window_minutes=minutes, action=effect):
            why = f"{most} or more actions in {minutes} minutes"
            if policy.policy_id in said.limited_by_key:
                why += " with one key, which is bound to no agent"
        case KnownTypes(action=effect):
            why = "actions of this type are not among the known ones"
        case ConditionRules(when=when, action=effect):
            why = describe(when)
        case FlowRules(action=effect):
            if said.flow is UNSET:
                raise ValueError(f"policy {policy.policy_id} asks where values come from, and nobody says")
            why = _flow_text(policy.rules, said, said.flow, fields)
        case WebhookCheck():
            raise ValueError(f"policy {policy.policy_id} is a webhook, which says itself what it says")
    return Match(policy, effect, f"{policy.name}: {why}")


def _flow_text(rules: FlowRules, said: Recorded, flow: FlowTrace, fields: Mapping[str, Any]) -> str:
    if rules.when is None:
        return flow_text(flow, rules)
    text = describe(rules.when)
    if rule_holds(_compared(rules.when, said), flow, _present(said, flow, fields), doubt=False) is False:
        return f"{text}. {uncertain(told=flow.told, withheld=flow.withheld, gaps=flow.gaps)}"
    return text
