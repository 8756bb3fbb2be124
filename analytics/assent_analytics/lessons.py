"""Lessons: what an agent's own episodes of an action type suggest for the next one, as numbers and as sentences.

Each lesson has success rates with intervals, a confidence, and hints taken from the best episodes; too few episodes
give no hints. A sentence of the guidance says the number, what it is of, and what to do. What is not known makes no
sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from assent_analytics.frames import KEYS, PAIR, Frame, count, has, need, paired, simulated, time_type, unpaired, utc
from assent_analytics.means import mean_half_width
from assent_analytics.rates import wilson_band
from assent_analytics.shrinkage import Prior, prior, shrunk


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
    if lesson["risk_cap"] is not None:
        said.append(f"Keep the risk at or below {lesson['risk_cap']:.0f}: three quarters of {best} did.")
    if lesson["prefer_reversible"]:
        share = f"{100 * lesson['reversible_share']:.0f}%"
        said.append(f"Prefer what can be taken back: {share} of {best} could be.")
    if lesson["confidence_floor"] is not None:
        said.append(f"Be at least {lesson['confidence_floor']:.0f} confident: three quarters of {best} were.")
    if lesson["expected_duration_ms"] is not None:
        said.append(f"Expect {_time(lesson['expected_duration_ms'])}, the median of {best}.")
    if lesson["expected_cost"] is not None:
        said.append(f"Expect a cost of ${lesson['expected_cost']:.4g}, the median of {best}.")
    return said


def _episodes(n: int) -> str:
    return "1 episode" if n == 1 else f"{n} episodes"


def _time(milliseconds: float) -> str:
    seconds = milliseconds / 1000
    if seconds < 1:
        return f"{milliseconds:.0f} ms"
    return f"{seconds:.1f} seconds" if seconds < 120 else f"{seconds / 60:.1f} minutes"


# Lessons: what an agent's own episodes of an action type suggest for the next one.
#
# 1. `success_rate` is k of n with Wilson's interval. `shrunk_rate` is the same after the beta-binomial prior of
#    everybody who does this type (`shrinkage`), with its credible interval: of few episodes it says little that the
#    group does not.
# 2. `confidence` is that of the published system: 35 + min(25, 2 n) + 25 * success rate + 0.4 * (mean score - 50),
#    rounded and cut to 35..95. It says how far a lesson goes, and is no probability.
# 3. The hints come from the best episodes, 35% of all (rounded up) and at least 3, by score and then the latest:
#    `risk_cap` is the third quartile of their risk, `confidence_floor` the first quartile of their stated confidence,
#    `expected_duration_ms` and `expected_cost` their medians (linear between neighbours, type 7). `prefer_reversible`
#    is whether at least 60% of those that say could be taken back. A hint is null where the best do not say.
# 4. The guidance above puts these numbers into sentences.
# 5. Below `min_samples` episodes `status` is `insufficient_data`: rates stand with their intervals, hints are null.


MIN_SAMPLES = 5
TOP_SHARE, LEAST_TOP, REVERSIBLE_SHARE = 0.35, 3, 0.6

_NEEDED = (*KEYS, "ended_at", "score", "success")
_HINTS = {
    "risk_cap": ("risk_score", 0.75),
    "confidence_floor": ("confidence", 0.25),
    "expected_duration_ms": ("duration_ms", 0.5),
    "expected_cost": ("cost_estimate", 0.5),
}
_SHRUNK = ("shrunk_rate", "shrunk_low", "shrunk_high", "group_rate", "group_strength")


def group_counts(episodes: Frame) -> pl.LazyFrame:
    """What `lessons` asks of the groups: `agent_id`, `action_type`, `n` and `successes`."""
    return (
        need(episodes, (*KEYS, "success"), "episodes")
        .group_by([pl.col(name).cast(pl.String) for name in KEYS])
        .agg(pl.len().cast(pl.Int64).alias("n"), pl.col("success").sum().cast(pl.Int64).alias("successes"))
    )


def lessons(episodes: Frame, *, groups: Frame | None = None, min_samples: int = MIN_SAMPLES) -> pl.DataFrame:
    """One row for each `agent_id` and `action_type`, those with the highest confidence first: `n`, `successes`,
    `success_rate` with `success_low` and `success_high`, `shrunk_rate` with `shrunk_low` and `shrunk_high`,
    `group_rate` and `group_strength` (the prior's mean, and how many episodes it is worth) and `group_members`,
    `avg_score` with `score_low` and `score_high`, `confidence`, the hints of rule 3 with `best_n` and
    `reversible_share`, `guidance` (a list of sentences), `window_start` and `window_end` (UTC), `status` and
    `simulated`.

    `groups` are the counts of everybody (`group_counts`), where the episodes are not. Raises ValueError for
    `min_samples` below 1, and one that names missing columns.
    """
    if min_samples < 1:
        raise ValueError(f"min_samples is {min_samples}; give 1 or more")
    # Looked at three times: with the columns that are needed and no others, it is worth its memory.
    known = _known(episodes).collect().lazy()
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
    told = pl.concat([rows, pl.DataFrame(after, schema=types, orient="row")], how="horizontal")
    sentences = [guidance(row, min_samples) for row in told.iter_rows(named=True)]
    return told.with_columns(pl.Series("guidance", sentences, dtype=pl.List(pl.String)))


def _known(episodes: Frame) -> pl.LazyFrame:
    frame = need(episodes, _NEEDED, "episodes")
    measures = [name for name, _ in _HINTS.values()]
    return paired(
        frame.filter(pl.col("ended_at").is_not_null()).select(
            *KEYS,
            utc("ended_at").alias("ended_at"),
            pl.col("score").cast(pl.Int64),
            "success",
            *((pl.col(name) if has(frame, name) else pl.lit(None)).cast(pl.Float64).alias(name) for name in measures),
            (pl.col("reversible") if has(frame, "reversible") else pl.lit(None)).cast(pl.Boolean).alias("reversible"),
            simulated(frame).alias("simulated"),
        )
    )


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


def _priors(counts: pl.DataFrame) -> dict[str, Prior]:
    given: dict[str, list[tuple[int, int]]] = {}
    chosen = counts.select("action_type", "successes", "n").sort(pl.all())
    for kind, successes, n in chosen.iter_rows():
        given.setdefault(kind, []).append((successes, n))
    return {kind: prior(members) for kind, members in given.items()}


def _after(row: tuple[str, int, int], priors: dict[str, Prior]) -> tuple[Any, ...]:
    kind, successes, n = row
    before = priors.get(kind) or prior([])
    rate = shrunk(successes, n, before)
    return rate.rate, rate.low, rate.high, before.mean, before.strength, before.members
