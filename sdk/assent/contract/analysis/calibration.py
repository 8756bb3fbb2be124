"""Calibration: what is usual of each metric, and whether stated confidence and risk came true.

Percentiles and scores carry 95% intervals; `assent_analytics.calibration` has their definitions, and a notebook that
calls it on the same rows gets the same numbers.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.control.guard import ActionType
from assent.contract.endpoint import Endpoint
from assent.contract.record import Example, Query, Record, Request, ShortText
from assent.contract.roles import ANYONE
from assent.contract.window import LONGEST_DAYS, WindowText


class CalibrationMetric(StrEnum):
    """What can be scaled; `tokens_total` is tokens read and written."""

    DURATION_MS = "duration_ms"
    COST_ESTIMATE = "cost_estimate"
    TOKENS_TOTAL = "tokens_total"
    RISK_SCORE = "risk_score"
    CONFIDENCE = "confidence"


class CalibrationStatus(StrEnum):
    """`insufficient_data`: fewer than 10 actions; numbers that need more are null or left out."""

    OK = "ok"
    INSUFFICIENT_DATA = "insufficient_data"


class Predictor(StrEnum):
    """`confidence` states the chance to succeed, `risk_score` the chance to fail, both in percent."""

    CONFIDENCE = "confidence"
    RISK_SCORE = "risk_score"


class AutoCalibrate(Request, frozen=True, kw_only=True):
    """Actions of the last `lookback_days`, of one type and one agent where they are named. Without `metrics`, all."""

    example: ClassVar[Example] = {"action_type": "deploy"}

    action_type: ActionType | None = None
    agent_id: ShortText | None = None
    lookback_days: Annotated[int, Meta(ge=1, le=LONGEST_DAYS)] = 30
    metrics: Annotated[list[CalibrationMetric], Meta(max_length=20)] | None = None


class MetricDistribution(Record, frozen=True, kw_only=True):
    """Percentiles are values that occurred: the one at floor(n * p), counted from 0."""

    p10: float
    p25: float
    p50: float
    p75: float
    p90: float
    min: float
    max: float


class SuggestedStep(Record, frozen=True, kw_only=True):
    """One step of a scale: the first whose `operator` holds gives `score`, 0 to 100."""

    label: str
    operator: str
    value: float
    score: int


class ScaleSuggestion(Record, frozen=True, kw_only=True):
    """`sample_size` actions have the metric, `simulated` of them made by a simulator. `intervals` has the two ends of
    each percentile's 95% interval. `suggested_scale` and `suggested_weight` fit a scoring profile's dimension. The
    actions lie in `clusters` (`basis` says of what), which the intervals respect; the median is worth that of
    `n_effective` independent actions. With one cluster intervals reach over all values: nothing tells chance."""

    metric: CalibrationMetric
    data_source: str
    lower_is_better: bool
    sample_size: int
    simulated: int
    distribution: MetricDistribution
    intervals: dict[str, tuple[float, float]]
    suggested_scale: list[SuggestedStep]
    suggested_weight: float
    clusters: int | None = None
    n_effective: float | None = None
    basis: str | None = None


class AutoCalibration(Record, frozen=True, kw_only=True):
    """`count` actions between `since` and `until`. `left_out` names metrics that fewer than 5 actions have, with how
    many do; `message` says what is missing when there are too few actions, and is null otherwise."""

    status: CalibrationStatus
    message: str | None
    count: int
    simulated: int
    action_type: str | None
    agent_id: str | None
    lookback_days: int
    since: datetime
    until: datetime
    suggestions: list[ScaleSuggestion]
    left_out: dict[str, int]


class CalibrationQuery(Query, frozen=True, kw_only=True):
    """`bins` of equal width, 1 to 100."""

    window: WindowText = "30d"
    agent_id: ShortText | None = None
    action_type: ActionType | None = None
    bins: Annotated[int, Meta(ge=1, le=100)] = 10


class ReliabilityBin(Record, frozen=True, kw_only=True):
    """Actions whose prediction lies above `low` and up to `high` (the first bin has its `low`, too): what they stated
    on average and what share came true, with Wilson's 95% interval. All are shares, 0 to 1. `stopped` actions of the
    bin, and those `cancelled` while they ran, have no outcome; if none, or all, of them had come true, the share would
    be `least` or `most`."""

    low: float
    high: float
    n: int
    mean_predicted: float
    observed: float
    observed_low: float
    observed_high: float
    simulated: int
    stopped: int = 0
    least: float | None = None
    most: float | None = None
    cancelled: int = 0


class PredictionQuality(Record, frozen=True, kw_only=True):
    """How well `of` predicts its outcome (`predicts`: success or failure), over the `n` finished actions that have it.

    `base_rate` is the share that came true, with Wilson's interval. The Brier score is the mean squared error, and
    brier = reliability - resolution + uncertainty + within_bin. `ece` is the expected calibration error, a share;
    both have bootstrap intervals. All but n and the base rate are null with `insufficient_data`.

    The n actions were released, and lie in `clusters` (`basis` says of what), worth `n_effective` independent ones:
    `clustered_low` to `clustered_high` is the interval of the base rate over these. `stopped` actions, and those
    `cancelled` while they ran, stated something and have no outcome; with them the base rate would lie between
    `base_least` and `base_most`."""

    of: Predictor
    predicts: str
    status: CalibrationStatus
    n: int
    simulated: int
    base_rate: float | None
    base_low: float
    base_high: float
    brier: float | None
    brier_low: float | None
    brier_high: float | None
    reliability: float | None
    resolution: float | None
    uncertainty: float | None
    within_bin: float | None
    ece: float | None
    ece_low: float | None
    ece_high: float | None
    bins: list[ReliabilityBin]
    clusters: int | None = None
    basis: str | None = None
    n_effective: float | None = None
    clustered_low: float | None = None
    clustered_high: float | None = None
    stopped: int = 0
    base_least: float | None = None
    base_most: float | None = None
    cancelled: int = 0


class CalibrationReport(Record, frozen=True, kw_only=True):
    """Of actions that began from `since` to `until`; bins that nothing falls into are left out."""

    window: str
    since: datetime
    until: datetime
    agent_id: str | None
    action_type: str | None
    confidence: PredictionQuality
    risk_score: PredictionQuality


AUTO_CALIBRATE = Endpoint(
    operation="auto_calibrate",
    method="POST",
    path="/api/scoring/calibrate",
    summary="Scales for scoring profiles out of history, with what the percentiles leave open. Changes nothing.",
    roles=ANYONE,
    request=AutoCalibrate,
    response=AutoCalibration,
    analyzes=True,
)
GET_CALIBRATION = Endpoint(
    operation="get_calibration",
    method="GET",
    path="/api/scoring/calibration",
    summary="Whether stated confidence and risk came true: reliability diagram, Brier score, calibration error.",
    roles=ANYONE,
    query=CalibrationQuery,
    response=CalibrationReport,
    analyzes=True,
)
