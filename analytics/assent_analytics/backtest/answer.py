"""What a replay adds up to, as the answer of a backtest; `assent.contract.backtest` says what the members count."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any, TypeAlias

import numpy as np

from assent.contract.backtest import (
    MOST_GROUPS,
    ApprovalLoad,
    BacktestStatus,
    ChangeCauses,
    ChangedGroup,
    ChangeSample,
    DecisionCounts,
    Include,
    Portion,
    ReplayedOutcomes,
    ReplayedPolicy,
    ReplayedVerdict,
    Transitions,
)
from assent.contract.guard import Decision
from assent_analytics.backtest.policies import SEVERITY, Replayable
from assent_analytics.backtest.replay import (
    COMPLETED,
    FAILED,
    OTHER_TEMPLATES,
    OTHER_VERSION,
    UNKNOWN_CAUSE,
    WEBHOOK,
    Replay,
)
from assent_analytics.means import mean_interval
from assent_analytics.rates import wilson

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

SAMPLED = 5
DECISIONS = tuple(Decision)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DAY = 86_400_000_000
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
    )


def portion(those: Array, of: int) -> Portion:
    n = int(np.count_nonzero(those))
    low, high = wilson(n, of)
    status = BacktestStatus.OK if of else BacktestStatus.INSUFFICIENT_DATA
    return Portion(n=n, of=of, rate=n / of if of else None, low=low, high=high, status=status)


def approval_load(decided: Array, at: Array, until: datetime, days: int) -> ApprovalLoad:
    """Days of 24 hours, counted back from `until`; what is older than the first counts with it."""
    end = (until - _EPOCH) // timedelta(microseconds=1)
    back = np.clip((end - at[decided == _ASK]) // _DAY, 0, days - 1)
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


def verdicts(replay: Replay, include: Include, limit: int) -> tuple[int, list[ReplayedVerdict]]:
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


def groups(replay: Replay) -> tuple[int, list[ChangedGroup]]:
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
