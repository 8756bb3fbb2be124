"""Which differences count as drift: the test and the effect of each comparison, corrected for many tests at once.

A row is `significant` when it is a discovery at the false discovery rate asked for, and `drifted` when its effect is
large enough, too. The correction comes first.

Many tests at once: the false discovery rate.

Benjamini and Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical Society B 57 (1995),
289-300. With the p-values in order, the adjusted one of rank i of m is the least of m * p(j) / j over all j >= i. Those
at most q are the discoveries; of them at most the share q is false on average, if the tests are independent or depend
on each other positively.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import msgspec
import polars as pl

from assent_analytics.clusters import FEWEST
from assent_analytics.drift.categories import (
    ChiSquare,
    chi_square,
    compared,
    cramers_v,
    jensen_shannon,
    newcombe,
    pooled,
    psi,
)
from assent_analytics.drift.kolmogorov_smirnov import p_value
from assent_analytics.drift.metrics import MIN_BASELINE, MIN_RECENT, Direction, Kind, Least
from assent_analytics.drift.numbers import Numbers, cliffs_delta, hedges_g
from assent_analytics.gamma import chi_square_tail


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The adjusted p-values, in the order given. Raises ValueError for a value that is not between 0 and 1."""
    wrong = [p for p in p_values if not 0 <= p <= 1]
    if wrong:
        raise ValueError(f"{wrong[0]} is no p-value; give numbers from 0 to 1")
    adjusted = [0.0] * len(p_values)
    least = 1.0
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    for rank in range(len(order), 0, -1):
        index = order[rank - 1]
        least = min(least, p_values[index] * len(order) / rank)
        adjusted[index] = least
    return adjusted


# One row of a comparison: the test, the effect beside it, and what the whole family makes of both.
#
# 1. Numbers are tested by Kolmogorov and Smirnov, their effect is Cliff's delta; proportions by chi-square or Fisher,
#    their effect is the difference with Newcombe's interval; categories by chi-square with rare ones pooled, their
#    effect is Cramer's V.
# 2. A sample below its minimum is `insufficient_data`: sizes, means and rates are there, and nothing else.
# 3. Benjamini and Hochberg's correction is over all rows of one call that are ok. `significant` rows are the
#    discoveries.
# 4. `drifted` rows are significant and their `size` is at least what `Least` asks: the Kolmogorov-Smirnov distance, the
#    absolute difference, or Cramer's V. So no more rows drift than are discovered, and false ones stay controlled.
# 5. Rows of one session are one cluster (`clustering`). The design effect is how many rows count as one: the variance
#    of the difference by clusters over that of independent rows, and at least 1; of numbers it is that of their ranks.
#    All sizes that tests and intervals ask for are divided by it, chi-square too (J. N. K. Rao and A. J. Scott, "The
#    analysis of categorical data from complex sample surveys", Journal of the American Statistical Association 76
#    (1981), 221-230). A window of fewer than 10 clusters that are not single rows is `insufficient_data`.
# 6. A baseline that is standardised on the recent window's season (`season`) counts as the rows that its weights are
#    worth, in tests, intervals, minimum and `n_effective`; `n_baseline` is how many rows there are.
# 7. `direction` is up or down where the effect's interval leaves out 0, else `changed` for what drifted (a distribution
#    can change its width alone), else null. `worse_now` is a drift in the direction that is worse.


OK, INSUFFICIENT = "ok", "insufficient_data"

_FLOATS_TESTED = ("p_value", "p_adjusted")
_FLOATS_EFFECT = ("effect_low", "effect_high", "hedges_g", "hedges_low", "hedges_high")
_FLOATS_APART = ("ks", "wasserstein", "wasserstein_normed", "psi", "jensen_shannon", "size")
SCHEMA: dict[str, str] = {
    **dict.fromkeys(("metric", "kind", "worse"), "String"),
    **dict.fromkeys(("n_baseline", "n_recent", "excluded", "simulated"), "Int64"),
    **dict.fromkeys(("baseline", "recent", "sd_baseline", "sd_recent"), "Float64"),
    "test": "String",
    "statistic": "Float64",
    **dict.fromkeys(_FLOATS_TESTED, "Float64"),
    "significant": "Boolean",
    "effect": "Float64",
    "effect_name": "String",
    **dict.fromkeys((*_FLOATS_EFFECT, *_FLOATS_APART), "Float64"),
    "drifted": "Boolean",
    "direction": "String",
    "worse_now": "Boolean",
    "status": "String",
    **dict.fromkeys(("clusters_baseline", "clusters_recent"), "Int64"),
    "n_effective": "Float64",
    "basis": "String",
    "standardised": "Boolean",
    "unmatched": "Int64",
}
"""The columns of a comparison, and what Polars calls the type of each."""


class ComparisonSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison goes by; raises ValueError for numbers that cannot be."""

    fdr: float = 0.05
    least: Least
    min_baseline: int = MIN_BASELINE
    min_recent: int = MIN_RECENT

    def __post_init__(self) -> None:
        if not 0 < self.fdr < 1:
            raise ValueError(f"fdr is {self.fdr}; give a share between 0 and 1, such as 0.05")
        if self.min_baseline < 2 or self.min_recent < 2:
            raise ValueError(
                f"min_baseline is {self.min_baseline} and min_recent {self.min_recent}; give 2 or more, "
                "since one value does not say how much values differ"
            )

    def enough(self, baseline: float, recent: float) -> bool:
        return baseline >= self.min_baseline and recent >= self.min_recent


Row = dict[str, Any]


class Clustering(NamedTuple):
    """How many clusters each window has, and as how many rows each row of a cluster counts less: `effect` is at least
    1. `single` where no cluster has two rows."""

    baseline: int
    recent: int
    effect: float
    single: bool
    basis: str

    def enough(self) -> bool:
        return self.single or min(self.baseline, self.recent) >= FEWEST


def of_numbers(
    name: str,
    found: Numbers,
    asked: ComparisonSettings,
    *,
    worse: Direction = "changed",
    excluded: int = 0,
    clustering: Clustering | None = None,
) -> Row:
    first, second, apart = found.baseline, found.recent, found.distances
    row = _row(name, "number", worse, first.n, second.n) | {
        "baseline": first.mean,
        "recent": second.mean,
        "sd_baseline": _finite(first.sd),
        "sd_recent": _finite(second.sd),
        "excluded": excluded,
    }
    row |= _clustered(clustering, first.worth + second.worth)
    if apart is None or not _enough(asked, first.worth, second.worth, clustering):
        return row
    times = 1.0 if clustering is None else clustering.effect
    m, n = (max(2, int(each / times)) for each in (first.worth, second.worth))
    effect = cliffs_delta(apart.delta, apart.variance * times, m, n)
    row |= _tested("kolmogorov_smirnov", apart.ks, p_value(apart.ks, m, n))
    row |= _effect("cliffs_delta", *effect, size=apart.ks)
    row |= {
        "ks": apart.ks,
        "wasserstein": _finite(apart.wasserstein),
        "wasserstein_normed": found.wasserstein_normed,
        "psi": apart.psi,
        "jensen_shannon": apart.jensen_shannon,
    }
    if first.mean is None or second.mean is None or first.sd is None or second.sd is None:
        return row
    g = hedges_g((first.mean, second.mean), (first.sd, second.sd), m, n)
    return row | (dict(zip(("hedges_g", "hedges_low", "hedges_high"), g, strict=True)) if g else {})


def of_proportions(
    name: str,
    baseline: tuple[float, float],
    recent: tuple[float, float],
    asked: ComparisonSettings,
    *,
    worse: Direction = "changed",
    clustering: Clustering | None = None,
    rows: int | None = None,
) -> Row:
    """`baseline` and `recent` are how many were counted, and of how many; those of a baseline that is standardised are
    sums of weights, of so many `rows`."""
    (k, m), (j, n) = baseline, recent
    shares = {"baseline": k / m if m else None, "recent": j / n if n else None}
    row = _row(name, "proportion", worse, round(m) if rows is None else rows, round(n)) | shares
    row |= _clustered(clustering, m + n)
    if not _enough(asked, m, n, clustering):
        return row
    difference = j / n - k / m
    times = 1.0 if clustering is None else clustering.effect
    if times == 1 and rows is None:
        counts = round(k), round(m), round(j), round(n)
        row |= _tested(*compared(*counts))
        low, high = newcombe(*counts)
    else:
        # Whole numbers for Fisher's test and the score intervals, which are moved back to the difference itself.
        fewer = round(k / times), max(1, round(m / times)), round(j / times), max(1, round(n / times))
        test, statistic, p = compared(*fewer)
        if statistic is not None:
            statistic = chi_square((k, max(0, m - k)), (j, n - j)).statistic / times
            p = chi_square_tail(statistic, 1)
        row |= _tested(test, statistic, p)
        off = difference - (fewer[2] / fewer[3] - fewer[0] / fewer[1])
        low, high = (min(1.0, max(-1.0, end + off)) for end in newcombe(*fewer))
    row |= _effect("difference", difference, low, high, size=abs(difference))
    return row | _mixes((k, max(0, m - k)), (j, n - j))


def of_categories(
    name: str,
    baseline: Mapping[str, float],
    recent: Mapping[str, float],
    asked: ComparisonSettings,
    *,
    worse: Direction = "changed",
    clustering: Clustering | None = None,
    rows: int | None = None,
) -> Row:
    """`baseline` and `recent` are how often each category was there; those of a baseline that is standardised are sums
    of weights, of so many `rows`."""
    m, n = sum(baseline.values()), sum(recent.values())
    row = _row(name, "category", worse, round(m) if rows is None else rows, round(n))
    row |= _clustered(clustering, m + n)
    if not _enough(asked, m, n, clustering):
        return row
    names = sorted(baseline.keys() | recent.keys())
    before, after = [baseline.get(each, 0) for each in names], [recent.get(each, 0) for each in names]
    found = chi_square(*pooled(before, after))
    size = float(m + n)
    if clustering is not None and clustering.effect > 1 and found.df:
        statistic = found.statistic / clustering.effect
        found = ChiSquare(statistic, found.df, chi_square_tail(statistic, found.df))
        size /= clustering.effect
    value, low, high = cramers_v(found, size)
    row |= _tested("chi_square", found.statistic, found.p_value)
    row |= _effect("cramers_v", value, low, high, size=value)
    return row | _mixes(before, after)


def judged(rows: Sequence[Row], asked: ComparisonSettings) -> list[Row]:
    """The rows with what rules 3, 4 and 7 say of them."""
    tested = [row for row in rows if row["status"] == OK]
    for row, adjusted in zip(tested, benjamini_hochberg([row["p_value"] for row in tested]), strict=True):
        significant = adjusted <= asked.fdr
        drifted = significant and row["size"] >= asked.least.of(row["kind"])
        direction = _direction(row, drifted)
        row |= {
            "p_adjusted": adjusted,
            "significant": significant,
            "drifted": drifted,
            "direction": direction,
            "worse_now": drifted and direction == row["worse"],
        }
    return list(rows)


def frame(rows: Iterable[Row], keys: Sequence[str] = ()) -> pl.DataFrame:
    types: dict[str, pl.DataType] = {name: getattr(pl, kind)() for name, kind in SCHEMA.items()}
    return pl.DataFrame(list(rows), schema={**dict.fromkeys(keys, pl.String()), **types}, orient="row")


def _row(name: str, kind: Kind, worse: Direction, n_baseline: int, n_recent: int) -> Row:
    return dict.fromkeys(SCHEMA) | {
        "metric": name,
        "kind": kind,
        "worse": worse,
        "n_baseline": n_baseline,
        "n_recent": n_recent,
        "excluded": 0,
        "simulated": 0,
        "standardised": False,
        "unmatched": 0,
        "significant": False,
        "drifted": False,
        "worse_now": False,
        "status": INSUFFICIENT,
    }


def _enough(asked: ComparisonSettings, m: float, n: float, clustering: Clustering | None) -> bool:
    return asked.enough(m, n) and (clustering is None or clustering.enough())


def _clustered(clustering: Clustering | None, n: float) -> Row:
    if clustering is None:
        return {"n_effective": float(n), "basis": "value"}
    return {
        "clusters_baseline": clustering.baseline,
        "clusters_recent": clustering.recent,
        "n_effective": n / clustering.effect,
        "basis": clustering.basis,
    }


def _finite(value: float | None) -> float | None:
    """Null for what is beyond the largest float: values near it can be further apart than that."""
    return value if value is not None and isfinite(value) else None


def _tested(test: str, statistic: float | None, p: float) -> Row:
    return {"test": test, "statistic": statistic, "p_value": p, "status": OK}


def _effect(name: str, value: float, low: float, high: float, *, size: float) -> Row:
    return {"effect_name": name, "effect": value, "effect_low": low, "effect_high": high, "size": size}


def _mixes(before: Sequence[float], after: Sequence[float]) -> Row:
    return {"psi": psi(before, after), "jensen_shannon": jensen_shannon(before, after)}


def _direction(row: Row, drifted: bool) -> Direction | None:
    if row["kind"] != "category" and row["effect_low"] > 0:
        return "up"
    if row["kind"] != "category" and row["effect_high"] < 0:
        return "down"
    return "changed" if drifted else None
