"""What policies would have caused over frames: the one that the service answers with, for notebooks too.

The policies decide every decision again, as in a backtest and by their rules alone; `value` says what that would have
caused. A decision's outcome is that of its action: failed, completed, or ended otherwise. What was blocked did not run.
Where there is no action, or it has not ended, the outcome is unknown, and may be either. Failures that sessions of one
hour share are in no interval; where they stand out (`concentration`), the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import sqrt
from typing import Any, TypeAlias

import msgspec
import numpy as np
import polars as pl

from assent.contract.analysis.backtest import Costs
from assent.contract.analysis.policy_value import (
    CostValue,
    OutcomeValue,
    PolicyCosts,
    PolicyEvaluation,
    ValueInterval,
    ValueStatus,
)
from assent.contract.control.actions import FINAL, ActionStatus
from assent.contract.control.guard import Source
from assent.contract.people.organizations import HIGHEST_BOUND
from assent.contract.prepared import prepared
from assent_analytics.backtest.backtest import time_span
from assent_analytics.backtest.limits import places
from assent_analytics.backtest.policies import SEVERITY, PolicyLike, Replayable, read_policies
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
from assent_analytics.concentration import concentration
from assent_analytics.frames import Frame, need, utc
from assent_analytics.one_thread import one_thread

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

MOST_TYPES = 12
"""Types of action that the regression tells apart, the most frequent."""
PER = 1000.0
_DAY = timedelta(days=1)
_HOUR = 3600
_DOES = (PASS, PASS, ASK, BLOCK)
"""What a decision does, by its place among the decisions: who is warned goes on as who is allowed."""
_ENDED = [status.value for status in FINAL]
_OPTIONAL = {"propensity", "explore_draw", "session_id", "agent_id", "action_type", "source", "destructive"}


@one_thread()
def evaluate_policy(
    decisions: Frame,
    actions: Frame | None,
    policies: Sequence[PolicyLike],
    *,
    costs: PolicyCosts | Costs | Mapping[str, float] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    by: str | Sequence[str] | None = None,
) -> PolicyEvaluation:
    """What the whole set of `policies` would have caused on `decisions`, whose actions are in `actions`.

    Frames as `backtest` takes them; decisions also with `propensity` and `explore_draw` (without them nothing was
    explored) and, for clusters, `session_id` or `agent_id`, or the columns `by`.

    Raises what `backtest` raises, and ValueError for a propensity that is not above 0 and at most 1, for `costs` that
    are none (an unknown member is named), and where nothing says what a cluster is.
    """
    prices = _priced(costs)
    read, _ = read_policies(policies)
    flows = [each for each in read if each.of_flows and each.enforced]
    question = BacktestQuestion(policies=[replace(each, explore=0.0) for each in read if not each.of_flows])
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
        done=np.array(_DOES)[found.before],
        would=np.array(_DOES)[found.after],
        propensity=_propensity(rows),
        draw=np.zeros(0),
        clusters=keys.codes,
        features=_features(rows),
    )
    logged = replace(logged, draw=_draws(rows, logged.propensity))
    overlap = overlap_of(logged)
    clusters = len(np.unique(keys.codes))
    enough = n > 0 and clusters > 1
    failed = completed = cost = better = None
    if n:
        failed = policy_value(outcome[0], logged, overlap)
        completed = policy_value(outcome[1], logged, overlap)
        cost = None if prices is None else _cost(outcome, logged, overlap, prices)
        if enough:
            priced = prices is not None and prices.lost_work is not None
            better = _better(failed.change if cost is None else cost.change, completed.change, priced=priced)
    unknown = int(np.isnan(outcome[0]).sum())
    lost = int(np.count_nonzero(overlap.stopped & (outcome[1] == 1)))
    open_ = overlap.without & _may_explore(rows, found.before)
    without = int(np.count_nonzero(overlap.without))
    return PolicyEvaluation(
        status=_status(enough, without, clusters),
        says=[
            *_words(n, clusters, overlap, unknown, int(np.count_nonzero(open_))),
            *_concentrated(rows, outcome[0], logged),
            *_left_out(flows),
            *_lost(lost, n, priced=prices is not None and prices.lost_work is not None),
        ],
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
        costs=None if cost is None else _cost_value(cost, enough),
        better=better,
    )


def columns_to_evaluate(policies: Sequence[PolicyLike]) -> set[str]:
    """The columns of the decisions that an evaluation of these looks at, with those that it can do without."""
    question = BacktestQuestion(policies=[each for each in read_policies(policies)[0] if not each.of_flows])
    return question.columns() | question.optional() | _OPTIONAL


def _left_out(flows: Sequence[Replayable]) -> list[str]:
    """What a call that asks would have become is not in the traces of where values came from."""
    if not flows:
        return []
    names = ", ".join(each.name for each in flows)
    return [f"Flow policies are left out here: {names}. A backtest says where they would have stopped sessions."]


def _priced(costs: PolicyCosts | Costs | Mapping[str, float] | None) -> PolicyCosts | None:
    if isinstance(costs, Costs):
        return PolicyCosts(interruption=costs.interruption, failure=costs.failure)
    try:
        return None if costs is None else msgspec.convert(costs, prepared(PolicyCosts))
    except msgspec.ValidationError as error:
        raise ValueError(f"costs are none: {error}") from error


def _cost(outcome: tuple[Array, Array], logged: Logged, overlap: Overlap, prices: PolicyCosts) -> PolicyCost:
    """The cost by one number between 0 and 1 for each decision, what it lost of the most that one can lose."""
    lost_work = prices.lost_work or 0.0
    most = prices.failure + lost_work
    share = lost_work / most if most else 0.0
    loss = (1 - share) * outcome[0] + share * (1 - outcome[1])
    return policy_value(loss, logged, overlap, interruption=prices.interruption, failure=most, blocked=share).cost


def _may_explore(rows: pl.DataFrame, before: Array) -> Array:
    """Which decisions a policy could have explored, as far as the columns tell."""
    may = (before != SEVERITY["block"]) & (rows["risk_score"].cast(pl.Float64) < HIGHEST_BOUND).fill_null(
        True
    ).to_numpy()
    if "destructive" in rows.columns:
        may &= ~rows["destructive"].cast(pl.Boolean).fill_null(False).to_numpy()
    return np.asarray(may)


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


def _words(n: int, clusters: int, overlap: Overlap, unknown: int, open_: int) -> list[str]:
    """What the numbers rest on, and what cannot be known. Exploring may touch `open_` of what nobody saw."""
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
            f"{_exploring(open_, without)}"
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


def _exploring(open_: int, without: int) -> str:
    if not open_:
        return f"nor does exploring: it never touches blocks, destruction or risks from {HIGHEST_BOUND} on."
    which = "a policy with `explore`" if open_ == without else f"in {open_} of them a policy with `explore`"
    return f"{which} would, where the action says `reversible: true`."


def _concentrated(rows: pl.DataFrame, failed: Array, logged: Logged) -> list[str]:
    """That failures stand together in time beyond the clusters, which no interval covers."""
    ran = (logged.done != BLOCK) & rows["occurred_at"].is_not_null().to_numpy()
    hours = rows.select(utc("occurred_at").dt.epoch("s").fill_null(0) // _HOUR).to_series().to_numpy()
    found = concentration(failed[ran], logged.clusters[ran], hours[ran])
    if not found.concentrated or found.ratio is None or found.worst is None:
        return []
    known = ran & np.isfinite(failed)
    here = known & (hours == found.worst)
    worst = datetime.fromtimestamp(found.worst * _HOUR, UTC)
    return [
        f"Failures are concentrated in time, as in an outage: hours have {found.ratio:.1f} times the variance that "
        f"clusters account for (p = {found.p_value:.3f}, {found.hours} hours). Most are in the hour from "
        f"{worst:%Y-%m-%d %H:%M} UTC, {int(failed[here].sum())} of {int(failed[known].sum())}. The intervals do not "
        f"cover what sessions share; they would have to be about {sqrt(found.ratio):.1f} times as wide."
    ]


def _lost(lost: int, n: int, *, priced: bool) -> list[str]:
    if not lost:
        return []
    said = f"Work is lost: {lost} of {n} decisions ({lost / n:.1%}) that would be blocked ended well."
    return [said if priced else f"{said} It has no price here: give one as `lost_work` in the costs."]


def _better(change: Interval, work: Interval, *, priced: bool) -> bool | None:
    """By failures or their cost. Where work has no price, fewer with less of it is neither, nor more with more."""
    if change.high < 0:
        return True if priced or work.high >= 0 else None
    if change.low > 0:
        return False if priced or work.low <= 0 else None
    return None


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
