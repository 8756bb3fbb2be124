"""The score of an episode: how well one action went, from 0 to 100.

The formula is that of the published system, with every number a weight that can be set. It starts at `base` (50) and
adds, each by itself:

1. status: completed 30, failed -35, cancelled -20, pending_approval -8, running -5, anything else 0.
2. risk: above 60, -min(20, (risk - 60) / 2 rounded); up to 30, 4.
3. reversibility: 5 when the action can be taken back, -8 when it cannot.
4. duration: up to a minute 6, up to five 3, up to thirty -4, longer -10.
5. cost in US dollars: up to 0.05 4, up to 1 1, up to 5 -4, more -8.
6. confidence: completed with 70 or more 4; failed with 80 or more -8.
7. assumptions that turned out wrong: -min(16, 4 each). Loops still open: -min(10, 2 each).

The sum is rounded and cut to 0..100. Halves round up. What is not known, or is not a finite number, adds nothing.
`episodes` says the same of whole frames, which a property holds.
"""

from __future__ import annotations

from math import floor, isfinite
from typing import Annotated

import msgspec
from msgspec import Meta

from assent.contract.control.actions import ActionStatus

Points = Annotated[float, Meta(ge=-1000, le=1000)]
Most = Annotated[float, Meta(ge=0, le=1000)]
Level = Annotated[float, Meta(ge=0, le=100)]
Milliseconds = Annotated[float, Meta(ge=0, le=1e15)]
Dollars = Annotated[float, Meta(ge=0, le=1e6)]

SUCCESS, FAILURE, CANCELLED, PENDING = "success", "failure", "cancelled", "pending"
LABELS: dict[str, str] = {
    ActionStatus.COMPLETED.value: SUCCESS,
    ActionStatus.FAILED.value: FAILURE,
    ActionStatus.CANCELLED.value: CANCELLED,
}
"""Of the statuses of finished actions; all others are pending. What was cancelled has no outcome (`episodes`)."""


class Weights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The numbers of rules 1 to 7: the table `[episodes]` of the settings. Raises ValueError for steps of duration or
    cost, or levels of risk, that are out of order."""

    base: Points = 50.0
    completed: Points = 30.0
    failed: Points = -35.0
    cancelled: Points = -20.0
    pending_approval: Points = -8.0
    running: Points = -5.0
    risk_high: Level = 60.0
    risk_per_point: Most = 0.5
    risk_most: Most = 20.0
    risk_low: Level = 30.0
    risk_low_points: Points = 4.0
    reversible: Points = 5.0
    irreversible: Points = -8.0
    short_ms: Milliseconds = 60_000.0
    short: Points = 6.0
    medium_ms: Milliseconds = 300_000.0
    medium: Points = 3.0
    long_ms: Milliseconds = 1_800_000.0
    long: Points = -4.0
    longer: Points = -10.0
    cheap_usd: Dollars = 0.05
    cheap: Points = 4.0
    fair_usd: Dollars = 1.0
    fair: Points = 1.0
    costly_usd: Dollars = 5.0
    costly: Points = -4.0
    costlier: Points = -8.0
    sure_of_success: Level = 70.0
    rightly_sure: Points = 4.0
    sure_of_failure: Level = 80.0
    wrongly_sure: Points = -8.0
    wrong_assumption: Most = 4.0
    wrong_assumptions_most: Most = 16.0
    open_loop: Most = 2.0
    open_loops_most: Most = 10.0

    def __post_init__(self) -> None:
        for names in (("risk_low", "risk_high"), ("short_ms", "medium_ms", "long_ms"), _COSTS):
            values = [getattr(self, name) for name in names]
            if values != sorted(values):
                raise ValueError(f"{', '.join(names)} are {', '.join(f'{v:g}' for v in values)}; give them in order")


_COSTS = ("cheap_usd", "fair_usd", "costly_usd")
WEIGHTS = Weights()


class EpisodeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a score is made of; None is not known. `risk_score` and `confidence` are 0 to 100, costs US dollars."""

    status: str
    risk_score: float | None = None
    reversible: bool | None = None
    duration_ms: float | None = None
    cost_estimate: float | None = None
    confidence: float | None = None
    invalidated_assumptions: int = 0
    open_loops: int = 0


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """`score` 0 to 100; `label` success, failure, cancelled or pending; `breakdown` what each rule added, before the
    cut."""

    score: int
    label: str
    breakdown: dict[str, float]


def score(facts: EpisodeFacts, weights: Weights = WEIGHTS) -> Episode:
    """The score of one action as it stands. It reads nothing and takes a few microseconds."""
    w = weights
    breakdown = {
        "base": w.base,
        "status": _status(facts.status, w),
        "risk": _risk(facts.risk_score, w),
        "reversibility": 0.0 if facts.reversible is None else w.reversible if facts.reversible else w.irreversible,
        "duration": _duration(facts.duration_ms, w),
        "cost": _cost(facts.cost_estimate, w),
        "confidence": _confidence(facts.status, facts.confidence, w),
        "assumptions": 0.0 - min(w.wrong_assumptions_most, w.wrong_assumption * facts.invalidated_assumptions),
        "loops": 0.0 - min(w.open_loops_most, w.open_loop * facts.open_loops),
    }
    total = 0.0
    # One by one: the builtin sum compensates its rounding, which a frame's sum does not.
    for points in breakdown.values():
        total += points
    return Episode(
        score=min(100, max(0, floor(total + 0.5))),
        label=LABELS.get(facts.status, PENDING),
        breakdown=breakdown,
    )


def of_status(weights: Weights) -> dict[str, float]:
    """What each status adds (rule 1); those that are not in it add nothing."""
    return {status: getattr(weights, name) for status, name in _OF_STATUS.items()}


_COMPLETED, _FAILED = ActionStatus.COMPLETED.value, ActionStatus.FAILED.value
_OF_STATUS = {
    _COMPLETED: "completed",
    _FAILED: "failed",
    ActionStatus.CANCELLED.value: "cancelled",
    ActionStatus.PENDING_APPROVAL.value: "pending_approval",
    ActionStatus.RUNNING.value: "running",
}
"""Which weight is that of a status."""


def _status(status: str, w: Weights) -> float:
    name = _OF_STATUS.get(status)
    return 0.0 if name is None else float(getattr(w, name))


def _risk(risk: float | None, w: Weights) -> float:
    if risk is None or not isfinite(risk):
        return 0.0
    if risk > w.risk_high:
        return -min(w.risk_most, float(floor((risk - w.risk_high) * w.risk_per_point + 0.5)))
    return w.risk_low_points if risk <= w.risk_low else 0.0


def _duration(value: float | None, w: Weights) -> float:
    if value is None or not isfinite(value):
        return 0.0
    if value <= w.short_ms:
        return w.short
    return w.medium if value <= w.medium_ms else w.long if value <= w.long_ms else w.longer


def _cost(value: float | None, w: Weights) -> float:
    if value is None or not isfinite(value):
        return 0.0
    if value <= w.cheap_usd:
        return w.cheap
    return w.fair if value <= w.fair_usd else w.costly if value <= w.costly_usd else w.costlier


def _confidence(status: str, confidence: float | None, w: Weights) -> float:
    if confidence is None or not isfinite(confidence):
        return 0.0
    if status == _COMPLETED and confidence >= w.sure_of_success:
        return w.rightly_sure
    return w.wrongly_sure if status == _FAILED and confidence >= w.sure_of_failure else 0.0
