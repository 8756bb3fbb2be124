"""Changes of rules: which decisions a change can reach, what is measured of them, and the answer in words.

1. A rule can reach a decision unless it says that it does not: it is off or removed, names other agents, or asks for
   other action types. A condition says so by `agent_id` and `action_type` (`eq`, `in`) alone, or among the parts of its
   `all`. A change reaches a decision where the rule can before or after it, and is not the same both times.
2. Scoring profiles score what has happened, and reach no decision.
3. `asked` and `blocked` are 1 or 0 for each decision. `waiting_minutes` run from asking a person to the answer, the
   expiry or the withdrawal; 0 where nobody was asked, null while it waits and where no action came of it. `denied` is 1
   or 0 where a person answered, `failed` where an action completed or failed; else null.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.changes import (
    BeforeAfter,
    ChangeMeasure,
    ChangeWhat,
    EffectMethod,
    EffectStatus,
    MeasuredEffect,
    MeasuredSide,
    PlaceboResult,
    RuleChange,
)
from assent.contract.conditions import All, Compare, Condition, Op
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.risk_templates import RiskTemplate, TemplateStatus
from assent.contract.control.rules import (
    BlockActionType,
    ConditionRules,
    KnownTypes,
    PolicyError,
    RequireApproval,
    parse_rules,
)
from assent.contract.names import same_name
from assent_analytics.before_after import PARALLEL, SAME_LEVEL
from assent_analytics.frames import Frame, need, one_of, time_type, utc

Rule = Policy | RiskTemplate
Pair = tuple[str | None, str | None]
"""An agent and an action type."""

_ANSWERED = (ApprovalState.APPROVED, ApprovalState.DENIED)
_ENDED = ("completed", "failed")
_COLUMNS = ("decision", "status", "state", "requested_at", "decided_at")
WHAT = {
    ChangeMeasure.ASKED: "Decisions that asked a person",
    ChangeMeasure.BLOCKED: "Decisions that were blocked",
    ChangeMeasure.WAITING_MINUTES: "Minutes that a decision waited for a person",
    ChangeMeasure.DENIED: "Answers that were no",
    ChangeMeasure.FAILED: "Actions that failed, of those that ran to an end",
}


def reached(before: Rule | None, after: Rule | None, pairs: Iterable[Pair]) -> list[bool]:
    """Whether the change can reach decisions of each agent and type, by rule 1; None is a rule that is not there."""
    return [_effect(before, *pair) != _effect(after, *pair) for pair in pairs]


def measured(rows: Frame) -> pl.LazyFrame:
    """The rows with the members of `ChangeMeasure` as columns, by rule 3. Each is a decision with the `status` of its
    action and the `state`, `requested_at` and `decided_at` of its approval, which are null where there is none."""
    asked = one_of("decision", Decision.REQUIRE_APPROVAL)
    waited = (utc("decided_at") - utc("requested_at")).dt.total_microseconds() / 60_000_000
    return need(rows, _COLUMNS, "rows").with_columns(
        asked.cast(pl.Float64).alias(ChangeMeasure.ASKED),
        one_of("decision", Decision.BLOCK).cast(pl.Float64).alias(ChangeMeasure.BLOCKED),
        pl.when(asked).then(waited).otherwise(0.0).alias(ChangeMeasure.WAITING_MINUTES),
        pl.when(one_of("state", *_ANSWERED))
        .then(one_of("state", ApprovalState.DENIED).cast(pl.Float64))
        .alias(ChangeMeasure.DENIED),
        pl.when(one_of("status", *_ENDED))
        .then(one_of("status", "failed").cast(pl.Float64))
        .alias(ChangeMeasure.FAILED),
    )


def sentence(found: MeasuredEffect) -> str:
    """What moved, with n, clusters, method and interval, or why that cannot be known."""
    before, after = found.before, found.after
    if found.estimate is None or found.low is None or found.high is None:
        return f"{WHAT[found.measure]}: cannot be known. {_opened(found.reason)}."
    words = [
        f"{WHAT[found.measure]}: {_level(found, before)} before, {_level(found, after)} after; "
        f"{_amount(found, found.estimate)} (95 %: {_amount(found, found.low)} to {_amount(found, found.high)}).",
        _verdict(found),
        f"n {before.n} and {after.n} in {before.clusters} and {after.clusters} clusters.",
    ]
    if found.status is EffectStatus.FEW_CLUSTERS:
        words.append("Few clusters: the interval is wide.")
    if found.reason:
        words.append(f"{_opened(found.reason)}.")
    if found.placebo is PlaceboResult.FAILED:
        words.append("Earlier dates without a change show a difference too, so this one need not come from the change.")
    elif found.placebo is PlaceboResult.INSUFFICIENT_DATA:
        words.append("There is too little before it to try earlier dates.")
    if found.possible_low is not None and found.possible_high is not None:
        words.append(
            f"Over all decisions, for any outcome of what did not run: {_amount(found, found.possible_low)} to "
            f"{_amount(found, found.possible_high)}."
        )
    return " ".join(words)


def history(changes: Iterable[RuleChange]) -> pl.DataFrame:
    """One row for each member that a change changed (one for a change without any), in the order of the changes:
    `change_id`, `at`, `kind`, `id`, `name`, `what`, `by`, `by_name`, `version`, `member`, and `before` and `after` as
    JSON text."""
    rows: list[tuple[Any, ...]] = []
    for each in changes:
        named = (each.change_id, each.at, each.kind.value, each.id, each.name, each.what.value)
        head = (*named, each.by, each.by_name, each.version)
        rows += [(*head, one.member, _json(one.before), _json(one.after)) for one in each.members]
        if not each.members:
            rows.append((*head, None, None, None))
    texts = dict.fromkeys(("kind", "id", "name", "what", "by", "by_name"), pl.String())
    schema = {"change_id": pl.String(), "at": time_type(), **texts, "version": pl.Int64()}
    return pl.DataFrame(rows, {**schema, **dict.fromkeys(("member", "before", "after"), pl.String())}, orient="row")


def measures_frame(found: BeforeAfter) -> pl.DataFrame:
    """One row for each measure: `measure`, `unit`, `status`, `method`, `estimate`, `low`, `high`, `before`, `after`,
    `n_before`, `n_after`, `clusters_before`, `clusters_after`, `placebo`, `reason`."""
    columns = {
        **dict.fromkeys(("measure", "unit", "status", "method"), pl.String()),
        **dict.fromkeys(("estimate", "low", "high", "before", "after"), pl.Float64()),
        **dict.fromkeys(("n_before", "n_after", "clusters_before", "clusters_after"), pl.Int64()),
        **dict.fromkeys(("placebo", "reason"), pl.String()),
    }
    rows = [
        (
            *(each.measure.value, each.unit, each.status.value, each.method.value),
            *(each.estimate, each.low, each.high, each.before.mean, each.after.mean),
            *(each.before.n, each.after.n, each.before.clusters, each.after.clusters),
            *(each.placebo.value, each.reason),
        )
        for each in found.measures
    ]
    return pl.DataFrame(rows, columns, orient="row")


def headline(change: RuleChange) -> str:
    """`policy No deletes: changed rules, mode`."""
    kind = change.kind.value.replace("_", " ")
    members = ", ".join(each.member for each in change.members)
    what = f"changed {members}" if change.what is ChangeWhat.CHANGED and members else change.what.value
    return f"{kind} {change.name}: {what}"


def reach_in_words(pairs: Sequence[Pair], hit: Sequence[bool]) -> str:
    """Which agents and types of those that there are a change reaches."""
    if not any(hit):
        return "no decision in this time"
    if all(hit):
        return "every decision in this time"
    touched = [pair for pair, yes in zip(pairs, hit, strict=True) if yes]
    spared = [pair for pair, yes in zip(pairs, hit, strict=True) if not yes]
    for place, what in ((1, "type"), (0, "agent")):
        names = {pair[place] for pair in touched}
        if not names & {pair[place] for pair in spared}:
            listed = sorted(str(name) for name in names if name is not None)
            shown = ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")
            return f"decisions of the {what}{'s' if len(listed) > 1 else ''} {shown}"
    return f"decisions of {len(touched)} of {len(pairs)} pairs of agent and type"


def _effect(rule: Rule | None, agent: str | None, action_type: str | None) -> object:
    """What the rule is to such a decision; None where it cannot reach it."""
    if rule is None or rule.deleted_at is not None:
        return None
    if isinstance(rule, RiskTemplate):
        applies = rule.action_type is None or _same(rule.action_type, action_type)
        if rule.status is not TemplateStatus.ACTIVE or not applies:
            return None
        return rule.base_risk, msgspec.to_builtins(rule.rules)
    if not rule.active or (rule.agent_ids and not any(_same(each, agent) for each in rule.agent_ids)):
        return None
    mode: Mode = rule.mode
    try:
        rules = parse_rules(rule.policy_type, rule.rules)
    except PolicyError:
        return mode, rule.policy_type, rule.rules
    match rules:
        case RequireApproval() | BlockActionType():
            listed = any(_same(each, action_type) for each in rules.action_types)
            return (mode, rule.policy_type) if listed else None
        case KnownTypes():
            known = any(_same(each, action_type) for each in rules.action_types)
            return None if known else (mode, rule.policy_type, rules.action)
        case ConditionRules():
            return (mode, rules.action, rules.when) if _may_hold(rules.when, agent, action_type) else None
        case _:
            return mode, rules


def _may_hold(when: Condition, agent: str | None, action_type: str | None) -> bool:
    parts = when.branches if isinstance(when, All) else (when,)
    for part in parts:
        if not isinstance(part, Compare) or part.field not in ("agent_id", "action_type"):
            continue
        if part.op not in (Op.EQ, Op.IN):
            continue
        name = agent if part.field == "agent_id" else action_type
        values = part.value if isinstance(part.value, list | tuple) else (part.value,)
        if not any(isinstance(each, str) and _same(each, name) for each in values):
            return False
    return True


def _same(one: str, other: str | None) -> bool:
    return other is not None and same_name(one, other)


def _verdict(found: MeasuredEffect) -> str:
    low, high = found.low, found.high
    assert low is not None
    assert high is not None
    beside = "what it could not reach" if found.method is EffectMethod.DIFFERENCE_IN_DIFFERENCES else "nothing else"
    rests = PARALLEL if found.method is EffectMethod.DIFFERENCE_IN_DIFFERENCES else SAME_LEVEL
    moved = "It rose" if low > 0 else "It fell" if high < 0 else "This does not show that it moved"
    return f"{moved}, compared with {beside}. Assumed: {rests}"


def _level(found: MeasuredEffect, side: MeasuredSide) -> str:
    mean = side.mean or 0.0
    return f"{100 * mean:.1f} %" if found.unit == "share" else f"{mean:.1f} {found.unit}"


def _amount(found: MeasuredEffect, value: float) -> str:
    return f"{100 * value:+.1f} points" if found.unit == "share" else f"{value:+.1f} {found.unit}"


def _opened(text: str) -> str:
    return text[:1].upper() + text[1:]


def _json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()
