"""What is the matter with a draft: errors, which keep it from being saved, and warnings that are worth a thought.

Only what is known is said. What the contract says is an error. Agents and types that nobody saw lately, fields that no
context is known to have and policies that ask for the same come from what is on record; how often the draft matches,
what it adds, and how many approvals it would cost come from its backtest and from nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assent.contract.conditions import Condition, to_data
from assent.contract.control.escalations import unheard
from assent.contract.control.guard import GuardContext
from assent.contract.control.policies import NO_PAST, Mode, Policy, PolicyDraft
from assent.contract.control.rules import (
    BlockActionType,
    ConditionRules,
    Effect,
    FlowRules,
    PolicyError,
    RequireApproval,
    RiskThreshold,
    Rules,
    WebhookCheck,
    parse_rules,
)
from assent.contract.control.shared_tools import shared_tools
from assent.contract.names import comparable
from assent.contract.people.rota import Duty
from assent_dashboard.views import words
from assent_dashboard.views.addresses import in_words
from assent_dashboard.views.policies import tree
from assent_dashboard.views.policies.diff import BacktestDiff
from assent_dashboard.views.policies.draft import EditedPolicy

MANY_PER_DAY = 100.0
"""From so many approvals a day on, people press without reading."""
BUSY_DAY = 86_400.0
FIELDS = frozenset({*GuardContext.__struct_fields__, "agent_risk_score", "risk_factors", "destructive"})
"""What guard shows to conditions; a context may have more."""
SEVERITY = {Effect.WARN: 1, Effect.REQUIRE_APPROVAL: 2, Effect.BLOCK: 3}


class LintLevel(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class LintFinding:
    level: LintLevel
    text: str
    line: int | None = None


@dataclass(frozen=True)
class Known:
    """What the page knows besides the draft. `refused` is why the service would not take it, None when it would."""

    others: Sequence[Policy] = ()
    agents: Collection[str] = ()
    types: Collection[str] = ()
    refused: str | None = None
    compared: BacktestDiff | None = None
    window: str = "30d"
    extra_fields: Collection[str] = ()
    """Members that the context under test has."""
    duty: Duty | None = None
    """Who is in the groups of the rota."""


def findings(draft: EditedPolicy, known: Known) -> list[LintFinding]:
    """Errors first. Warnings are given for a draft that can be read."""
    wrong = draft.wrong()
    if wrong is not None:
        return [LintFinding(LintLevel.ERROR, wrong.message, wrong.line)]
    policy = draft.policy()
    try:
        rules = parse_rules(policy.policy_type, policy.rules)
    except PolicyError as error:
        return [LintFinding(LintLevel.ERROR, str(error))]
    found = []
    if known.refused is not None:
        found.append(LintFinding(LintLevel.ERROR, known.refused))
    if any(other.name == policy.name for other in known.others):
        found.append(LintFinding(LintLevel.ERROR, "Another policy has this name already; choose another one."))
    found += [LintFinding(LintLevel.WARNING, text) for text in _warnings(policy, rules, known)]
    found += [LintFinding(LintLevel.NOTE, text) for text in _notes(policy, rules)]
    return found


def errors(found: Sequence[LintFinding]) -> list[LintFinding]:
    return [each for each in found if each.level is LintLevel.ERROR]


def _warnings(policy: PolicyDraft, rules: Rules, known: Known) -> list[str]:
    found: list[str] = []
    unseen = [agent for agent in policy.agent_ids if agent not in known.agents]
    if unseen and known.agents:
        found.append(f"No recent decision is of the agent {_listed(unseen)}. Check the spelling.")
    if isinstance(rules, RequireApproval | BlockActionType):
        seen = {comparable(each) for each in known.types}
        missing = [name for name in rules.action_types if comparable(name) not in seen]
        if missing and known.types:
            found.append(f"No recent action is of the type {_listed(missing)}. Check the spelling.")
    if isinstance(rules, ConditionRules | FlowRules) and rules.when is not None:
        found += _about_fields(rules.when, known.extra_fields)
    if known.duty is not None and (silent := unheard(policy, known.duty)) is not None:
        found.append(silent)
    if (shared := shared_tools(policy, known.others)) is not None:
        found.append(shared)
    if _always(rules):
        found.append("It matches every action: no risk is below 0.")
    other = covered_by(policy, rules, known.others)
    if other is not None:
        found.append(f"The policy “{other.name}” asks for the same or more wherever this one matches.")
    if known.compared is not None:
        found += _measured(policy, known.compared, known.window)
    return found


def _notes(policy: PolicyDraft, rules: Rules) -> list[str]:
    found: list[str] = []
    if isinstance(rules, WebhookCheck):
        found.append("A webhook's answers cannot be replayed, so the backtest leaves this policy out.")
    if isinstance(rules, FlowRules):
        found.append("The backtest decides it where a trace of the session was recorded, and counts the rest apart.")
        found.append(NO_PAST)
    if isinstance(rules, RequireApproval) and rules.escalate_to is not None:
        found.append("Escalation changes no verdict, so the backtest does not look at it.")
    if not policy.active:
        found.append("It is switched off: guard does without it.")
    elif policy.mode is Mode.OBSERVE:
        found.append("It only observes: guard records what it would decide, and nobody is stopped.")
    if not policy.agent_ids:
        found.append("It is for every agent, as none is named.")
    return found


def covered_by(policy: PolicyDraft, rules: Rules, others: Sequence[Policy]) -> Policy | None:
    """An enforced policy that matches wherever this one does and asks for the same or more. Only types and thresholds
    are compared; for conditions the backtest tells."""
    for other in others:
        wide = not other.agent_ids or (policy.agent_ids and set(policy.agent_ids) <= set(other.agent_ids))
        if not (other.active and other.mode is Mode.ENFORCE and wide):
            continue
        try:
            theirs = parse_rules(other.policy_type, other.rules)
        except PolicyError:
            continue
        if _covers(theirs, rules):
            return other
    return None


def _covers(theirs: Rules, rules: Rules) -> bool:
    if isinstance(theirs, RiskThreshold) and isinstance(rules, RiskThreshold):
        return theirs.threshold <= rules.threshold and SEVERITY[theirs.action] >= SEVERITY[rules.action]
    if isinstance(rules, RequireApproval) and isinstance(theirs, RequireApproval | BlockActionType):
        return set(rules.action_types) <= set(theirs.action_types)
    if isinstance(rules, BlockActionType) and isinstance(theirs, BlockActionType):
        return set(rules.action_types) <= set(theirs.action_types)
    return False


def _about_fields(when: Condition, extra: Collection[str]) -> list[str]:
    unknown = [
        name for name in tree.fields(to_data(when)) if name.partition(".")[0] not in FIELDS and name not in extra
    ]
    if not unknown:
        return []
    return [
        f"Guard's contexts have no member {_listed(unknown)} of their own. A row about it is false unless agents send "
        "it; what belongs to an action is usually under metadata."
    ]


def _always(rules: Rules) -> bool:
    return isinstance(rules, RiskThreshold) and rules.threshold <= 0


def _measured(policy: PolicyDraft, compared: BacktestDiff, window: str) -> list[str]:
    """What the backtest found."""
    n, matched = compared.proposed.n, compared.matched
    if not n or matched is None:
        return []
    found: list[str] = []
    span = in_words(window)
    if matched == 0:
        found.append(f"It matches none of the {words.several(n, 'decision')} of {span}.")
    elif matched == n:
        found.append(f"It matches every one of the {words.several(n, 'decision')} of {span}.")
    if matched and not compared.alone:
        found.append(f"It adds nothing in {span}: wherever it matches, another policy asks for the same or more.")
    load, before = compared.proposed.approvals_after, compared.without.approvals_after
    if load.per_day >= MANY_PER_DAY and load.per_day > before.per_day:
        found.append(
            f"Enforced, people would be asked {words.amount(round(load.per_day))} times a day, once in "
            f"{words.span(BUSY_DAY / load.per_day)}. A policy that asks that often is soon switched off."
        )
    return found


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
