"""Scoring profiles: what good work looks like in numbers. `contract.scales` says how they measure, and
`contract.profile_scores` how actions are scored by them.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType

from assent.contract.analysis.scales import CompositeMethod, DataSource, ScaleRule
from assent.contract.control.guard import ActionType
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Limit,
    Name,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    meaning,
)
from assent.contract.roles import ADMIN, ANYONE

MOST_DIMENSIONS = 20
MOST_COMPARISONS = 500
"""Of all conditions of a profile together: what scoring one action may have to look at."""

Description = Annotated[str, Meta(max_length=2000)]
Word = Annotated[str, Meta(max_length=64)]
Place = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Metadata = dict[str, Any]


class ProfileStatus(StrEnum):
    """For lists only: a profile scores whatever its status is."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    ARCHIVED = "archived"


class CreateScoringProfile(Request, frozen=True, kw_only=True):
    """`composite_method` is weighted_average when left out. `dimensions` are as `add_scoring_dimension` takes them; all
    of them are made or none. `action_type` says what the profile is meant for."""

    example: ClassVar[Example] = {"name": "cheap and fast"}

    name: Name
    description: Description | None = None
    action_type: ActionType | None = None
    composite_method: Word | None = None
    metadata: Metadata | None = None
    dimensions: Annotated[list[dict[str, Any]], Meta(max_length=MOST_DIMENSIONS)] | None = None


class ScoringProfileChange(Request, frozen=True, kw_only=True):
    """Members to change; those left out stay. Null empties `description`, `action_type` and `metadata`; the others
    cannot be null."""

    example: ClassVar[Example] = {"description": "What counts for deployments"}

    name: Name | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    action_type: ActionType | UnsetType | None = UNSET
    composite_method: Word | UnsetType = UNSET
    status: Word | UnsetType = UNSET
    metadata: Metadata | UnsetType | None = UNSET


class AddScoringDimension(Request, frozen=True, kw_only=True):
    """`weight` is 1 when left out. Dimensions stand in the order of `sort_order`, then as they were added."""

    example: ClassVar[Example] = {"name": "speed", "data_source": "duration_ms"}

    name: Name
    data_source: Word
    weight: float | None = None
    description: Description | None = None
    data_config: dict[str, Any] | None = None
    scale: list[dict[str, Any]] | None = None
    sort_order: Place | None = None


class ScoringDimensionChange(Request, frozen=True, kw_only=True):
    """Members to change; those left out stay. Null empties `description`, `data_config` and `scale`; the others cannot
    be null."""

    example: ClassVar[Example] = {"weight": 0.5}

    name: Name | UnsetType = UNSET
    data_source: Word | UnsetType = UNSET
    weight: float | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    data_config: dict[str, Any] | UnsetType | None = UNSET
    scale: list[dict[str, Any]] | UnsetType | None = UNSET
    sort_order: Place | UnsetType = UNSET


class ScoringDimension(Record, frozen=True, kw_only=True):
    """One thing that a profile measures."""

    id: Annotated[str, meaning("id of the dimension", frozen=True)]
    org_id: OrganizationId
    profile_id: Annotated[str, meaning("the profile that it belongs to", frozen=True)]
    name: Annotated[str, meaning("what people call it")]
    description: Annotated[str | None, meaning("what it is for")]
    data_source: Annotated[DataSource, meaning("what it takes of an action")]
    data_config: Annotated[dict[str, Any], meaning("the field or the condition that the source needs")]
    scale: Annotated[list[ScaleRule], meaning("the rules that turn a value into a score")]
    weight: Annotated[float, meaning("how much it counts among the dimensions of its profile")]
    sort_order: Annotated[int, meaning("its place among them")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it")]
    updated_at: Annotated[datetime, meaning("when it was last changed")]
    updated_by: Annotated[str, meaning("id of the key that changed it last")]


class Profile(Record, frozen=True, kw_only=True):
    """A profile without its dimensions."""

    id: Annotated[str, meaning("id of the profile", frozen=True)]
    org_id: OrganizationId
    name: Annotated[str, meaning("what people call it")]
    description: Annotated[str | None, meaning("what it is for")]
    action_type: Annotated[str | None, meaning("the kind of action that it is meant for; empty means any")]
    composite_method: Annotated[CompositeMethod, meaning("weighted_average, minimum or geometric_mean")]
    metadata: Annotated[dict[str, Any], meaning("whatever was added")]
    status: Annotated[ProfileStatus, meaning("active, inactive or archived")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it")]
    updated_at: Annotated[datetime, meaning("when it was last changed")]
    updated_by: Annotated[str, meaning("id of the key that changed it last")]


class ScoringProfile(Profile, frozen=True, kw_only=True):
    """A profile with its dimensions in order."""

    dimensions: list[ScoringDimension]


class ScoringProfilesQuery(Query, frozen=True, kw_only=True):
    """`status` is active when left out; `all` gives every profile that is not deleted."""

    action_type: ActionType | None = None
    status: Word = "active"
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class ScoringProfiles(Record, frozen=True, kw_only=True):
    """The newest first."""

    profiles: list[ScoringProfile]
    total: int
    next_cursor: str | None


class DeletedScoringProfile(Record, frozen=True, kw_only=True):
    deleted: bool
    id: str


class DeletedScoringDimension(Record, frozen=True, kw_only=True):
    deleted: bool
    id: str


_PROFILE = (Code.PROFILE_NOT_FOUND, Code.PROJECTION_BEHIND)
_DIMENSION = (Code.DIMENSION_NOT_FOUND, *_PROFILE)

CREATE_SCORING_PROFILE = Endpoint(
    operation="create_scoring_profile",
    method="POST",
    path="/api/scoring/profiles",
    summary="Define a scoring profile, with its dimensions or without.",
    roles=ADMIN,
    request=CreateScoringProfile,
    response=ScoringProfile,
    statuses=(201,),
    problems=(Code.INVALID_PROFILE, Code.PROJECTION_BEHIND),
)
LIST_SCORING_PROFILES = Endpoint(
    operation="list_scoring_profiles",
    method="GET",
    path="/api/scoring/profiles",
    summary="Scoring profiles with their dimensions, newest first.",
    roles=ANYONE,
    query=ScoringProfilesQuery,
    response=ScoringProfiles,
)
GET_SCORING_PROFILE = Endpoint(
    operation="get_scoring_profile",
    method="GET",
    path="/api/scoring/profiles/{profile_id}",
    summary="One scoring profile with its dimensions.",
    roles=ANYONE,
    response=ScoringProfile,
    problems=(Code.PROFILE_NOT_FOUND,),
)
UPDATE_SCORING_PROFILE = Endpoint(
    operation="update_scoring_profile",
    method="PATCH",
    path="/api/scoring/profiles/{profile_id}",
    summary="Change a scoring profile; what is left out stays, scores that it gave too.",
    roles=ADMIN,
    request=ScoringProfileChange,
    response=ScoringProfile,
    problems=(Code.INVALID_PROFILE, *_PROFILE),
)
DELETE_SCORING_PROFILE = Endpoint(
    operation="delete_scoring_profile",
    method="DELETE",
    path="/api/scoring/profiles/{profile_id}",
    summary="Remove a scoring profile; scores that it gave stay.",
    roles=ADMIN,
    response=DeletedScoringProfile,
    problems=_PROFILE,
)
ADD_SCORING_DIMENSION = Endpoint(
    operation="add_scoring_dimension",
    method="POST",
    path="/api/scoring/profiles/{profile_id}/dimensions",
    summary="Add a dimension to a scoring profile.",
    roles=ADMIN,
    request=AddScoringDimension,
    response=ScoringDimension,
    statuses=(201,),
    problems=(Code.INVALID_PROFILE, *_PROFILE),
)
UPDATE_SCORING_DIMENSION = Endpoint(
    operation="update_scoring_dimension",
    method="PATCH",
    path="/api/scoring/profiles/{profile_id}/dimensions/{dimension_id}",
    summary="Change a dimension; what is left out stays.",
    roles=ADMIN,
    request=ScoringDimensionChange,
    response=ScoringDimension,
    problems=(Code.INVALID_PROFILE, *_DIMENSION),
)
DELETE_SCORING_DIMENSION = Endpoint(
    operation="delete_scoring_dimension",
    method="DELETE",
    path="/api/scoring/profiles/{profile_id}/dimensions/{dimension_id}",
    summary="Remove a dimension; scores that were given with it stay.",
    roles=ADMIN,
    response=DeletedScoringDimension,
    problems=_DIMENSION,
)
