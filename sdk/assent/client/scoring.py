"""Scoring profiles, their dimensions, and the scores of actions by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import msgspec
from msgspec import UNSET, UnsetType

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller
from assent.client.request import members
from assent.contract.analysis.profile_scores import (
    GET_PROFILE_SCORES,
    SCORE_WITH_PROFILE,
    BatchScored,
    ProfileScored,
    ProfileScores,
    ProfileScoreStats,
    ScoresView,
    ScoreWithProfile,
)
from assent.contract.analysis.scales import CompositeMethod, DataSource, ScaleRule
from assent.contract.analysis.scoring import (
    ADD_SCORING_DIMENSION,
    CREATE_SCORING_PROFILE,
    DELETE_SCORING_DIMENSION,
    DELETE_SCORING_PROFILE,
    GET_SCORING_PROFILE,
    LIST_SCORING_PROFILES,
    UPDATE_SCORING_DIMENSION,
    UPDATE_SCORING_PROFILE,
    ProfileStatus,
)
from assent.contract.control.actions import Action
from assent.contract.endpoint import AnyEndpoint

ActionToScore = Mapping[str, Any] | Action | str
"""Values, a recorded action, or the id of one."""
Scale = Sequence[Mapping[str, Any] | ScaleRule]

_SCORE = cast("AnyEndpoint[Any]", SCORE_WITH_PROFILE)
_SCORE_ONE = cast("AnyEndpoint[ProfileScored]", SCORE_WITH_PROFILE)
_SCORE_MANY = cast("AnyEndpoint[BatchScored]", replace(_SCORE, response=BatchScored, alternative=None))
_SCORES = cast("AnyEndpoint[Any]", GET_PROFILE_SCORES)
_PAGE = cast("AnyEndpoint[ProfileScores]", GET_PROFILE_SCORES)
_STATS = cast("AnyEndpoint[ProfileScoreStats]", replace(_SCORES, response=ProfileScoreStats, alternative=None))
"""Each call, asked for one of its two answers."""


class ScoringOperations(Caller):
    @sends(CREATE_SCORING_PROFILE)
    def create_scoring_profile(
        self,
        name: str,
        description: str | None = None,
        action_type: str | None = None,
        composite_method: CompositeMethod | str | None = None,
        metadata: Mapping[str, Any] | None = None,
        dimensions: Sequence[Mapping[str, Any]] | None = None,
    ) -> Response:
        """Define a profile; `composite_method` is weighted_average, minimum or geometric_mean. `dimensions` are
        mappings with what `add_scoring_dimension` takes. Raises InvalidRequest that names the place."""

    @sends(LIST_SCORING_PROFILES)
    def list_scoring_profiles(
        self,
        *,
        action_type: str | None = None,
        status: ProfileStatus | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of profiles with their dimensions, the newest first; active ones unless `status` says otherwise, `all`
        for every one. `limit` is 1 to 200."""

    @sends(GET_SCORING_PROFILE)
    def get_scoring_profile(self, profile_id: str) -> Response:
        """One profile with its dimensions. Raises NotFound."""

    @sends(UPDATE_SCORING_PROFILE)
    def update_scoring_profile(
        self,
        profile_id: str,
        *,
        name: str | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        action_type: str | UnsetType | None = UNSET,
        composite_method: CompositeMethod | str | UnsetType = UNSET,
        status: ProfileStatus | str | UnsetType = UNSET,
        metadata: Mapping[str, Any] | UnsetType | None = UNSET,
    ) -> Response:
        """Change members of a profile; what is not named stays. None empties `description`, `action_type` and
        `metadata`. Raises NotFound, InvalidRequest."""

    @sends(DELETE_SCORING_PROFILE)
    def delete_scoring_profile(self, profile_id: str) -> Response:
        """Remove a profile; scores that it gave stay. Raises NotFound."""

    @sends(ADD_SCORING_DIMENSION)
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
    ) -> Response:
        """Add a dimension: what it measures (`data_source`, and `data_config` for a metadata field or a condition) and
        the rules of its `scale`, tried in order; `contract.scales` says what each means. Raises NotFound,
        InvalidRequest that names the place."""

    @sends(UPDATE_SCORING_DIMENSION)
    def update_scoring_dimension(
        self,
        profile_id: str,
        dimension_id: str,
        *,
        name: str | UnsetType = UNSET,
        data_source: DataSource | str | UnsetType = UNSET,
        weight: float | UnsetType = UNSET,
        description: str | UnsetType | None = UNSET,
        data_config: Mapping[str, Any] | UnsetType | None = UNSET,
        scale: Scale | UnsetType | None = UNSET,
        sort_order: int | UnsetType = UNSET,
    ) -> Response:
        """Change members of a dimension; what is not named stays. None empties `description`, `data_config` and
        `scale`. Raises NotFound, InvalidRequest."""

    @sends(DELETE_SCORING_DIMENSION)
    def delete_scoring_dimension(self, profile_id: str, dimension_id: str) -> Response:
        """Remove a dimension; scores that were given with it stay. Raises NotFound."""

    @calls(_SCORE_ONE, without=("actions",))
    def score_with_profile(
        self, profile_id: str, action: ActionToScore, metadata: Mapping[str, Any] | None = None
    ) -> Flow[ProfileScored]:
        """Score an action and store the score: the composite, 0 to 100, and each dimension's value, score and label.
        What a mapping with an `action_id` leaves out is filled from the recorded action.

        Raises NotFound, and InvalidRequest (`nothing_to_score`) when no dimension found a value.
        """
        given = {"profile_id": profile_id, "action": _plain(action), "metadata": metadata}
        return (yield from send(_SCORE_ONE, body=members(ScoreWithProfile, given, "score_with_profile")))

    @calls(_SCORE_MANY)
    def batch_score_with_profile(
        self, profile_id: str, actions: Sequence[ActionToScore], metadata: Mapping[str, Any] | None = None
    ) -> Flow[BatchScored]:
        """Score up to 5,000 actions at once: `results` in their order, each a stored score or an `error`, and a
        `summary` of the scores. Raises NotFound for the profile, InvalidRequest."""
        given = {"profile_id": profile_id, "actions": [_plain(each) for each in actions], "metadata": metadata}
        return (yield from send(_SCORE_MANY, body=members(ScoreWithProfile, given, "batch_score_with_profile")))

    @sends(_PAGE, without=("view",))
    def get_profile_scores(
        self,
        *,
        profile_id: str | None = None,
        agent_id: str | None = None,
        action_id: str | None = None,
        batch_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of stored scores, the newest first."""

    @sends(_STATS, fixed={"view": ScoresView.STATS})
    def get_profile_score_stats(self, profile_id: str, agent_id: str | None = None) -> Response:
        """What the scores by a profile add up to: their number, mean with its 95% interval, spread and quantiles.
        Raises NotFound."""


def _plain(action: ActionToScore) -> object:
    return msgspec.to_builtins(action) if isinstance(action, Action) else action
