"""A risk template out of history: points that are percents of failure, fitted to what failed.

1. Looked at are finished actions, of one type or all; those that failed or were cancelled count as failures. Where
   failure shows elsewhere (a reward, a refund), `failed` says so, and the rows of which it says anything count. Whoever
   runs them is not looked at. What was blocked, denied or expired has no outcome: it is counted as `stopped`, and a
   template says nothing of it but within `rate_least` to `rate_most`, the shares of failures if all of it had ended
   well, or all badly (C. F. Manski, American Economic Review 80 (1990), 319-323).
2. Candidates for a rule are that an action is irreversible (`reversible` is false), and each system touched, the most
   frequent ones first. One that holds for fewer than `fewest` actions, or does not hold for fewer, is not judged; nor
   is one that says what those before it say already.
3. The model is a logistic regression on all candidates at once, by Newton's steps, whose coefficients are drawn to 0 by
   a ridge (S. le Cessie, J. C. van Houwelingen, "Ridge estimators in logistic regression", Applied Statistics 41
   (1992), 191-201). How strongly is chosen by the likelihood of clusters (`clusters.cluster_keys`) that were left out,
   in five parts. What a candidate adds is how much more often actions fail with it than without, averaged over all
   actions as they are otherwise.
4. The template is accepted where the failures of each cluster are foretold by what all other clusters teach: with u_g
   the residuals of cluster g times its candidates, and M the inverse of their covariance with its diagonal doubled, the
   sum over all pairs of different clusters of u_g' M u_h (J. J. Goeman, S. A. van de Geer, H. C. van Houwelingen,
   "Testing against a high dimensional alternative", Journal of the Royal Statistical Society B 68 (2006), 477-493).
   How large it grows by chance is found by turning the signs of whole clusters, which keeps what is alike within one
   (the wild bootstrap of a degenerate U-statistic: A. Leucht, M. H. Neumann, "Dependent wild bootstrap for degenerate
   U- and V-statistics", Journal of Multivariate Analysis 117 (2013), 257-280). It is one test for all candidates, at
   0.8 * (1 - `confidence`), because signs are exact for symmetric u only. The parts of rule 3 must be likelier by what
   the others teach than by their share of failures as well. Fewer than 10 clusters accept nothing.
   Agents differ in how often they fail and in what they touch, and then their sessions are not independent. So unless
   the caller says what clusters are, the test has to hold a second time: with agents as the clusters where there are
   `AGENTS` or more, else by what is left of failures and candidates beside each agent's own means.
5. If it is accepted, candidates whose coefficient is larger than its standard error over clusters become rules; the fit
   is repeated with these alone. Its additions times 100 are the points, rounded to whole ones, or to fives where they
   are not known better than that; those that round to 0 are dropped. `base_risk` is what is left of the share of
   failures. If it is not, there is no rule. `regression` has the points of the whole regression in both cases: of few
   actions it ranks better than rules that passed a test, and of noise it is noise.
6. The interval of each addition is that of the linear probability model (least squares on all candidates), over
   clusters by the jackknife, and by HC1 where each row is its own (J. G. MacKinnon, H. White, "Some
   heteroskedasticity-consistent covariance matrix estimators with improved finite sample properties", Journal of
   Econometrics 29 (1985), 305-325), its confidence raised by Bonferroni so that all hold together.

Rows that say neither session, thread nor agent are taken as independent of each other, and `basis` says so. Points then
mean: of a hundred such actions, about so many fail. They are of what was released, and say what went together, not why.
Below `fewest` finished actions it is `insufficient_data`, with no rules and a base of 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from msgspec import Struct

from assent.contract.conditions import describe, parse
from assent.contract.control.actions import ActionStatus
from assent_analytics.clusters import FEWEST, cluster_keys, clustered_mean
from assent_analytics.episodes import cancelled, ran, stopped
from assent_analytics.frames import Frame, columns, count, need, one_of, simulated, weight
from assent_analytics.means import t_quantile
from assent_analytics.one_thread import one_thread
from assent_analytics.rates import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Codes: TypeAlias = "NDArray[np.int64]"

RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0)
"""How many actions' worth of variance the ridge adds to each coefficient, from weak to strong."""
PARTS, DRAWS, MOST_GROUPS = 5, 1999, 1000
STRICTER = 0.8
"""Turned signs are exact for symmetric clusters only: 4% keeps what noise gives below 5%."""

AGENTS = 30
"""So many are clusters enough."""

_SAME = 1e-9
"""What is left of a candidate that those before it say already, as a share of itself."""


class RuleEvidence(Struct, frozen=True, kw_only=True):
    """One candidate: how often it held and failed then, and what it adds, in points, with its interval. `kept` says
    that it became a rule; `add` is then the rule's, before it is rounded, else that of the first fit. `coefficient` is
    the logistic regression's, in log odds."""

    condition: dict[str, Any]
    described: str
    n: int
    failed: int
    add: float
    low: float
    high: float
    kept: bool
    coefficient: float = 0.0


class SuggestedTemplate(Struct, frozen=True, kw_only=True):
    """`n` finished actions, of which `failed` did; `rate_low` and `rate_high` are Wilson's interval of their share.
    `simulated` counts those that a simulator made. `status` is ok or insufficient_data.

    It was learned from released actions only: `stopped` ones and those that were `cancelled` while they ran have no
    outcome, and with them the share of failures would lie between `rate_least` and `rate_most`. `accepted` says whether
    it foretells clusters that it was not found on, by a test whose chance under noise is `p_value`; it stands on
    `clusters`, of which `basis` says what they are. `ridge` is the strength that was chosen. `note` says all this in
    words. `regression` and `regression_base` are the whole regression as a template, accepted or not: every candidate,
    with what it adds."""

    status: str
    action_type: str | None
    base_risk: int
    rules: list[dict[str, Any]]
    evidence: list[RuleEvidence]
    n: int
    failed: int
    rate_low: float
    rate_high: float
    simulated: int
    accepted: bool = False
    p_value: float | None = None
    clusters: int = 0
    basis: str = ""
    ridge: float | None = None
    stopped: int = 0
    rate_least: float = 0.0
    rate_most: float = 1.0
    note: str = ""
    regression_base: int = 0
    regression: list[dict[str, Any]] = []
    cancelled: int = 0

    def as_arguments(self, name: str) -> dict[str, Any]:
        """What `client.create_risk_template` takes."""
        return {"name": name, "action_type": self.action_type, "base_risk": self.base_risk, "rules": self.rules}


@one_thread()
def suggest_template(
    actions: Frame,
    action_type: str | None = None,
    *,
    failed: pl.Expr | None = None,
    fewest: int = 20,
    systems: int = 10,
    confidence: float = 0.95,
    cluster: str | Sequence[str] | None = None,
    seed: int = 0,
) -> SuggestedTemplate:
    """Needs `status`, unless `failed` is a Boolean expression over the columns that are there; uses `action_type`,
    `reversible` and `systems_touched` (a list, or its JSON text) where they are there, and the columns `cluster`, else
    those that `cluster_keys` looks at (the hour by `timestamp_start`). Raises ValueError for missing columns and for a
    confidence that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    kinds, touched, basis, halted, given_up = _kinds(actions, action_type, failed, cluster)
    without = halted + given_up
    n = int(kinds["n"].sum())
    failures = int(kinds.filter(pl.col("failed"))["n"].sum())
    low, high = wilson(failures, n)
    single = basis == SINGLE
    clusters = n if single else kinds["cluster"].n_unique()
    known: dict[str, Any] = {
        "action_type": action_type,
        "n": n,
        "failed": failures,
        "rate_low": low,
        "rate_high": high,
        "simulated": int(kinds["made"].sum()),
        "clusters": clusters,
        "basis": basis,
        "stopped": halted,
        "cancelled": given_up,
        "rate_least": failures / (n + without) if n + without else 0.0,
        "rate_most": (failures + without) / (n + without) if n + without else 1.0,
    }
    if n < fewest or n < 2:
        note = f"{n} finished actions; {max(fewest, 2)} are needed."
        return SuggestedTemplate(status="insufficient_data", base_risk=0, rules=[], evidence=[], note=note, **known)
    # What the model looks at is the same for many rows: it is fitted to those that differ, with their numbers.
    same = ["irreversible", "touched", "failed"]
    fold = kinds.group_by(same, maintain_order=True).agg(pl.col("n").sum())
    times, happened = (fold[name].to_numpy().astype(np.float64) for name in ("n", "failed"))
    conditions, few = _candidates(fold, touched, times, fewest, systems)
    place = kinds.join(fold.with_row_index("place"), on=same, how="left", maintain_order="left")
    rows = _Rows(
        kinds["failed"].to_numpy().astype(np.float64),
        kinds["n"].to_numpy().astype(np.float64),
        None if single else kinds["cluster"].to_numpy().astype(np.int64),
        place["place"].to_numpy().astype(np.int64),
        kinds["agent"].to_numpy().astype(np.int64) if "agent" in kinds.columns else None,
    )
    ridge, foretold = _ridge(few, happened, rows, seed)
    first = logistic(few, happened, times, ridge)
    adds, coefficients = additions(few, times, first), first
    design = few[rows.place]
    linear, errors, freedom = _linear(design, rows)
    tail = (1 - confidence) / max(1, len(conditions))
    half = errors * (t_quantile(freedom, 1 - tail) if freedom else NormalDist().inv_cdf(1 - tail / 2))
    p_value = _chance(design, rows, seed) if conditions and 0 < failures < n else None
    level = STRICTER * (1 - confidence)
    accepted = foretold and p_value is not None and p_value <= level and clusters >= FEWEST
    kept = [at for at in range(len(conditions)) if accepted and abs(linear[at + 1]) > errors[at + 1]]
    chosen = few[:, [0, *(at + 1 for at in kept)]]
    of_rules = dict(zip(kept, additions(chosen, times, logistic(chosen, happened, times, ridge)), strict=True))
    evidence = [
        RuleEvidence(
            condition=condition,
            described=describe(parse(condition)),
            n=int((times * few[:, at + 1]).sum()),
            failed=int((times * few[:, at + 1] * happened).sum()),
            add=100 * float(of_rules.get(at, adds[at])),
            low=100 * float(linear[at + 1] - half[at + 1]),
            high=100 * float(linear[at + 1] + half[at + 1]),
            kept=at in of_rules,
            coefficient=float(coefficients[at + 1]),
        )
        for at, condition in enumerate(conditions)
    ]
    base, rules = _readable(conditions, few, happened, times, of_rules, errors)
    regression_base, regression = _readable(conditions, few, happened, times, dict(enumerate(adds)), errors)
    return SuggestedTemplate(
        status="ok",
        base_risk=base,
        rules=rules,
        evidence=evidence,
        regression_base=regression_base,
        regression=regression,
        accepted=accepted,
        p_value=p_value,
        ridge=ridge,
        note=_note(known, accepted, p_value, level, len(conditions)),
        **known,
    )


def logistic(design: Floats, happened: Floats, times: Floats, ridge: float) -> Floats:
    """Coefficients of the logistic regression of `happened` on the columns of `design`, of which the first is 1; row i
    stands for `times[i]` alike ones. `ridge` is the weight of the penalty on the others, by their variance, as so many
    rows of even odds.

    Where all or none happened, the odds are those with half a row more of each.
    """
    n, share = float(times.sum()), float((times @ happened) / times.sum())
    begin = np.zeros(design.shape[1])
    even = (share * n + 0.5) / (n + 1)
    begin[0] = np.log(even / (1 - even))
    if not 0 < share < 1 or design.shape[1] == 1:
        return begin
    mean = (times @ design) / n
    penalty = np.diag(ridge / 4 * ((times @ design**2) / n - mean**2))
    found = begin
    value = _loss(design, happened, times, penalty, found)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-(design @ found)))
        slope = design.T @ (times * (happened - chance)) - penalty @ found
        bend = design.T @ (design * (times * chance * (1 - chance))[:, None]) + penalty
        step = np.linalg.lstsq(bend, slope, rcond=None)[0]
        while (ahead := _loss(design, happened, times, penalty, found + step)) > value + 1e-12 and np.abs(
            step
        ).max() > 1e-9:
            step = step / 2
        found, value = found + step, ahead
        if np.abs(step).max() < 1e-9:
            break
    return found


def additions(design: Floats, times: Floats, coefficients: Floats) -> Floats:
    """How much each column but the first adds to the chance, on average over the rows as they are otherwise."""
    odds = design @ coefficients
    adds = [
        times
        @ (
            1 / (1 + np.exp(-(odds + (1 - design[:, at]) * coefficients[at])))
            - 1 / (1 + np.exp(-(odds - design[:, at] * coefficients[at])))
        )
        for at in range(1, design.shape[1])
    ]
    return np.asarray(np.array(adds, dtype=np.float64) / times.sum())


def fit(design: Floats, happened: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Coefficients of the least squares of `happened` on the columns of `design`, and their HC1 standard errors; row i
    stands for `times[i]` alike ones. The columns must be independent of each other."""
    inverse = np.linalg.inv(design.T @ (design * times[:, None]))
    coefficients = inverse @ (design.T @ (times * happened))
    residuals = happened - design @ coefficients
    middle = design.T @ (design * (times * residuals**2)[:, None])
    n, k = times.sum(), design.shape[1]
    covariance = inverse @ middle @ inverse * (n / (n - k) if n > k else 1.0)
    return coefficients, np.sqrt(np.clip(np.diag(covariance), 0, None))


class _Rows(NamedTuple):
    """Kinds of rows: whether they happened, how many they stand for, their clusters (None where each single row is its
    own), the `place` of each among those that differ in what the model looks at, and their agents (None where nothing
    says them, or the caller says what clusters are)."""

    happened: Floats
    times: Floats
    codes: Codes | None
    place: Codes
    agents: Codes | None = None


SINGLE = "row"
"""The basis where nothing says which rows belong together."""


def _loss(design: Floats, happened: Floats, times: Floats, penalty: Floats, coefficients: Floats) -> float:
    odds = design @ coefficients
    return float(times @ (np.logaddexp(0, odds) - happened * odds) + coefficients @ penalty @ coefficients / 2)


def _ridge(design: Floats, happened: Floats, rows: _Rows, seed: int) -> tuple[float, bool]:
    """The strength under which parts of the clusters are most likely by what the others teach, and whether they are
    more likely so than by the others' share of failures alone. `design` and `happened` are of those that differ."""
    random = np.random.default_rng(seed)
    if rows.codes is None:
        # Single rows of a kind fall into the parts as cards are dealt.
        dealt = random.multinomial(rows.times.astype(np.int64), np.full(PARTS, 1 / PARTS)).T.astype(np.float64)
    else:
        groups = int(rows.codes.max()) + 1
        part = random.permutation(groups) % PARTS
        dealt = np.array([rows.times * (part[rows.codes] == at) for at in range(PARTS)])
    dealt = np.array([np.bincount(rows.place, each, len(design)) for each in dealt])
    total = dealt.sum(axis=0)

    def lost(columns: Floats, ridge: float) -> float:
        free = np.zeros((columns.shape[1], columns.shape[1]))
        return sum(
            _loss(columns, happened, held, free, logistic(columns, happened, total - held, ridge))
            for held in dealt
            if held.any() and (total - held).any()
        )

    losses = [lost(design, ridge) for ridge in RIDGES]
    best = int(np.argmin(losses))
    return RIDGES[best], losses[best] < lost(design[:, :1], 0.0)


def _chance(design: Floats, rows: _Rows, seed: int) -> float:
    """The p-value of rule 4, the larger one of its two tests."""
    nobody = np.zeros(len(rows.times), dtype=np.int64)
    found = _chance_beside(design, rows, nobody, seed)
    agents = 0 if rows.agents is None else int(rows.agents.max()) + 1
    if agents >= AGENTS:
        found = max(found, _chance_beside(design, rows._replace(codes=rows.agents), nobody, seed))
    elif rows.agents is not None and agents > 1:
        found = max(found, _chance_beside(design, rows, rows.agents, seed))
    return found


def _beside(values: Floats, times: Floats, groups: Codes) -> Floats:
    """What is left of each value beside the mean of its group."""
    means = np.bincount(groups, times * values) / np.bincount(groups, times)
    return np.asarray(values - means[groups])


def _chance_beside(design: Floats, rows: _Rows, means_of: Codes, seed: int) -> float:
    """The p-value of what is left beside the means of groups."""
    random = np.random.default_rng(seed)
    n = rows.times.sum()
    centred = np.array([_beside(column, rows.times, means_of) for column in design[:, 1:].T]).T
    left = _beside(rows.happened, rows.times, means_of)
    # A candidate that is each agent's own is left with nothing.
    varies = rows.times @ centred**2 > _SAME * (rows.times @ design[:, 1:] ** 2)
    if not varies.any():
        return 1.0
    centred = centred[:, varies]
    spread = centred.T @ (centred * rows.times[:, None]) + np.diag(rows.times @ centred**2)
    if rows.codes is None:
        each, number = centred * left[:, None], rows.times
        # The signs of so many alike rows, added up.
        signs = 2 * random.binomial(number.astype(np.int64), 0.5, (DRAWS, len(number))) - number
        apart = float((number * np.einsum("ij,ij->i", each, np.linalg.solve(spread, each.T).T)).sum())
        taken = 1 / n
    else:
        groups = int(rows.codes.max()) + 1
        # Clusters dealt together are clusters as well.
        dealt = random.permutation(groups) % MOST_GROUPS if groups > MOST_GROUPS else np.arange(groups)
        code = dealt[rows.codes]
        weighted = rows.times * left
        each = np.array([np.bincount(code, weighted * column) for column in centred.T], dtype=np.float64).T
        number = np.ones(len(each))
        signs = random.choice(np.array([-1.0, 1.0]), (DRAWS, len(each)))
        apart = float(np.einsum("ij,ij->", each, np.linalg.solve(spread, each.T).T))
        taken = float((np.bincount(code, rows.times) ** 2).sum()) / n**2

    def together(sums: Floats) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", sums, np.linalg.solve(spread, sums.T).T) - apart)

    # The means are of the same rows, which lets the clusters' sums vary more than their signs do.
    seen = together(sqrt(1 - taken) * (number @ each)[None, :])[0]
    drawn = together(signs @ each)
    return float((1 + (drawn >= seen * (1 - 1e-12)).sum()) / (1 + DRAWS))


def _linear(design: Floats, rows: _Rows) -> tuple[Floats, Floats, int | None]:
    """Coefficients of least squares, their errors by rule 6, and degrees of freedom where they are of clusters."""
    coefficients, errors = fit(design, rows.happened, rows.times)
    if rows.codes is None:
        return coefficients, errors, None
    groups = int(rows.codes.max()) + 1
    left = rows.happened - design @ coefficients
    inverse = np.linalg.inv(design.T @ (design * rows.times[:, None]))
    # What is left of a column beside the others, times its square: the coefficient is a mean of what clusters say.
    beside = design @ inverse / np.diag(inverse)
    found = np.zeros(len(coefficients))
    for at in range(len(coefficients)):
        heavy = np.bincount(rows.codes, rows.times * beside[:, at] ** 2, groups)
        moved = np.bincount(rows.codes, rows.times * beside[:, at] * left, groups)
        there = heavy > _SAME * heavy.sum()
        error = clustered_mean(moved[there] / heavy[there], np.flatnonzero(there), weights=heavy[there]).standard_error
        found[at] = np.inf if error is None else error
    n, k = float(rows.times.sum()), design.shape[1]
    return coefficients, found * sqrt(n / (n - k) if n > k else 1.0), max(1, groups - 1)


def _readable(
    conditions: Sequence[dict[str, Any]],
    design: Floats,
    happened: Floats,
    times: Floats,
    adds: dict[int, Any],
    errors: Floats,
) -> tuple[int, list[dict[str, Any]]]:
    """Base and rules of whole points."""
    n = float(times.sum())
    left = float(times @ happened) / n
    rules = []
    for at, add in adds.items():
        left -= float(add) * float(times @ design[:, at + 1]) / n
        points = _rounded(100 * float(add), 100 * float(errors[at + 1]))
        if points:
            rules.append({"condition": conditions[at], "add": max(-100, min(100, points))})
    return min(100, max(0, round(100 * left))), rules


def _rounded(points: float, error: float) -> int:
    step = 5 if error > 5 and abs(points) >= 5 else 1
    return step * round(points / step)


def _note(known: dict[str, Any], accepted: bool, p_value: float | None, level: float, candidates: int) -> str:
    said = f"Learned from {known['n']} released actions only"
    said += f", in {known['clusters']} clusters ({known['basis']})."
    untold = [f"{known[name]} were {name}" for name in ("stopped", "cancelled") if known[name]]
    if untold:
        said += (
            f" {' and '.join(untold)} and have no outcome; with them between {100 * known['rate_least']:.0f}% "
            f"and {100 * known['rate_most']:.0f}% would have failed."
        )
    if accepted:
        return f"{said} It foretells clusters that it was not found on (p = {p_value:.3f})."
    if not candidates:
        return f"{said} There is nothing to tell actions apart by."
    if known["clusters"] < FEWEST:
        return f"{said} Fewer than {FEWEST} clusters accept no rule."
    if p_value is None:
        return f"{said} All ended alike, so nothing tells them apart."
    if p_value <= level:
        return f"{said} Not shown to be better than no template: parts that were left out are no likelier by it."
    return f"{said} Not shown to be better than no template (p = {p_value:.3f}, above {level:.2g})."


def _kinds(
    actions: Frame, action_type: str | None, failed: pl.Expr | None, cluster: str | Sequence[str] | None
) -> tuple[pl.DataFrame, list[frozenset[str]], str, int, int]:
    """Alike rows: `irreversible`, `touched` (a number), `failed`, `n`, `made`, `cluster` unless each row is its own,
    and the `agent` where it may differ from that; the systems of each number; what the clusters are; and how many were
    stopped and how many cancelled."""
    present = set(columns(actions))
    needed = (*(["status"] if failed is None else []), *(["action_type"] if action_type is not None else []))
    frame = need(actions, needed, "actions")
    halted = given_up = pl.lit(False)
    if failed is None:
        halted, given_up = stopped(actions), cancelled(actions)
        failed = pl.when(ran()).then(one_of("status", ActionStatus.FAILED))
    if action_type is not None:
        frame = frame.filter(one_of("action_type", action_type))
    touched = pl.col("systems_touched") if "systems_touched" in present else pl.lit(None, pl.String)
    reversible = pl.col("reversible").cast(pl.Boolean) if "reversible" in present else pl.lit(None, pl.Boolean)
    by = [cluster] if isinstance(cluster, str) else list(cluster or ())
    of_cluster = {
        f"_{name}": pl.col(name)
        for name in sorted(present & {"session_id", "thread_id", "agent_id", "timestamp_start"} | present & set(by))
    }
    read = frame.select(
        (~reversible).fill_null(False).alias("irreversible"),
        touched.alias("systems"),
        failed.cast(pl.Boolean).alias("failed"),
        halted.alias("stopped"),
        given_up.alias("cancelled"),
        weight(actions).alias("n"),
        simulated(actions).alias("made"),
        **of_cluster,
    ).collect()
    without = [int(read.filter(pl.col(name))["n"].sum()) for name in ("stopped", "cancelled")]
    read = read.filter(pl.col("failed").is_not_null(), pl.col("n") > 0)
    numbers, lists = _systems(read["systems"])
    read = read.with_columns(numbers)
    basis = SINGLE
    keys = ["irreversible", "touched", "failed"]
    if by or present & {"session_id", "thread_id", "agent_id"}:
        of = read.select(pl.col("^_.*$").name.map(lambda name: name[1:]))
        codes, basis = cluster_keys(of, time="timestamp_start", by=cluster)
        read = read.with_columns(pl.Series("cluster", codes, dtype=pl.Int64))
        keys.append("cluster")
        if cluster is None and "agent_id" in present:
            agent = read["_agent_id"].cast(pl.String).fill_null("").cast(pl.Categorical).to_physical()
            read = read.with_columns(agent.rank("dense").cast(pl.Int64).alias("agent") - 1)
            keys.append("agent")
    kinds = read.group_by(keys).agg(pl.col("n").sum(), count(pl.col("made"), pl.col("n")).alias("made"))
    return kinds.sort(keys), lists, basis, without[0], without[1]


def _systems(given: pl.Series) -> tuple[pl.Series, list[frozenset[str]]]:
    """The number of each list of systems, in the order of what they say, and the lists: few are different."""
    if not (
        given.dtype.is_nested() or issubclass(given.dtype.base_type(), pl.String | pl.Categorical | pl.Enum | pl.Null)
    ):
        raise ValueError(f"actions hold {given.dtype} in systems_touched; give lists of texts, or their JSON text")
    distinct = given.to_frame().unique(maintain_order=True)["systems"]
    found = [_listed(each) if isinstance(each, str) else (each or []) for each in distinct.to_list()]
    known = [frozenset(name for name in each if name is not None) for each in found]
    lists = sorted(set(known), key=sorted)
    number = {systems: at for at, systems in enumerate(lists)}
    table = pl.DataFrame([distinct, pl.Series("touched", [number[each] for each in known], dtype=pl.Int64)])
    joined = given.to_frame().join(table, on="systems", how="left", nulls_equal=True, maintain_order="left")
    return joined["touched"], lists


def _listed(text: str | None) -> list[str]:
    try:
        found = json.loads(text or "[]")
    except ValueError:
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _candidates(
    kinds: pl.DataFrame, touched: Sequence[frozenset[str]], times: Floats, fewest: int, systems: int
) -> tuple[list[dict[str, Any]], Floats]:
    """The conditions that are judged, and the matrix whose first column is 1 and whose others are whether they hold."""
    place = kinds["touched"].to_numpy().astype(np.int64)
    number: dict[str, float] = {}
    for systems_of, n in zip(touched, np.bincount(place, times, len(touched)), strict=True):
        for name in systems_of:
            number[name] = number.get(name, 0.0) + float(n)
    names = sorted(number, key=lambda name: (-number[name], name))[:systems]
    offered: list[tuple[dict[str, Any], Floats]] = [
        (
            {"field": "reversible", "op": "eq", "value": False},
            kinds["irreversible"].to_numpy().astype(np.float64),
        ),
        *(
            (
                {"field": "systems_touched", "op": "contains", "value": name},
                np.array([name in each for each in touched], dtype=np.float64)[place],
            )
            for name in names
        ),
    ]
    chosen: list[dict[str, Any]] = []
    design = np.ones((len(times), 1))
    for condition, holds in offered:
        held = float((times * holds).sum())
        if min(held, times.sum() - held) < fewest:
            continue
        root = np.sqrt(times)
        left = (
            root * holds
            - (root[:, None] * design) @ np.linalg.lstsq(root[:, None] * design, root * holds, rcond=None)[0]
        )
        if (left**2).sum() > _SAME * held:
            chosen.append(condition)
            design = np.column_stack([design, holds])
    return chosen, design
