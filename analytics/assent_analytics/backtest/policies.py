"""Policies as they are replayed: all but two kinds become one condition tree each.

    block_action_type, require_approval    action_type in action_types
    risk_threshold                         risk_score gte threshold
    condition                              its tree
    limited to agents                      agent_id in agent_ids, and that

A rate limit looks at what went before (`limits`). A webhook's answer cannot be had again: it is named, and left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from assent.contract.backtest import NotReplayed
from assent.contract.conditions import All, Compare, Condition, Op
from assent.contract.guard import Decision
from assent.contract.policies import Mode, Policy, PolicyDraft
from assent.contract.prepared import prepared
from assent.contract.rules import (
    BlockActionType,
    ConditionRules,
    Effect,
    PolicyError,
    RateLimit,
    RequireApproval,
    RiskThreshold,
    Rules,
    WebhookCheck,
    parse_rules,
)

PolicyLike: TypeAlias = Policy | PolicyDraft | Mapping[str, Any]

SEVERITY = {decision.value: severity for severity, decision in enumerate(Decision)}
MINUTE = 60_000_000


@dataclass(frozen=True)
class Limit:
    """At `most` actions of an agent within `window` microseconds; of these agents, or of every one."""

    most: int
    window: int
    agents: frozenset[str] | None


@dataclass(frozen=True)
class Replayable:
    """An active policy: its tree, or its limit. `severity` is that of its effect, as a place among the decisions."""

    index: int
    policy_id: str | None
    name: str
    policy_type: str
    mode: Mode
    severity: int
    when: Condition | None
    limit: Limit | None

    @property
    def enforced(self) -> bool:
        return self.mode is Mode.ENFORCE


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
        if isinstance(rules, WebhookCheck):
            reason = "a webhook's answer cannot be had again"
            left_out.append(NotReplayed(index=index, policy_id=policy_id, name=policy.name, reason=reason))
            continue
        read.append(
            Replayable(
                index=index,
                policy_id=policy_id,
                name=policy.name,
                policy_type=policy.policy_type,
                mode=policy.mode,
                severity=SEVERITY[_effect(rules).value],
                when=_tree(rules, tuple(policy.agent_ids)),
                limit=_limit(rules, tuple(policy.agent_ids)),
            )
        )
    return read, left_out


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
        case RiskThreshold(action=effect) | RateLimit(action=effect) | ConditionRules(action=effect):
            return effect
        case WebhookCheck():
            raise AssertionError("a webhook is never replayed")


def _tree(rules: Rules, agents: tuple[str, ...]) -> Condition | None:
    match rules:
        case BlockActionType(action_types=types) | RequireApproval(action_types=types):
            when: Condition = Compare(field="action_type", op=Op.IN, value=tuple(types))
        case RiskThreshold(threshold=threshold):
            when = Compare(field="risk_score", op=Op.GTE, value=threshold)
        case ConditionRules(when=tree):
            when = tree
        case RateLimit() | WebhookCheck():
            return None
    return All((Compare(field="agent_id", op=Op.IN, value=agents), when)) if agents else when


def _limit(rules: Rules, agents: tuple[str, ...]) -> Limit | None:
    if not isinstance(rules, RateLimit):
        return None
    return Limit(rules.max_actions, rules.window_minutes * MINUTE, frozenset(agents) if agents else None)
