"""A risk template out of history: points that are percents of failure, fitted to what failed.

1. Looked at are finished actions, of one type or all; those that failed or were cancelled count as failures. Where
   failure shows elsewhere (a reward, a refund), `failed` says so, and the rows of which it says anything count. Whoever
   runs them is not looked at.
2. Candidates for a rule are that an action is irreversible (`reversible` is false), and each system touched, the most
   frequent ones first. One that holds for fewer than `fewest` actions, or does not hold for fewer, is not judged; nor
   is one that says what those before it say already.
3. The share of failures is fitted as a sum, base + what each candidate that holds adds, by least squares over all
   candidates at once: the linear probability model, so that what two candidates share is not counted twice. Intervals
   are robust to unequal variances (HC1: J. G. MacKinnon, H. White, "Some heteroskedasticity-consistent covariance
   matrix estimators with improved finite sample properties", Journal of Econometrics 29 (1985), 305-325), their
   confidence raised by Bonferroni so that all of them hold together with 95%.
4. A candidate whose interval leaves out 0 becomes a rule. The fit is repeated with these alone, and its numbers times
   100, rounded, are `base_risk` (kept within 0 to 100) and the points of the rules (those that round to 0 are dropped).

Points then mean: of a hundred such actions, about so many fail. Rules are chosen by the rows that they are fitted to,
and they add where failures may multiply; so judge a template on rows that came later (a backtest), not on these.
Below `fewest` finished actions it is `insufficient_data`, with no rules and a base of 0.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
from msgspec import Struct

from assent.contract.conditions import describe, parse
from assent.contract.control.actions import ActionStatus
from assent_analytics.episodes import ran
from assent_analytics.frames import Frame, columns, count, need, one_of, simulated, weight
from assent_analytics.rates import wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"

_SAME = 1e-9
"""What is left of a candidate that those before it say already, as a share of itself."""


class RuleEvidence(Struct, frozen=True, kw_only=True):
    """One candidate: how often it held and failed then, and what it adds, in points, with its interval. `kept` says
    that it became a rule; `add` is then the rule's, before it is rounded, else that of the first fit."""

    condition: dict[str, Any]
    described: str
    n: int
    failed: int
    add: float
    low: float
    high: float
    kept: bool


class SuggestedTemplate(Struct, frozen=True, kw_only=True):
    """`n` finished actions, of which `failed` did; `rate_low` and `rate_high` are Wilson's interval of their share.
    `simulated` counts those that a simulator made. `status` is ok or insufficient_data."""

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

    def as_arguments(self, name: str) -> dict[str, Any]:
        """What `client.create_risk_template` takes."""
        return {"name": name, "action_type": self.action_type, "base_risk": self.base_risk, "rules": self.rules}


def suggest_template(
    actions: Frame,
    action_type: str | None = None,
    *,
    failed: pl.Expr | None = None,
    fewest: int = 20,
    systems: int = 10,
    confidence: float = 0.95,
) -> SuggestedTemplate:
    """Needs `status`, unless `failed` is a Boolean expression over the columns that are there; uses `action_type`,
    `reversible` and `systems_touched` (a list, or its JSON text) where they are there. Raises ValueError for missing
    columns and for a confidence that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a share between 0 and 1, such as 0.95")
    kinds = _kinds(actions, action_type, failed)
    n = int(kinds["n"].sum())
    failures = int(kinds.filter(pl.col("failed"))["n"].sum())
    low, high = wilson(failures, n)
    known: dict[str, Any] = {
        "action_type": action_type,
        "n": n,
        "failed": failures,
        "rate_low": low,
        "rate_high": high,
        "simulated": int(kinds["made"].sum()),
    }
    if n < fewest or n < 2:
        return SuggestedTemplate(status="insufficient_data", base_risk=0, rules=[], evidence=[], **known)
    times = kinds["n"].to_numpy().astype(np.float64)
    happened = kinds["failed"].to_numpy().astype(np.float64)
    conditions, design = _candidates(kinds, times, fewest, systems)
    first, errors = fit(design, happened, times)
    half = NormalDist().inv_cdf(1 - (1 - confidence) / (2 * max(1, len(conditions)))) * errors
    kept = [at for at in range(len(conditions)) if abs(first[at + 1]) > half[at + 1]]
    second, _ = fit(design[:, [0, *(at + 1 for at in kept)]], happened, times)
    adds = {at: float(second[place + 1]) for place, at in enumerate(kept)}
    evidence = [
        RuleEvidence(
            condition=condition,
            described=describe(parse(condition)),
            n=int((times * design[:, at + 1]).sum()),
            failed=int((times * design[:, at + 1] * happened).sum()),
            add=100 * adds.get(at, float(first[at + 1])),
            low=100 * float(first[at + 1] - half[at + 1]),
            high=100 * float(first[at + 1] + half[at + 1]),
            kept=at in adds,
        )
        for at, condition in enumerate(conditions)
    ]
    points = [(each.condition, round(each.add)) for each in evidence if each.kept]
    return SuggestedTemplate(
        status="ok",
        base_risk=min(100, max(0, round(100 * float(second[0])))),
        rules=[{"condition": condition, "add": max(-100, min(100, add))} for condition, add in points if add],
        evidence=evidence,
        **known,
    )


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


def _kinds(actions: Frame, action_type: str | None, failed: pl.Expr | None) -> pl.DataFrame:
    """Alike rows: `irreversible`, `systems` (a list), `failed`, `n`, `made`."""
    present = set(columns(actions))
    needed = (*(["status"] if failed is None else []), *(["action_type"] if action_type is not None else []))
    frame = need(actions, needed, "actions")
    if failed is None:
        frame = frame.filter(ran(actions))
        failed = ~one_of("status", ActionStatus.COMPLETED)
    if action_type is not None:
        frame = frame.filter(one_of("action_type", action_type))
    touched = pl.col("systems_touched") if "systems_touched" in present else pl.lit(None, pl.String)
    reversible = pl.col("reversible").cast(pl.Boolean) if "reversible" in present else pl.lit(None, pl.Boolean)
    kinds = (
        frame.select(
            (~reversible).fill_null(False).alias("irreversible"),
            touched.alias("systems"),
            failed.cast(pl.Boolean).alias("failed"),
            weight(actions).alias("n"),
            simulated(actions).alias("made"),
        )
        .group_by("irreversible", "systems", "failed")
        .agg(pl.col("n").sum(), count(pl.col("made"), pl.col("n")).alias("made"))
        .filter(pl.col("n") > 0, pl.col("failed").is_not_null())
        .collect()
    )
    if kinds.schema["systems"] == pl.String:
        lists = [_listed(text) for text in kinds["systems"]]
        kinds = kinds.with_columns(pl.Series("systems", lists, dtype=pl.List(pl.String)))
    return kinds.sort("irreversible", pl.col("systems").list.join("\n", ignore_nulls=True), "failed")


def _listed(text: str | None) -> list[str]:
    try:
        found = json.loads(text or "[]")
    except ValueError:
        return []
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def _candidates(kinds: pl.DataFrame, times: Floats, fewest: int, systems: int) -> tuple[list[dict[str, Any]], Floats]:
    """The conditions that are judged, and the matrix whose first column is 1 and whose others are whether they hold."""
    touched: Sequence[frozenset[str]] = [frozenset(each or ()) for each in kinds["systems"].to_list()]
    number: dict[str, float] = {}
    for systems_of, n in zip(touched, times, strict=True):
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
                np.array([name in each for each in touched], dtype=np.float64),
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
