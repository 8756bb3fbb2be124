"""What a policy would have caused: the share of decisions that end in some outcome, had it decided them. Pure numbers.

Each decision was either let pass, asked about or blocked; the policy would do one of the three. Y is 1 where the action
ended so (say: failed), 0 where it ended otherwise or did not run, and the propensity is the recorded probability of
what was done.

1. Where the policy would do what was done without a draw, Y is what was seen. Where it would block, Y is 0: nothing
   runs.
2. Where a draw could have done what the policy would, and it did with weight w = 1 / propensity (0 where it did not):
   inverse propensity scoring, sum(w Y); self-normalised, that over sum(w); doubly robust, sum(m + w (Y - m)), with m a
   ridge regression of Y on what is known of the decision, fitted without the draws that share its fifth (D. G. Horvitz
   and D. J. Thompson, Journal of the American Statistical Association 47 (1952), 663-685; J. M. Robins, A. Rotnitzky
   and L. P. Zhao, ibid. 89 (1994), 846-866; V. Chernozhukov et al., Econometrics Journal 21 (2018), C1-C68; M. Dudik,
   J. Langford and L. Li, ICML 2011). The propensity is known and not estimated, so no model has to be right.
3. Elsewhere there is no overlap, and Y lies between 0 and 1: bounds (C. F. Manski, American Economic Review 80 (1990),
   319-323). So it does where the outcome is unknown.
4. Weights first: the effective number of explored decisions, sum(w)^2 / sum(w^2); how much the heaviest hundredth
   weighs; and whether their mean is 1, as it is where the propensities are right. Fewer than `FEWEST_DRAWS` draws that
   did what the policy would, or a mean 4 standard errors from 1, count as no overlap.
5. Variances are clustered both ways, by session (`clusters`) and by draw, which all questions of a key and hour share:
   V(session) + V(draw) - V(both), and no less than either (A. C. Cameron, J. B. Gelbach and D. L. Miller, Journal of
   Business & Economic Statistics 29 (2011), 238-249), with Student's quantile.
6. Few events with large weights are skew. So each part has Wilson's interval at its effective n, p (1 - p) / V, at most
   that of its weights, and parts are added by the square-and-add rule with their correlations (G. Y. Zou and A. Donner,
   Statistics in Medicine 27 (2008), 1693-1702). A part that no decision is of is exactly 0, and one that all are of
   exactly known: where every decision is the same, the change is 0 and has no chance in it.
7. What was blocked has the outcome `blocked`: 0 of failing and of completing, and of a loss (a number between 0 and 1
   in which failing and not completing are put together) that of not completing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from assent_analytics.means import t_quantile

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

PASS, ASK, BLOCK = 0, 1, 2
FEWEST_DRAWS = 20
FEWEST_CLUSTERS = 10
MISFIT = 4.0
FOLDS = 5
PENALTY = 5.0


@dataclass(frozen=True)
class Logged:
    """One entry for each decision: what was done and what the policy would do (PASS, ASK or BLOCK), the propensity of
    what was done, the draw (NaN for none), the number of its cluster, and what a regression may look at."""

    done: Array
    would: Array
    propensity: Array
    draw: Array
    clusters: Array
    features: Array


@dataclass(frozen=True)
class Overlap:
    """The masks of rule 1 to 3, the weights, and what they say of themselves. `draws` did what the policy would."""

    same: Array
    stopped: Array
    explored: Array
    without: Array
    weights: Array
    draws: int
    effective: float
    heaviest: float
    mean_weight: float | None
    misfit: bool
    too_few: bool


class Interval(NamedTuple):
    """From `least` to `most` without chance, from `low` to `high` with it."""

    least: float
    most: float
    low: float
    high: float


class PolicyCost(NamedTuple):
    """Of one decision, as in PolicyValue."""

    staying: Interval
    going: Interval
    change: Interval


class PolicyValue(NamedTuple):
    """`staying` is what was done, `going` what the policy would cause, `change` the latter less the former; the three
    estimators are None where something has no overlap or no outcome."""

    staying: Interval
    going: Interval
    change: Interval
    cost: PolicyCost
    inverse: float | None
    normalised: float | None
    doubly_robust: float | None


def overlap_of(logged: Logged) -> Overlap:
    same = (logged.done == logged.would) & (logged.propensity >= 1)
    stopped = (logged.would == BLOCK) & ~same
    drawn = (logged.propensity < 1) & (logged.would != BLOCK)
    taken = drawn & (logged.done == logged.would)
    weights = np.where(taken, 1 / logged.propensity, 0.0)
    inside = weights[drawn]
    draws = len(np.unique(logged.draw[taken]))
    total = float(inside.sum())
    effective = total**2 / float((inside**2).sum()) if total else 0.0
    heaviest = 0.0
    mean_weight, misfit = None, False
    if total:
        top = np.sort(inside)[::-1][: max(1, len(inside) // 100)]
        heaviest = float(top.sum()) / total
        mean_weight = total / len(inside)
        codes = np.unique(logged.draw[drawn], return_inverse=True)[1]
        moves = np.bincount(codes, inside - 1)
        spread = sqrt(float(moves @ moves)) / len(inside)
        misfit = draws >= FEWEST_DRAWS and abs(mean_weight - 1) > MISFIT * spread
    too_few = bool(drawn.any()) and draws < FEWEST_DRAWS
    explored = np.zeros_like(drawn) if too_few or misfit else drawn
    return Overlap(
        same=same,
        stopped=stopped,
        explored=explored,
        without=~same & ~stopped & ~explored,
        weights=np.where(explored, weights, 0.0),
        draws=draws,
        effective=effective,
        heaviest=heaviest,
        mean_weight=mean_weight,
        misfit=misfit,
        too_few=too_few,
    )


def policy_value(
    outcome: Array,
    logged: Logged,
    overlap: Overlap,
    *,
    interruption: float = 0.0,
    failure: float = 1.0,
    blocked: float = 0.0,
    confidence: float = 0.95,
) -> PolicyValue:
    """`outcome` lies between 0 and 1, or is NaN where it is unknown; `blocked` is that of what does not run. Asking
    costs `interruption`, an outcome of 1 `failure`. At least one decision."""
    unknown, kept = np.isnan(outcome), overlap.weights > 0
    prices = (interruption, failure)

    def found(guess: Array) -> PolicyValue:
        return _value(np.where(unknown, guess, outcome), logged, overlap, prices, blocked, confidence)

    none, every = np.zeros(len(outcome)), np.ones(len(outcome))
    low = found(none)
    if not unknown.any():
        return low
    # What is unknown of a decision is the same for staying and for going where both would do what was done.
    each = [low, found(every), found(np.where(kept, none, every)), found(np.where(kept, every, none))]
    return PolicyValue(
        staying=_joined(each[:2], "staying"),
        going=_joined(each[:2], "going"),
        change=_joined(each, "change"),
        cost=PolicyCost(
            staying=_joined([one.cost for one in each[:2]], "staying"),
            going=_joined([one.cost for one in each[:2]], "going"),
            change=_joined([one.cost for one in each], "change"),
        ),
        inverse=None,
        normalised=None,
        doubly_robust=None,
    )


def _joined(values: Sequence[PolicyValue | PolicyCost], name: str) -> Interval:
    found: list[Interval] = [getattr(each, name) for each in values]
    return Interval(
        min(each.least for each in found),
        max(each.most for each in found),
        min(each.low for each in found),
        max(each.high for each in found),
    )


def _value(
    y: Array, logged: Logged, overlap: Overlap, prices: tuple[float, float], blocked: float, confidence: float
) -> PolicyValue:
    n = len(y)
    explored, weights = overlap.explored, overlap.weights
    model = _model(y, logged, overlap)
    robust = np.where(explored, model + weights * (y - model), 0.0)
    same, stopped, without = overlap.same, overlap.stopped, overlap.without
    asked = logged.done == ASK
    parts = _Parts(
        [
            _Part(y * same, same),
            _Part(robust, explored),
            _Part(y * explored, explored),
            _Part(y * stopped, stopped),
            _Part(without, without),
            _Part(y * without, without),
            _Part(asked & same, same),
            _Part(asked & ~same, ~same),
            _Part((logged.would == ASK) & ~same, explored | without),
            _Part(stopped, stopped),
        ],
        logged,
        overlap,
        confidence,
    )
    seen = float((y * same).sum()) + blocked * np.count_nonzero(stopped)
    inverse = float(seen + float((weights * y).sum())) / n
    total = float(weights.sum())
    normalised = inverse
    if explored.any():
        normalised = float((seen + np.count_nonzero(explored) * float((weights * y).sum()) / total) / n)
    whole = not without.any()
    asking, ending = prices
    staying = np.array([1.0, 0, 1, 1, 0, 1, 0, 0, 0, 0])
    going = np.array([1.0, 1, 0, 0, 0, 0, 0, 0, 0, blocked])
    open_ = np.eye(10)[4]
    alike = np.eye(10)[6]
    were, would = (alike + np.eye(10)[7]) * asking, (alike + np.eye(10)[8]) * asking
    most = asking + ending
    return PolicyValue(
        staying=parts.interval(staying, staying, 0.0, 1.0),
        going=parts.interval(going, going + open_, 0.0, 1.0),
        change=parts.interval(going - staying, going - staying + open_, -1.0, 1.0),
        cost=PolicyCost(
            staying=parts.interval(ending * staying + were, ending * staying + were, 0.0, most),
            going=parts.interval(ending * going + would, ending * (going + open_) + would, 0.0, most),
            change=parts.interval(
                ending * (going - staying) + would - were,
                ending * (going - staying + open_) + would - were,
                -most,
                most,
            ),
        ),
        inverse=inverse if whole else None,
        normalised=normalised if whole else None,
        doubly_robust=float(parts.means @ going) if whole else None,
    )


def _model(y: Array, logged: Logged, overlap: Overlap) -> Array:
    """The expected outcome of each explored decision under what the policy would do, each fifth of the draws told by
    the others."""
    told = np.zeros(len(y))
    explored = overlap.explored
    if not explored.any():
        return told
    rank = np.unique(logged.draw[explored], return_inverse=True)[1]
    fold = np.full(len(y), -1)
    fold[explored] = rank % FOLDS
    for each in range(FOLDS):
        here = fold == each
        others = explored & ~here & (overlap.weights > 0)
        if here.any() and others.any():
            told[here] = _ridge(logged.features[others], y[others], logged.features[here])
    return told


def _ridge(features: Array, y: Array, asked: Array) -> Array:
    centre, spread = features.mean(0), features.std(0)
    spread = np.where(spread > 0, spread, 1.0)
    x, mean = (features - centre) / spread, float(y.mean())
    weight = np.linalg.solve(x.T @ x + PENALTY * np.eye(x.shape[1]), x.T @ (y - mean))
    return np.asarray(np.clip(mean + (asked - centre) / spread @ weight, 0.0, 1.0))


class _Part(NamedTuple):
    """A number for each decision, which is 0 for those that are not `of` it."""

    values: Array
    of: Array


class _Parts:
    """The parts of a value, each a mean over all decisions, with Wilson's interval and how they vary together."""

    def __init__(self, parts: Sequence[_Part], logged: Logged, overlap: Overlap, confidence: float) -> None:
        values = np.column_stack([each.values.astype(np.float64) for each in parts])
        n = len(values)
        self.means = values.mean(0)
        moves = (values - self.means) / n
        clusters = np.unique(logged.clusters, return_inverse=True)[1]
        covariance = _covariance(moves, clusters)
        freedom = int(clusters.max())
        if overlap.explored.any():
            # What was not drawn goes with its cluster alone.
            drawn = np.unique(np.where(np.isnan(logged.draw), -1.0 - clusters, logged.draw), return_inverse=True)[1]
            both = np.unique(clusters.astype(np.int64) * (int(drawn.max()) + 1) + drawn, return_inverse=True)[1]
            draws = _covariance(moves, drawn)
            twice = covariance + draws - _covariance(moves, both)
            least = np.maximum(np.diag(covariance), np.diag(draws))
            np.fill_diagonal(twice, np.maximum(np.diag(twice), least))
            covariance, freedom = twice, min(freedom, overlap.draws - 1)
        self.variance = np.diag(covariance)
        scale = np.sqrt(np.outer(self.variance, self.variance))
        self.correlation = np.where(scale > 0, covariance / np.where(scale > 0, scale, 1.0), 0.0).clip(-1, 1)
        np.fill_diagonal(self.correlation, 1.0)
        self._t = t_quantile(max(1, freedom), confidence)
        most = np.full(values.shape[1], float(n))
        inside = np.count_nonzero(overlap.explored)
        if inside:
            most[1] = min(float(n), n * overlap.effective / inside)
        few = int(clusters.max()) + 1
        self.bounds = [
            (float(mean), float(mean))
            if _known(part)
            else _wilson(float(mean), float(variance), float(at_most), few, self._t)
            for part, mean, variance, at_most in zip(parts, self.means, self.variance, most, strict=True)
        ]

    def interval(self, least: Array, most: Array, floor: float, ceiling: float) -> Interval:
        """From one sum of parts to another, within what can be."""
        lower, upper = float(self.means @ least), float(self.means @ most)
        low = lower - self._reach(least, up=False)
        high = upper + self._reach(most, up=True)
        return Interval(*(min(max(each, floor), ceiling) for each in (lower, upper, low, high)))

    def _reach(self, signs: Array, *, up: bool) -> float:
        away = []
        for sign, mean, (low, high) in zip(signs, self.means, self.bounds, strict=True):
            towards = high - mean if bool(sign > 0) is up else mean - low
            away.append(sign * max(0.0, float(towards)))
        reach = np.array(away)
        return sqrt(max(0.0, float(reach @ self.correlation @ reach)))


def _known(part: _Part) -> bool:
    """Whether no decision is of it, or it says nothing but which are, and all are."""
    return not part.of.any() or (part.values is part.of and bool(part.of.all()))


def _covariance(moves: Array, codes: Array) -> Array:
    groups = int(codes.max()) + 1
    sums = np.column_stack([np.bincount(codes, column, groups) for column in moves.T])
    return np.asarray(sums.T @ sums * (groups / max(1, groups - 1)))


def _wilson(mean: float, variance: float, most: float, clusters: int, t: float) -> tuple[float, float]:
    """Wilson's interval at the effective n; where all are alike, at one for each cluster and no more than `most`."""
    p = min(max(mean, 0.0), 1.0)
    size = min(most, p * (1 - p) / variance) if variance > 0 and 0 < p < 1 else min(most, float(clusters))
    if variance == 0 and p == 0 and mean == 0 and most > clusters:
        size = most
    centre = (p * size + t * t / 2) / (size + t * t)
    half = t / (size + t * t) * sqrt(size * p * (1 - p) + t * t / 4)
    return min(p, centre - half), max(p, centre + half)
