"""The backtest of policies over recorded decisions: what other policies would have decided, and what that adds up to.

It replays the decisions and counts what changed: verdicts, outcomes, approvals, matches, causes and costs. The service
answers with it, and notebooks call it with the same frames. `contract.analysis.backtest` says what the members count.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any, TypeAlias

import numpy as np
from msgspec import UNSET

from assent.contract.analysis.backtest import (
    MOST_GROUPS,
    ApprovalLoad,
    Backtest,
    BacktestStatus,
    ChangeCauses,
    ChangedGroup,
    ChangeSample,
    CostCurve,
    Costs,
    DecisionCounts,
    Include,
    NotReplayed,
    Portion,
    ReplayedOutcomes,
    ReplayedPolicy,
    ReplayedVerdict,
    Transitions,
)
from assent.contract.control.guard import Decision, Source
from assent_analytics.backtest.costs import THRESHOLDS, cost_curve
from assent_analytics.backtest.flows import not_known, replayed
from assent_analytics.backtest.policies import SEVERITY, PolicyLike, Replayable, read_policies
from assent_analytics.backtest.replay import (
    COMPLETED,
    FAILED,
    NO_OUTCOME,
    OTHER_TEMPLATES,
    OTHER_VERSION,
    UNKNOWN_CAUSE,
    WEBHOOK,
    BacktestQuestion,
    Replay,
    replay,
)
from assent_analytics.backtest.templates import TemplateLike, read_templates
from assent_analytics.frames import Frame, need, utc
from assent_analytics.means import mean_interval
from assent_analytics.rates import wilson

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

SAMPLED = 5
DECISIONS = tuple(Decision)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MICROSECONDS = 86_400_000_000
_ASK, _BLOCK = SEVERITY["require_approval"], SEVERITY["block"]


def counts(decided: Array) -> DecisionCounts:
    found = np.bincount(decided, minlength=len(DECISIONS)).tolist()
    return DecisionCounts(**dict(zip((each.value for each in DECISIONS), found, strict=True)))


def transitions(replay: Replay) -> Transitions:
    return Transitions(**{each.value: counts(replay.after[replay.before == at]) for at, each in enumerate(DECISIONS)})


def outcomes(replay: Replay) -> ReplayedOutcomes:
    before, after = replay.before, replay.after
    failed, completed = replay.outcome == FAILED, replay.outcome == COMPLETED
    stopped = (after == _BLOCK) & (before != _BLOCK)
    asked = (after == _ASK) & (before < _ASK)
    released = (after < _ASK) & (before >= _ASK)
    n_failed, n_completed = int(np.count_nonzero(failed)), int(np.count_nonzero(completed))
    return ReplayedOutcomes(
        known=n_failed + n_completed,
        unknown=len(before) - n_failed - n_completed,
        failed=n_failed,
        completed=n_completed,
        failures_stopped=portion(failed & stopped, n_failed),
        failures_asked=portion(failed & asked, n_failed),
        failures_released=portion(failed & released, n_failed),
        work_stopped=portion(completed & stopped, n_completed),
        work_asked=portion(completed & asked, n_completed),
        work_released=portion(completed & released, n_completed),
        unknown_stopped=int(np.count_nonzero(stopped & ~failed & ~completed)),
        unknown_asked=int(np.count_nonzero(asked & ~failed & ~completed)),
        unknown_released=int(np.count_nonzero(released & ~failed & ~completed)),
    )


def portion(those: Array, of: int) -> Portion:
    n = int(np.count_nonzero(those))
    low, high = wilson(n, of)
    status = BacktestStatus.OK if of else BacktestStatus.INSUFFICIENT_DATA
    return Portion(n=n, of=of, rate=n / of if of else None, low=low, high=high, status=status)


def approval_load(decided: Array, at: Array, until: datetime, days: int) -> ApprovalLoad:
    """Days of 24 hours, counted back from `until`, at most to that of the first decision: of days before it nobody
    knows what would have been asked. What is older than the first day counts with it."""
    end = (until - _EPOCH) // timedelta(microseconds=1)
    if len(at):
        days = min(days, max(1, 1 + int((end - at.min()) // _DAY_MICROSECONDS)))
    back = np.clip((end - at[decided == _ASK]) // _DAY_MICROSECONDS, 0, days - 1)
    by_day = np.bincount(back, minlength=days).astype(np.float64)
    total = int(by_day.sum())
    if days < 2:
        return ApprovalLoad(
            total=total, days=days, per_day=float(total), low=None, high=None, status=BacktestStatus.INSUFFICIENT_DATA
        )
    low, high = mean_interval(total / days, float(by_day.std(ddof=1)), days, 0.0, inf)
    return ApprovalLoad(total=total, days=days, per_day=total / days, low=low, high=high, status=BacktestStatus.OK)


def matched(policies: Sequence[Replayable], replay: Replay) -> list[ReplayedPolicy]:
    return [
        ReplayedPolicy(
            index=policy.index,
            policy_id=policy.policy_id,
            name=policy.name,
            policy_type=policy.policy_type,
            mode=policy.mode,
            matched=number,
        )
        for policy, number in zip(policies, replay.matched, strict=True)
    ]


def causes(replay: Replay) -> ChangeCauses:
    cause = np.bincount(replay.cause[replay.before != replay.after], minlength=WEBHOOK + 1).tolist()
    return ChangeCauses(
        other_version=cause[OTHER_VERSION],
        other_templates=cause[OTHER_TEMPLATES],
        webhook=cause[WEBHOOK],
        unexplained=cause[UNKNOWN_CAUSE],
    )


def samples(replay: Replay, seed: int) -> list[ChangeSample]:
    """For each change that there is, some decisions, in the order of time."""
    random = np.random.default_rng(seed)
    found: list[ChangeSample] = []
    kinds = replay.before.astype(np.uint8) * len(DECISIONS) + replay.after
    for kind in np.unique(kinds[replay.before != replay.after]):
        places = np.flatnonzero(kinds == kind)
        drawn = random.choice(places, size=min(SAMPLED, len(places)), replace=False)
        drawn = drawn[np.argsort(replay.at[drawn], kind="stable")]
        before, after = divmod(int(kind), len(DECISIONS))
        ids = [str(each) for each in replay.ids.gather(drawn)]
        found.append(ChangeSample(before=DECISIONS[before], after=DECISIONS[after], n=len(places), decision_ids=ids))
    return found


def changed_verdicts(replay: Replay, include: Include, limit: int) -> tuple[int, list[ReplayedVerdict]]:
    """How many there are, and the newest of them."""
    if include is Include.SUMMARY:
        return 0, []
    changed = replay.before != replay.after
    places = np.flatnonzero(changed) if include is Include.CHANGES else np.arange(len(replay.before))
    newest = places[np.argsort(-replay.at[places], kind="stable")][:limit]
    return len(places), [
        ReplayedVerdict(
            decision_id=str(each),
            agent_id=_name(replay.agents, int(replay.who[at])),
            action_type=_name(replay.types, int(replay.what[at])),
            occurred_at=_EPOCH + timedelta(microseconds=int(replay.at[at])),
            before=DECISIONS[replay.before[at]],
            after=DECISIONS[replay.after[at]],
        )
        for each, at in zip(replay.ids.gather(newest), newest.tolist(), strict=True)
    ]


def changed_groups(replay: Replay) -> tuple[int, list[ChangedGroup]]:
    """How many agents and types there are whose decisions changed, and those with most changes."""
    # One number for each pair; what is nobody's is -1, and becomes 0.
    width = len(replay.types) + 1
    pair = (replay.who.astype(np.int64) + 1) * width + replay.what + 1
    changed = replay.before != replay.after
    keys, places, n = np.unique(pair[changed], return_inverse=True, return_counts=True)
    stricter = np.bincount(places[(replay.after > replay.before)[changed]], minlength=len(keys))
    of = np.bincount(np.searchsorted(keys, pair[np.isin(pair, keys)]), minlength=len(keys))
    told = [
        ChangedGroup(
            agent_id=_name(replay.agents, int(keys[at]) // width - 1),
            action_type=_name(replay.types, int(keys[at]) % width - 1),
            n=int(of[at]),
            stricter=int(stricter[at]),
            milder=int(n[at] - stricter[at]),
        )
        for at in range(len(keys))
    ]
    told.sort(key=lambda each: (-each.stricter - each.milder, each.agent_id or "", each.action_type or ""))
    return len(told), told[:MOST_GROUPS]


def _name(names: Sequence[str], number: int) -> str | None:
    return names[number] if number >= 0 else None


# The backtest of policies over frames: the one that the service answers with, for notebooks too.


_DAY = timedelta(days=1)
_SOURCES = list(Source)


def backtest(
    decisions: Frame,
    actions: Frame | None,
    policies: Sequence[PolicyLike],
    *,
    templates: Sequence[TemplateLike] | None = None,
    costs: Costs | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    include: Include | str = Include.SUMMARY,
    limit: int = 1000,
    history_as_live: bool = False,
    seed: int = 0,
    policy_version: int | None = None,
) -> Backtest:
    """What `policies` would have decided on `decisions`, and what became of those in `actions` (None: nothing known).

    Frames have the columns of the tables as they are served. Decisions need decision_id, decision, occurred_at and
    risk_score, and what the policies look at: action_type, agent_id, `context`, `risk_breakdown`, ...; without `source`
    all count as live, without `created_at` they were made when they occurred. Actions need decision_id and status; for
    rate limits also agent_id, source and created_at, and those from before `since` as far back as the longest window.
    Decisions out of `since` to `until` (aware; the first and the last decision by default) are left out.

    `policies` are records, drafts or mappings of their members; inactive ones are left out. `templates`, risk templates
    alike, rate every decision anew; None keeps the recorded risks. `costs` asks for the cost curve. `policy_version`
    says that the policies are those in force, in this version, and asks for the causes of what changed.

    Raises PolicyError for policies and ConditionError for templates that cannot be read, with the place in them, and
    ValueError for columns that are not there, contexts that are no JSON, and patterns that RE2 does not accept.
    """
    include = Include(include)
    active, left_out = read_policies(policies)
    replayed_too = {each.index for each in active}
    question = BacktestQuestion(
        policies=active,
        templates=None if templates is None else read_templates(templates),
        history_as_live=history_as_live,
        version=policy_version,
        webhooks=[each.policy_id for each in left_out if each.policy_id and each.index not in replayed_too],
        told_apart=include is not Include.SUMMARY,
    )
    first, last = time_span(decisions, since, until)
    days = max(1, -(-(last - first) // _DAY))
    inside = decisions
    if since is not None or until is not None:
        inside = decisions.lazy().filter(utc("occurred_at").is_between(first, last))
    found = replay(inside, actions, question)
    n = len(found.before)
    by_source = np.bincount(found.source, minlength=len(_SOURCES)).tolist()
    total, verdicts = changed_verdicts(found, include, limit)
    flows = (
        [
            replayed(policy.index, policy.policy_id, policy.name, rows)
            for policy, rows in zip(question.flows, found.flows, strict=True)
        ]
        if found.flows
        else []
    )
    left_out += [
        NotReplayed(index=each.index, policy_id=each.policy_id, name=each.name, reason=reason)
        for each in flows
        if (reason := not_known(each)) is not None
    ]
    groups, changed_in = changed_groups(found) if question.told_apart else (0, [])
    return Backtest(
        status=BacktestStatus.OK if n else BacktestStatus.INSUFFICIENT_DATA,
        n=n,
        simulated=by_source[_SOURCES.index(Source.SIMULATED)],
        imported=by_source[_SOURCES.index(Source.IMPORT)],
        halted=int(np.count_nonzero(found.halted)),
        window=f"{days}d",
        since=first,
        until=last,
        before=counts(found.before),
        after=counts(found.after),
        changed=int(np.count_nonzero(found.before != found.after)),
        transitions=transitions(found),
        outcomes=outcomes(found),
        approvals_before=approval_load(found.before, found.at, last, days),
        approvals_after=approval_load(found.after, found.at, last, days),
        policies=matched(active, found),
        not_replayed=sorted(left_out, key=lambda each: each.index),
        samples=samples(found, seed),
        costs=None if costs is None else _costs(found, costs, days, seed),
        causes=None if policy_version is None else causes(found),
        verdicts_total=total,
        changed_groups=groups,
        flows=flows,
        verdicts=verdicts if question.told_apart else UNSET,
        changed_in=changed_in if question.told_apart else UNSET,
    )


def columns_needed(
    policies: Sequence[PolicyLike],
    templates: Sequence[TemplateLike] | None = None,
    *,
    in_force: bool = False,
    include: Include = Include.SUMMARY,
) -> set[str]:
    """The columns of the decisions that a backtest of these looks at, with those that it can do without."""
    active, _ = read_policies(policies)
    rated = None if templates is None else read_templates(templates)
    question = BacktestQuestion(
        policies=active, templates=rated, version=0 if in_force else None, told_apart=include is not Include.SUMMARY
    )
    return question.columns() | question.optional()


def _costs(found: Replay, costs: Costs, days: int, seed: int) -> CostCurve:
    decided = np.bincount(found.risk, minlength=THRESHOLDS)
    failed = np.bincount(found.risk[found.outcome == FAILED], minlength=THRESHOLDS)
    unknown = np.bincount(found.risk[found.outcome == NO_OUTCOME], minlength=THRESHOLDS)
    return cost_curve(decided, failed, costs, days=days, unknown=unknown, seed=seed)


def time_span(decisions: Frame, since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    """`since` and `until`, by default the first and the last decision's time."""
    if since is not None and until is not None:
        return since, until
    times = need(decisions, ("occurred_at",), "decisions").select(
        first=utc("occurred_at").min(), last=utc("occurred_at").max()
    )
    first, last = times.collect().row(0)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return since or first or until or epoch, until or last or since or epoch
