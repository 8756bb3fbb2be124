"""Sessions as what succeeds or fails: which action types go with a wrong ending, and what stopping at some would catch.

1. A session is the actions of one `session_id`, or of other keys; it went `wrong` when that is true of any of them, for
   an outcome is often known of the whole and not of its parts. Sessions without an action do not show.
2. What goes with a wrong ending: the share that went wrong among sessions with an action of a type, less the share
   among those without, with Newcombe's interval (`drift.newcombe`). Types with fewer than `fewest` sessions on
   either side are not judged. `low` and `high` hold for all judged types together (Bonferroni), `alone_low` and
   `alone_high` for each by itself. It says what goes together and not why.
3. Where sessions come in clusters (two tries of one task), `cluster_low` and `cluster_high` are the percentile
   bootstrap's interval over whole clusters (`bootstrap`); null where some resample has a side without sessions.
4. The risk of a type is 100 times the share of its sessions that went wrong, shrunk toward that of all types together
   (`shrinkage`), and a session's risk is that of its riskiest type: there somebody would be asked.
5. What asking catches: the share of wrong sessions that are asked about and that of right ones, with Wilson's
   intervals, and their difference with Newcombe's. Asking that knows nothing has the difference 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from assent_analytics.bootstrap import totals
from assent_analytics.drift.categories import newcombe
from assent_analytics.frames import Frame, need
from assent_analytics.rates import wilson
from assent_analytics.shrinkage import Prior, prior, shrunk


class TypeRisks(NamedTuple):
    """`points` from 0 to 100 by action type, and the prior that they were shrunk toward."""

    points: dict[str, int]
    group: Prior


class Caught(NamedTuple):
    """Rule 5: `wrong` and `right` are (asked, of, low, high), `difference` is (share, low, high)."""

    wrong: tuple[int, int, float, float]
    right: tuple[int, int, float, float]
    difference: tuple[float, float, float]


def sessions(actions: Frame, by: Sequence[str] = ("session_id",), wrong: str = "wrong") -> pl.DataFrame:
    """One row for each session in the order of its first action: `by`, `wrong`, `actions` and its `types` (a list,
    sorted). `wrong` names a Boolean column of the actions; null counts as false."""
    frame = need(actions, (*by, "action_type", wrong), "actions").drop_nulls(list(by))
    return (
        frame.group_by(*by, maintain_order=True)
        .agg(
            pl.col(wrong).fill_null(False).any().alias("wrong"),
            pl.len().cast(pl.Int64).alias("actions"),
            pl.col("action_type").cast(pl.String).unique().sort().alias("types"),
        )
        .collect()
    )


def action_types(found: pl.DataFrame) -> list[str]:
    """All types of some sessions, sorted."""
    return sorted({each for types in found["types"] for each in types})


def associations(
    found: pl.DataFrame, *, cluster: str | None = None, fewest: int = 10, confidence: float = 0.95
) -> pl.DataFrame:
    """Rules 2 and 3, one row for each judged type, the largest difference first: `action_type`, `n` sessions with it,
    `wrong` of them, `n_without`, `wrong_without`, `difference`, and the intervals."""
    counts = {name: _split(found, name) for name in action_types(found)}
    judged = {name: each for name, each in counts.items() if min(each[1], each[3]) >= fewest}
    rows = []
    for name, (k1, n1, k0, n0) in judged.items():
        together = newcombe(k0, n0, k1, n1, 1 - (1 - confidence) / len(judged))
        clustered = _over(found, name, cluster, confidence) if cluster is not None else (None, None)
        rows.append((name, n1, k1, n0, k0, k1 / n1 - k0 / n0, *together, *newcombe(k0, n0, k1, n1), *clustered))
    return pl.DataFrame(rows, schema=_ASSOCIATIONS, orient="row").sort(
        "difference", "action_type", descending=[True, False]
    )


def type_risks(found: pl.DataFrame) -> TypeRisks:
    """Rule 4, learnt from these sessions."""
    counts = {name: _split(found, name)[:2] for name in action_types(found)}
    group = prior(list(counts.values()))
    return TypeRisks({name: round(100 * shrunk(k, n, group).rate) for name, (k, n) in counts.items()}, group)


def rated(found: pl.DataFrame, points: dict[str, int], unknown: int = 0) -> pl.Series:
    """The risk of each session by rule 4; `unknown` is that of a type without points."""
    risk = pl.element().replace_strict(points, default=unknown, return_dtype=pl.Int64)
    return found.select(risk=pl.col("types").list.eval(risk).list.max().fill_null(unknown))["risk"]


def caught(found: pl.DataFrame, asked: pl.Series) -> Caught:
    """Rule 5: what asking about the sessions where `asked` is true would catch."""
    wrong, right = asked.filter(found["wrong"]), asked.filter(~found["wrong"])
    k1, n1, k0, n0 = int(wrong.sum()), wrong.len(), int(right.sum()), right.len()
    share = (k1 / n1 if n1 else 0.0) - (k0 / n0 if n0 else 0.0)
    return Caught((k1, n1, *wilson(k1, n1)), (k0, n0, *wilson(k0, n0)), (share, *newcombe(k0, n0, k1, n1)))


_ASSOCIATIONS = {
    "action_type": pl.String,
    **dict.fromkeys(("n", "wrong", "n_without", "wrong_without"), pl.Int64),
    **dict.fromkeys(("difference", "low", "high", "alone_low", "alone_high"), pl.Float64),
    **dict.fromkeys(("cluster_low", "cluster_high"), pl.Float64),
}


def _split(found: pl.DataFrame, name: str) -> tuple[int, int, int, int]:
    """Wrong and all sessions with the type, then those without it."""
    there = found["types"].list.contains(name)
    used, other = found["wrong"].filter(there), found["wrong"].filter(~there)
    return int(used.sum()), used.len(), int(other.sum()), other.len()


def _over(found: pl.DataFrame, name: str, cluster: str, confidence: float) -> tuple[float | None, float | None]:
    used, wrong = pl.col("types").list.contains(name).cast(pl.Int64), pl.col("wrong").cast(pl.Int64)
    sums = found.group_by(cluster, maintain_order=True).agg(
        k1=(wrong * used).sum(), n1=used.sum(), k0=(wrong * (1 - used)).sum(), n0=(1 - used).sum()
    )
    drawn = totals(np.ones(sums.height, np.int64), sums.drop(cluster).to_numpy().astype(np.float64))
    k1, n1, k0, n0 = drawn.T
    if not (n1.all() and n0.all()):
        return None, None
    low, high = np.quantile(k1 / n1 - k0 / n0, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
