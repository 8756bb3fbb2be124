"""Policies as they are replayed: all but three kinds become one condition tree each.

    block_action_type, require_approval    action_type in action_types
    known_types                            not (action_type in action_types)
    risk_threshold                         risk_score gte threshold
    condition                              its tree
    limited to agents                      agent_id in agent_ids, and that

Names are compared by the rule that each decision was made under: `by_rule` has the tree for each, of fields whose names
say by which rule they are folded (`folded_field`); EXACT asks letter by letter, as guard did of decisions that name no
rule.

A policy that explores has its share: see `replay`.

A rate limit looks at what went before (`limits`), a flow policy at the recorded trace of where values came from
(`flows`). A webhook's answer cannot be had again: it is named, and left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from assent.contract.analysis.backtest import NotReplayed
from assent.contract.conditions import All, Any_, Compare, Condition, Not, Op, SpecialLeaf, misplaced
from assent.contract.control.exploration import check_explore
from assent.contract.control.guard import Decision
from assent.contract.control.policies import Mode, Policy, PolicyDraft
from assent.contract.control.rules import (
    BlockActionType,
    ConditionRules,
    Effect,
    FlowRules,
    KnownTypes,
    PolicyError,
    RateLimit,
    RequireApproval,
    RiskThreshold,
    Rules,
    WebhookCheck,
    parse_rules,
)
from assent.contract.names import RULES, name_fields, named
from assent.contract.prepared import prepared
from assent.flows import Pack
from assent_analytics.backtest.flows import pack_of

PolicyLike: TypeAlias = Policy | PolicyDraft | Mapping[str, Any]

SEVERITY = {decision.value: severity for severity, decision in enumerate(Decision)}
MINUTE = 60_000_000
_FOLDED = "\0compared:"
"""How the name of a field begins whose names are folded; no JSON of a context can hold such a name from outside."""
EXACT = 0
"""The number in the place of a rule of decisions that name none."""


@dataclass(frozen=True)
class Limit:
    """At `most` actions of an agent within `window` microseconds; of these agents, or of every one."""

    most: int
    window: int
    agents: frozenset[str] | None


@dataclass(frozen=True)
class Replayable:
    """An active policy: its tree, or its limit, or what it says of flows, with a tree of its agents. `severity` is that
    of its effect, as a place among the decisions. `house` is the pack of a flow policy with a rule of the house, which
    counts where it was recorded that it matched."""

    index: int
    policy_id: str | None
    name: str
    policy_type: str
    mode: Mode
    severity: int
    by_rule: Mapping[int, Condition] | None
    limit: Limit | None
    explore: float = 0.0
    flow: Pack | None = None
    house: Pack | None = None

    @property
    def enforced(self) -> bool:
        return self.mode is Mode.ENFORCE

    @property
    def of_flows(self) -> bool:
        return self.flow is not None or self.house is not None


def read_policies(policies: Sequence[PolicyLike]) -> tuple[list[Replayable], list[NotReplayed]]:
    """The active policies, in their order. Raises PolicyError with a place as `policies[3].rules.when.all[0].op`."""
    read: list[Replayable] = []
    left_out: list[NotReplayed] = []
    for index, given in enumerate(policies):
        policy = _draft(given, index)
        if not policy.active:
            continue
        policy_id = policy.policy_id if isinstance(policy, Policy) else None
        try:
            rules = parse_rules(policy.policy_type, policy.rules)
        except PolicyError as error:
            raise PolicyError(f"policies[{index}].{error.place}", error.message) from None
        reason = _not_replayed(rules)
        if reason is not None:
            left_out.append(NotReplayed(index=index, policy_id=policy_id, name=policy.name, reason=reason))
            if not isinstance(rules, FlowRules):
                continue
        read.append(
            Replayable(
                index=index,
                policy_id=policy_id,
                name=policy.name,
                policy_type=policy.policy_type,
                mode=policy.mode,
                severity=SEVERITY[_effect(rules).value],
                by_rule=None if reason or (tree := _tree(rules, tuple(policy.agent_ids))) is None else by_rule(tree),
                limit=_limit(rules, tuple(policy.agent_ids)),
                explore=_explore(rules, policy.explore, index),
                flow=None if reason else _pack(rules, index),
                house=_pack(rules, index) if reason else None,
            )
        )
    return read, left_out


def _not_replayed(rules: Rules) -> str | None:
    """Why a policy cannot be replayed; None for one that can."""
    if isinstance(rules, WebhookCheck):
        return "a webhook's answer cannot be had again"
    if isinstance(rules, FlowRules) and rules.when is not None:
        return "its rule about the session is not decided anew: it counts where it matched, and nowhere else"
    return None


def _pack(rules: Rules, index: int) -> Pack | None:
    return pack_of(rules, f"policies[{index}]") if isinstance(rules, FlowRules) else None


def _explore(rules: Rules, share: float, index: int) -> float:
    try:
        check_explore(rules, share)
    except PolicyError as error:
        raise PolicyError(f"policies[{index}].{error.place}", error.message) from None
    return share


def _draft(given: PolicyLike, index: int) -> Policy | PolicyDraft:
    if isinstance(given, Policy | PolicyDraft):
        return given
    try:
        return msgspec.convert(given, prepared(PolicyDraft))
    except msgspec.ValidationError as error:
        raise PolicyError(f"policies[{index}]", str(error)) from None


def _effect(rules: Rules) -> Effect:
    match rules:
        case BlockActionType():
            return Effect.BLOCK
        case RequireApproval():
            return Effect.REQUIRE_APPROVAL
        case (
            RiskThreshold(action=effect)
            | RateLimit(action=effect)
            | ConditionRules(action=effect)
            | KnownTypes(action=effect)
            | FlowRules(action=effect)
        ):
            return effect
        case WebhookCheck():
            raise AssertionError("a webhook is never replayed")


def _tree(rules: Rules, agents: tuple[str, ...]) -> Condition | None:
    match rules:
        case BlockActionType(action_types=types) | RequireApproval(action_types=types):
            when: Condition = Compare(field="action_type", op=Op.IN, value=tuple(types))
        case KnownTypes(action_types=types):
            when = Not(Compare(field="action_type", op=Op.IN, value=tuple(types)))
        case RiskThreshold(threshold=threshold):
            when = Compare(field="risk_score", op=Op.GTE, value=threshold)
        case ConditionRules(when=tree):
            when = tree
        case FlowRules():
            return Compare(field="agent_id", op=Op.IN, value=agents) if agents else None
        case RateLimit() | WebhookCheck():
            return None
    return All((Compare(field="agent_id", op=Op.IN, value=agents), when)) if agents else when


def by_rule(condition: Condition) -> dict[int, Condition]:
    """The condition letter by letter, and by each rule of names."""
    return {EXACT: condition} | {rule: _elsewhere(named(condition, rule), rule) for rule in RULES}


def _elsewhere(condition: Condition, rule: int) -> Condition:
    match condition:
        case Compare(field=field):
            return (
                msgspec.structs.replace(condition, field=f"{_FOLDED}{rule}:{field}")
                if field in name_fields(rule)
                else condition
            )
        case Not(branch):
            return Not(_elsewhere(branch, rule))
        case All(branches):
            return All(tuple(_elsewhere(each, rule) for each in branches))
        case Any_(branches):
            return Any_(tuple(_elsewhere(each, rule) for each in branches))
        case SpecialLeaf():
            misplaced(condition)


def folded_field(field: str) -> tuple[int, str]:
    """By which rule the names of a field are folded, and the field behind it."""
    if not field.startswith(_FOLDED):
        return EXACT, field
    rule, _, name = field.removeprefix(_FOLDED).partition(":")
    return int(rule), name


def _limit(rules: Rules, agents: tuple[str, ...]) -> Limit | None:
    if not isinstance(rules, RateLimit):
        return None
    return Limit(rules.max_actions, rules.window_minutes * MINUTE, frozenset(agents) if agents else None)
