"""Scores that profiles give: one action or many at once, each stored with its breakdown, and what they add up to.

Every scoring is stored: `scored_at`, who asked, and for each dimension the value, the score and its label, as the
profile was then. Scoring an action again adds another score.

An action is given as an object, or by the id of one that is recorded. What an object with an `action_id` leaves out is
filled from the recorded action, if the caller may see that: members one by one, its metadata too. Of an action that
nobody recorded, `source` is null: its values are the caller's word.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from assent.contract.analysis.scales import CompositeMethod
from assent.contract.control.guard import Source
from assent.contract.endpoint import MEGABYTE, Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Id,
    Limit,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE

LARGEST_BATCH = 5000
"""Actions that one call scores, at most."""
BATCH_LIMIT = 10 * MEGABYTE


class ScoreWithProfile(Request, frozen=True, kw_only=True):
    """`action` scores one, `actions` many; exactly one of them. Each is an object, or the id of a recorded action. Of
    an object these members count: action_id, agent_id, action_type, duration_ms, cost_estimate, tokens_total (or
    tokens_in and tokens_out, or prompt_tokens and completion_tokens), risk_score, confidence, eval_score (0-1) and
    metadata; a condition looks at all. `metadata` beside the action is kept with the score."""

    example: ClassVar[Example] = {"profile_id": "sp_1"}

    profile_id: Id
    action: dict[str, Any] | str | None = None
    actions: Annotated[list[dict[str, Any] | str], Meta(max_length=LARGEST_BATCH)] | None = None
    metadata: dict[str, Any] | None = None


class DimensionScore(Record, frozen=True, kw_only=True):
    """`raw_value` is what the dimension found: a number, a text (its first 200 characters, of a list its JSON), true or
    false; null without a value. `score` is then null too and the dimension does not count."""

    dimension_id: str
    dimension_name: str
    weight: float
    raw_value: Any
    score: float | None
    label: str


class ProfileScored(Record, frozen=True, kw_only=True):
    """A stored score with its breakdown. `composite_score` is 0 to 100; `source` is the recorded action's, null when
    there is none."""

    id: str
    org_id: str
    profile_id: str
    profile_name: str
    action_id: str | None
    agent_id: str | None
    action_type: str | None
    composite_score: float
    composite_method: CompositeMethod
    dimensions: list[DimensionScore]
    metadata: dict[str, Any]
    source: Source | None
    batch_id: str | None
    scored_at: datetime


class BatchResult(Record, frozen=True, kw_only=True):
    """A stored score, or `error`: why this action has none. The members of the other are not there."""

    action_id: str | None
    error: str | UnsetType = UNSET
    id: str | UnsetType = UNSET
    org_id: str | UnsetType = UNSET
    profile_id: str | UnsetType = UNSET
    profile_name: str | UnsetType = UNSET
    agent_id: str | UnsetType | None = UNSET
    action_type: str | UnsetType | None = UNSET
    composite_score: float | UnsetType = UNSET
    composite_method: CompositeMethod | UnsetType = UNSET
    dimensions: list[DimensionScore] | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET
    source: Source | UnsetType | None = UNSET
    batch_id: str | UnsetType = UNSET
    scored_at: datetime | UnsetType = UNSET


class NumbersStatus(StrEnum):
    """Whether there are enough values to say how much they vary: two or more."""

    OK = "ok"
    INSUFFICIENT_DATA = "insufficient_data"


class BatchSummary(Record, frozen=True, kw_only=True):
    """Of `total` actions `scored` have a score, and the numbers are of these. `stddev_score` is the sample's (n - 1),
    the quantiles interpolate (type 7), `avg_low` and `avg_high` are Student's 95% interval of the mean, cut at 0 and
    100. What too few scores cannot tell is null, and the interval then says nothing: 0 to 100."""

    total: int
    scored: int
    avg_score: float | None
    avg_low: float
    avg_high: float
    min_score: float | None
    max_score: float | None
    stddev_score: float | None
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    simulated: int
    status: NumbersStatus


class BatchScored(Record, frozen=True, kw_only=True):
    """`results` in the order of the actions."""

    results: list[BatchResult]
    summary: BatchSummary


class ProfileScore(Record, frozen=True, kw_only=True):
    """A score as it is stored. `batch_id` is there when it came with many."""

    id: Annotated[str, meaning("id of the score", frozen=True)]
    org_id: OrganizationId
    profile_id: Annotated[str, meaning("the profile that gave it", frozen=True)]
    profile_name: Annotated[str, meaning("its name then", frozen=True)]
    action_id: Annotated[str | None, meaning("the action that was scored, if it was named", frozen=True)]
    agent_id: Annotated[str | None, meaning("who acted", frozen=True)]
    action_type: Annotated[str | None, meaning("what kind of action", frozen=True)]
    composite_score: Annotated[float, meaning("the score", unit="0-100")]
    composite_method: Annotated[CompositeMethod, meaning("how the dimensions became one score", frozen=True)]
    dimension_scores: Annotated[list[DimensionScore], meaning("value, score and label of each dimension")]
    metadata: Annotated[dict[str, Any], meaning("whatever was added")]
    source: Annotated[
        Source | None,
        meaning("the action's: live, import or simulated; empty when nobody recorded the action", frozen=True),
    ]
    batch_id: Annotated[str | None, meaning("the batch that it came with, if any", frozen=True)]
    scored_at: Annotated[datetime, meaning("when it was given", frozen=True)]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that asked")]


class ScoresView(StrEnum):
    """The scores themselves, or what they add up to."""

    SCORES = "scores"
    STATS = "stats"


class ProfileScoresQuery(Query, frozen=True, kw_only=True):
    """`view=stats` gives what the scores add up to, in place of a page of them; it needs a `profile_id`."""

    profile_id: Id | None = None
    agent_id: ShortText | None = None
    action_id: Id | None = None
    batch_id: Id | None = None
    view: ScoresView | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class ProfileScores(Record, frozen=True, kw_only=True):
    """The newest first."""

    scores: list[ProfileScore]
    total: int
    next_cursor: str | None


class ProfileScoreStats(Record, frozen=True, kw_only=True):
    """What all scores by a profile that the caller may see add up to, from the first (`since`) to the last (`until`).
    The numbers are those of `BatchSummary`; `n` is `total_scores` by its other name. `simulated` counts the scores of
    actions that a simulator made up, `unrecorded` those of actions that nobody recorded.

    `avg_low` to `avg_high` takes scores as independent. They lie in `clusters` (`basis` says of what), worth
    `n_effective` independent ones; `clustered_low` to `clustered_high` is the interval over these, None where they tell
    nothing of chance."""

    profile_id: str
    total_scores: int
    n: int
    avg_score: float | None
    avg_low: float
    avg_high: float
    min_score: float | None
    max_score: float | None
    stddev_score: float | None
    p10: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p90: float | None
    unique_agents: int
    unique_actions: int
    simulated: int
    unrecorded: int
    since: datetime | None
    until: datetime | None
    status: NumbersStatus
    clusters: int | None = None
    basis: str | None = None
    n_effective: float | None = None
    clustered_low: float | None = None
    clustered_high: float | None = None


SCORE_WITH_PROFILE: Endpoint[ScoreWithProfile, None, ProfileScored | BatchScored] = Endpoint(
    operation="score_with_profile",
    method="POST",
    path="/api/scoring/score",
    summary="Score one action by a profile, or many at once; every score is stored.",
    roles=ACTING,
    request=ScoreWithProfile,
    response=ProfileScored,
    alternative=BatchScored,
    problems=(
        Code.NOTHING_TO_SCORE,
        Code.PROFILE_NOT_FOUND,
        Code.ACTION_NOT_FOUND,
        Code.AGENT_MISMATCH,
        Code.PROJECTION_BEHIND,
    ),
    limit=BATCH_LIMIT,
    analyzes=True,
)
GET_PROFILE_SCORES: Endpoint[None, ProfileScoresQuery, ProfileScores | ProfileScoreStats] = Endpoint(
    operation="get_profile_scores",
    method="GET",
    path="/api/scoring/score",
    summary="Stored profile scores, newest first, or what those of a profile add up to.",
    roles=ANYONE,
    query=ProfileScoresQuery,
    response=ProfileScores,
    alternative=ProfileScoreStats,
    problems=(Code.PROFILE_NOT_FOUND,),
    spelled={"batchId": "batch_id"},
    analyzes=True,
)
