"""Scoring profiles, their dimensions, and the scores of actions by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack, cast

import msgspec

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.actions import Action
from assent.contract.endpoint import Endpoint
from assent.contract.profile_scores import (
    GET_PROFILE_SCORES,
    SCORE_WITH_PROFILE,
    BatchScored,
    ProfileScored,
    ProfileScores,
    ProfileScoresQuery,
    ProfileScoreStats,
    ScoresView,
    ScoreWithProfile,
)
from assent.contract.scales import CompositeMethod, DataSource, ScaleRule
from assent.contract.scoring import (
    ADD_SCORING_DIMENSION,
    CREATE_SCORING_PROFILE,
    DELETE_SCORING_DIMENSION,
    DELETE_SCORING_PROFILE,
    GET_SCORING_PROFILE,
    LIST_SCORING_PROFILES,
    UPDATE_SCORING_DIMENSION,
    UPDATE_SCORING_PROFILE,
    AddScoringDimension,
    CreateScoringProfile,
    DeletedScoringDimension,
    DeletedScoringProfile,
    ProfileStatus,
    ScoringDimension,
    ScoringDimensionChange,
    ScoringProfile,
    ScoringProfileChange,
    ScoringProfiles,
    ScoringProfilesQuery,
)

ActionToScore = Mapping[str, Any] | Action | str
"""Values, a recorded action, or the id of one."""
Scale = Sequence[Mapping[str, Any] | ScaleRule]

_SCORE = cast("Endpoint[Any]", SCORE_WITH_PROFILE)
_SCORE_MANY = cast("Endpoint[BatchScored]", replace(_SCORE, response=BatchScored, alternative=None))
_SCORES = cast("Endpoint[Any]", GET_PROFILE_SCORES)
_STATS = cast("Endpoint[ProfileScoreStats]", replace(_SCORES, response=ProfileScoreStats, alternative=None))
"""The same calls, asked for the other of their two answers."""


class ScoringProfileChanges(TypedDict, total=False):
    """None empties `description`, `action_type` and `metadata`."""

    name: str
    description: str | None
    action_type: str | None
    composite_method: CompositeMethod | str
    status: ProfileStatus | str
    metadata: Mapping[str, Any] | None


class ScoringDimensionChanges(TypedDict, total=False):
    """None empties `description`, `data_config` and `scale`."""

    name: str
    data_source: DataSource | str
    weight: float
    description: str | None
    data_config: Mapping[str, Any] | None
    scale: Scale | None
    sort_order: int


class ScoringProfileFilters(TypedDict, total=False):
    """`status` is active when not given, `all` for every one; `limit` is 1 to 200."""

    action_type: str | None
    status: ProfileStatus | str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class ProfileScoreFilters(TypedDict, total=False):
    profile_id: str | None
    agent_id: str | None
    action_id: str | None
    batch_id: str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class ScoringOperations(Caller):
    @operation
    def create_scoring_profile(
        self,
        name: str,
        description: str | None = None,
        action_type: str | None = None,
        composite_method: CompositeMethod | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        dimensions: Sequence[Mapping[str, Any]] | None = None,
    ) -> Flow[ScoringProfile]:
        """Define a profile; `composite_method` is weighted_average, minimum or geometric_mean. `dimensions` are
        mappings with what `add_scoring_dimension` takes. Raises InvalidRequest that names the place."""
        given = {
            "name": name,
            "description": description,
            "action_type": action_type,
            "composite_method": composite_method,
            "metadata": metadata,
            "dimensions": dimensions,
        }
        body = members(CreateScoringProfile, given, "create_scoring_profile")
        return (yield from send(CREATE_SCORING_PROFILE, body=body))

    @operation
    def list_scoring_profiles(self, **filters: Unpack[ScoringProfileFilters]) -> Flow[ScoringProfiles]:
        """A page of profiles with their dimensions, the newest first; active ones unless `status` says otherwise."""
        query = members(ScoringProfilesQuery, filters, "list_scoring_profiles")
        return (yield from send(LIST_SCORING_PROFILES, query=query))

    @operation
    def get_scoring_profile(self, profile_id: str) -> Flow[ScoringProfile]:
        """One profile with its dimensions. Raises NotFound."""
        return (yield from send(GET_SCORING_PROFILE, path={"profile_id": profile_id}))

    @operation
    def update_scoring_profile(self, profile_id: str, **updates: Unpack[ScoringProfileChanges]) -> Flow[ScoringProfile]:
        """Change members of a profile; what is not named stays. Raises NotFound, InvalidRequest."""
        body = _changes(ScoringProfileChange, updates, "update_scoring_profile")
        return (yield from send(UPDATE_SCORING_PROFILE, path={"profile_id": profile_id}, body=body))

    @operation
    def delete_scoring_profile(self, profile_id: str) -> Flow[DeletedScoringProfile]:
        """Remove a profile; scores that it gave stay. Raises NotFound."""
        return (yield from send(DELETE_SCORING_PROFILE, path={"profile_id": profile_id}))

    @operation
    def add_scoring_dimension(
        self,
        profile_id: str,
        name: str,
        data_source: DataSource | str,
        weight: float | None = None,
        description: str | None = None,
        data_config: Mapping[str, Any] | None = None,
        scale: Scale | None = None,
        sort_order: int | None = None,
    ) -> Flow[ScoringDimension]:
        """Add a dimension: what it measures (`data_source`, and `data_config` for a metadata field or a condition) and
        the rules of its `scale`, tried in order; `contract.scales` says what each means. Raises NotFound,
        InvalidRequest that names the place."""
        given = {
            "name": name,
            "data_source": data_source,
            "weight": weight,
            "description": description,
            "data_config": data_config,
            "scale": scale,
            "sort_order": sort_order,
        }
        body = members(AddScoringDimension, given, "add_scoring_dimension")
        return (yield from send(ADD_SCORING_DIMENSION, path={"profile_id": profile_id}, body=body))

    @operation
    def update_scoring_dimension(
        self, profile_id: str, dimension_id: str, **updates: Unpack[ScoringDimensionChanges]
    ) -> Flow[ScoringDimension]:
        """Change members of a dimension; what is not named stays. Raises NotFound, InvalidRequest."""
        body = _changes(ScoringDimensionChange, updates, "update_scoring_dimension")
        path = {"profile_id": profile_id, "dimension_id": dimension_id}
        return (yield from send(UPDATE_SCORING_DIMENSION, path=path, body=body))

    @operation
    def delete_scoring_dimension(self, profile_id: str, dimension_id: str) -> Flow[DeletedScoringDimension]:
        """Remove a dimension; scores that were given with it stay. Raises NotFound."""
        path = {"profile_id": profile_id, "dimension_id": dimension_id}
        return (yield from send(DELETE_SCORING_DIMENSION, path=path))

    @operation
    def score_with_profile(
        self, profile_id: str, action: ActionToScore, metadata: Mapping[str, Any] | None = None
    ) -> Flow[ProfileScored]:
        """Score an action and store the score: the composite, 0 to 100, and each dimension's value, score and label.
        What a mapping with an `action_id` leaves out is filled from the recorded action.

        Raises NotFound, and InvalidRequest (`nothing_to_score`) when no dimension found a value.
        """
        given = {"profile_id": profile_id, "action": _plain(action), "metadata": metadata}
        return (yield from send(SCORE_WITH_PROFILE, body=members(ScoreWithProfile, given, "score_with_profile")))

    @operation
    def batch_score_with_profile(
        self, profile_id: str, actions: Sequence[ActionToScore], metadata: Mapping[str, Any] | None = None
    ) -> Flow[BatchScored]:
        """Score up to 5,000 actions at once: `results` in their order, each a stored score or an `error`, and a
        `summary` of the scores. Raises NotFound for the profile, InvalidRequest."""
        given = {"profile_id": profile_id, "actions": [_plain(each) for each in actions], "metadata": metadata}
        return (yield from send(_SCORE_MANY, body=members(ScoreWithProfile, given, "batch_score_with_profile")))

    @operation
    def get_profile_scores(self, **filters: Unpack[ProfileScoreFilters]) -> Flow[ProfileScores]:
        """A page of stored scores, the newest first."""
        return (yield from send(GET_PROFILE_SCORES, query=members(ProfileScoresQuery, filters, "get_profile_scores")))

    @operation
    def get_profile_score_stats(self, profile_id: str, agent_id: str | None = None) -> Flow[ProfileScoreStats]:
        """What the scores by a profile add up to: their number, mean with its 95% interval, spread and quantiles.
        Raises NotFound."""
        given = {"profile_id": profile_id, "agent_id": agent_id, "view": ScoresView.STATS}
        return (yield from send(_STATS, query=members(ProfileScoresQuery, given, "get_profile_score_stats")))


def _changes(shape: type[msgspec.Struct], updates: Mapping[str, Any], caller: str) -> dict[str, Any]:
    """What is to change, Nones included: they empty what they name."""
    named = members(shape, updates, caller)
    return {name: named.get(name) for name in updates}


def _plain(action: ActionToScore) -> object:
    return msgspec.to_builtins(action) if isinstance(action, Action) else action
