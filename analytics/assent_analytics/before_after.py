"""Before and after a change: what it moved, standardised on season and mix, with what the answer rests on.

1. Rows of up to `window` before and after the change are compared. A row is *touched* where the change could reach it;
   the others are its controls. With controls the effect is the *difference in differences*: what the touched rows
   moved, less what the controls moved. Without them it is the difference of an *interrupted time series*, which takes
   whatever else happened then for the effect.
2. *Season and mix.* Each group's difference is the coefficient of "after" in a least-squares fit beside hour of the day
   and weekday (UTC), agent and type, so that neither the time of day nor who did what makes it. A level counts from
   `LEAST_ROWS` rows in `LEAST_CLUSTERS` clusters on, those with fewer are one level; the weekday from `WEEKDAYS` on.
   Rows of an agent or a type that is on one side only have nothing to be compared with: they are left out and counted.
   Where most rows of a side fall into quarters of the day that the other side lacks, nothing is said.
3. *Chance.* Clusters (`clusters`, rule 1) in the order of their beginning make up to `MOST_BLOCKS` blocks of about
   equally many rows on each side, of at least `CLUSTERS_IN_BLOCK` clusters; where more than `FEW_BLOCKS` would be
   shorter than `BLOCK_DAYS`, there are fewer. A cluster that runs on through the change has a part on each side. The
   fit is made anew without each block; the pseudo-values of this jackknife (J. W. Tukey, Annals of Mathematical
   Statistics 29 (1958), 614) are one number a block, and their means are compared by Student's t with as many degrees
   of freedom as the side with fewer blocks has, less one (R. Ibragimov and U. K. Mueller, Journal of Business and
   Economic Statistics 28 (2010), 453-468, and Review of Economics and Statistics 98 (2016), 83-96). Dependence within a
   block does no harm, be it a session's or that of a slow series. Blocks themselves are taken to be independent, or
   alike to an autoregression of order one: the variance is times (1 + r) / (1 - r), r being the correlation of
   neighbours, where it is above zero.
4. Where values are 0 and 1 and one side has no variation, a jackknife sees no chance there. The interval is then
   Newcombe's (Statistics in Medicine 17 (1998), 873-890, method 10) of two proportions with their clusters.
5. *Placebo.* The same is asked for up to `placebos` earlier dates, from the rows before the change alone, where nothing
   is known to have happened. Its intervals are of 1 - 0.05 / (how many dates), so that a method that holds finds
   something at any of them in 5 % of all cases at most. Where one finds something, the rows move without the change,
   and the difference at the change may be of that kind: `placebo` is `failed`. One that
   passes shows little: it has about half the data, and a trend that makes a change up mostly passes it.
6. Fewer than `FEWEST_CLUSTERS` clusters on a side are `insufficient_data`, fewer than 10 `few_clusters`; each answer
   without an interval says why in `reason`. Values that are not finite, and rows of weight zero, do not count.

What was stopped has no outcome: `outcome_bounds` says between what the truth lies for any outcomes of it (C. F.
Manski, American Economic Review 80 (1990), 319-323).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from math import sqrt
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.clusters import (
    FEWEST,
    ClusterEstimate,
    Status,
    cluster_keys,
    clustered_difference,
    clustered_mean,
    clustered_proportion,
)
from assent_analytics.frames import Frame, columns, need, utc
from assent_analytics.one_thread import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

MOST_BLOCKS = 10
FEW_BLOCKS = 4
BLOCK_DAYS = timedelta(days=2)
CLUSTERS_IN_BLOCK = 3
FEWEST_CLUSTERS = 2 * CLUSTERS_IN_BLOCK
LEAST_ROWS, LEAST_CLUSTERS = 20, 10
MOST_LEVELS = 40
"""Of an agent or a type; the rarest beyond are one level."""
WEEKDAYS = timedelta(days=14)
QUARTER = 6 * 3_600_000_000
WINDOW = timedelta(days=28)
OVERLAP = 0.1
"""The share of the variance of "after" that season and mix must leave."""

Method = Literal["difference_in_differences", "interrupted_time_series"]
PlaceboStatus = Literal["passed", "failed", "insufficient_data"]

SAME_LEVEL = (
    "Nothing else changed at that time: without the change the level would have stayed, apart from season and mix."
)
PARALLEL = (
    "Without the change the touched rows would have moved as the controls did, and the change did not reach them."
)
BLOCKS = "Stretches of time as long as a block are independent, or dependent on their neighbour only."
ADDITIVE = "Hour, weekday, agent and type add up, and act before as after."


class Placebo(NamedTuple):
    """What the method finds at a date where nothing is known to have happened. `found`: its interval is without 0."""

    at: datetime
    estimate: float
    low: float
    high: float
    found: bool


class Effect(NamedTuple):
    """What changed at `at`, of rows from `since` to `until`.

    `estimate` is standardised, `raw` the plain difference of the touched rows' means. `before` and `after` are the
    touched rows', `control_before` and `control_after` the controls'. `blocks` are those before and after. `basis` says
    what a cluster is, `season` and `mix` what was standardised. `left_out` counts rows by why they did not count.
    """

    status: Status
    reason: str
    method: Method
    estimate: float | None
    standard_error: float | None
    low: float | None
    high: float | None
    raw: float | None
    before: ClusterEstimate
    after: ClusterEstimate
    control_before: ClusterEstimate | None
    control_after: ClusterEstimate | None
    blocks: tuple[int, int]
    basis: str
    season: tuple[str, ...]
    mix: tuple[str, ...]
    left_out: dict[str, int]
    assumptions: tuple[str, ...]
    since: datetime
    at: datetime
    until: datetime
    placebo: PlaceboStatus
    placebos: tuple[Placebo, ...]

    @property
    def found(self) -> bool:
        """Whether the interval is without 0."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@one_thread()
def before_after(
    rows: Frame,
    at: datetime,
    value: str,
    *,
    time: str = "occurred_at",
    touched: str | None = None,
    weights: str | None = None,
    by: str | Sequence[str] | None = None,
    mix: Sequence[str] = ("agent_id", "action_type"),
    season: bool = True,
    window: timedelta = WINDOW,
    until: datetime | None = None,
    placebos: int = 3,
    confidence: float = 0.95,
) -> Effect:
    """The effect of the change at `at` on the mean of the column `value`; rows from `until` on do not count.

    `touched` and `weights` name columns: whether the change could reach a row, and how often it counts. `by` are the
    columns that make a cluster, `mix` those to standardise on (where the frame has them). Times without a zone are UTC.

    Raises ValueError for columns that are not there, a `window` that is not above zero, an `until` that is not after
    `at`, weights that are negative or not finite, less than 0 placebos and a confidence that is not between 0 and 1.
    """
    at, until = _utc(at), None if until is None else _utc(until)
    if window <= timedelta(0):
        raise ValueError(f"window is {window}; give days above zero")
    if until is not None and until <= at:
        raise ValueError(f"until is {until}, and the change is at {at}; give a time after it")
    if placebos < 0:
        raise ValueError(f"placebos is {placebos}; give 0 or more")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    there = columns(rows)
    table = _table(rows, value, time, touched, weights, by, [each for each in mix if each in there])
    moment = _microseconds(at)
    span = round(window.total_seconds() * 1_000_000)
    last = moment + span if until is None else min(moment + span, _microseconds(until))
    effect = _effect(table, moment - span, moment, last, season, confidence)
    tried = _placebos(table, moment, span, placebos, season)
    status: PlaceboStatus = "insufficient_data"
    if tried:
        status = "failed" if any(each.found for each in tried) else "passed"
    return effect._replace(placebo=status, placebos=tried)


class Bounds(NamedTuple):
    """`n` rows, of which `unknown` have no outcome: the share lies from `low` (none of them fail) to `high` (all)."""

    n: int
    unknown: int
    low: float | None
    high: float | None


def outcome_bounds(outcomes: Sequence[float | None] | pl.Series) -> Bounds:
    """The bounds of the share of ones among outcomes of 0 and 1, of which those that are null are not known. Raises
    ValueError for numbers that are not between 0 and 1."""
    known = pl.Series(outcomes, dtype=pl.Float64).fill_nan(None)
    if not known.drop_nulls().is_between(0, 1).all():
        raise ValueError("an outcome is not between 0 and 1; give 1, 0, or null where it is not known")
    n, unknown, ones = len(known), known.null_count(), float(known.sum())
    return Bounds(n, unknown, ones / n if n else None, (ones + unknown) / n if n else None)


class _Table(NamedTuple):
    """The rows as arrays. `factors` are the columns of the mix as codes."""

    time: Codes
    value: Floats
    weight: Floats
    touched: Flags
    cluster: Codes
    factors: dict[str, Codes]
    basis: str
    left_out: dict[str, int]


def _table(
    rows: Frame,
    value: str,
    time: str,
    touched: str | None,
    weights: str | None,
    by: str | Sequence[str] | None,
    mix: Sequence[str],
) -> _Table:
    names = [value, time, *(each for each in (touched, weights) if each is not None)]
    frame = need(rows, names, "rows").collect()
    keys = cluster_keys(frame, time=time, by=by)
    read = frame.select(
        utc(time).dt.epoch("us").alias("time"),
        pl.col(value).cast(pl.Float64).alias("value"),
        (pl.lit(1.0) if weights is None else pl.col(weights).cast(pl.Float64)).alias("weight"),
        (pl.lit(True) if touched is None else pl.col(touched).fill_null(False)).alias("touched"),
    )
    weight = read["weight"].fill_null(0.0).to_numpy()
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("a weight is negative or not a finite number; give 0 or more")
    known = read["time"].is_not_null().to_numpy()
    number = read["value"].to_numpy()
    kept = known & np.isfinite(number) & (weight > 0)
    left = {
        "without a time": int((~known).sum()),
        "without a value": int((known & ~np.isfinite(number)).sum()),
        "of weight zero": int((known & np.isfinite(number) & (weight <= 0)).sum()),
    }
    factors = {
        name: frame[name].cast(pl.String).fill_null("").rank("dense").cast(pl.Int64).to_numpy()[kept] - 1
        for name in mix
    }
    return _Table(
        read["time"].fill_null(0).to_numpy()[kept],
        number[kept],
        weight[kept],
        read["touched"].to_numpy()[kept],
        keys.codes[kept],
        factors,
        keys.basis,
        {why: n for why, n in left.items() if n},
    )


def _taken(table: _Table, rows: Flags) -> _Table:
    return table._replace(
        time=table.time[rows],
        value=table.value[rows],
        weight=table.weight[rows],
        touched=table.touched[rows],
        cluster=table.cluster[rows],
        factors={name: codes[rows] for name, codes in table.factors.items()},
    )


def _effect(table: _Table, first: int, at: int, last: int, season: bool, confidence: float) -> Effect:
    inside = _taken(table, (table.time >= first) & (table.time < last))
    left = dict(table.left_out)
    compared = np.ones(len(inside.time), dtype=np.bool_)
    for name, codes in inside.factors.items():
        found = compared & ~_on_both_sides(inside, codes, inside.time >= at)
        if found.any():
            left[f"of a value of {name} on one side only"] = int(found.sum())
            compared &= ~found
    kept = _taken(inside, compared)
    after = kept.time >= at
    cluster = kept.cluster * 2 + after
    touched = {side: _summary(kept, cluster, kept.touched & (after == side), confidence) for side in (False, True)}
    control = {side: _summary(kept, cluster, ~kept.touched & (after == side), confidence) for side in (False, True)}
    compares = all(each.clusters >= FEWEST for each in control.values())
    before, later = touched[False], touched[True]
    raw = None if before.estimate is None or later.estimate is None else later.estimate - before.estimate
    method: Method = "difference_in_differences" if compares else "interrupted_time_series"
    some = any(each.clusters for each in control.values())
    if some and not compares:
        left["controls, of which a side has too few clusters"] = sum(each.n for each in control.values())
    answer = Effect(
        status="insufficient_data",
        reason="",
        method=method,
        estimate=None,
        standard_error=None,
        low=None,
        high=None,
        raw=raw,
        before=before,
        after=later,
        control_before=control[False] if some else None,
        control_after=control[True] if some else None,
        blocks=(0, 0),
        basis=table.basis,
        season=(),
        mix=(),
        left_out=left,
        assumptions=(PARALLEL if compares else SAME_LEVEL, BLOCKS, ADDITIVE),
        since=_moment(first),
        at=_moment(at),
        until=_moment(last),
        placebo="insufficient_data",
        placebos=(),
    )
    if why := _short(inside, before, later, at) or (_apart(kept, after) if season else ""):
        return answer._replace(reason=why)
    block, counts = _blocks(kept, cluster, after)
    fits = []
    for sign, rows in ((1.0, kept.touched), *(((-1.0, ~kept.touched),) if compares else ())):
        design = _design(_taken(kept, rows), after[rows], season)
        whole, without = _jackknife(design, block[rows], sum(counts))
        if whole is None:
            return answer._replace(
                reason="before and after do not overlap in season and mix: nothing tells them from the change"
            )
        fits.append((sign, whole, without))
        answer = answer._replace(season=design.season, mix=design.mix)
    estimate = float(sum(sign * whole for sign, whole, _ in fits))
    moved = estimate - np.sum([sign * without for sign, _, without in fits], axis=0)
    q = counts[0]
    # What each block is worth by itself, apart from a constant.
    pseudo = np.concatenate([-(q - 1) * moved[:q], (counts[1] - 1) * moved[q:]])
    places = np.arange(len(pseudo))
    compared_blocks = clustered_difference(
        (pseudo[:q], places[:q]), (pseudo[q:] + estimate, places[q:]), confidence=confidence
    )
    answer = answer._replace(estimate=estimate, blocks=counts)
    few: Status = "few_clusters" if min(before.clusters, later.clusters) < FEWEST else "ok"
    if min(_spread(kept, kept.touched & (after == side)) for side in (False, True)) == 0:
        return _unvaried(answer, before, later, kept, few)
    if compared_blocks.standard_error is None or compared_blocks.low is None or compared_blocks.high is None:
        return answer._replace(status="no_variation", reason="the values do not vary from block to block")
    wider = sqrt(_carried(pseudo[:q], pseudo[q:]))
    half = (compared_blocks.high - compared_blocks.low) / 2 * wider
    return answer._replace(
        status=few,
        standard_error=compared_blocks.standard_error * wider,
        low=estimate - half,
        high=estimate + half,
    )


def _unvaried(answer: Effect, before: ClusterEstimate, after: ClusterEstimate, kept: _Table, status: Status) -> Effect:
    """By rule 4; of controls nothing is asked there, so that the difference is the plain one."""
    ends = (before.low, before.high, after.low, after.high)
    one, other, raw = before.estimate, after.estimate, answer.raw
    answer = answer._replace(estimate=raw, method="interrupted_time_series", season=(), mix=())
    answer = answer._replace(assumptions=(SAME_LEVEL, BLOCKS))
    if None in ends or one is None or other is None or raw is None:
        return answer._replace(status="no_variation", reason="the values of a side are all alike")
    low, high, later_low, later_high = (float(each) for each in ends if each is not None)
    return answer._replace(
        status=status,
        low=raw - sqrt((other - later_low) ** 2 + (high - one) ** 2),
        high=raw + sqrt((later_high - other) ** 2 + (one - low) ** 2),
        reason="a side has no variation: two proportions are compared, without season and mix",
    )


def _carried(before: Floats, after: Floats) -> float:
    """How much more variance neighbours that are alike make; 1 where they are not."""
    sides = [each - each.mean() for each in (before, after)]
    squares = sum(float(each @ each) for each in sides)
    if squares <= 0 or min(len(each) for each in sides) < 3:
        return 1.0
    r = sum(float(each[:-1] @ each[1:]) for each in sides) / squares
    r = min(max(r, 0.0), 0.8)
    return (1 + r) / (1 - r)


def _placebos(table: _Table, at: int, span: int, wanted: int, season: bool) -> tuple[Placebo, ...]:
    """Dates before the change, evenly within the two windows before it that have rows."""
    earlier = _taken(table, (table.time < at) & (table.time >= at - 2 * span))
    if not wanted or not len(earlier.time):
        return ()
    begin = max(int(earlier.time.min()), at - 2 * span)
    dates = [begin + (at - begin) * (place + 1) // (wanted + 1) for place in range(wanted)]
    found = []
    for date in dates:
        effect = _effect(earlier, date - span, date, min(date + span, at), season, 1 - 0.05 / wanted)
        if effect.estimate is not None and effect.low is not None and effect.high is not None:
            found.append(Placebo(_moment(date), effect.estimate, effect.low, effect.high, effect.found))
    return tuple(found)


def _summary(table: _Table, cluster: Codes, rows: Flags, confidence: float) -> ClusterEstimate:
    values, weights = table.value[rows], table.weight[rows]
    mean = clustered_proportion if len(values) and np.isin(values, (0.0, 1.0)).all() else clustered_mean
    even = bool((weights == 1).all())
    return mean(values, cluster[rows], weights=None if even else weights, confidence=confidence)


def _spread(table: _Table, rows: Flags) -> float:
    return float(np.ptp(table.value[rows]))


def _on_both_sides(table: _Table, codes: Codes, after: Flags) -> Flags:
    """Whether a row's level is found before and after, among the touched or the controls as the row is."""
    found = np.zeros(len(codes), dtype=np.bool_)
    for group in (table.touched, ~table.touched):
        both = np.intersect1d(codes[group & ~after], codes[group & after])
        found |= group & np.isin(codes, both)
    return found


def _short(inside: _Table, before: ClusterEstimate, after: ClusterEstimate, at: int) -> str:
    """What a side has too little of; empty where both have enough."""
    sides = ((before, inside.time < at, "before"), (after, inside.time >= at, "after"))
    for _, there, words in sides:
        if not (there & inside.touched).any():
            return f"no rows {words} the change"
    for side, _, words in sides:
        if side.clusters < FEWEST_CLUSTERS:
            rows = f"{side.n} rows in {side.clusters} clusters {words} the change"
            return f"{rows} that have a like on the other side; {FEWEST_CLUSTERS} clusters are needed"
    return ""


def _apart(kept: _Table, after: Flags) -> str:
    """Why the hour cannot be told from the change: most rows of a side fall into quarters of the day that the other
    side has none in. Empty where it can."""
    counts = np.stack(
        [np.bincount(kept.time[kept.touched & (after == side)] // QUARTER % 4, minlength=4) for side in (False, True)]
    )
    shared = counts[:, (counts > 0).all(axis=0)].sum(axis=1)
    if (shared * 2 >= counts.sum(axis=1)).all():
        return ""
    return "before and after share too few hours of the day: nothing tells the hour from the change"


def _blocks(table: _Table, cluster: Codes, after: Flags) -> tuple[Codes, tuple[int, int]]:
    """The block of each row, those after numbered on, and how many there are on each side."""
    block = np.zeros(len(cluster), dtype=np.int64)
    numbers, inverse = np.unique(cluster, return_inverse=True)
    begins = np.full(len(numbers), np.iinfo(np.int64).max)
    np.minimum.at(begins, inverse, table.time)
    counts: list[int] = []
    for side in (False, True):
        rows = after == side
        of = np.unique(inverse[rows & table.touched])
        sizes = np.bincount(inverse[rows & table.touched], table.weight[rows & table.touched], len(numbers))[of]
        order = np.argsort(begins[of], kind="stable")
        length = timedelta(microseconds=int(np.ptp(table.time[rows & table.touched])))
        q = max(2, min(MOST_BLOCKS, len(of) // CLUSTERS_IN_BLOCK, max(FEW_BLOCKS, round(length / BLOCK_DAYS))))
        # Each block ends with the cluster whose middle passes its share of the rows.
        middle = (np.cumsum(sizes[order]) - sizes[order] / 2) / sizes.sum()
        place = np.minimum((middle * q).astype(np.int64), q - 1)
        firsts = np.unique(place, return_index=True)[1]
        edges = begins[of][order][firsts]
        block[rows] = np.clip(np.searchsorted(edges, begins[inverse[rows]], side="right") - 1, 0, None) + sum(counts)
        counts.append(len(firsts))
    return block, (counts[0], counts[1])


class _Design(NamedTuple):
    """Each row's place among alike rows (`cell`), the regressors of each cell, and what is in them."""

    cell: Codes
    regressors: Flags
    after: Flags
    value: Floats
    weight: Floats
    season: tuple[str, ...]
    mix: tuple[str, ...]


def _design(table: _Table, after: Flags, season: bool) -> _Design:
    kinds: dict[str, Codes] = {}
    if season and len(table.time):
        kinds["hour of the day"] = table.time // 3_600_000_000 % 24
        if int(table.time.max()) - int(table.time.min()) >= WEEKDAYS / timedelta(microseconds=1):
            kinds["weekday"] = table.time // 86_400_000_000 % 7
    levels = {}
    for name, codes in (*kinds.items(), *table.factors.items()):
        found = _levels(codes, after, table.cluster)
        if found.max(initial=0) > 0:
            levels[name] = found
    code = after.astype(np.int64)
    for each in levels.values():
        code = code * (int(each.max()) + 1) + each
    _, first, cell = np.unique(code, return_index=True, return_inverse=True)
    parts: list[Flags] = [np.ones((len(first), 1), dtype=np.bool_)]
    for each in levels.values():
        parts.append(each[first][:, None] == np.arange(1, int(each.max()) + 1))
    return _Design(
        cell,
        np.concatenate(parts, axis=1),
        after[first],
        table.value,
        table.weight,
        tuple(name for name in kinds if name in levels),
        tuple(name for name in table.factors if name in levels),
    )


def _levels(codes: Codes, after: Flags, cluster: Codes) -> Codes:
    """Levels numbered from 1; rare ones, and those of one side only, are 0 together, if there are any."""
    numbers, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
    later = np.bincount(inverse, after, len(numbers))
    clusters = np.unique(inverse * (int(cluster.max(initial=0)) + 1) + cluster) // (int(cluster.max(initial=0)) + 1)
    fits = (counts >= LEAST_ROWS) & (np.bincount(clusters, minlength=len(numbers)) >= LEAST_CLUSTERS)
    fits &= (later > 0) & (later < counts)
    fits &= np.argsort(np.argsort(-counts, kind="stable"), kind="stable") < MOST_LEVELS
    found = np.where(fits, np.cumsum(fits), 0)[inverse]
    return np.asarray(found - (0 if (~fits).any() else 1), dtype=np.int64)


def _jackknife(design: _Design, block: Codes, blocks: int) -> tuple[float | None, Floats]:
    """The coefficient of "after", and the same without each block (Frisch, Waugh and Lovell); None where season and
    mix leave too little of it."""
    # Cells of a block with the rows in them.
    both, place = np.unique(block * len(design.regressors) + design.cell, return_inverse=True)
    weight = np.bincount(place, design.weight)
    total = np.bincount(place, design.weight * design.value)
    of, cell = both // len(design.regressors), both % len(design.regressors)
    width = design.regressors.shape[1]
    products, values, sides = np.zeros((blocks, width, width)), np.zeros((blocks, width)), np.zeros((blocks, width))
    size, later, ends = np.zeros(blocks), np.zeros(blocks), np.zeros(blocks)
    for each in range(blocks):
        rows = of == each
        x = design.regressors[cell[rows]].astype(np.float64)
        after = design.after[cell[rows]]
        products[each] = x.T @ (x * weight[rows][:, None])
        values[each], sides[each] = total[rows] @ x, (weight[rows] * after) @ x
        size[each], later[each], ends[each] = weight[rows].sum(), weight[rows] @ after, total[rows] @ after

    def leaving(parts: Floats) -> Floats:
        whole = parts.sum(axis=0)
        return np.concatenate([whole[None], whole[None] - parts])

    # The whole stands first, then each block left out.
    inverse = np.linalg.pinv(leaving(products), rcond=1e-10, hermitian=True)
    projected = np.einsum("bij,bj->bi", inverse, leaving(sides))
    left = leaving(later) - np.einsum("bi,bi->b", projected, leaving(sides))
    cross = leaving(ends) - np.einsum("bi,bi->b", projected, leaving(values))
    alone = leaving(later) * (leaving(size) - leaving(later)) / np.maximum(leaving(size), 1e-300)
    if (left <= OVERLAP * alone).any():
        return None, np.zeros(blocks)
    found = cross / left
    return float(found[0]), np.asarray(found[1:], dtype=np.float64)


def _utc(moment: datetime) -> datetime:
    """Raises ValueError outside of the years that a date can have."""
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{moment} is, in UTC, outside of the years 1 to 9999") from None


def _microseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _moment(microseconds: int) -> datetime:
    """Bounded by the years that a date can have, 1 to 9999."""
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    bounded = min(max(microseconds, _microseconds(first)), _microseconds(last))
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=bounded)
