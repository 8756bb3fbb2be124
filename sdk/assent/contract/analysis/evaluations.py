"""Scores of actions, and runs that let a scorer judge many of them.

A score lies between 0 and 1, as the published server has it; from 0.5 on it counts as passed. Numbers over scores
carry their n and say what they leave open at 95%: `mean_low` and `mean_high` by Student's t, `pass_low` and
`pass_high` by Wilson.
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct, field

from assent.contract.analysis.scorers import ScorerType
from assent.contract.control.actions import ActionStatus
from assent.contract.control.guard import ActionType, Source
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Limit,
    Name,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE, OPERATING

LARGEST_RUN = 50_000
"""Actions that one run looks at, at most."""

Grade = Annotated[float, Meta(ge=0, le=1)]
When = Annotated[str, Meta(min_length=1, max_length=40, description="a day, or a time as in RFC 3339")]


class CreateScore(Request, frozen=True, kw_only=True):
    """A judgement that was made elsewhere: by a person, by a model of your own. `evaluated_by` says who; without it,
    it is the key's agent or the key itself."""

    example: ClassVar[Example] = {"action_id": "act_1", "scorer_name": "cheap", "score": 0.5}

    action_id: Id
    scorer_name: Name
    score: Grade
    label: ShortText | None = None
    reasoning: Annotated[str, Meta(max_length=4000)] | None = None
    evaluated_by: ShortText | None = None
    metadata: dict[str, Any] | None = None


class EvalScore(Record, frozen=True, kw_only=True):
    """One score of one action. `run_id` is there when a run gave it, `scorer_id` when a scorer of that name existed.
    `source` is the action's: scores of simulated actions say so."""

    id: Annotated[str, meaning("id of the score", frozen=True)]
    org_id: OrganizationId
    action_id: Annotated[str, meaning("the action that was judged", frozen=True)]
    agent_id: Annotated[str | None, meaning("who acted", frozen=True)]
    action_type: Annotated[str, meaning("what kind of action", frozen=True)]
    scorer_id: Annotated[str | None, meaning("the scorer that judged it, if the service knows it", frozen=True)]
    scorer_name: Annotated[str, meaning("name of what judged it, as it was then", frozen=True)]
    run_id: Annotated[str | None, meaning("the evaluation run that it came with, if any", frozen=True)]
    score: Annotated[float, meaning("the score; from 0.5 on it counts as passed", unit="0-1")]
    label: Annotated[str | None, meaning("the score in a word")]
    reasoning: Annotated[str | None, meaning("why")]
    evaluated_by: Annotated[str, meaning("who or what judged")]
    metadata: Annotated[dict[str, Any], meaning("whatever was added")]
    source: Annotated[Source, meaning("the action's: live, import, or simulated: a simulator made it up", frozen=True)]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that recorded it or began the run")]


class ScoresQuery(Query, frozen=True, kw_only=True):
    """`min_score` and `max_score` are inclusive."""

    action_id: Id | None = None
    agent_id: ShortText | None = None
    scorer_name: Name | None = None
    scorer_id: Id | None = None
    run_id: Id | None = None
    evaluated_by: ShortText | None = None
    min_score: Grade | None = None
    max_score: Grade | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class EvalScores(Record, frozen=True, kw_only=True):
    """The newest first."""

    scores: list[EvalScore]
    total: int
    next_cursor: str | None


class RunStatus(StrEnum):
    """`interrupted`: the service stopped while the run was going on; what it had scored stays."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class ActionFilters(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which actions a run looks at: those that fit all of it and were recorded before the run, the newest first, up
    to `limit`. `from` and `to` (or `date_from` and `date_to`) bound when they happened, inclusive; a day as `to` means
    the whole of it."""

    agent_id: ShortText | None = None
    action_type: ActionType | None = None
    status: ActionStatus | None = None
    source: Source | None = None
    from_: When | None = field(name="from", default=None)
    to: When | None = None
    date_from: When | None = None
    date_to: When | None = None
    limit: Annotated[int, Meta(ge=1, le=LARGEST_RUN)] = LARGEST_RUN


class CreateEvalRun(Request, frozen=True, kw_only=True):
    """`scorer_id` judges what `action_filters` choose; without filters, the newest actions. The run's beginning and end
    are on the live stream, its scores are not: read them with `get_scores` and its `run_id`."""

    example: ClassVar[Example] = {"name": "last week", "scorer_id": "scr_1"}

    name: Name
    scorer_id: Id
    action_filters: ActionFilters | None = None


class ScoreSummary(Record, frozen=True, kw_only=True):
    """`n` scores; `sd` is the sample's (n - 1). What n scores cannot tell is null. `simulated` counts those among
    them that judge actions which a simulator made up."""

    n: int
    mean: float | None
    mean_low: float
    mean_high: float
    min: float | None
    max: float | None
    sd: float | None
    passed: int
    pass_rate: float | None
    pass_low: float
    pass_high: float
    simulated: int


class EvalRun(Record, frozen=True, kw_only=True):
    """`scorer_config` is the scorer as it was when the run began. `total_actions` have been chosen, `left_out_count`
    more fitted but lie beyond the limit; `scored_count` and `skipped_count` grow while the run goes on, `skipped` says
    why. `agent_id` is the one that the filters name."""

    id: Annotated[str, meaning("id of the run", frozen=True)]
    org_id: OrganizationId
    name: Annotated[str, meaning("what people call it", frozen=True)]
    scorer_id: Annotated[str, meaning("the scorer that judges", frozen=True)]
    scorer_name: Annotated[str, meaning("its name when the run began", frozen=True)]
    scorer_type: Annotated[ScorerType, meaning("its type when the run began", frozen=True)]
    scorer_config: Annotated[dict[str, Any], meaning("its configuration when the run began")]
    action_filters: Annotated[dict[str, Any], meaning("which actions it looks at")]
    agent_id: Annotated[str | None, meaning("the agent that the filters name; empty means all", frozen=True)]
    status: Annotated[RunStatus, meaning("running, completed, failed or interrupted")]
    total_actions: Annotated[int, meaning("actions that it was to look at")]
    left_out_count: Annotated[int, meaning("actions that fitted too but lie beyond the limit")]
    scored_count: Annotated[int, meaning("actions that got a score")]
    skipped_count: Annotated[int, meaning("actions that got none")]
    skipped: Annotated[dict[str, int], meaning("how many got none, by reason")]
    avg_score: Annotated[float | None, meaning("mean of its scores", unit="0-1")]
    summary: Annotated[ScoreSummary | None, meaning("what its scores add up to")]
    error_message: Annotated[str | None, meaning("why it did not come to its end")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that began it")]
    started_at: Annotated[datetime, meaning("when it began")]
    updated_at: Annotated[datetime, meaning("when it last changed")]
    completed_at: Annotated[datetime | None, meaning("when it ended")]


class EvalRunsQuery(Query, frozen=True, kw_only=True):
    status: RunStatus | None = None
    scorer_id: Id | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class EvalRuns(Record, frozen=True, kw_only=True):
    """The newest first."""

    runs: list[EvalRun]
    total: int
    next_cursor: str | None


class ScoreBucket(Record, frozen=True, kw_only=True):
    """`excellent` from 0.8 on, `acceptable` from 0.5 on, else `poor`."""

    bucket: str
    count: int
    avg_score: float | None


class EvalRunDetail(Record, frozen=True, kw_only=True):
    """`distribution` is of the scores recorded so far."""

    run: EvalRun
    distribution: list[ScoreBucket]


class EvalStatsQuery(Query, frozen=True, kw_only=True):
    """`days` counts back from now by when the scores were given."""

    agent_id: ShortText | None = None
    scorer_name: Name | None = None
    scorer_id: Id | None = None
    run_id: Id | None = None
    days: Annotated[int, Meta(ge=1, le=3650)] = 30


class OverallStats(ScoreSummary, frozen=True, kw_only=True):
    """`total_scores` and `avg_score` are `n` and `mean` by their published names; `today_count` is of today, UTC."""

    total_scores: int
    avg_score: float | None
    unique_scorers: int
    today_count: int


class ScorerStats(ScoreSummary, frozen=True, kw_only=True):
    scorer_name: Annotated[str, meaning("name of the scorer")]
    total_scores: int
    avg_score: float | None


class ScoreDay(ScoreSummary, frozen=True, kw_only=True):
    date: date
    count: int
    avg_score: float | None


class EvalStats(Record, frozen=True, kw_only=True):
    """`by_scorer` in the order of names, `trends` of days (UTC) that have scores."""

    overall: OverallStats
    by_scorer: list[ScorerStats]
    trends: list[ScoreDay]
    distribution: list[ScoreBucket]
    days: int
    since: datetime
    until: datetime


CREATE_SCORE = Endpoint(
    operation="create_score",
    method="POST",
    path="/api/evaluations",
    summary="Score an action that was judged elsewhere.",
    roles=ACTING,
    request=CreateScore,
    response=EvalScore,
    statuses=(201,),
    problems=(Code.ACTION_NOT_FOUND, Code.PROJECTION_BEHIND),
)
GET_SCORES = Endpoint(
    operation="get_scores",
    method="GET",
    path="/api/evaluations",
    summary="Scores, newest first.",
    roles=ANYONE,
    query=ScoresQuery,
    response=EvalScores,
)
CREATE_EVAL_RUN = Endpoint(
    operation="create_eval_run",
    method="POST",
    path="/api/evaluations/runs",
    summary="Let a scorer judge actions that have happened; the run goes on in the background.",
    roles=OPERATING,
    request=CreateEvalRun,
    response=EvalRun,
    statuses=(201,),
    problems=(Code.SCORER_NOT_FOUND, Code.BUSY, Code.SHUTTING_DOWN, Code.PROJECTION_BEHIND),
)
GET_EVAL_RUNS = Endpoint(
    operation="get_eval_runs",
    method="GET",
    path="/api/evaluations/runs",
    summary="Evaluation runs, newest first.",
    roles=ANYONE,
    query=EvalRunsQuery,
    response=EvalRuns,
)
GET_EVAL_RUN = Endpoint(
    operation="get_eval_run",
    method="GET",
    path="/api/evaluations/runs/{run_id}",
    summary="One evaluation run, with how far it is.",
    roles=ANYONE,
    response=EvalRunDetail,
    problems=(Code.EVALUATION_NOT_FOUND,),
)
GET_EVAL_STATS = Endpoint(
    operation="get_eval_stats",
    method="GET",
    path="/api/evaluations/stats",
    summary="What scores add up to, in all, by scorer and by day, with what the numbers leave open.",
    roles=ANYONE,
    query=EvalStatsQuery,
    response=EvalStats,
    analyzes=True,
)
