"""Lessons and recommendations: what an agent's own record suggests for its next action, and what came of following."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct, field

from assent.contract.analysis.drift import DriftDirection, DriftSeverity
from assent.contract.analysis.learning import DataStatus, Days, Samples
from assent.contract.control.guard import Source
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Example,
    Id,
    Limit,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE, OPERATING

EVENTS_AT_ONCE = 200


class LessonsQuery(Query, frozen=True, kw_only=True):
    """Episodes that ended within `lookback_days`; a lesson needs `min_samples` of them."""

    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    limit: Limit = 10
    lookback_days: Days = 90
    min_samples: Samples = 5


class LessonHints(Record, frozen=True, kw_only=True):
    """From the best episodes: stay at or below `risk_cap`, of the risk that the agent states itself, be at least
    `confidence_floor` confident (both 0 to 100), expect `expected_duration` milliseconds and `expected_cost` US
    dollars. None where they do not say."""

    risk_cap: float | None
    prefer_reversible: bool | None
    confidence_floor: float | None
    expected_duration: float | None
    expected_cost: float | None


class HintStatus(StrEnum):
    """`shown`: episodes on which it was not found bear it out. `insufficient_data`: nothing can be told yet."""

    SHOWN = "shown"
    NOT_SHOWN = "not_shown"
    INSUFFICIENT_DATA = "insufficient_data"


class HintTest(Record, frozen=True, kw_only=True):
    """Whether a hint (`risk_cap`, `confidence_floor` or `prefer_reversible`) helps: it is found anew on either
    half of the clusters and tested on the other. `gain` is how much more often episodes that follow it succeed (a
    share, with its 95% interval over clusters); `p_adjusted` is one-sided, corrected for all hints of the answer. `n`
    episodes of `clusters` were tested. Nobody drew lots who follows."""

    hint: str
    status: HintStatus
    gain: float | None
    low: float | None
    high: float | None
    p_adjusted: float | None
    n: int
    clusters: int


class Lesson(Record, frozen=True, kw_only=True):
    """What `sample_size` episodes of an agent and action type teach.

    `confidence` (35 to 95) says how far the lesson goes. `success_rate` is shrunk toward `group_rate`, that of all who
    do this type, which counts as `group_strength` episodes of `group_members` agents; `success_low` and `success_high`
    are its 95% credible interval. `raw_success_rate` is successes / sample_size with Wilson's interval.
    Rates are from 0 to 1, `avg_score` 0 to 100. The hints are from the `best_n` best episodes: what these have in
    common, which need not help. `tests` says of each whether other episodes bear it out, over `clusters` of which
    `basis` says what they are. It was learned from actions that ran: `stopped` ones and those `cancelled` while they
    ran have no outcome, and with them the share of successes would lie between `success_least` and `success_most`.
    """

    agent_id: str
    action_type: str
    confidence: int
    success_rate: float
    success_low: float
    success_high: float
    raw_success_rate: float
    raw_success_low: float
    raw_success_high: float
    group_rate: float
    group_strength: float
    group_members: int
    avg_score: float
    score_low: float | None
    score_high: float | None
    hints: LessonHints
    best_n: int
    guidance: list[str]
    sample_size: int
    window_start: datetime
    window_end: datetime
    status: DataStatus
    simulated: int
    tests: list[HintTest] = field(default_factory=list)
    clusters: int = 0
    basis: str | None = None
    stopped: int = 0
    success_least: float | None = None
    success_most: float | None = None
    cancelled: int = 0


MOST_DRIFT_WARNINGS = 5


class DriftWarning(Record, frozen=True, kw_only=True):
    """A drift alert that nobody has acknowledged. `z_score` is text with one decimal, as published; None where it
    cannot be told. `source` tells one that is about what a simulator made up."""

    metric: str
    severity: DriftSeverity
    z_score: str | None
    direction: DriftDirection
    id: str
    agent_id: str | None
    action_type: str
    change_estimated_at: datetime
    detected_at: datetime
    source: Source


class Lessons(Record, frozen=True, kw_only=True):
    """`lessons` by confidence, the highest first, then those with most episodes; `total` counts all.
    `insufficient_data` are groups below `min_samples`, with what is known of them and without hints. `drift_warnings`
    are the newest of a middling or large change (warning, critical) that nobody has acknowledged, `MOST_DRIFT_WARNINGS`
    at most."""

    lessons: list[Lesson]
    insufficient_data: list[Lesson]
    drift_warnings: list[DriftWarning]
    agent_id: str | None
    total: int
    min_samples: int
    since: datetime
    until: datetime


class RecommendationsQuery(Query, frozen=True, kw_only=True):
    """`include_inactive` shows also those that were switched off, `include_metrics` adds what came of them.
    `track_events` is what published clients say; reading records nothing."""

    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    limit: Limit = 50
    include_inactive: bool = False
    track_events: bool = False
    include_metrics: bool = False
    lookback_days: Days = 30
    min_samples: Samples = 5


class RebuildRecommendations(Request, frozen=True, kw_only=True):
    """The same question as a body. `episode_limit` and `action_id` are what published clients say; all episodes of the
    days count."""

    example: ClassVar[Example] = {"agent_id": "release-bot"}

    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    lookback_days: Days = 30
    min_samples: Samples = 5
    episode_limit: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    action_id: Annotated[Id, Meta(description="taken from published clients; changes nothing")] | None = None


class RecommendationHints(Record, frozen=True, kw_only=True):
    """The hints of a lesson by the names that published clients apply."""

    preferred_risk_cap: float | None
    prefer_reversible: bool | None
    confidence_floor: float | None
    expected_duration_ms: float | None
    expected_cost_estimate: float | None


class RecommendationMetrics(Record, frozen=True, kw_only=True):
    """What agents said of a recommendation, and how the episodes of its agent and action type went with it and
    without. Rates are from 0 to 1, with Wilson's 95% intervals; None of nothing. Nobody drew lots who follows."""

    recommendation_id: str
    agent_id: str
    action_type: str
    active: bool
    fetched: int
    applied: int
    overridden: int
    adoption_rate: float | None
    adoption_low: float
    adoption_high: float
    with_n: int
    with_rate: float | None
    with_low: float
    with_high: float
    without_n: int
    without_rate: float | None
    without_low: float
    without_high: float
    status: DataStatus
    simulated: int


class Recommendation(Record, frozen=True, kw_only=True):
    """A lesson as a recommendation. `id` is that of the organization, agent and action type, however often it is made
    anew. `metrics` only where they were asked for and something was said. `tests` and what follows are the lesson's."""

    id: str
    agent_id: str
    action_type: str
    active: bool
    confidence: int
    sample_size: int
    success_rate: float
    success_low: float
    success_high: float
    avg_score: float
    hints: RecommendationHints
    guidance: list[str]
    metrics: RecommendationMetrics | None
    simulated: int
    computed_at: datetime
    tests: list[HintTest] = field(default_factory=list)
    clusters: int = 0
    basis: str | None = None
    stopped: int = 0
    success_least: float | None = None
    success_most: float | None = None
    cancelled: int = 0


class Recommendations(Record, frozen=True, kw_only=True):
    """By confidence, the highest first; `total` counts all that fit."""

    recommendations: list[Recommendation]
    total: int
    lookback_days: int
    since: datetime
    until: datetime


class RecommendationQuery(Query, frozen=True, kw_only=True):
    """Episodes that ended within `lookback_days`; there is a recommendation where there are `min_samples` of them."""

    lookback_days: Days = 30
    min_samples: Samples = 5


class RecommendationDetail(Record, frozen=True, kw_only=True):
    """The recommendation as its episodes from `since` to `until` make it, switched off or not."""

    recommendation: Recommendation
    lookback_days: int
    since: datetime
    until: datetime


class SetRecommendationActive(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"active": False}

    active: bool


class RecommendationSwitch(Record, frozen=True, kw_only=True):
    """Whether a recommendation is shown: what was last said about it."""

    id: Annotated[str, meaning("id of the recommendation", frozen=True)]
    org_id: OrganizationId
    agent_id: Annotated[str, meaning("whose it is", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action it is about", frozen=True)]
    active: Annotated[bool, meaning("whether it is shown")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it was last switched")]
    updated_by: Annotated[str, meaning("id of the key that did so")]


class SwitchedRecommendation(Record, frozen=True, kw_only=True):
    recommendation: RecommendationSwitch


class RecommendationEventType(StrEnum):
    """What became of a recommendation."""

    FETCHED = "fetched"
    APPLIED = "applied"
    OVERRIDDEN = "overridden"


class RecommendationSaid(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`details` is the caller's own, such as why it was overridden, in up to 16,384 bytes. With `action_id` its outcome
    counts; without, that of the agent's next action of the type."""

    recommendation_id: Id
    event_type: RecommendationEventType
    action_id: Id | None = None
    details: dict[str, Any] | None = None


class RecordRecommendationEvents(Request, frozen=True, kw_only=True):
    """`events`, or one event itself. Members of an event that are not named here are ignored."""

    example: ClassVar[Example] = {"recommendation_id": "re_1", "event_type": "applied"}

    events: Annotated[list[RecommendationSaid], Meta(max_length=EVENTS_AT_ONCE)] | None = None
    recommendation_id: Id | None = None
    event_type: RecommendationEventType | None = None
    action_id: Id | None = None
    details: dict[str, Any] | None = None


class RecommendationEvent(Record, frozen=True, kw_only=True):
    """What was said of a recommendation, as it is kept."""

    id: Annotated[str, meaning("id of the event", frozen=True)]
    org_id: OrganizationId
    recommendation_id: Annotated[str, meaning("the recommendation", frozen=True)]
    agent_id: Annotated[str, meaning("whose it is", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action it is about", frozen=True)]
    event_type: Annotated[RecommendationEventType, meaning("fetched, applied or overridden", frozen=True)]
    action_id: Annotated[str | None, meaning("the action that it was said of, if any", frozen=True)]
    details: Annotated[dict[str, Any], meaning("whatever the agent added")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that said it", frozen=True)]


class RecordedRecommendationEvents(Record, frozen=True, kw_only=True):
    events: list[RecommendationEvent]
    recorded: int


class RecommendationMetricsQuery(Query, frozen=True, kw_only=True):
    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    limit: Limit = 100
    include_inactive: bool = False
    lookback_days: Days = 30


class RecommendationReport(Record, frozen=True, kw_only=True):
    """In the order of agents and action types, those of which anything was said; `total` counts them all."""

    metrics: list[RecommendationMetrics]
    total: int
    lookback_days: int
    since: datetime
    until: datetime


GET_LESSONS = Endpoint(
    operation="get_lessons",
    method="GET",
    path="/api/learning/lessons",
    summary="What an agent's own episodes suggest for the next one, and what has drifted.",
    roles=ANYONE,
    query=LessonsQuery,
    response=Lessons,
    analyzes=True,
)
GET_RECOMMENDATIONS = Endpoint(
    operation="get_recommendations",
    method="GET",
    path="/api/learning/recommendations",
    summary="Lessons as recommendations that can be switched off and followed up.",
    roles=ANYONE,
    query=RecommendationsQuery,
    response=Recommendations,
    analyzes=True,
)
GET_RECOMMENDATION = Endpoint(
    operation="get_recommendation",
    method="GET",
    path="/api/learning/recommendations/{recommendation_id}",
    summary="One recommendation, switched off or not.",
    roles=ANYONE,
    query=RecommendationQuery,
    response=RecommendationDetail,
    problems=(Code.RECOMMENDATION_NOT_FOUND,),
    analyzes=True,
)
REBUILD_RECOMMENDATIONS = Endpoint(
    operation="rebuild_recommendations",
    method="POST",
    path="/api/learning/recommendations",
    summary="The same for published clients: nothing has to be built before it can be read.",
    roles=ANYONE,
    request=RebuildRecommendations,
    response=Recommendations,
    statuses=(201,),
    problems=(Code.PROJECTION_BEHIND,),
    analyzes=True,
)
SET_RECOMMENDATION_ACTIVE = Endpoint(
    operation="set_recommendation_active",
    method="PATCH",
    path="/api/learning/recommendations/{recommendation_id}",
    summary="Switch a recommendation on or off.",
    roles=OPERATING,
    request=SetRecommendationActive,
    response=SwitchedRecommendation,
    problems=(Code.RECOMMENDATION_NOT_FOUND, Code.PROJECTION_BEHIND),
)
RECORD_RECOMMENDATION_EVENTS = Endpoint(
    operation="record_recommendation_events",
    method="POST",
    path="/api/learning/recommendations/events",
    summary="Say that recommendations were looked at, applied or overridden.",
    roles=ACTING,
    request=RecordRecommendationEvents,
    response=RecordedRecommendationEvents,
    statuses=(201,),
    problems=(Code.RECOMMENDATION_NOT_FOUND, Code.PROJECTION_BEHIND),
)
GET_RECOMMENDATION_METRICS = Endpoint(
    operation="get_recommendation_metrics",
    method="GET",
    path="/api/learning/recommendations/metrics",
    summary="How often recommendations are followed, and how it went with them and without.",
    roles=ANYONE,
    query=RecommendationMetricsQuery,
    response=RecommendationReport,
    analyzes=True,
)
