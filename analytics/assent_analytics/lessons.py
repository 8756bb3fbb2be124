"""Lessons: what an agent's own episodes of an action type suggest for the next one, as numbers and as sentences.

Each lesson has success rates with intervals, a confidence, and hints taken from the best episodes; too few episodes
give no hints. A sentence of the guidance says the number, what it is of, and what to do. What is not known makes no
sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import isfinite, pi
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.clusters import FEWEST, cluster_keys
from assent_analytics.drift.rows import benjamini_hochberg
from assent_analytics.fixed_effects import slopes_within
from assent_analytics.frames import (
    KEYS,
    PAIR,
    Frame,
    bounded,
    count,
    has,
    need,
    paired,
    simulated,
    stated_risk,
    time_type,
    unpaired,
    utc,
)
from assent_analytics.means import mean_half_width, t_quantile, t_tail
from assent_analytics.one_thread import one_thread
from assent_analytics.rates import wilson_band
from assent_analytics.shrinkage import Population, Prior, among, population, prior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]


def guidance(lesson: Mapping[str, Any], min_samples: int) -> list[str]:
    """The sentences of one row of `lessons`."""
    n, kind = lesson["n"], lesson["action_type"]
    rate, low, high = (f"{100 * lesson[name]:.0f}%" for name in ("shrunk_rate", "shrunk_low", "shrunk_high"))
    if n < min_samples:
        return [
            f"Only {_episodes(n)} of {kind} so far, {min_samples} make a lesson; expect {rate} to succeed "
            f"({low} to {high})."
        ]
    said = [f"{lesson['successes']} of {_episodes(n)} of {kind} succeeded; expect {rate} ({low} to {high})."]
    best = f"the best {lesson['best_n']}"
    tests = {each["hint"]: each for each in lesson["tests"]}
    cap, floor, reversible = (tests.get(hint) for hint in TESTED)
    if lesson["risk_cap"] is not None:
        risk = f"the risk at or below {lesson['risk_cap']:.0f}"
        said.append(_advised(cap, f"Keep {risk}", f"Three quarters of {best} kept {risk}"))
    if lesson["prefer_reversible"]:
        share = f"{100 * lesson['reversible_share']:.0f}%"
        said.append(_advised(reversible, "Prefer what can be taken back", f"{share} of {best} could be taken back"))
    if lesson["confidence_floor"] is not None:
        sure = f"at least {lesson['confidence_floor']:.0f} confident"
        said.append(_advised(floor, f"Be {sure}", f"Three quarters of {best} were {sure}"))
    if lesson["expected_duration_ms"] is not None:
        said.append(f"Expect {_time(lesson['expected_duration_ms'])}, the median of {best}.")
    if lesson["expected_cost"] is not None:
        said.append(f"Expect a cost of ${lesson['expected_cost']:.4g}, the median of {best}.")
    return said


def _advised(test: Mapping[str, Any] | None, advice: str, seen: str) -> str:
    """Advice where other episodes bear it out; else what was seen, and that nothing follows from it."""
    if test is not None and test["status"] == SHOWN:
        gain, low, high = (f"{100 * test[name]:.0f}" for name in ("gain", "low", "high"))
        return f"{advice}: of other episodes, those that did succeeded {gain} points more often ({low} to {high})."
    untold = "is not shown" if test is not None and test["status"] == NOT_SHOWN else "cannot be told yet"
    return f"{seen}; whether that helps {untold}."


def _episodes(n: int) -> str:
    return "1 episode" if n == 1 else f"{n} episodes"


def _time(milliseconds: float) -> str:
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    return f"{seconds:.1f} seconds" if seconds < 120 else f"{seconds / 60:.1f} minutes"


# Lessons: what an agent's own episodes of an action type suggest for the next one.
#
# 1. `success_rate` is k of n with Wilson's interval. `shrunk_rate` is the same among everybody who does this type
#    (`shrinkage.among`), with its credible interval, which allows for how little few members say of their group: of few
#    episodes it says little that the group does not. `group_rate` and `group_strength` are those of the group's prior.
# 2. `confidence` is that of the published system: 35 + min(25, 2 n) + 25 * success rate + 0.4 * (mean score - 50),
#    rounded and cut to 35..95. It says how far a lesson goes, and is no probability.
# 3. The hints come from the best episodes, 35% of all (rounded up) and at least 3, by score and then the latest:
#    `risk_cap` is the third quartile of the risk that the agent stated (which it can keep to, as it cannot to what
#    guard makes of it; `risk_score` in frames without an `agent_risk_score`),
#    `confidence_floor` the first quartile of their stated confidence,
#    `expected_duration_ms` and `expected_cost` their medians (linear between neighbours, type 7). `prefer_reversible`
#    is whether at least 60% of those that say could be taken back. A hint is null where the best do not say.
# 4. The guidance above puts these numbers into sentences.
# 5. What the best have in common need not help, and their score counts risk itself. So clusters
#    (`clusters.cluster_keys`; in the order of time) make two halves, every other one, and each hint is found anew on
#    either half and tested on the other (cross-fitting: V. Chernozhukov and others, The Econometrics Journal 21
#    (2018), C1-C68): how much more often the episodes that follow what the other half found *succeed* than those that
#    do not, in one fit of both halves. Both sides are compared within strata of 2 to `STRATUM` clusters that follow
#    each other in time, since success and what the hint is about may both have changed, as when an agent is given
#    another model and easier work; and within them beside the time and the season of rule 6 (`fixed_effects`).
#    Strata are taken to be independent; the interval is the jackknife's over them, with Student's degrees of freedom of
#    as many alike ones as they are worth, less one. Where 10 clusters follow and 10 do not, and both are together in
#    strata that are worth `LEAST_STRATA` alike ones, its p-value is one-sided, and those of all hints of one answer are
#    corrected together (Y. Benjamini, Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995), 289-300):
#    `shown` at 5%, else `not_shown`; `insufficient_data` where clusters are too few, all ended alike, or nobody
#    followed when others did not. The newest 1,000 episodes or so count. Nobody drew lots who follows, so what is shown
#    goes together with success, and need not be its cause.
# 6. *Season*: a sine over the day and its first overtone (which is left out below `OVERTONE` strata), and levels, since
#    a job at three or a queue that opens at nine is no sine. Monday to Friday and the weekend have a level each; each
#    day of the week with `LEAST_LEVEL` clusters one of its own, and so has each quarter of the hour where there are 4
#    times as many. The time of day has levels in cells of half an hour, or else of one, two, four or eight hours (UTC),
#    apart for Monday to Friday and for weekends: the finest whose cells have `LEAST_LEVEL` clusters each on average;
#    none where not even the widest have. Where hardly a row is left beside them, a gain above 1 comes out, which is
#    none. *It assumes* that what goes with the time is the same within a cell on each of these days, but for a level of
#    the day. Hours that are hard on one day of the week alone, the day of the month, and what begins and ends within a
#    stratum at no fixed hour, such as outages, are not taken out.
# 7. All of it is of actions that ran: what was blocked, denied or expired teaches nothing here.
# 8. Below `min_samples` episodes `status` is `insufficient_data`: rates stand with their intervals, hints are null.


MIN_SAMPLES = 5
TOP_SHARE, LEAST_TOP, REVERSIBLE_SHARE = 0.35, 3, 0.6
TESTED = ("risk_cap", "confidence_floor", "prefer_reversible")
"""Hints that say what to do."""
SHOWN, NOT_SHOWN, UNTOLD = "shown", "not_shown", "insufficient_data"
LEVEL, NEWEST = 0.05, 1000
STRATA, STRATUM, LEAST_STRATA, OVERTONE = 15, 8, 4, 20
"""How many strata there are to be, of how many clusters at most."""
LEAST_LEVEL = 6
"""How many clusters a level of the hour or the day of the week has, at least on average."""

_NEEDED = (*KEYS, "ended_at", "score", "success")
_DAY, _HALF_HOUR, _SAME = 86_400_000_000, 1_800_000_000, 1e-9
_SATURDAY, _STEPS = 5, (1, 2, 4, 8, 16)
"""How many half hours the cells of a day may have."""
_HINTS = {
    "risk_cap": ("stated_risk", 0.75),
    "confidence_floor": ("confidence", 0.25),
    "expected_duration_ms": ("duration_ms", 0.5),
    "expected_cost": ("cost_estimate", 0.5),
}
_BEST = ("best_n", *_HINTS, "reversible_share")
_SHRUNK = ("shrunk_rate", "shrunk_low", "shrunk_high", "group_rate", "group_strength")


def group_counts(episodes: Frame) -> pl.LazyFrame:
    """What `lessons` asks of the groups: `agent_id`, `action_type`, `n` and `successes`."""
    return (
        need(episodes, (*KEYS, "success"), "episodes")
        .filter(pl.col("success").is_not_null())
        .group_by([pl.col(name).cast(pl.String) for name in KEYS])
        .agg(pl.len().cast(pl.Int64).alias("n"), pl.col("success").sum().cast(pl.Int64).alias("successes"))
    )


@one_thread()
def lessons(episodes: Frame, *, groups: Frame | None = None, min_samples: int = MIN_SAMPLES) -> pl.DataFrame:
    """One row for each `agent_id` and `action_type`, those with the highest confidence first: `n`, `successes`,
    `success_rate` with `success_low` and `success_high`, `shrunk_rate` with `shrunk_low` and `shrunk_high`,
    `group_rate` and `group_strength` (the prior's mean, and how many episodes it is worth) and `group_members`,
    `avg_score` with `score_low` and `score_high`, `confidence`, the hints of rule 3 with `best_n` and
    `reversible_share`, `tests` (for each hint of TESTED that there is: `hint`, `status`, `gain` with `low` and `high`
    in shares of success, `p_adjusted`, `n` and `clusters` of the test), `clusters` and `basis` of what was tested,
    `guidance` (a list of sentences), `window_start` and `window_end` (UTC), `status` and `simulated`.

    Episodes without an end, an agent, a type or a `success` do not count, and scores and measures that are not finite
    are taken as unknown. `groups` are the counts of everybody (`group_counts`), where the episodes are not. Raises
    ValueError for `min_samples` below 1, and one that names missing columns.
    """
    if min_samples < 1:
        raise ValueError(f"min_samples is {min_samples}; give 1 or more")
    # Looked at three times: with the columns that are needed and no others, it is worth its memory.
    known = bounded(_known(episodes).collect(), "score", "episodes").lazy().with_columns(pl.col("score").cast(pl.Int64))
    n, mean = pl.col("n"), pl.col("avg_score")
    low, high = wilson_band(pl.col("successes"), n)
    half = mean_half_width(pl.col("sd"), n)
    enough = n >= min_samples
    hints = [*_HINTS, "reversible_share"]
    rows = (
        _totals(known)
        .join(_best(known), on=PAIR, how="left")
        .with_columns(
            success_rate=pl.col("successes") / n,
            success_low=low,
            success_high=high,
            score_low=(mean - half).clip(0, 100),
            score_high=(mean + half).clip(0, 100),
            status=pl.when(enough).then(pl.lit("ok")).otherwise(pl.lit("insufficient_data")),
            **{name: pl.when(enough).then(pl.col(name)) for name in hints},
        )
        .with_columns(confidence=_confidence(), prefer_reversible=pl.col("reversible_share") >= REVERSIBLE_SHARE)
        .sort("confidence", "n", *KEYS, descending=[True, True, False, False])
        .drop("sd", PAIR)
        .collect()
    )
    priors = _priors(rows if groups is None else groups.lazy().collect())
    after = [_after(row, priors) for row in rows.select("action_type", "successes", "n").iter_rows()]
    types = dict.fromkeys(_SHRUNK, pl.Float64()) | {"group_members": pl.Int64()}
    told = pl.concat(
        [rows, pl.DataFrame(after, schema=types, orient="row"), _tests(known, rows, min_samples)], how="horizontal"
    )
    sentences = [guidance(row, min_samples) for row in told.iter_rows(named=True)]
    return told.with_columns(pl.Series("guidance", sentences, dtype=pl.List(pl.String)))


def _known(episodes: Frame) -> pl.LazyFrame:
    frame = need(episodes, _NEEDED, "episodes")
    measures = {
        name: pl.col(name) if has(frame, name) else pl.lit(None) for name, _ in _HINTS.values() if name != "stated_risk"
    } | {"stated_risk": stated_risk(frame)}
    return paired(
        frame.filter(pl.col("ended_at").is_not_null() & pl.col("success").is_not_null()).select(
            *KEYS,
            utc("ended_at").alias("ended_at"),
            _finite(pl.col("score")),
            pl.col("success").cast(pl.Boolean),
            *(pl.col(name) for name in ("session_id", "thread_id") if has(frame, name)),
            *(_finite(number).alias(name) for name, number in measures.items()),
            (pl.col("reversible") if has(frame, "reversible") else pl.lit(None)).cast(pl.Boolean).alias("reversible"),
            simulated(frame).alias("simulated"),
        )
    )


def _finite(numbers: pl.Expr) -> pl.Expr:
    """What is no number says nothing."""
    real = numbers.cast(pl.Float64)
    return pl.when(real.is_finite()).then(real)


def _totals(known: pl.LazyFrame) -> pl.LazyFrame:
    return known.group_by(PAIR).agg(
        *unpaired(),
        pl.len().cast(pl.Int64).alias("n"),
        pl.col("success").sum().cast(pl.Int64).alias("successes"),
        pl.col("score").mean().alias("avg_score"),
        pl.col("score").std().alias("sd"),
        pl.col("ended_at").min().cast(time_type()).alias("window_start"),
        pl.col("ended_at").max().cast(time_type()).alias("window_end"),
        count(pl.col("simulated"), pl.lit(1, pl.Int64)).alias("simulated"),
    )


def _best(known: pl.LazyFrame) -> pl.LazyFrame:
    """What the best episodes of each agent and action type have in common."""
    score = pl.col("score")
    scored = known.filter(score.is_not_null()).join(_cuts(known), on=PAIR, how="left")
    latest = pl.col("ended_at").rank("ordinal", descending=True).over(PAIR).cast(pl.Int64)
    cut = pl.col("cut")
    return (
        pl.concat(
            [scored.filter(cut.is_null() | (score > cut)), scored.filter(score == cut).filter(latest <= pl.col("left"))]
        )
        .group_by(PAIR)
        .agg(
            pl.len().cast(pl.Int64).alias("best_n"),
            *(pl.col(column).quantile(share, "linear").alias(name) for name, (column, share) in _HINTS.items()),
            pl.col("reversible").mean().alias("reversible_share"),
        )
    )


def _cuts(known: pl.LazyFrame) -> pl.LazyFrame:
    """The score at which the best of each number end, and how many with this score are among them; null where all are.
    From how often each score occurs, of which there are at most 101: only those at the cut have to be put in order."""
    times, upto = pl.col("times"), pl.col("times").filter(pl.col("score").is_not_null()).cum_sum()
    # 35 n / 100 in whole numbers: 0.35 * 20 is a little more than 7, and its ceiling would be 8.
    most = pl.max_horizontal(-(-times.sum() * round(100 * TOP_SHARE) // 100), LEAST_TOP)
    reached = upto >= most
    return (
        known.group_by(PAIR, "score")
        .agg(pl.len().cast(pl.Int64).alias("times"))
        .sort("score", descending=True, nulls_last=True)
        .group_by(PAIR, maintain_order=True)
        .agg(
            pl.col("score").drop_nulls().filter(reached).first().alias("cut"),
            (most - (upto - times.filter(pl.col("score").is_not_null())).filter(reached).first()).alias("left"),
        )
    )


def _confidence() -> pl.Expr:
    n = pl.col("n")
    raw = 35 + pl.min_horizontal(25.0, 2.0 * n) + 25 * pl.col("success_rate") + 0.4 * (pl.col("avg_score") - 50)
    return (raw + 0.5).floor().clip(35, 95).cast(pl.Int64)


class _Hint(NamedTuple):
    """A test of one hint before all of them are corrected."""

    row: int
    hint: str
    n: int
    clusters: int
    gain: float | None
    low: float | None
    high: float | None
    p_value: float | None


def _test() -> dict[str, Any]:
    """The columns of a test of a hint, and their types."""
    return {
        **dict.fromkeys(("hint", "status"), pl.String),
        **dict.fromkeys(("gain", "low", "high", "p_adjusted"), pl.Float64),
        **dict.fromkeys(("n", "clusters"), pl.Int64),
    }


def _tests(known: pl.LazyFrame, rows: pl.DataFrame, min_samples: int) -> pl.DataFrame:
    """Rule 5 for each row: `tests`, `clusters` and `basis`."""
    newest = _newest(known, rows, min_samples)
    keys = cluster_keys(newest, time="ended_at")
    number = pl.Series("_cluster", keys.codes, dtype=pl.Int64)
    newest = newest.with_columns(number)
    # Clusters of a row in the order of time; every other one is of the same half.
    of_row = newest.group_by("_row", "_cluster").agg(pl.col("ended_at").min()).sort("_row", "ended_at", "_cluster")
    nth = of_row.with_columns(pl.int_range(pl.len()).over("_row").alias("_nth")).drop("ended_at")
    newest = newest.join(nth, on=["_row", "_cluster"], how="left")
    own, other = (2 * pl.col(PAIR) + (pl.col("_nth").cast(pl.UInt64) + half) % 2 for half in (0, 1))
    found = _best(newest.lazy().with_columns(own.alias(PAIR))).rename({name: f"_{name}" for name in _BEST}).collect()
    held = newest.with_columns(other.alias(PAIR)).join(found, on=PAIR, how="inner")
    follows = held.select(
        *("_row", "_nth", "ended_at"),
        pl.col("success").cast(pl.Float64),
        (pl.col("stated_risk") <= pl.col("_risk_cap")).alias("risk_cap"),
        (pl.col("confidence") >= pl.col("_confidence_floor")).alias("confidence_floor"),
        pl.when(pl.col("_reversible_share") >= REVERSIBLE_SHARE).then("reversible").alias("prefer_reversible"),
    )
    has_hint = rows.select(*TESTED).with_columns(pl.col("prefer_reversible").fill_null(False))
    tried = _tried(
        follows.with_columns(
            pl.when(pl.col("_row").is_in(_said(has_hint[hint]))).then(pl.col(hint)).cast(pl.Float64) for hint in TESTED
        )
    )
    told = [each for each in tried if each.p_value is not None]
    adjusted = benjamini_hochberg([each.p_value for each in told if each.p_value is not None])
    after = {(each.row, each.hint): p for each, p in zip(told, adjusted, strict=True)}
    tests: list[list[dict[str, Any]]] = [[] for _ in range(rows.height)]
    for each in tried:
        p = after.get((each.row, each.hint))
        tests[each.row].append(
            {
                "hint": each.hint,
                "status": UNTOLD if p is None else SHOWN if p <= LEVEL else NOT_SHOWN,
                "gain": each.gain,
                "low": each.low,
                "high": each.high,
                "p_adjusted": p,
                "n": each.n,
                "clusters": each.clusters,
            }
        )
    many = dict(of_row.group_by("_row").len().iter_rows())
    return pl.DataFrame(
        {
            "tests": pl.Series(tests, dtype=pl.List(pl.Struct(_test()))),
            "clusters": pl.Series([many.get(at, 0) for at in range(rows.height)], dtype=pl.Int64),
            "basis": pl.Series([keys.basis] * rows.height, dtype=pl.String),
        }
    )


def _newest(known: pl.LazyFrame, rows: pl.DataFrame, min_samples: int) -> pl.DataFrame:
    """About NEWEST episodes of each row that has hints, by how its time would hold them evenly; with `_row`."""
    span = pl.col("window_end") - pl.col("window_start")
    since = pl.col("window_end") - span * (NEWEST / pl.col("n"))
    asked = (
        rows.lazy()
        .with_row_index("_row")
        .filter(pl.col("n") >= min_samples)
        .select(*KEYS, "_row", pl.when(pl.col("n") > NEWEST).then(since).otherwise("window_start").alias("_since"))
    )
    pairs = known.select(*KEYS, PAIR).unique(PAIR).with_columns(pl.col(name).cast(pl.String) for name in KEYS)
    by_pair = pairs.join(asked, on=KEYS, how="inner").select(PAIR, "_row", "_since")
    return (
        known.join(by_pair, on=PAIR, how="inner")
        .filter(pl.col("ended_at") >= pl.col("_since"))
        .with_columns(pl.col(name).cast(pl.String) for name in KEYS)
        .collect()
    )


def _said(hints: pl.Series) -> list[int]:
    """The rows that have the hint."""
    return [at for at, hint in enumerate(hints) if hint not in (None, False)]


def _tried(follows: pl.DataFrame) -> list[_Hint]:
    """The test of each hint of each row, in their order. `follows` has a column for each hint: 1 where an episode does
    what the other half found, 0 where it does not, null where it is not of the test. `_nth` is the cluster's place in
    time. Hints of a row that are about the same episodes are tested together, beside columns that are made once."""
    rows = _designs(follows)
    if rows.is_empty():
        return []
    clusters, size = pl.col("_nth").n_unique().over("_row"), pl.col("_size")
    turn = 2 * pi * (pl.col("ended_at").dt.epoch("us") % _DAY) / _DAY
    rows = (
        rows.with_columns(_clusters=clusters, _size=(clusters // STRATA).clip(2, STRATUM))
        .with_columns(_strata=(pl.col("_clusters") // size).clip(1))
        .with_columns(
            # What is left over at the end belongs to the last one.
            _stratum=pl.min_horizontal((pl.col("_nth").rank("dense").over("_row") - 1) // size, pl.col("_strata") - 1),
            _few=pl.col("_strata") < OVERTONE,
        )
        .sort("_row", "_nth", "ended_at", *TESTED, "success")
    )
    time = pl.col("ended_at").dt.epoch("us")
    past = (time - time.min().over("_row")).cast(pl.Float64)
    smooth = rows.select(
        (past / past.max().over("_row").clip(1)).alias("time"),
        turn.sin().alias("sine"),
        turn.cos().alias("cosine"),
        pl.when("_few").then(0.0).otherwise((2 * turn).sin()).alias("second sine"),
        pl.when("_few").then(0.0).otherwise((2 * turn).cos()).alias("second cosine"),
    ).to_numpy()
    half_hour = rows.select(time % _DAY // _HALF_HOUR).to_series().to_numpy()
    quarter = rows.select(time % (2 * _HALF_HOUR) // (_HALF_HOUR // 2)).to_series().to_numpy()
    weekday = rows["ended_at"].dt.weekday().to_numpy().astype(np.int64) - 1
    does = rows.select(pl.col(TESTED).cast(pl.Float64).fill_null(np.nan)).to_numpy()
    success, nth, stratum = (rows[name].to_numpy() for name in ("success", "_nth", "_stratum"))
    number = rows["_row"].to_numpy()
    begins = np.flatnonzero(np.diff(number, prepend=-1))
    found = []
    for begin, end in pairwise([*begins.tolist(), rows.height]):
        own = slice(begin, end)
        levels = _levels(weekday[own], half_hour[own], quarter[own], nth[own])
        strata = np.flatnonzero(np.diff(stratum[own], prepend=-1))
        hints = np.flatnonzero(~np.isnan(does[begin]))
        alike = slopes_within(does[own][:, hints], np.column_stack([smooth[own], levels]), success[own], strata)
        many = _several(nth[own])
        for place, each in zip(hints.tolist(), alike, strict=True):
            sides = (_several(nth[own][does[own, place] == side]) for side in (0, 1))
            gain = _gain(each.slope, each.error, each.effective, min(sides))
            found.append(_Hint(int(number[begin]) // len(TESTED), TESTED[place], end - begin, many, *gain))
    return sorted(found, key=lambda each: (each.row, TESTED.index(each.hint)))


def _designs(follows: pl.DataFrame) -> pl.DataFrame:
    """The episodes of each test, once for all hints of a row that are about the same ones: `_row` is a number of the
    row and the first of these hints, and only their columns are not null."""
    first = {
        hint: pl.coalesce(
            pl.when(pl.col(hint).is_null().eq(pl.col(other).is_null()).all().over("_row")).then(place)
            for place, other in enumerate(TESTED)
        )
        for hint in TESTED
    }
    rows = follows.with_columns(first[hint].alias(f"_first_{hint}") for hint in TESTED)
    return pl.concat(
        rows.filter((pl.col(f"_first_{hint}") == place) & pl.col(hint).is_not_null()).select(
            *(pl.col("_row").cast(pl.Int64) * len(TESTED) + place, "_nth", "ended_at", "success"),
            *(pl.when(pl.col(f"_first_{other}") == place).then(pl.col(other)).alias(other) for other in TESTED),
        )
        for place, hint in enumerate(TESTED)
    )


def _levels(weekday: Codes, half_hour: Codes, quarter: Codes, cluster: Codes) -> Floats:
    """The columns of rule 6, of one test, whose rows are in the order of their clusters. What is alike in all rows, or
    tells the same as others, does no harm."""
    quarters = _several(cluster) >= LEAST_LEVEL * 4
    columns = [quarter == each for each in range(1, 4)] if quarters else []
    for days in (weekday < _SATURDAY, weekday >= _SATURDAY):
        columns += [days] + [
            own for day in np.unique(weekday[days]) if _several(cluster[own := weekday == day]) >= LEAST_LEVEL
        ]
        for halves in _STEPS:
            cell = half_hour[days] // halves
            there = np.unique(cell)
            if len(np.unique(cell * (int(cluster.max()) + 1) + cluster[days])) >= LEAST_LEVEL * len(there):
                columns += [days & (half_hour // halves == each) for each in there]
                break
    return np.column_stack(columns).astype(np.float64)


def _several(ordered: Codes) -> int:
    """How many different ones there are of numbers in their order."""
    return int(np.count_nonzero(np.diff(ordered))) + 1 if len(ordered) else 0


def _gain(slope: float, error: float, strata: float, fewest: int) -> tuple[float | None, ...]:
    """The gain with its interval, and its p-value where there is one; nothing where no difference of two shares could
    be it, since hardly any row is left beside the levels."""
    if not isfinite(slope) or abs(slope) > 1 + _SAME:
        return None, None, None, None
    if abs(slope) <= _SAME:
        slope = 0.0
    if not isfinite(error) or error <= _SAME or strata < LEAST_STRATA:
        return float(slope), None, None, None
    half = t_quantile(strata - 1) * error
    p_value = t_tail(slope / error, strata - 1) if fewest >= FEWEST else None
    return float(slope), max(-1.0, float(slope - half)), min(1.0, float(slope + half)), p_value


def _priors(counts: pl.DataFrame) -> dict[str, tuple[Prior, Population]]:
    given: dict[str, list[tuple[int, int]]] = {}
    chosen = counts.select("action_type", "successes", "n").sort(pl.all())
    for kind, successes, n in chosen.iter_rows():
        given.setdefault(kind, []).append((successes, n))
    return {kind: (prior(members), population(members)) for kind, members in given.items()}


def _after(row: tuple[str, int, int], priors: dict[str, tuple[Prior, Population]]) -> tuple[Any, ...]:
    kind, successes, n = row
    before, members = priors.get(kind) or (prior([]), population([]))
    rate = among(successes, n, members)
    return rate.rate, rate.low, rate.high, before.mean, before.strength, before.members
