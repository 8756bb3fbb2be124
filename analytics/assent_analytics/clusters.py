"""Clusters: rows that share what made them are not so many independent observations.

1. The cluster of a row is its session, else its thread, else its agent within an hour (UTC), else its agent: the
   first that the row has. A caller may name other columns. Rows that have none of them are one cluster together, since
   nothing says that they are independent. Rows of different clusters are taken to be independent.
2. The mean is sum(w x) / sum(w). Its variance is the jackknife's over whole clusters, with the mean m and m_g, the
   mean without cluster g: (G - 1) / G * sum of (m - m_g)^2 (CV3: R. M. Bell and D. F. McCaffrey, Survey Methodology 28
   (2002), 169-181; J. G. MacKinnon, M. O. Nielsen and M. D. Webb, Journal of Econometrics 232 (2023), 272-299). Its
   interval is Student's with G* - 1 degrees of freedom, at least 1, with G* as in rule 8.
3. The design effect is that variance over s^2 / n, the variance of n independent rows; the effective n is n over it,
   and never more than n (L. Kish, Survey Sampling, 1965). The intraclass correlation is that of the analysis of
   variance.
4. A proportion has Clopper and Pearson's interval at its effective n, reduced by (t of n - 1 / t of G* - 1)^2 (E. L.
   Korn and B. I. Graubard, Survey Methodology 24 (1998), 193-201). Where all rows are alike nothing tells the design
   effect, and the effective n is G*. The jackknife knows nothing of a large cluster that happens to have no event, so
   the effective n is no more than n / (1 + (sum of m_g^2 / n - 1) * the intraclass correlation) with m_g, the rows of
   a cluster (Kish's design effect for unequal sizes): of 100 sessions of up to 120 rows of which one in twenty fails as
   a whole, intervals missed 21 % of 1,500 samples without it.
5. A difference adds what each cluster moves in both means before squaring, so that a cluster in both counts once. Its
   degrees of freedom are those of the sample with fewer clusters.
6. Anything else: the percentile bootstrap over whole clusters (A. C. Davison and D. V. Hinkley, Bootstrap Methods and
   their Application, 1997, section 3.8), from `FEWEST` clusters on.
7. Fewer than 2 clusters are `insufficient_data`, without an interval. From 2 to 9 the status is `few_clusters`: the
   interval is at least as wide as that of independent rows; so it is called, too, where G* is below 10. Numbers that
   are all alike are `no_variation`, without an interval. Values that are not finite, and rows of weight zero, do not
   count. Where G* is 1 in 64 bits, the others tell nothing: `insufficient_data`.
8. Clusters of different size are worth fewer alike: G* = (sum of w_g)^2 / sum of w_g^2 with w_g, the weight of a
   cluster (the first term of the effective number of clusters of A. V. Carter, K. T. Schnepel and D. G. Steigerwald,
   Review of Economics and Statistics 99 (2017), 698-709). With half of the rows in one of 20 clusters an interval with
   G - 1 covers 91.7 % of 1,500 samples (intraclass correlation .3), one with G* - 1 98.1 %; with a fifth 93.6 and
   94.5 %. Clusters of one size have G* = G.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.beta import beta_quantile
from assent_analytics.bootstrap import RESAMPLES, band
from assent_analytics.frames import Frame, columns, need, utc
from assent_analytics.means import t_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]

FEWEST = 10
"""From how many clusters on an interval stands without a warning."""
LARGEST = 1e150
"""Beyond it a square is no number of 64 bits."""
UNKNOWN = "unknown"
"""What the cluster is of rows that have no session, thread or agent."""

Status = Literal["ok", "few_clusters", "no_variation", "insufficient_data"]


class ClusterKeys(NamedTuple):
    """`codes` numbers each row's cluster from 0; `basis` says in words what the clusters are."""

    codes: Codes
    basis: str


class ClusterEstimate(NamedTuple):
    """`n` rows that count, in so many `clusters`. `n_effective` is at most n; `design_effect` and `icc` (-1 to 1) are
    None where the rows do not tell them; `low` and `high` where the status says so, `estimate` where n is 0."""

    n: int
    clusters: int
    n_effective: float
    design_effect: float | None
    icc: float | None
    estimate: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    status: Status


def cluster_keys(frame: Frame, *, time: str = "occurred_at", by: str | Sequence[str] | None = None) -> ClusterKeys:
    """The cluster of each row by rule 1, or by the columns `by`.

    Raises ValueError for columns that are not there, and for a frame that has none of session_id, thread_id and
    agent_id where `by` does not say either.
    """
    if by is not None:
        names = [by] if isinstance(by, str) else list(by)
        if not names:
            raise ValueError("by is empty; give the columns that make a cluster, such as session_id")
        rows = need(frame, names, "rows").select(pl.struct(names).alias("key")).collect()
        unknown = pl.all_horizontal(pl.col("key").struct.field(*names).is_null())
        found = rows.select(pl.when(unknown).then(None).otherwise(pl.col("key")).alias("key"))
        distinct = found.unique(maintain_order=True).with_row_index("code")
        joined = found.join(distinct, on="key", how="left", nulls_equal=True, maintain_order="left")
        return ClusterKeys(joined["code"].cast(pl.Int64).to_numpy(), " and ".join(names))
    there = columns(frame)
    ways = _ways(there, time)
    if "session_id" in there:
        # Where each row has one, as mostly, nothing else is looked at.
        session = frame.lazy().select(_text("session_id").alias("key")).collect()["key"]
        if len(session) and not session.null_count():
            return ClusterKeys(numbered(session.cast(pl.Categorical).to_physical().to_numpy())[0], ways[0][0])
    key, place = _first(ways)
    rows = frame.lazy().select(key.cast(pl.Categorical).to_physical().alias("key"), place.alias("way")).collect()
    words = [*(word for word, _ in ways), UNKNOWN]
    used = [words[place] for place in sorted(rows["way"].unique().to_list())]
    return ClusterKeys(numbered(rows["key"].to_numpy())[0], ", else ".join(used) or words[0])


def numbered(keys: ArrayLike) -> tuple[Codes, Codes]:
    """Each key's number, from 0 in the order in which the keys first stand there, and the row where each first stands.

    The code of a dictionary-encoded text says what else the process has read before. Sums in the order of such codes
    differ in their last digit from one process to the next, and groups of one size change places.
    """
    given = np.asarray(keys)
    if given.size and np.issubdtype(given.dtype, np.integer) and given.min() >= 0 and given.max() < 8 * given.size:
        # Without sorting: of what is written to one place more than once, the last stays, which is the first row.
        seen = np.full(int(given.max()) + 1, -1, dtype=np.int64)
        seen[given[::-1]] = np.arange(given.size - 1, -1, -1)
        first = np.sort(seen[seen >= 0])
        number = np.empty(len(seen), dtype=np.int64)
        number[given[first]] = np.arange(len(first))
        return number[given], first
    _, first, codes = np.unique(given, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places[codes], first[order]


def cluster_names(names: Sequence[str], *, time: str = "occurred_at") -> tuple[pl.Expr, pl.Expr]:
    """By rule 1, of a frame with the columns `names`: a text that names each row's cluster, and what that cluster is
    (session, thread, agent and hour, agent, or unknown). Raises ValueError as `cluster_keys` does."""
    ways = _ways(names, time)
    key, place = _first(ways)
    words = dict(enumerate([*(word for word, _ in ways), UNKNOWN]))
    return key, place.replace_strict(words, return_dtype=pl.String)


def named_runs(there: Sequence[str]) -> list[tuple[str, pl.Expr]]:
    """Session and thread, those of them that a frame with these columns has: what they are called, and the text that
    names a row's, null where it has none."""
    return [
        (word, pl.lit(f"{word}:") + _text(name))
        for word, name in (("session", "session_id"), ("thread", "thread_id"))
        if name in there
    ]


def _ways(there: Sequence[str], time: str) -> list[tuple[str, pl.Expr]]:
    """What each kind of cluster is called, and the text that names one, null where the row has none of it."""
    ways = named_runs(there)
    if "agent_id" in there:
        if time in there:
            hour = (utc(time).dt.epoch("s") // 3600).cast(pl.String)
            # The hour stands first: it has no colon, so that no two pairs give one text.
            ways.append(("agent and hour", pl.lit("hour:") + hour + pl.lit(":") + _text("agent_id")))
        ways.append(("agent", pl.lit("agent:") + _text("agent_id")))
    if not ways:
        have = ", ".join(there) or "no columns"
        raise ValueError(f"rows lack session_id, thread_id and agent_id; they have {have}: name the clusters' columns")
    return ways


def _first(ways: Sequence[tuple[str, pl.Expr]]) -> tuple[pl.Expr, pl.Expr]:
    """The text of the first way that a row has, and the number of that way, which is one more where it has none."""
    which = pl.coalesce(
        *(pl.when(key.is_not_null()).then(pl.lit(place)) for place, (_, key) in enumerate(ways)), pl.lit(len(ways))
    )
    return pl.coalesce(*(key for _, key in ways), pl.lit("none")), which


def clustered_mean(
    values: ArrayLike, clusters: ArrayLike, *, weights: ArrayLike | None = None, confidence: float = 0.95
) -> ClusterEstimate:
    """The mean of the values by rules 2, 3 and 7. `clusters` are whole numbers, one for each value.

    Raises ValueError for lengths that differ, weights that are negative or not finite, values beyond `LARGEST`, and a
    confidence that is not between 0 and 1.
    """
    return _mean(_sample(values, clusters, weights), confidence)


def clustered_proportion(
    values: ArrayLike, clusters: ArrayLike, *, weights: ArrayLike | None = None, confidence: float = 0.95
) -> ClusterEstimate:
    """The share of ones among values that are 0 or 1, by rules 3, 4 and 7; no `standard_error` where all are alike.

    Raises ValueError as `clustered_mean` does, and for other values.
    """
    sample = _sample(values, clusters, weights)
    if not np.isin(sample.values, (0, 1)).all():
        raise ValueError(f"a value is {sample.values[~np.isin(sample.values, (0, 1))][0]}; a proportion is of 0 and 1")
    found = _mean(sample, confidence)
    n, share = found.n, found.estimate
    if share is None or found.status == "insufficient_data":
        return found
    plain, alike = n if sample.kish is None else sample.kish, _effective_clusters(sample)
    size = min(plain, alike if found.design_effect is None else min(found.n_effective, _of_sizes(sample, found.icc)))
    reduced = size * min(1.0, t_quantile(n - 1, confidence) / t_quantile(max(1.0, alike - 1), confidence)) ** 2
    tail, yes = (1 - confidence) / 2, share * reduced
    low = beta_quantile(tail, yes, reduced - yes + 1) if share > 0 else 0.0
    high = beta_quantile(1 - tail, yes + 1, reduced - yes) if share < 1 else 1.0
    status: Status = "few_clusters" if alike < FEWEST else "ok"
    return found._replace(n_effective=size, low=low, high=high, status=status)


def clustered_difference(
    baseline: tuple[ArrayLike, ArrayLike],
    recent: tuple[ArrayLike, ArrayLike],
    *,
    weights: tuple[ArrayLike | None, ArrayLike | None] = (None, None),
    confidence: float = 0.95,
) -> ClusterEstimate:
    """The recent mean less the baseline's by rules 5 and 7; each is values and clusters, numbered alike in both.
    `weights` are those of the baseline and of the recent values.

    `n`, `clusters` and `n_effective` are of both together, a cluster in both counted once; the design effect is over
    the variance of independent rows. Raises ValueError as `clustered_mean` does.
    """
    before, after = _sample(*baseline, weights[0]), _sample(*recent, weights[1])
    one, other = _mean(before, confidence), _mean(after, confidence)
    numbers = np.union1d(before.numbers, after.numbers)
    n, fewest = one.n + other.n, min(one.clusters, other.clusters)
    alike = min(_effective_clusters(each) for each in (before, after)) if fewest else 0.0
    apart = None if one.estimate is None or other.estimate is None else other.estimate - one.estimate
    nothing = ClusterEstimate(n, len(numbers), 0.0, None, None, apart, None, None, None, "insufficient_data")
    if apart is None or alike <= 1:
        return nothing
    moved = np.zeros(len(numbers))
    for sample, sign in ((before, -1.0), (after, 1.0)):
        moved[np.searchsorted(numbers, sample.numbers)] += sign * _moves(sample)
    variance = float(moved @ moved)
    plain = sum(_plain(each) for each in (before, after))
    if variance <= 0 or plain <= 0:
        return nothing._replace(n_effective=float(len(numbers)), status="no_variation")
    effect = variance / plain
    half = t_quantile(max(1.0, alike - 1), confidence) * sqrt(variance)
    if fewest < FEWEST:
        half = max(half, t_quantile(n - 2, confidence) * sqrt(plain))
    status: Status = "few_clusters" if alike < FEWEST else "ok"
    size = min(float(n), n / effect)
    return ClusterEstimate(
        n, len(numbers), size, effect, None, apart, sqrt(variance), apart - half, apart + half, status
    )


def clustered_bootstrap(
    statistic: Callable[[Codes], float],
    clusters: ArrayLike,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> ClusterEstimate:
    """The interval of any number by rule 6. `statistic` answers it for the rows at some indices (a row may come more
    than once); resamples for which it is not finite do not count, and more than 1 in 20 of them leave no interval.

    Its effective n is not told: `n_effective` is the number of clusters. Raises ValueError for fewer than 2 resamples.
    """
    if resamples < 2:
        raise ValueError(f"resamples is {resamples}; give 2 or more, such as {RESAMPLES}")
    codes = _whole(clusters)
    order = np.argsort(codes, kind="stable")
    _, begins, sizes = np.unique(codes[order], return_index=True, return_counts=True)
    groups, n = len(sizes), len(codes)
    value = float(statistic(np.arange(n))) if n else None
    nothing = ClusterEstimate(n, groups, float(groups), None, None, value, None, None, None, "insufficient_data")
    if groups < FEWEST:
        return nothing
    random = np.random.default_rng(seed)
    drawn = []
    for _ in range(resamples):
        each = random.integers(0, groups, groups)
        lengths = sizes[each]
        ends = np.cumsum(lengths)
        rows = np.arange(ends[-1]) - np.repeat(ends - lengths, lengths) + np.repeat(begins[each], lengths)
        drawn.append(float(statistic(order[rows])))
    replicates = np.array(drawn)
    replicates = replicates[np.isfinite(replicates)]
    if len(replicates) < 0.95 * resamples or len(replicates) < 2:
        return nothing
    if np.ptp(replicates) == 0:
        return nothing._replace(status="no_variation")
    low, high = band(replicates[:, None], confidence)
    error = float(replicates.std(ddof=1))
    return nothing._replace(standard_error=error, low=float(low[0]), high=float(high[0]), status="ok")


class _Sample(NamedTuple):
    values: Floats
    weights: Floats
    codes: Codes
    numbers: Codes
    kish: float | None


def _text(name: str) -> pl.Expr:
    text = pl.col(name).cast(pl.String)
    return pl.when(text != "").then(text)


def _whole(clusters: ArrayLike) -> Codes:
    given = np.asarray(clusters).ravel()
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"clusters are of type {given.dtype}; give whole numbers, such as the codes of cluster_keys")
    return given.astype(np.int64)


def _sample(values: ArrayLike, clusters: ArrayLike, weights: ArrayLike | None) -> _Sample:
    known, codes = np.asarray(values, dtype=np.float64).ravel(), _whole(clusters)
    times = np.ones(len(known)) if weights is None else np.asarray(weights, dtype=np.float64).ravel()
    if not len(known) == len(codes) == len(times):
        raise ValueError(
            f"there are {len(known)} values, {len(codes)} clusters and {len(times)} weights; give one for each value"
        )
    if not np.isfinite(times).all() or (times < 0).any():
        raise ValueError("a weight is negative or not a finite number; give 0 or more")
    kept = np.isfinite(known) & (times > 0)
    known, times = known[kept], times[kept]
    if len(known) and np.abs(known).max() > LARGEST:
        raise ValueError(f"a value is {known[np.abs(known).argmax()]:g}; give numbers from -{LARGEST:g} to {LARGEST:g}")
    if len(times):
        times = times / times.max()
    numbers, inverse = np.unique(codes[kept], return_inverse=True)
    kish = None if weights is None or not len(times) else float(times.sum() ** 2 / (times**2).sum())
    return _Sample(known, times, inverse.astype(np.int64), numbers, kish)


def _effective_clusters(sample: _Sample) -> float:
    """By rule 8; 1 where one cluster has all the weight that a number of 64 bits can tell."""
    heavy = np.bincount(sample.codes, sample.weights)
    return float(heavy.sum() ** 2 / (heavy**2).sum())


def _of_sizes(sample: _Sample, icc: float | None) -> float:
    """The effective n that the sizes of clusters allow for, by rule 4."""
    n, heavy = len(sample.values), np.bincount(sample.codes, sample.weights)
    typical = n * float((heavy**2).sum() / heavy.sum() ** 2)
    return n / (1 + (typical - 1) * max(0.0, icc or 0.0))


def _moves(sample: _Sample) -> Floats:
    """How far each cluster moves the mean, scaled so that the squares add up to the variance. At least 2 clusters."""
    groups = len(sample.numbers)
    mean = np.average(sample.values, weights=sample.weights)
    heavy = np.bincount(sample.codes, sample.weights, groups)
    above = np.bincount(sample.codes, sample.weights * (sample.values - mean), groups)
    return np.asarray(above / (heavy.sum() - heavy) * sqrt((groups - 1) / groups), dtype=np.float64)


def _plain(sample: _Sample) -> float:
    """The variance of the mean of so many independent rows. At least 2 of them."""
    mean = np.average(sample.values, weights=sample.weights)
    return float(np.average((sample.values - mean) ** 2, weights=sample.weights)) / (len(sample.values) - 1)


def _icc(sample: _Sample) -> float | None:
    n, groups = len(sample.values), len(sample.numbers)
    sizes = np.bincount(sample.codes, minlength=groups)
    if n <= groups or groups < 2:
        return None
    means = np.bincount(sample.codes, sample.values, groups) / sizes
    between = float(sizes @ (means - sample.values.mean()) ** 2) / (groups - 1)
    within = float(((sample.values - means[sample.codes]) ** 2).sum()) / (n - groups)
    typical = (n - float((sizes**2).sum()) / n) / (groups - 1)
    total = between + (typical - 1) * within
    return (between - within) / total if total > 0 else None


def _mean(sample: _Sample, confidence: float) -> ClusterEstimate:
    n, groups = len(sample.values), len(sample.numbers)
    mean = float(np.average(sample.values, weights=sample.weights)) if n else None
    nothing = ClusterEstimate(n, groups, float(groups), None, None, mean, None, None, None, "insufficient_data")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    if mean is None or groups < 2:
        return nothing
    if np.ptp(sample.values) == 0:
        return nothing._replace(status="no_variation")
    alike = _effective_clusters(sample)
    if alike <= 1:
        return nothing._replace(n_effective=1.0)
    moves = _moves(sample)
    variance = float(moves @ moves)
    plain = _plain(sample)
    if variance <= 0:
        # Every cluster has the same mean, which two or three of them may have by chance.
        return nothing._replace(icc=_icc(sample), status="no_variation")
    half = t_quantile(max(1.0, alike - 1), confidence) * sqrt(variance)
    if groups < FEWEST:
        half = max(half, t_quantile(n - 1, confidence) * sqrt(plain))
    effect = variance / plain
    status: Status = "few_clusters" if alike < FEWEST else "ok"
    return ClusterEstimate(
        n,
        groups,
        min(float(n), n / effect),
        effect,
        _icc(sample),
        mean,
        sqrt(variance),
        mean - half,
        mean + half,
        status,
    )
