"""The backtest of policies over frames: the one that the service answers with, for notebooks too."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from msgspec import UNSET

from assent.contract.backtest import Backtest, BacktestStatus, CostCurve, Costs, Include
from assent.contract.guard import Source
from assent_analytics.backtest import answer
from assent_analytics.backtest.costs import THRESHOLDS, cost_curve
from assent_analytics.backtest.policies import PolicyLike, read_policies
from assent_analytics.backtest.replay import FAILED, Question, Replay, replay
from assent_analytics.backtest.templates import TemplateLike, read_templates
from assent_analytics.frames import Frame, need, utc

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
    question = Question(
        policies=active,
        templates=None if templates is None else read_templates(templates),
        history_as_live=history_as_live,
        version=policy_version,
        webhooks=[each.policy_id for each in left_out if each.policy_id is not None],
        told_apart=include is not Include.SUMMARY,
    )
    first, last = _window(decisions, since, until)
    days = max(1, -(-(last - first) // _DAY))
    inside = decisions
    if since is not None or until is not None:
        inside = decisions.lazy().filter(utc("occurred_at").is_between(first, last))
    found = replay(inside, actions, question)
    n = len(found.before)
    by_source = np.bincount(found.source, minlength=len(_SOURCES)).tolist()
    total, verdicts = answer.verdicts(found, include, limit)
    groups, changed_in = answer.groups(found) if question.told_apart else (0, [])
    return Backtest(
        status=BacktestStatus.OK if n else BacktestStatus.INSUFFICIENT_DATA,
        n=n,
        simulated=by_source[_SOURCES.index(Source.SIMULATED)],
        imported=by_source[_SOURCES.index(Source.IMPORT)],
        halted=int(np.count_nonzero(found.halted)),
        window=f"{days}d",
        since=first,
        until=last,
        before=answer.counts(found.before),
        after=answer.counts(found.after),
        changed=int(np.count_nonzero(found.before != found.after)),
        transitions=answer.transitions(found),
        outcomes=answer.outcomes(found),
        approvals_before=answer.approval_load(found.before, found.at, last, days),
        approvals_after=answer.approval_load(found.after, found.at, last, days),
        policies=answer.matched(active, found),
        not_replayed=left_out,
        samples=answer.samples(found, seed),
        costs=None if costs is None else _costs(found, costs, days, seed),
        causes=None if policy_version is None else answer.causes(found),
        verdicts_total=total,
        changed_groups=groups,
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
    question = Question(
        policies=active, templates=rated, version=0 if in_force else None, told_apart=include is not Include.SUMMARY
    )
    return question.columns() | question.optional()


def _costs(found: Replay, costs: Costs, days: int, seed: int) -> CostCurve:
    decided = np.bincount(found.risk, minlength=THRESHOLDS)
    failed = np.bincount(found.risk[found.outcome == FAILED], minlength=THRESHOLDS)
    return cost_curve(decided, failed, costs, days=days, seed=seed)


def _window(decisions: Frame, since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    if since is not None and until is not None:
        return since, until
    times = need(decisions, ("occurred_at",), "decisions").select(
        first=utc("occurred_at").min(), last=utc("occurred_at").max()
    )
    first, last = times.collect().row(0)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return since or first or until or epoch, until or last or since or epoch
