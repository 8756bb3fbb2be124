"""What asking people is worth: what it takes of operators and agents, what operators change, and whether they agree and
tire. Every function takes facts (`assent_analytics.facts`); a row without a `state` is one that nobody was asked about.

1. *Bursts.* Decisions of one operator, each at most `BURST` seconds after the one before, are one burst. From the
   second on, the time that a decision took is seen: from the one before, or from the request where that came later, to
   the decision. The first of a burst is not seen, since nobody knows when its operator began to read; it is counted as
   the median of those of its group that are seen, else of all. `attention_seen` says how many are seen. The ends of
   the minutes are those of that median (bootstrap, decisions as independent ones) for each that is not seen; below
   `FEWEST_SEEN` seen ones of the group there are none, and the minutes are too few to tell.
2. *What was changed.* Of the requests that an operator decided, the share denied, with the clustered interval of a
   proportion (`clusters`). Where several groups stand beside each other, their intervals hold for all together
   (Bonferroni): a group is chosen by looking at all.
3. *What it bought.* A request that was denied or expired never ran, so it has no outcome: between none and all of them
   would have failed (C. F. Manski, "Nonparametric bounds on treatment effects", American Economic Review 80 (1990),
   319-323). What was allowed has outcomes, and its failures are what asking let through.
4. *Advice* is `stop` where at most `tolerated` of the decided are denied and of the allowed fail, by the upper ends of
   both intervals; `ask` where more than that is denied or fails, by a lower end; `unclear` between these, and
   `too_few` below `FEWEST` decided requests or 10 clusters. Of types that nobody was asked about it is `begin` where
   more than `tolerated` fails by the lower end. It is advice about numbers: people say what a failure costs.
5. *Agreement.* Pairs of decisions by different operators about requests of one kind: the share `same` that agree, that
   of pairs drawn from all kinds (`by_chance`), and alpha = 1 - (1 - same) / (1 - by_chance), which is Krippendorff's
   for two categories with each kind as a unit, over pairs of different operators (K. Krippendorff, Content Analysis,
   1980, chapter 12). `own` is the share of pairs of one operator that agree: where it is above `same`, the answer
   depends on who is asked. Kinds are drawn anew for the interval; below 10 kinds there is none. Requests of a kind are
   not the same request, so operators who judge rightly disagree, too.
6. *Tiring.* By position in a burst: the share allowed, and the time a decision took. Requests late in a burst may
   differ from early ones, so the answer is taken within bursts: of each burst of 6 or more the share allowed in its
   last third less that in its first, and Student's interval over bursts. What they are asked about may still change
   within one.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from assent.contract.control.approvals import ApprovalState
from assent_analytics.bootstrap import band, quantile_intervals
from assent_analytics.clusters import ClusterEstimate, clustered_proportion
from assent_analytics.frames import Frame, need, one_of, simulated, utc
from assent_analytics.means import mean_interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

Advice: TypeAlias = Literal["stop", "ask", "begin", "unclear", "too_few"]

BURST = 600
"""Seconds between two decisions of one operator that are one burst."""
FEWEST = 20
"""Decided requests from which a group gets an advice."""
FEWEST_SEEN = 10
"""Decisions whose time is seen from which the minutes have an interval."""
TOLERATED = 0.05
"""The share of denials, and of failures, up to which asking is not worth it, where nobody says another."""
POSITIONS = ((1, 1), (2, 5), (6, 10), (11, 20), (21, None))
LONG = 6
"""Decisions from which a burst has thirds."""
RESAMPLES = 2000

_DECIDED = (ApprovalState.APPROVED, ApprovalState.DENIED)
_NEEDED = ("state", "requested_at", "decided_at", "decided_by", "outcome", "cluster")


def worth(facts: Frame, by: str | Sequence[str] = "action_type", *, tolerated: float = TOLERATED) -> pl.DataFrame:
    """One row for each group that somebody was asked about, those with most attention first: the columns `by`; `asked`,
    `decided`, `denied`, `expired`, `withdrawn`, `awaiting`, `simulated`; `waited_minutes`, which agents waited for the
    decided ones, together; `attention_minutes` of operators with `attention_low` and `attention_high`, and
    `attention_seen` (rule 1); `denied_share` with
    `denied_low` and `denied_high`; `ended` and `failed` of those allowed, and `failed_share` with its ends; `stopped`
    (denied or expired), of which between 0 and all would have failed; `clusters`, and `advice` (rule 4). Shares are
    null where nothing counts, and their ends where clusters are too few.

    A column with lists (`matched_policies`) counts a request in each member's group. Raises ValueError that names
    missing columns, and for a `tolerated` that is not between 0 and 1.
    """
    names = _names(by)
    _check(tolerated)
    rows = _asked(facts, names)
    schema = {name: rows.schema[name] for name in names} | _worth_types()
    groups = rows.partition_by(names, as_dict=True, maintain_order=True) if rows.height else {}
    confidence = 1 - 0.05 / max(1, len(groups))
    median = rows["took"].median()
    answer = [
        (*key, *_worth_of(own, float(median) if isinstance(median, float) else None, tolerated, confidence))
        for key, own in groups.items()
    ]
    return pl.DataFrame(answer, schema=schema, orient="row").sort(
        "attention_minutes", "asked", *names, descending=[True, True, *(False for _ in names)], nulls_last=True
    )


class Attention(NamedTuple):
    """Minutes of operators for the `decided` requests together, of which `seen` took a time that is seen, by rule 1."""

    minutes: float | None
    low: float | None
    high: float | None
    seen: int
    decided: int


def attention(facts: Frame) -> Attention:
    """What all decisions together took of operators. Raises ValueError that names missing columns."""
    decided = _asked(facts, []).filter("decided")
    return _attention(decided["took"].drop_nulls(), decided.height, None, 0.95)


def _attention(took: pl.Series, decided: int, otherwise: float | None, confidence: float) -> Attention:
    """`took` are the seconds that are seen, `otherwise` is the median where there are none."""
    seen, total = len(took), float(took.sum())
    middle = quantile_intervals(took, [0.5], confidence=confidence)[0]
    usual = otherwise if middle.estimate is None else middle.estimate
    ends = (middle.low, middle.high) if seen >= FEWEST_SEEN else (None, None)
    minutes, low, high = (None if each is None else (total + each * (decided - seen)) / 60 for each in (usual, *ends))
    return Attention(minutes, low, high, seen, decided)


def not_asked(facts: Frame, by: str | Sequence[str] = "action_type", *, tolerated: float = TOLERATED) -> pl.DataFrame:
    """One row for each group of actions that ran and ended without anybody being asked, those that fail most surely
    first: the columns `by`, `ended`, `failed`, `failed_share` with `failed_low` and `failed_high`, `clusters`,
    `simulated`, and `advice` (rule 4): `begin`, `unclear` or `too_few`. Raises ValueError as `worth` does."""
    names = _names(by)
    _check(tolerated)
    frame = need(facts, (*names, "state", "outcome", "cluster"), "facts")
    rows = (
        _split(frame, names)
        .filter(pl.col("state").is_null() & pl.col("outcome").is_not_null())
        .select(*names, "cluster", failed=one_of("outcome", "failed"), simulated=simulated(facts))
        .collect()
    )
    schema = {name: rows.schema[name] for name in names} | _unasked_types()
    groups = rows.partition_by(names, as_dict=True, maintain_order=True) if rows.height else {}
    confidence = 1 - 0.05 / max(1, len(groups))
    answer: list[tuple[Any, ...]] = []
    for key, own in groups.items():
        share = _share(own, own["failed"], confidence)
        advice: Advice = "too_few"
        if share.low is not None and share.n >= FEWEST and share.status == "ok":
            advice = "begin" if share.low > tolerated else "unclear"
        k = int(own["failed"].sum())
        known = (share.estimate, share.low, share.high, share.clusters)
        answer.append((*key, own.height, k, *known, int(own["simulated"].sum()), advice))
    return pl.DataFrame(answer, schema=schema, orient="row").sort(
        "failed_low", "ended", *names, descending=[True, True, *(False for _ in names)], nulls_last=True
    )


class Agreement(NamedTuple):
    """`n` decisions of `operators` about `kinds` that at least two of them decided; `pairs` of decisions by different
    operators. `same` and `own` are None without a pair, `alpha` where all decisions are alike, and the ends below 10
    kinds."""

    n: int
    operators: int
    kinds: int
    pairs: int
    same: float | None
    by_chance: float | None
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    own_pairs: int
    own: float | None
    status: Literal["ok", "insufficient_data", "no_variation"]


def agreement(facts: Frame, kind: Sequence[str] = ("agent_id", "action_type"), *, seed: int = 0) -> Agreement:
    """Whether different operators answer requests of one kind alike, by rule 5. Raises ValueError that names missing
    columns."""
    counts = (
        need(facts, (*kind, "state", "decided_by"), "facts")
        .filter(one_of("state", *_DECIDED) & pl.col("decided_by").is_not_null())
        .group_by(pl.struct(kind).alias("kind"), "decided_by")
        .agg(
            allowed=one_of("state", ApprovalState.APPROVED).sum().cast(pl.Float64),
            denied=one_of("state", ApprovalState.DENIED).sum().cast(pl.Float64),
        )
        .filter(pl.col("decided_by").n_unique().over("kind") > 1)
        .sort("kind", "decided_by")
        .collect()
    )
    kinds = counts.select(pl.struct("kind").rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
    sums = _pairs(counts["allowed"].to_numpy(), counts["denied"].to_numpy(), kinds)
    total = sums.sum(axis=0)
    n, pairs, own_pairs = int(total[0] + total[1]), int(total[2]), int(total[4])
    head = (n, counts["decided_by"].n_unique(), len(sums), pairs)
    own = (own_pairs, float(total[5] / own_pairs) if own_pairs else None)
    if not pairs:
        return Agreement(*head, None, None, None, None, None, *own, "insufficient_data")
    same, chance, alpha = _alpha(total)
    if alpha is None:
        return Agreement(*head, same, chance, None, None, None, *own, "no_variation")
    if len(sums) < 10:
        return Agreement(*head, same, chance, alpha, None, None, *own, "insufficient_data")
    random = np.random.default_rng(seed)
    drawn = (_alpha(sums[random.integers(0, len(sums), len(sums))].sum(axis=0))[2] for _ in range(RESAMPLES))
    replicates = np.array([each for each in drawn if each is not None])
    low, high = band(replicates[:, None])
    return Agreement(*head, same, chance, alpha, float(low[0]), float(high[0]), *own, "ok")


class Tiring(NamedTuple):
    """`rows` has one row for each of POSITIONS: `position` (words), `n`, `bursts`, `allowed_share` with its ends
    (clusters are bursts), `seconds` (the median that a decision took, where it is seen) with its ends. `change` is the
    share allowed in the last third less that in the first, the mean over `bursts` of LONG decisions or more, with
    `low` and `high`: None where there are fewer than 10 such bursts."""

    rows: pl.DataFrame
    n: int
    bursts: int
    change: float | None
    low: float | None
    high: float | None
    status: Literal["ok", "insufficient_data"]


def tiring(facts: Frame) -> Tiring:
    """Whether operators answer otherwise late in a burst, by rule 6. Raises ValueError that names missing columns."""
    names: list[str] = []
    rows = _asked(facts, names).filter(pl.col("position").is_not_null())
    told = []
    for first, last in POSITIONS:
        inside = rows.filter(pl.col("position").is_between(first, last if last is not None else rows.height + 1))
        words = str(first) if last == first else f"{first} or more" if last is None else f"{first} to {last}"
        codes = inside["burst"].cast(pl.Int64).to_numpy()
        share = clustered_proportion((~inside["denied"]).cast(pl.Int8).to_numpy(), codes)
        took = quantile_intervals(inside["took"].drop_nulls(), [0.5])[0]
        shares = (share.estimate, share.low, share.high)
        told.append((words, share.n, share.clusters, *shares, took.estimate, took.low, took.high))
    table = pl.DataFrame(told, schema=_step_types(), orient="row")
    length, place = pl.len().over("burst"), pl.col("position")
    thirds = (
        rows.filter(length >= LONG)
        .with_columns(length=length)
        .group_by("burst")
        .agg(
            early=(~pl.col("denied")).filter(place * 3 <= pl.col("length")).mean(),
            late=(~pl.col("denied")).filter(place * 3 > 2 * pl.col("length")).mean(),
        )
    )
    changes = (thirds["late"] - thirds["early"]).to_list()
    n = int(rows.filter(length >= LONG).height) if rows.height else 0
    change = fmean(changes) if changes else None
    if change is None or len(changes) < 10:
        return Tiring(table, n, len(changes), change, None, None, "insufficient_data")
    low, high = mean_interval(change, stdev(changes), len(changes), -1, 1)
    return Tiring(table, n, len(changes), change, low, high, "ok")


_COUNTS = ("asked", "decided", "denied", "expired", "withdrawn", "awaiting", "simulated")


def _worth_types() -> dict[str, Any]:
    return {
        **dict.fromkeys(_COUNTS, pl.Int64),
        **dict.fromkeys(("waited_minutes", "attention_minutes", "attention_low", "attention_high"), pl.Float64),
        "attention_seen": pl.Int64,
        **dict.fromkeys(("denied_share", "denied_low", "denied_high"), pl.Float64),
        **dict.fromkeys(("ended", "failed"), pl.Int64),
        **dict.fromkeys(("failed_share", "failed_low", "failed_high"), pl.Float64),
        **dict.fromkeys(("stopped", "clusters"), pl.Int64),
        "advice": pl.String,
    }


def _unasked_types() -> dict[str, Any]:
    return {
        **dict.fromkeys(("ended", "failed"), pl.Int64),
        **dict.fromkeys(("failed_share", "failed_low", "failed_high"), pl.Float64),
        **dict.fromkeys(("clusters", "simulated"), pl.Int64),
        "advice": pl.String,
    }


def _step_types() -> dict[str, Any]:
    return {
        "position": pl.String,
        **dict.fromkeys(("n", "bursts"), pl.Int64),
        **dict.fromkeys(("allowed_share", "allowed_low", "allowed_high"), pl.Float64),
        **dict.fromkeys(("seconds", "seconds_low", "seconds_high"), pl.Float64),
    }


def _names(by: str | Sequence[str]) -> list[str]:
    names = [by] if isinstance(by, str) else list(by)
    if not names:
        raise ValueError("by is empty; give columns such as action_type")
    return names


def _check(tolerated: float) -> None:
    if not 0 < tolerated < 1:
        raise ValueError(f"tolerated is {tolerated}; give a share between 0 and 1, such as {TOLERATED}")


def _split(frame: pl.LazyFrame, names: Sequence[str]) -> pl.LazyFrame:
    """A row for each member of a list, which is one or the JSON of one; a request with none is in the group null."""
    kinds = frame.collect_schema()
    for name in names:
        if name in ("matched_policies", "observed_policies", "systems_touched"):
            members = (
                pl.col(name) if isinstance(kinds[name], pl.List) else pl.col(name).str.json_decode(pl.List(pl.String))
            )
            frame = frame.with_columns(members).explode(name, empty_as_null=True)
    return frame


def _asked(facts: Frame, names: Sequence[str]) -> pl.DataFrame:
    """Those that were asked about, with `decided`, `denied`, their `burst`, `position` and the seconds they `took`."""
    rows = (
        need(facts, (*names, *_NEEDED), "facts")
        .filter(pl.col("state").is_not_null())
        .select(
            *(name for name in names),
            "cluster",
            pl.col("state").cast(pl.String),
            utc("requested_at"),
            utc("decided_at"),
            pl.col("decided_by").cast(pl.String),
            decided=one_of("state", *_DECIDED),
            denied=one_of("state", ApprovalState.DENIED),
            ended=pl.col("outcome").is_not_null(),
            failed=one_of("outcome", "failed"),
            simulated=simulated(facts),
        )
        .collect()
    )
    by_person = rows.filter(pl.col("decided") & pl.col("decided_by").is_not_null()).sort("decided_by", "decided_at")
    before = pl.col("decided_at").shift().over("decided_by")
    since = (pl.col("decided_at") - before).dt.total_microseconds() / 1e6
    begins = since.is_null() | (since > BURST)
    by_person = by_person.with_columns(
        before=before, burst=begins.cum_sum().cast(pl.Int64), begins=begins
    ).with_columns(
        position=pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("burst"),
        took=pl.when(~pl.col("begins")).then(
            (pl.col("decided_at") - pl.max_horizontal("before", "requested_at")).dt.total_microseconds() / 1e6
        ),
    )
    others = rows.filter(~(pl.col("decided") & pl.col("decided_by").is_not_null()))
    return _split(pl.concat([by_person, others], how="diagonal").lazy(), names).collect()


def _share(rows: pl.DataFrame, ones: pl.Series, confidence: float = 0.95) -> ClusterEstimate:
    codes = rows["cluster"].cast(pl.String).fill_null("").rank("dense").cast(pl.Int64).to_numpy()
    return clustered_proportion(ones.cast(pl.Int8).to_numpy(), codes, confidence=confidence)


def _worth_of(own: pl.DataFrame, median: float | None, tolerated: float, confidence: float) -> tuple[Any, ...]:
    decided, states = own.filter("decided"), own["state"]
    counted = {state: int((states == state.value).sum()) for state in ApprovalState}
    waits = (decided["decided_at"] - decided["requested_at"]).dt.total_microseconds().to_numpy()
    took = _attention(decided["took"].drop_nulls(), decided.height, median, confidence)
    denied = _share(decided, decided["denied"], confidence)
    allowed = decided.filter(~pl.col("denied") & pl.col("ended"))
    failed = _share(allowed, allowed["failed"], confidence)
    stopped = counted[ApprovalState.DENIED] + counted[ApprovalState.EXPIRED]
    return (
        own.height,
        decided.height,
        *(counted[state] for state in (ApprovalState.DENIED, ApprovalState.EXPIRED, ApprovalState.WITHDRAWN)),
        counted[ApprovalState.AWAITING],
        int(own["simulated"].sum()),
        float(waits.sum()) / 60e6,
        *(took.minutes, took.low, took.high, took.seen),
        *(denied.estimate, denied.low, denied.high),
        *(allowed.height, int(allowed["failed"].sum())),
        *(failed.estimate, failed.low, failed.high),
        stopped,
        denied.clusters,
        _advice(denied, failed, tolerated),
    )


def _advice(denied: ClusterEstimate, failed: ClusterEstimate, tolerated: float) -> Advice:
    if denied.n < FEWEST or denied.status != "ok" or denied.low is None or denied.high is None:
        return "too_few"
    if denied.low > tolerated or (failed.low is not None and failed.low > tolerated and failed.status == "ok"):
        return "ask"
    if denied.high <= tolerated and failed.status == "ok" and failed.high is not None and failed.high <= tolerated:
        return "stop"
    return "unclear"


def _pairs(allowed: NDArray[np.float64], denied: NDArray[np.float64], kinds: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each kind: allowed, denied, pairs of different operators and how many agree, pairs of one operator and how
    many agree. Shape: kinds, 6."""
    size = int(kinds.max()) + 1 if len(kinds) else 0

    def of(each: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(kinds, each, size).astype(np.float64)

    yes, no, n = of(allowed), of(denied), of(allowed + denied)
    own_yes, own_no = of(allowed * (allowed - 1) / 2), of(denied * (denied - 1) / 2)
    own = of((allowed + denied) * (allowed + denied - 1) / 2)
    same = yes * (yes - 1) / 2 + no * (no - 1) / 2 - own_yes - own_no
    return np.stack([yes, no, n * (n - 1) / 2 - own, same, own, own_yes + own_no], axis=1)


def _alpha(total: NDArray[np.float64]) -> tuple[float, float | None, float | None]:
    """The shares of pairs that agree, here and by chance, and alpha, None where all decisions are alike."""
    yes, no, pairs, same = (float(each) for each in total[:4])
    n = yes + no
    if not pairs or n < 2:
        return 0.0, None, None
    chance = (yes * (yes - 1) + no * (no - 1)) / (n * (n - 1))
    return same / pairs, chance, None if chance >= 1 else 1 - (1 - same / pairs) / (1 - chance)
