"""Learning: whether agents get better, at what, and what their own record suggests."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, Limit, Query, Record, Request, ShortText
from assent.contract.roles import ANYONE

Days = Annotated[int, Meta(ge=1, le=365)]
Samples = Annotated[int, Meta(ge=1, le=10_000)]


class DataStatus(StrEnum):
    """`insufficient_data`: too little has happened for a statement."""

    OK = "ok"
    INSUFFICIENT_DATA = "insufficient_data"


class LearningPeriod(StrEnum):
    """Days and weeks (from Monday on) are UTC."""

    DAILY = "daily"
    WEEKLY = "weekly"


class CurveStep(StrEnum):
    """`exposure` cuts where an agent has done twice as much as before, `week` from Monday on, UTC."""

    EXPOSURE = "exposure"
    WEEK = "week"


class LearningDirection(StrEnum):
    """Where the intervals of `standardized` and `without_season` both leave out 0 on one side; else `unclear`."""

    IMPROVING = "improving"
    DECLINING = "declining"
    UNCLEAR = "unclear"


class VelocityQuery(Query, frozen=True, kw_only=True):
    """Episodes that ended within `lookback_days`. `limit` is of agents."""

    agent_id: ShortText | None = None
    lookback_days: Days = 30
    period: LearningPeriod = LearningPeriod.DAILY
    limit: Limit = 30


class ComputeVelocity(Request, frozen=True, kw_only=True):
    """The same question as a body."""

    example: ClassVar[Example] = {"agent_id": "release-bot"}

    agent_id: ShortText | None = None
    lookback_days: Days = 30
    period: LearningPeriod = LearningPeriod.DAILY


class LearningVelocity(Record, frozen=True, kw_only=True):
    """How fast an agent's episodes get better, from its `episode_count` episodes that ended from `period_start` to
    `period_end`, in `windows` of a day or a week that have any.

    `velocity` is the least-squares slope of the windows' mean scores, in points (0 to 100) per window; `acceleration`
    that of the later half less that of the earlier, `score_delta` the last mean less the first; these three have three
    decimals. `slope` is Theil and Sen's, exact. Intervals are of 95%; None where the windows are too few for one.
    `success_rate` is from 0 to 1.

    `velocity` may come from easier work, or from other hours, alone. `standardized` is the part of it within kinds of
    work (action type, whether it can be taken back, stated risk in bands of 20, `kinds` in number), at the same hours
    of the day and days of the week where the later half of the windows has others than the earlier; and `mix` is the
    rest, so that both add up to it. Its interval is over `clusters` blocks of windows (`basis` says of how many, and
    what of the season is the same). `unmatched` episodes are at hours or on days that only one half has: there, nothing
    is compared across halves. `without_season` is the part within kinds of work whatever the hours and days are; where
    both are the same it is `standardized` itself. `direction` goes by both intervals.
    The interval of `score_delta`, `score_delta_low` to `score_delta_high`, is over what the episodes of the first and
    of the last window belong to: `score_delta_clusters` of `score_delta_basis`, worth `score_delta_n_effective`
    independent ones; it is None where these tell nothing of chance. All is of actions that ran. Nothing is stored: `id`
    names the agent and the period, `created_at` is now.
    """

    id: str
    agent_id: str
    period: LearningPeriod
    period_start: datetime
    period_end: datetime
    episode_count: int
    windows: int
    avg_score: float
    avg_low: float | None
    avg_high: float | None
    success_rate: float
    success_low: float
    success_high: float
    score_delta: float | None
    velocity: float | None
    velocity_low: float | None
    velocity_high: float | None
    slope: float | None
    slope_low: float | None
    slope_high: float | None
    acceleration: float | None
    maturity_level: str
    maturity_score: float
    status: DataStatus
    simulated: int
    created_at: datetime
    standardized: float | None = None
    standardized_low: float | None = None
    standardized_high: float | None = None
    mix: float | None = None
    kinds: int | None = None
    clusters: int | None = None
    basis: str | None = None
    unmatched: int | None = None
    direction: LearningDirection = LearningDirection.UNCLEAR
    score_delta_low: float | None = None
    score_delta_high: float | None = None
    score_delta_clusters: int | None = None
    score_delta_n_effective: float | None = None
    score_delta_basis: str | None = None
    without_season: float | None = None
    without_season_low: float | None = None
    without_season_high: float | None = None


class VelocityAnswer(Record, frozen=True, kw_only=True):
    """`velocity` in the order of agents; `total` counts all of them."""

    velocity: list[LearningVelocity]
    total: int
    since: datetime
    until: datetime


class ComputedVelocity(Record, frozen=True, kw_only=True):
    """`agents_computed` counts those with a trend."""

    agents_computed: int
    results: list[LearningVelocity]


class CurvesQuery(Query, frozen=True, kw_only=True):
    """Episodes that ended within `lookback_days`. `limit` is of points."""

    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    lookback_days: Days = 60
    by: CurveStep = CurveStep.WEEK
    limit: Annotated[int, Meta(ge=1, le=1000)] = 200


class ComputeCurves(Request, frozen=True, kw_only=True):
    """The same question as a body."""

    example: ClassVar[Example] = {"agent_id": "release-bot"}

    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    lookback_days: Days = 60
    by: CurveStep = CurveStep.WEEK


class LearningCurve(Record, frozen=True, kw_only=True):
    """One point of a curve: `episode_count` episodes of an agent and action type, the `exposure_from`-th to the
    `exposure_to`-th within the days that were asked for.

    Scores are 0 to 100, `p25_score`, `p50_score` and `p75_score` their quantiles; durations milliseconds, of
    `duration_n` episodes that have one; costs US dollars, of `cost_n`. Intervals are of 95%, None below two values.
    """

    id: str
    agent_id: str
    action_type: str
    window_start: datetime
    window_end: datetime
    exposure_from: int
    exposure_to: int
    episode_count: int
    success_rate: float
    success_low: float
    success_high: float
    avg_score: float
    score_low: float | None
    score_high: float | None
    p25_score: float
    p50_score: float
    p75_score: float
    duration_n: int
    avg_duration_ms: float | None
    duration_low: float | None
    duration_high: float | None
    cost_n: int
    avg_cost: float | None
    cost_low: float | None
    cost_high: float | None
    status: DataStatus
    simulated: int
    created_at: datetime


class CurvesAnswer(Record, frozen=True, kw_only=True):
    """`curves` in the order of agents, action types and steps; `total` counts all points."""

    curves: list[LearningCurve]
    total: int
    by: CurveStep
    since: datetime
    until: datetime


class ComputedCurves(Record, frozen=True, kw_only=True):
    curves_computed: int
    results: list[LearningCurve]


class LearningSummaryQuery(Query, frozen=True, kw_only=True):
    agent_id: ShortText | None = None
    lookback_days: Days = 30
    period: LearningPeriod = LearningPeriod.DAILY


class LearningSummary(Record, frozen=True, kw_only=True):
    """Counts of episodes and agents; `avg_score` 0 to 100 and `success_rate` 0 to 1 over all episodes with their 95%
    intervals, None of none. An agent is `improving` or `declining` by its `direction`, which takes out that other work
    was done, else `unclear`. `by_maturity` counts agents. Episodes are actions that ran: `stopped` ones were blocked,
    denied or expired, `cancelled` ones given up while they ran; they have no outcome, and with them the share of
    successes would lie between `success_least` and `success_most`."""

    total_episodes: int
    total_agents: int
    avg_score: float | None
    avg_low: float | None
    avg_high: float | None
    success_rate: float | None
    success_low: float | None
    success_high: float | None
    improving: int
    declining: int
    unclear: int
    by_maturity: dict[str, int]
    velocity: list[LearningVelocity]
    status: DataStatus
    simulated: int
    since: datetime
    until: datetime
    stopped: int = 0
    success_least: float | None = None
    success_most: float | None = None
    cancelled: int = 0


class MaturityLevel(Record, frozen=True, kw_only=True):
    """What an agent has to reach, all three."""

    level: str
    min_episodes: int
    min_success_rate: float
    min_avg_score: float


class MaturityLevels(Record, frozen=True, kw_only=True):
    """From the lowest level on."""

    levels: list[MaturityLevel]


GET_LEARNING_VELOCITY = Endpoint(
    operation="get_learning_velocity",
    method="GET",
    path="/api/learning/analytics/velocity",
    summary="Whether agents get better and how fast: the trend of their episode scores, with its interval.",
    roles=ANYONE,
    query=VelocityQuery,
    response=VelocityAnswer,
    analyzes=True,
)
COMPUTE_LEARNING_VELOCITY = Endpoint(
    operation="compute_learning_velocity",
    method="POST",
    path="/api/learning/analytics/velocity",
    summary="The same for published clients: nothing has to be computed before it can be read.",
    roles=ANYONE,
    request=ComputeVelocity,
    response=ComputedVelocity,
    statuses=(201,),
    problems=(Code.PROJECTION_BEHIND,),
    analyzes=True,
)
GET_LEARNING_CURVES = Endpoint(
    operation="get_learning_curves",
    method="GET",
    path="/api/learning/analytics/curves",
    summary="How episodes of an action type change as an agent does more of them.",
    roles=ANYONE,
    query=CurvesQuery,
    response=CurvesAnswer,
    analyzes=True,
)
COMPUTE_LEARNING_CURVES = Endpoint(
    operation="compute_learning_curves",
    method="POST",
    path="/api/learning/analytics/curves",
    summary="The same for published clients: nothing has to be computed before it can be read.",
    roles=ANYONE,
    request=ComputeCurves,
    response=ComputedCurves,
    statuses=(201,),
    problems=(Code.PROJECTION_BEHIND,),
    analyzes=True,
)
GET_LEARNING_ANALYTICS_SUMMARY = Endpoint(
    operation="get_learning_analytics_summary",
    method="GET",
    path="/api/learning/analytics/summary",
    summary="What all agents' episodes come to, and who gets better.",
    roles=ANYONE,
    query=LearningSummaryQuery,
    response=LearningSummary,
    analyzes=True,
)
GET_MATURITY_LEVELS = Endpoint(
    operation="get_maturity_levels",
    method="GET",
    path="/api/learning/analytics/maturity",
    summary="The levels of maturity and what they ask for.",
    roles=ANYONE,
    response=MaturityLevels,
)
