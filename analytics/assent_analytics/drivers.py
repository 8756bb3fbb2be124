"""What moved a number between two windows: which types, agents, policies and tools, by their mix and by their rates.

1. A metric is the mean of a value over the rows that have one (`METRICS`); what was stopped or still runs has no
   outcome and does not count (`left_out`). A window is half-open, in UTC.
2. With the share p and the mean r of each group before (0) and after (1), and R the mean of all rows, the difference:

       R1 - R0 = sum of (p1 - p0) * ((r0 + r1) / 2 - (R0 + R1) / 2)      mix: more or less of it
               + sum of (p0 + p1) / 2 * (r1 - r0)                        rate: it went otherwise

   (E. M. Kitagawa, Journal of the American Statistical Association 50 (1955), 1168-1194; the two-fold decomposition of
   R. Oaxaca, International Economic Review 14 (1973), 693-709, and A. S. Blinder with both windows' mean as reference).
   The mean R in the mix changes no sum, since the p1 - p0 add up to 0: it says of one group whether more of it raises
   the number. A group that one window lacks has its mean of the other one there: it is mix alone, `one_window`.
3. Each column of `by` decomposes the whole difference by itself; those of several columns do not add up. Actions that
   several policies matched are a group of their own. Beside larger ones, groups with fewer than `FEWEST` clusters in
   both windows together are one group, `OTHERS`; so are those beyond the `MOST` with most rows.
4. The variance of an effect is the jackknife's over clusters (`clusters`, rule 2). A cluster that has rows of the group
   is left out exactly; what any other one moves in the totals is linearised. Student's degrees of freedom are the
   clusters that have the group less one (of a rate in the window that has fewer), and not above 3 (sum of u^2)^2 / (sum
   of u^4) for what each cluster moves: Satterthwaite's, which fall where few clusters carry the variance (F. E.
   Satterthwaite, Biometrics Bulletin 2 (1946), 110-114).
5. The tests of one call are one family, whose false discovery rate is held by Benjamini and Hochberg (`drift`). Shares
   add up to 1 and columns cut the same rows twice, so that tests depend on each other in ways for which that is proven
   only with all p-values 1 + 1/2 + ... + 1/m times as large (Y. Benjamini and D. Yekutieli, Annals of Statistics 29
   (2001), 1165-1188). The tests are conservative enough without: decision 0216 has what was simulated, and what the
   factor would cost.
6. An effect of fewer than `FEWEST` clusters (a rate: in either window) is `few_clusters`, without interval and test.
   With one in a window all are `insufficient_data`. Values that are not finite and rows of weight zero do not count.
7. Where the windows hold the parts of the week in other shares (`season`, rule 1), the earlier one is standardised on
   the recent one's season: each of its rows counts as often as there are rows with a value in its part of the week in
   the recent window for each in its own; what is known of a part that only one of them has is left out (`unmatched`).
   Where that leaves less than half of the recent rows, as of one day and the day before it, season cannot be told from
   change: all effects are `other_days` then, without a test.
8. A driver says where a number moved, not why: it is a decomposition of what was seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import polars as pl

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision
from assent.contract.window import days_of
from assent_analytics.beta import incomplete_beta
from assent_analytics.clusters import FEWEST, ClusterEstimate, cluster_keys, clustered_difference, numbered
from assent_analytics.drift import benjamini_hochberg
from assent_analytics.drift.compare import Window, Windows, windows
from assent_analytics.drift.season import part_of_week, parts_of
from assent_analytics.frames import WEIGHT, Frame, columns, has, need, one_of, simulated, utc
from assent_analytics.means import t_quantile
from assent_analytics.one_thread import one_thread
from assent_analytics.spans import measured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]

Unit = Literal["share", "points", "USD", "ms", "s"]
Season = Literal["alike", "standardised", "other_days"]
BY = {"action_type": "type", "agent_id": "agent", "matched_policies": "policies", "tool": "tool"}
"""The columns that a difference is decomposed by, and what one of their groups is called."""
MOST = 20
OTHERS, NONE, UNKNOWN = "(others)", "(none)", "(unknown)"
"""Small groups together; no policy matched; the row does not say."""
DENSE = 1 << 22
"""So many pairs of a cluster and a group are counted in one array; beyond, they are sorted."""
NAMED = 3
"""How many drivers a sentence names."""
COMMON = 0.5
"""The least share of the recent rows whose part of the week the window before has, too."""

SCHEMA = pl.Schema(
    {
        **dict.fromkeys(("by", "name", "part"), pl.String()),
        **dict.fromkeys(("n_before", "n_after", "clusters"), pl.Int64()),
        **dict.fromkeys(("share_before", "share_after", "mean_before", "mean_after"), pl.Float64()),
        **dict.fromkeys(("effect", "low", "high", "p_value", "p_adjusted"), pl.Float64()),
        "driver": pl.Boolean(),
        "status": pl.String(),
    }
)
_LATER, _VALUE, _TIMES, _MADE, _PART = "_later", "_value", "_times", "_simulated", "_part"


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """`words` begin a sentence; `rows` are what it is the mean of. It needs `columns`."""

    name: str
    words: str
    rows: str
    unit: Unit
    columns: tuple[str, ...]

    def value(self) -> pl.Expr:
        """The value of each row, null where it does not count."""
        decided = one_of("state", ApprovalState.APPROVED, ApprovalState.DENIED) if "state" in self.columns else None
        match self.name:
            case "block_rate":
                return _share(one_of("decision", *Decision), one_of("decision", Decision.BLOCK))
            case "approval_rate":
                return _share(one_of("decision", *Decision), one_of("decision", Decision.REQUIRE_APPROVAL))
            case "failure_rate":
                ended = one_of("status", ActionStatus.COMPLETED, ActionStatus.FAILED)
                return _share(ended, one_of("status", ActionStatus.FAILED))
            case "denial_rate":
                assert decided is not None
                return _share(decided, one_of("state", ApprovalState.DENIED))
            case "waited_seconds":
                assert decided is not None
                return pl.when(decided).then(pl.col(self.name).cast(pl.Float64))
            case _:
                return pl.col(self.name).cast(pl.Float64)


def _share(counted: pl.Expr, yes: pl.Expr) -> pl.Expr:
    return pl.when(counted).then(yes.cast(pl.Float64))


def _metric(name: str, words: str, rows: str, unit: Unit, *needed: str) -> Metric:
    return Metric(name=name, words=words, rows=rows, unit=unit, columns=needed or (name,))


METRICS: dict[str, Metric] = {
    each.name: each
    for each in (
        _metric("block_rate", "The share that guard blocked", "decisions", "share", "decision"),
        _metric("approval_rate", "The share that guard asked a person about", "decisions", "share", "decision"),
        _metric("denial_rate", "The share of approvals that people denied", "answered approvals", "share", "state"),
        _metric("failure_rate", "The share of what ran that failed", "actions that ended", "share", "status"),
        _metric("risk_score", "The mean risk", "rated actions", "points"),
        _metric("cost_estimate", "The mean cost", "actions with a cost", "USD"),
        _metric("duration_ms", "The mean duration", "actions with a duration", "ms"),
        _metric("waited_seconds", "The mean wait for an answer", "answered approvals", "s", "waited_seconds", "state"),
    )
}


class Drivers(NamedTuple):
    """What moved a metric. `table` has a row for each group and part (`mix` or `rate`) of each column of `by`, and one
    without a name for the sum of each part; the largest effect comes first. `change` is the difference of both means
    with its interval, `n` and `left_out` the rows of both windows that count and that do not, `simulated` how many of
    those that count a simulator made. `season` says whether both windows have the same days or hours of the week, or
    what was done about it (rule 7), and `unmatched` how many rows of both were left out for that; `before` and `change`
    are standardised where it is. `notes` say what the numbers rest on and what they do not tell."""

    metric: str
    unit: Unit
    sentence: str
    notes: tuple[str, ...]
    windows: Windows
    n: tuple[int, int]
    left_out: tuple[int, int]
    season: Season
    unmatched: tuple[int, int]
    simulated: int
    before: float | None
    after: float | None
    change: ClusterEstimate
    table: pl.DataFrame


def last(window: str, now: datetime) -> Windows:
    """The last window, such as `7d`, as the recent one, and as long a one before it. Raises ValueError for a window
    that is none and a time without a zone."""
    span = timedelta(days=days_of(window))
    return windows((now - 2 * span, now - span), (now - span, now))


def drivers(
    frame: Frame,
    metric: str,
    *,
    baseline: Window,
    recent: Window,
    by: Sequence[str] | None = None,
    time: str = "occurred_at",
    clusters: str | Sequence[str] | None = None,
    weights: str | None = None,
    names: Mapping[str, str] | None = None,
    fdr: float = 0.05,
    confidence: float = 0.95,
) -> Drivers:
    """What moved a metric of `METRICS` from the baseline to the recent window, for facts or any frame that has its
    columns. `by` are columns, those of `BY` that are there without it; `clusters` as for `clusters.cluster_keys`;
    `weights` is a column, else rows count as often as `n` says. `names` are what groups are called in place of their
    ids, such as those of policies.

    Raises ValueError for a metric that is none, missing columns, windows that overlap, end before they begin or have
    no zone, negative weights, and shares that are not between 0 and 1.
    """
    both = windows(baseline, recent)
    found = changes(
        frame,
        [metric],
        both=both,
        by=by,
        time=time,
        clusters=clusters,
        weights=weights,
        names=names,
        fdr=fdr,
        confidence=confidence,
    )
    return found[0]


@one_thread()
def changes(
    frame: Frame,
    metrics: Sequence[str] | None = None,
    *,
    both: Windows,
    by: Sequence[str] | None = None,
    time: str = "occurred_at",
    clusters: str | Sequence[str] | None = None,
    weights: str | None = None,
    names: Mapping[str, str] | None = None,
    fdr: float = 0.05,
    confidence: float = 0.95,
) -> list[Drivers]:
    """The same for several metrics, all that the frame has columns for without `metrics`; the false discovery rate is
    held over all of them. Windows are those of `last`. Raises ValueError as `drivers` does."""
    if not 0 < fdr < 1 or not 0 < confidence < 1:
        raise ValueError(
            f"fdr is {fdr} and confidence {confidence}; give shares between 0 and 1, such as 0.05 and 0.95"
        )
    there = set(columns(frame))
    wanted = [name for name, each in METRICS.items() if there.issuperset(each.columns)] if metrics is None else metrics
    if unknown := [name for name in wanted if name not in METRICS]:
        raise ValueError(f"there is no metric {', '.join(unknown)}; there are: {', '.join(METRICS)}")
    asked = [METRICS[name] for name in wanted]
    groups = (
        [name for name in BY if name in there]
        if by is None
        else list(dict.fromkeys([by] if isinstance(by, str) else by))
    )
    at = utc(time)
    later = at.is_between(*both.recent, closed="left")
    read = {time, *groups, *(name for each in asked for name in each.columns), *([weights] if weights else [])}
    kept = {name for name in ("session_id", "thread_id", "agent_id", WEIGHT, "source") if name in there}
    kept |= {clusters} if isinstance(clusters, str) else set(clusters or ())
    rows = (
        need(frame, (*read, *(kept - there)), "rows")
        .filter(at.is_between(*both.baseline, closed="left") | later)
        .select(*sorted(read | kept), later.alias(_LATER), simulated(frame).alias(_MADE))
        .collect()
    )
    step = parts_of(both)
    parts = (
        None if step is None else rows.select(part_of_week(at, both, step).alias(_PART))[_PART].fill_null(0).to_numpy()
    )
    keys = cluster_keys(rows, time=time, by=clusters)
    weight = weights or (WEIGHT if has(rows, WEIGHT) else None)
    times = np.ones(rows.height) if weight is None else rows[weight].cast(pl.Float64).fill_null(0.0).to_numpy()
    if not np.isfinite(times).all() or (times < 0).any():
        raise ValueError(f"{weight} is negative or not a finite number somewhere; give 0 or more")
    labels = {name: _labels(rows, name, names or {}) for name in groups}
    # Only their ratios count, and squares of large ones are beyond any number.
    times = times / max(1.0, float(times.max(initial=0.0)))
    sample = _Sample(rows[_LATER].to_numpy(), times, keys.codes, rows[_MADE].to_numpy(), parts)
    found = [
        _found(each, rows.select(each.value().alias(_VALUE))[_VALUE], sample, labels, confidence) for each in asked
    ]
    tested = [row for each in found for row in each.rows if row["p_value"] is not None]
    for row, adjusted in zip(tested, benjamini_hochberg([row["p_value"] for row in tested]), strict=True):
        row |= {"p_adjusted": adjusted, "driver": adjusted <= fdr}
    return [_answer(each, both, keys.basis, confidence) for each in found]


class _Sample(NamedTuple):
    later: NDArray[np.bool_]
    times: Floats
    codes: Codes
    simulated: NDArray[np.bool_]
    parts: Codes | None
    """Each row's part of the week; None where both windows have all alike."""


class _Labels(NamedTuple):
    """`codes` numbers each row's group of `names`."""

    codes: Codes
    names: list[str]


class _Found(NamedTuple):
    metric: Metric
    n: tuple[int, int]
    left_out: tuple[int, int]
    season: Season
    unmatched: tuple[int, int]
    simulated: int
    means: tuple[float | None, float | None]
    change: ClusterEstimate
    rows: list[dict[str, Any]]


def _labels(rows: pl.DataFrame, name: str, called: Mapping[str, str]) -> _Labels:
    """The groups of a column as texts."""
    text: pl.Expr = pl.col(name)
    if isinstance(rows.schema[name], pl.List):
        text = pl.lit("[") + text.cast(pl.List(pl.String)).list.join(", ") + pl.lit("]")
    text = text.cast(pl.String)
    if name in ("matched_policies", "observed_policies"):
        bare = text.str.replace_all(r'[\[\]"]', "").str.replace_all(r",\s*", " + ")
        text = pl.when(bare == "").then(pl.lit(NONE)).otherwise(bare)
    if called:
        text = text.str.replace_many(list(called), list(called.values()))
    coded = rows.select(text.fill_null(UNKNOWN).cast(pl.Categorical).alias(name))[name]
    codes, first = numbered(coded.to_physical().to_numpy())
    return _Labels(codes, coded.gather(first).cast(pl.String).to_list())


def _largest(labels: _Labels) -> _Labels:
    """The groups with most rows, and all others as one (rule 3)."""
    sizes = np.bincount(labels.codes, minlength=len(labels.names))
    order = [int(each) for each in np.argsort(-sizes, kind="stable") if sizes[each]]
    # One group too many would be alone among the others.
    return (
        labels if len(order) <= MOST + 1 and len(order) == len(sizes) else _merged(labels, order[:MOST], order[MOST:])
    )


def _merged(labels: _Labels, kept: Sequence[int], small: Sequence[int]) -> _Labels:
    place = np.zeros(len(labels.names), dtype=np.int64)
    place[list(kept)] = np.arange(len(kept))
    place[list(small)] = len(kept)
    rest = [labels.names[small[0]] if len(small) == 1 else OTHERS] if small else []
    return _Labels(place[labels.codes], [*(labels.names[each] for each in kept), *rest])


def _found(
    metric: Metric, values: pl.Series, sample: _Sample, labels: Mapping[str, _Labels], confidence: float
) -> _Found:
    known = values.fill_null(np.nan).to_numpy()
    given = sample.times > 0
    counts = np.isfinite(known) & given
    left_out = _sides(given & ~counts, sample.later)
    season, weights = _standardised(sample, counts)
    unmatched = _sides(counts & (weights == 0), sample.later)
    counts &= weights > 0
    value, times, later, codes = known[counts], weights[counts], sample.later[counts], sample.codes[counts]
    sides = [~later, later]
    n = _sides(counts, sample.later)
    before, after = (float(np.average(value[side], weights=times[side])) if side.any() else None for side in sides)
    change = clustered_difference(
        (value[sides[0]], codes[sides[0]]),
        (value[sides[1]], codes[sides[1]]),
        weights=(times[sides[0]], times[sides[1]]),
        confidence=confidence,
    )
    rows: list[dict[str, Any]] = []
    if all(n):
        totals = _totals(_compact(codes), value, times, later)
        for name, each in labels.items():
            rows += _decomposed(name, _largest(_Labels(each.codes[counts], each.names)), totals, confidence)
    if season == "other_days":
        for row in rows:
            row |= {"p_value": None, "status": season if row["status"] == "ok" else row["status"]}
    made = int(sample.simulated[counts].sum())
    return _Found(metric, n, left_out, season, unmatched, made, (before, after), change, rows)


def _sides(chosen: NDArray[np.bool_], later: NDArray[np.bool_]) -> tuple[int, int]:
    """How many are chosen before and after."""
    return int((chosen & ~later).sum()), int((chosen & later).sum())


def _standardised(sample: _Sample, counts: NDArray[np.bool_]) -> tuple[Season, Floats]:
    """What each row weighs of those that count, 0 for what is unmatched (rule 7)."""
    if sample.parts is None or not counts.any():
        return "alike", sample.times
    size = int(sample.parts.max()) + 1
    before, after = (
        np.bincount(sample.parts[side], sample.times[side], size)
        for side in (counts & ~sample.later, counts & sample.later)
    )
    common = (before > 0) & (after > 0)
    if after[common].sum() < COMMON * after.sum() or not common.any():
        return "other_days", sample.times
    share = np.divide(after, before, out=np.zeros(size), where=common)
    # The weights of the window before add up to what they did: only their ratios count.
    share *= before[common].sum() / after[common].sum()
    weights = np.where(sample.later, common[sample.parts], share[sample.parts]) * sample.times
    return "standardised", np.asarray(weights, dtype=np.float64)


class _Totals(NamedTuple):
    """`moved` has a row for each of: weight and weighted value before, and both after; `sums` has what each cluster
    holds of them, one column for each."""

    codes: Codes
    moved: tuple[Floats, Floats, Floats, Floats]
    later: NDArray[np.bool_]
    sums: Floats
    clusters: tuple[int, int]


def _compact(codes: Codes) -> Codes:
    """The numbers that are there, from 0 without a gap."""
    return np.asarray((np.cumsum(np.bincount(codes) > 0) - 1)[codes], dtype=np.int64)


def _totals(codes: Codes, value: Floats, times: Floats, later: NDArray[np.bool_]) -> _Totals:
    earlier = ~later
    moved = (times * earlier, times * value * earlier, times * later, times * value * later)
    groups = int(codes.max(initial=-1)) + 1
    sums = np.array([np.bincount(codes, each, groups) for each in moved])
    return _Totals(codes, moved, later, sums, (int((sums[0] > 0).sum()), int((sums[2] > 0).sum())))


def _parts(own: Sequence[Floats], whole: Sequence[Any]) -> tuple[Floats, Floats]:
    """Mix and rate of groups with the sums `own` among sums `whole`, each as `_Totals.moved`."""
    n0, s0, n1, s1 = own
    p0, p1 = n0 / whole[0], n1 / whole[2]
    with np.errstate(invalid="ignore", divide="ignore"):
        r0, r1 = s0 / n0, s1 / n1
    # Without rows in one window, or in both, it is mix alone, or nothing.
    r0, r1 = np.where(n0 > 0, r0, np.where(n1 > 0, r1, 0.0)), np.where(n1 > 0, r1, np.where(n0 > 0, r0, 0.0))
    reference = (whole[1] / whole[0] + whole[3] / whole[2]) / 2
    return (p1 - p0) * ((r0 + r1) / 2 - reference), (p0 + p1) / 2 * (r1 - r0)


def _slopes(own: Sequence[Floats], whole: Sequence[float]) -> tuple[Floats, Floats]:
    """How mix and rate of each group move with each of the four sums of the whole, the group's own held."""
    n0, s0, n1, s1 = own
    p0, p1 = n0 / whole[0], n1 / whole[2]
    with np.errstate(invalid="ignore", divide="ignore"):
        r0, r1 = s0 / n0, s1 / n1
    r0, r1 = np.where(n0 > 0, r0, r1), np.where(n1 > 0, r1, r0)
    mean0, mean1 = whole[1] / whole[0], whole[3] / whole[2]
    above, more = (r0 + r1) / 2 - (mean0 + mean1) / 2, p1 - p0
    mix = (
        p0 / whole[0] * above + more * mean0 / whole[0] / 2,
        -more / whole[0] / 2,
        -p1 / whole[2] * above + more * mean1 / whole[2] / 2,
        -more / whole[2] / 2,
    )
    nothing = np.zeros_like(n0)
    rate = (-p0 / whole[0] / 2 * (r1 - r0), nothing, -p1 / whole[2] / 2 * (r1 - r0), nothing)
    return np.array(mix), np.array(rate)


class _Cells(NamedTuple):
    """A cell is a cluster and a group that have rows together; `held` is what is in it, as `_Totals.moved`."""

    cluster: Codes
    group: Codes
    held: Floats


def _cells(labels: _Labels, totals: _Totals) -> _Cells:
    size, number = len(labels.names), totals.sums.shape[1]
    keys = totals.codes * size + labels.codes
    if number * size <= DENSE:
        there = np.flatnonzero(np.bincount(keys, minlength=number * size))
        held = np.array([np.bincount(keys, each, number * size)[there] for each in totals.moved])
    else:
        there, inverse = np.unique(keys, return_inverse=True)
        held = np.array([np.bincount(inverse, each, len(there)) for each in totals.moved])
    return _Cells(there // size, there % size, held)


def _decomposed(by: str, labels: _Labels, totals: _Totals, confidence: float) -> list[dict[str, Any]]:
    """Both parts of each group, and their sums; nothing where there is one group."""
    cells = _cells(labels, totals)
    either = np.bincount(cells.group, minlength=len(labels.names))
    kept, small = (np.flatnonzero(each).tolist() for each in (either >= FEWEST, either < FEWEST))
    if kept and len(small) > 1:
        labels = _merged(labels, kept, small)
        cells = _cells(labels, totals)
        either = np.bincount(cells.group, minlength=len(labels.names))
    size = len(labels.names)
    if size < 2:
        return []
    cluster, group, held = cells
    own = np.array([np.bincount(group, each, size) for each in held])
    whole = totals.sums.sum(axis=1)
    rows_of = [np.bincount(labels.codes[side], minlength=size) for side in (~totals.later, totals.later)]
    clusters = [np.bincount(group[there], minlength=size) for there in (held[0] > 0, held[2] > 0)]
    number = totals.sums.shape[1]
    fewest = min(totals.clusters)
    shares, means = (own[0] / whole[0], own[2] / whole[2]), _means(own)
    effects, slopes = _parts(list(own), list(whole)), _slopes(list(own), list(whole))
    of_cluster, of_group = totals.sums[:, cluster], own[:, group]
    lacking = of_group - held
    for weight in (0, 2):
        # A sum of rounded numbers less all of them may not be zero.
        lacking[weight][lacking[weight] <= 1e-9 * of_group[weight]] = 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        without = _parts(list(lacking), list(whole[:, None] - of_cluster))
    squares = totals.sums @ totals.sums.T
    floor = (1e-12 * max(abs(whole[1] / whole[0]), abs(whole[3] / whole[2]))) ** 2
    found: list[dict[str, Any]] = []
    for part, effect, slope, rest in zip(("mix", "rate"), effects, slopes, without, strict=True):
        moves = np.nan_to_num(effect[group] - rest)
        linear = np.einsum("ic,ic->c", slope[:, group], of_cluster)
        outside = np.einsum("ig,ij,jg->g", slope, squares, slope) - np.bincount(group, linear**2, size)
        squared = moves**2
        inside = np.bincount(group, squared, size)
        variance = (inside + np.maximum(outside, 0.0)) * (number - 1) / number
        with np.errstate(invalid="ignore", divide="ignore"):
            carried = 3 * inside**2 / np.bincount(group, squared**2, size)
        least = either if part == "mix" else np.minimum(*clusters)
        for each, name in enumerate(labels.names):
            df = int(min(least[each] - 1, carried[each])) if np.isfinite(carried[each]) else 0
            one_window = part == "rate" and not (clusters[0][each] and clusters[1][each])
            told = {
                "by": by,
                "name": name,
                "part": part,
                "n_before": int(rows_of[0][each]),
                "n_after": int(rows_of[1][each]),
                "clusters": int(either[each]),
                "share_before": float(shares[0][each]),
                "share_after": float(shares[1][each]),
                "mean_before": means[0][each],
                "mean_after": means[1][each],
            }
            enough = fewest >= FEWEST and least[each] >= FEWEST
            moved = _moved(float(effect[each]), float(variance[each]), df, enough, floor, confidence)
            if fewest < 2 or one_window:
                moved["status"] = "insufficient_data" if fewest < 2 else "one_window"
            found.append(told | moved)
        # What a cluster moves in all groups together: exactly where it has rows, linearised elsewhere.
        together = np.bincount(cluster, moves - linear, number) + slope.sum(axis=1) @ totals.sums
        of_all = float(together @ together) * (number - 1) / number
        row = _moved(float(effect.sum()), of_all, fewest - 1, fewest >= FEWEST, floor, confidence)
        if fewest < 2:
            row["status"] = "insufficient_data"
        found.append({"by": by, "name": None, "part": part} | row | {"p_value": None})
    return found


def _means(own: Floats) -> list[list[float | None]]:
    return [
        [float(total / n) if n > 0 else None for n, total in zip(own[at], own[at + 1], strict=True)] for at in (0, 2)
    ]


def _moved(effect: float, variance: float, df: int, enough: bool, floor: float, confidence: float) -> dict[str, Any]:
    """The interval and the p-value of an effect, where there are `enough` clusters. A variance up to `floor` is none:
    it is what rounding leaves."""
    row: dict[str, Any] = dict.fromkeys(("low", "high", "p_value", "p_adjusted"))
    row |= {"effect": effect, "driver": False}
    if not enough or variance <= floor or df < 1:
        return row | {"status": "no_variation" if enough and variance <= floor else "few_clusters"}
    error = float(np.sqrt(variance))
    half, t = t_quantile(df, confidence) * error, effect / error
    beyond = incomplete_beta(df / (df + t * t), df / 2, 0.5, t * t / (df + t * t))
    return row | {"low": effect - half, "high": effect + half, "p_value": beyond, "status": "ok"}


def _answer(found: _Found, both: Windows, basis: str, confidence: float) -> Drivers:
    order = pl.col("effect").abs()
    table = pl.DataFrame(found.rows, schema=SCHEMA).sort(order, descending=True, maintain_order=True)
    return Drivers(
        metric=found.metric.name,
        unit=found.metric.unit,
        sentence=_sentence(found, table, confidence),
        notes=_notes(found, basis),
        windows=both,
        n=found.n,
        left_out=found.left_out,
        season=found.season,
        unmatched=found.unmatched,
        simulated=found.simulated,
        before=found.means[0],
        after=found.means[1],
        change=found.change,
        table=table,
    )


def amount(value: float, unit: Unit, *, signed: bool = False) -> str:
    """A value of a metric, or with `signed` a difference of two, in words."""
    sign = ("+" if value >= 0 else "-") if signed else ""
    size = abs(value) if signed else value
    match unit:
        case "share":
            return f"{sign}{size * 100:.1f} points" if signed else f"{size:.1%}"
        case "points":
            return f"{sign}{size:.1f} points"
        case "USD":
            return f"{sign}{size:.4g} USD"
        case "ms" | "s":
            return f"{sign}{measured(size / 1000 if unit == 'ms' else size)}"


def _sentence(found: _Found, table: pl.DataFrame, confidence: float) -> str:
    words, unit, change = found.metric.words, found.metric.unit, found.change
    before, after = found.means
    if before is None or after is None:
        where = {(True, False): "the window before has", (False, True): "the recent window has"}
        lacking = where.get((before is None, after is None), "the two windows have")
        return f"{words} cannot be compared: {lacking} no {found.metric.rows}."
    moved = f"{amount(before, unit)} before and {amount(after, unit)} after"
    if change.status == "insufficient_data":
        return f"{words} was {moved}; a window is one cluster, so that nobody can tell chance from change."
    if change.low is None or change.high is None or change.estimate is None:
        return f"{words} was {moved}, and alike in all clusters of each window."
    interval = (
        f"{confidence:.0%} interval {amount(change.low, unit, signed=True)} to {amount(change.high, unit, signed=True)}"
    )
    difference = f"{amount(change.estimate, unit, signed=True)}, {interval}"
    clear = change.low > 0 or change.high < 0
    head = f"{words} was {moved}, which chance can explain ({difference})"
    if clear:
        verb = "rose" if change.estimate > 0 else "fell"
        head = f"{words} {verb} from {amount(before, unit)} to {amount(after, unit)} ({difference})"
    if found.season == "other_days":
        return f"{head}; the windows hold other days or hours of the week, so that no group can be named."
    if table["p_value"].null_count() == table.height:
        return f"{head}; there is too little to say which group it was."
    named = _named(table, unit)
    if not named:
        return f"{head}; no single group stands out beyond chance."
    return f"{head}: {named}." if clear else f"{head}; within it {named}."


def _named(table: pl.DataFrame, unit: Unit) -> str:
    """The largest drivers of the column that has the largest one."""
    chosen = table.filter(pl.col("driver"))
    if chosen.is_empty():
        return ""
    of = chosen.filter(pl.col("by") == chosen["by"][0])
    told = []
    for row in of.head(NAMED).iter_rows(named=True):
        what = f"{BY.get(row['by'], row['by'])} {row['name']}"
        effect = amount(row["effect"], unit, signed=True)
        if row["part"] == "rate":
            told.append(
                f"{what} went from {amount(row['mean_before'], unit)} to {amount(row['mean_after'], unit)} ({effect})"
            )
        else:
            told.append(f"{what} went from {row['share_before']:.0%} to {row['share_after']:.0%} of all ({effect})")
    more = of.height - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")


def _notes(found: _Found, basis: str) -> tuple[str, ...]:
    change, (n0, n1), (out0, out1) = found.change, found.n, found.left_out
    notes = [f"{n0:,} and {n1:,} {found.metric.rows} in {change.clusters:,} clusters ({basis})."]
    if out0 or out1:
        notes.append(f"{out0:,} and {out1:,} rows have no such value, and say nothing here.")
    if found.season == "standardised":
        notes.append(
            "The windows hold the days or hours of the week in other shares: the one before counts as if it had the "
            f"recent one's. {sum(found.unmatched):,} rows are of days or hours that only one has, and are left out."
        )
    if found.season == "other_days":
        notes.append(
            "The windows hold other days or hours of the week, and what differs between these counts as change: no "
            "group is tested. Compare whole weeks, or the same days of an earlier week."
        )
    if change.status == "few_clusters":
        notes.append(f"A window has fewer than {FEWEST} clusters: intervals are wide, and no group is tested.")
    if found.simulated:
        notes.append(f"{found.simulated:,} of the rows are simulated: none of that happened.")
    return tuple(notes)
