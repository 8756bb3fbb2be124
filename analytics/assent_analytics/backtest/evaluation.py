"""What policies would have caused over frames: the one that the service answers with, for notebooks too.

The policies decide every decision again, as in a backtest and by their rules alone; `value` says what that would have
caused. A decision's outcome is that of its action: failed, completed, or ended otherwise. What was blocked did not run.
Where there is no action, or it has not ended, the outcome is unknown, and may be either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assent.contract.analysis.backtest import Costs
from assent.contract.analysis.policy_value import (
    CostValue,
    OutcomeValue,
    PolicyEvaluation,
    ValueInterval,
    ValueStatus,
)
from assent.contract.control.actions import FINAL, ActionStatus
from assent.contract.control.guard import Source
from assent_analytics.backtest.backtest import time_span
from assent_analytics.backtest.limits import places
from assent_analytics.backtest.policies import SEVERITY, PolicyLike, read_policies
from assent_analytics.backtest.replay import BacktestQuestion, replay
from assent_analytics.backtest.value import (
    ASK,
    BLOCK,
    FEWEST_CLUSTERS,
    FEWEST_DRAWS,
    PASS,
    Interval,
    Logged,
    Overlap,
    PolicyCost,
    PolicyValue,
    overlap_of,
    policy_value,
)
from assent_analytics.clusters import cluster_keys
from assent_analytics.frames import Frame, need, utc

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

MOST_TYPES = 12
"""Types of action that the regression tells apart, the most frequent."""
PER = 1000.0
_DAY = timedelta(days=1)
_DOES = np.array([PASS, PASS, ASK, BLOCK])
"""What a decision does, by its place among the decisions: who is warned goes on as who is allowed."""
_ENDED = [status.value for status in FINAL]
_OPTIONAL = {"propensity", "explore_draw", "session_id", "agent_id", "action_type", "source"}


def evaluate_policy(
    decisions: Frame,
    actions: Frame | None,
    policies: Sequence[PolicyLike],
    *,
    costs: Costs | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    by: str | Sequence[str] | None = None,
) -> PolicyEvaluation:
    """What the whole set of `policies` would have caused on `decisions`, whose actions are in `actions`.

    Frames as `backtest` takes them; decisions also with `propensity` and `explore_draw` (without them nothing was
    explored) and, for clusters, `session_id` or `agent_id`, or the columns `by`.

    Raises what `backtest` raises, and ValueError for a propensity that is not above 0 and at most 1, and where nothing
    says what a cluster is.
    """
    read, _ = read_policies(policies)
    question = BacktestQuestion(policies=[replace(each, explore=0.0) for each in read])
    first, last = time_span(decisions, since, until)
    days = max(1, -(-(last - first) // _DAY))
    inside = need(decisions, sorted(question.columns()), "decisions")
    if since is not None or until is not None:
        inside = inside.filter(utc("occurred_at").is_between(first, last))
    rows = inside.collect()
    found = replay(rows, actions, question)
    n = rows.height
    keys = cluster_keys(rows, by=by)
    outcome = _outcomes(actions, found.ids, found.before)
    logged = Logged(
        done=_DOES[found.before],
        would=_DOES[found.after],
        propensity=_propensity(rows),
        draw=np.zeros(0),
        clusters=keys.codes,
        features=_features(rows),
    )
    logged = replace(logged, draw=_draws(rows, logged.propensity))
    overlap = overlap_of(logged)
    clusters = len(np.unique(keys.codes))
    enough = n > 0 and clusters > 1
    failed = completed = None
    if n:
        prices = (costs.interruption, costs.failure) if costs is not None else (0.0, 1.0)
        failed = policy_value(outcome[0], logged, overlap, interruption=prices[0], failure=prices[1])
        completed = policy_value(outcome[1], logged, overlap)
    unknown = int(np.isnan(outcome[0]).sum())
    decided_by = None if failed is None or not enough else (failed.cost.change if costs is not None else failed.change)
    without = int(np.count_nonzero(overlap.without))
    return PolicyEvaluation(
        status=_status(enough, without, clusters),
        says=_words(n, clusters, overlap, unknown),
        n=n,
        simulated=_of_source(rows, Source.SIMULATED),
        clusters=clusters,
        basis=keys.basis,
        window=f"{days}d",
        since=first,
        until=last,
        same=int(np.count_nonzero(overlap.same)),
        stopped=int(np.count_nonzero(overlap.stopped)),
        explored=int(np.count_nonzero(overlap.explored)),
        without=without,
        unknown=unknown,
        draws=overlap.draws,
        effective=overlap.effective,
        heaviest=overlap.heaviest,
        mean_weight=overlap.mean_weight,
        asked_staying=int(np.count_nonzero(logged.done == ASK)),
        asked_going=int(np.count_nonzero(logged.would == ASK)),
        failures=_outcome_value(failed, enough),
        work=_outcome_value(completed, enough),
        costs=None if failed is None or costs is None else _cost_value(failed.cost, enough),
        better=None if decided_by is None else _better(decided_by),
    )


def columns_to_evaluate(policies: Sequence[PolicyLike]) -> set[str]:
    """The columns of the decisions that an evaluation of these looks at, with those that it can do without."""
    question = BacktestQuestion(policies=read_policies(policies)[0])
    return question.columns() | question.optional() | _OPTIONAL


def _propensity(rows: pl.DataFrame) -> Array:
    if "propensity" not in rows.columns:
        return np.ones(rows.height)
    given = rows["propensity"].cast(pl.Float64).fill_null(1.0).to_numpy()
    wrong = ~((given > 0) & (given <= 1))
    if wrong.any():
        raise ValueError(f"a propensity is {given[wrong][0]}; it is above 0 and at most 1, and 1 where rules decided")
    return given


def _draws(rows: pl.DataFrame, propensity: Array) -> Array:
    """The draw of each decision that had one. A probable one without a draw was drawn by itself."""
    alone = 2.0 + np.arange(rows.height)
    drawn = alone
    if "explore_draw" in rows.columns:
        kept = rows["explore_draw"].cast(pl.Float64).to_numpy()
        drawn = np.where(np.isnan(kept), alone, kept)
    return np.where(propensity < 1, drawn, np.nan)


def _features(rows: pl.DataFrame) -> Array:
    """Risk, and whether it is of each of the most frequent types."""
    found = [rows["risk_score"].cast(pl.Float64).fill_null(0.0).to_numpy() / 100]
    if "action_type" in rows.columns:
        types = rows["action_type"].cast(pl.String)
        # Of types that are as frequent, the first by name, so that the same rows give the same numbers.
        most = types.drop_nulls().value_counts().sort(["count", "action_type"], descending=[True, False])
        for each in most["action_type"].head(MOST_TYPES):
            found.append((types == each).fill_null(False).to_numpy().astype(np.float64))
    return np.column_stack(found)


def _outcomes(actions: Frame | None, ids: pl.Series, before: Array) -> tuple[Array, Array]:
    """Of each decision, whether its action failed and whether it completed: 1, 0, or NaN where it is unknown."""
    # What was blocked did not run, whether or not the attempt was recorded as an action.
    start = np.where(before == SEVERITY["block"], 0.0, np.nan)
    failed, completed = start.copy(), start.copy()
    if actions is None:
        return failed, completed
    made = need(actions, ["decision_id", "status"], "actions").select("decision_id", "status").collect()
    status = made["status"].cast(pl.String)
    place = places(made["decision_id"], ids)
    known = (place >= 0) & status.is_in(_ENDED).fill_null(False).to_numpy()
    for into, ended in ((failed, ActionStatus.FAILED), (completed, ActionStatus.COMPLETED)):
        into[place[known]] = (status == ended.value).fill_null(False).to_numpy()[known]
    return failed, completed


def _of_source(rows: pl.DataFrame, source: Source) -> int:
    if "source" not in rows.columns:
        return 0
    return int((rows["source"].cast(pl.String) == source.value).sum())


def _status(enough: bool, without: int, clusters: int) -> ValueStatus:
    if not enough:
        return ValueStatus.INSUFFICIENT_DATA
    if without:
        return ValueStatus.NOT_IDENTIFIED
    return ValueStatus.FEW_CLUSTERS if clusters < FEWEST_CLUSTERS else ValueStatus.OK


def _words(n: int, clusters: int, overlap: Overlap, unknown: int) -> list[str]:
    """What the numbers rest on, and what cannot be known."""
    if not n:
        return ["There are no decisions in this window, so nothing can be said."]
    says = []
    without = int(np.count_nonzero(overlap.without))
    if overlap.misfit:
        says.append(
            f"The recorded propensities do not fit what was done: weights have a mean of {overlap.mean_weight:.2f} "
            "where it should be 1. What was explored counts as not seen."
        )
    elif overlap.too_few:
        says.append(
            f"Only {overlap.draws} draws did what the policy would, and fewer than {FEWEST_DRAWS} tell nothing. What "
            "was explored counts as not seen."
        )
    if without:
        says.append(
            f"Not identified: in {without} of {n} decisions ({without / n:.1%}) the policy would do what nobody saw "
            "done. The bounds take each of their outcomes as possible, and more of the same data does not help; "
            "a policy with `explore` would."
        )
    if unknown:
        says.append(f"{unknown} of {n} decisions have no outcome yet, or never will; each may be either.")
    if overlap.explored.any():
        says.append(
            f"{overlap.draws} draws did what the policy would, worth {overlap.effective:.0f} decisions; the heaviest "
            f"hundredth of them weighs {overlap.heaviest:.0%}."
        )
    if clusters < FEWEST_CLUSTERS:
        says.append(
            "All decisions are of one cluster, so nothing tells how much chance is in it."
            if clusters < 2
            else f"There are only {clusters} clusters: the intervals may be too narrow."
        )
    says.append(
        "Assumed: what one decision does changes nothing for the next ones, and who is warned does as who is allowed."
    )
    return says


def _better(change: Interval) -> bool | None:
    return True if change.high < 0 else False if change.low > 0 else None


def _shown(found: Interval, enough: bool, times: float = 1.0) -> ValueInterval:
    return ValueInterval(
        least=times * found.least,
        most=times * found.most,
        low=times * found.low if enough else None,
        high=times * found.high if enough else None,
    )


def _outcome_value(found: PolicyValue | None, enough: bool) -> OutcomeValue | None:
    if found is None:
        return None
    return OutcomeValue(
        staying=_shown(found.staying, enough),
        going=_shown(found.going, enough),
        change=_shown(found.change, enough),
        inverse=found.inverse,
        normalised=found.normalised,
        doubly_robust=found.doubly_robust,
    )


def _cost_value(found: PolicyCost, enough: bool) -> CostValue:
    return CostValue(
        staying=_shown(found.staying, enough, PER),
        going=_shown(found.going, enough, PER),
        change=_shown(found.change, enough, PER),
    )
