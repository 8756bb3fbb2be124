"""Lessons and recommendations: what an agent's own record suggests, and what came of following it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, sends
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.analysis.lessons import (
    GET_LESSONS,
    GET_RECOMMENDATION,
    GET_RECOMMENDATION_METRICS,
    GET_RECOMMENDATIONS,
    REBUILD_RECOMMENDATIONS,
    RECORD_RECOMMENDATION_EVENTS,
    SET_RECOMMENDATION_ACTIVE,
    RecordedRecommendationEvents,
    RecordRecommendationEvents,
)


class LessonOperations(Caller):
    @sends(GET_LESSONS)
    def get_lessons(
        self,
        action_type: str | None = None,
        limit: int = 10,
        agent_id: str | None = None,
        *,
        lookback_days: int | None = None,
        min_samples: int | None = None,
    ) -> Response:
        """What an agent's own episodes suggest for the next one, for each action type: success rate shrunk toward that
        of everybody who does it, with its 95% credible interval; hints; guidance in sentences; and what has drifted.
        Types with fewer than `min_samples` (5) episodes are in `insufficient_data`.

        Raises InvalidRequest for numbers that cannot be.
        """

    @sends(GET_RECOMMENDATIONS, unless_default=("include_inactive", "include_metrics"), without=("track_events",))
    def get_recommendations(
        self,
        action_type: str | None = None,
        limit: int = 50,
        agent_id: str | None = None,
        include_inactive: bool = False,
        include_metrics: bool = False,
        lookback_days: int | None = None,
        *,
        min_samples: int | None = None,
    ) -> Response:
        """Lessons as recommendations with ids, that can be switched off and followed up. Reading them records nothing.

        Raises InvalidRequest for numbers that cannot be.
        """

    @sends(GET_RECOMMENDATION)
    def get_recommendation(
        self, recommendation_id: str, *, lookback_days: int | None = None, min_samples: int | None = None
    ) -> Response:
        """One recommendation, switched off or not. Raises NotFound, also where too few episodes of these days make
        it."""

    @sends(REBUILD_RECOMMENDATIONS, without=("episode_limit", "action_id"))
    def rebuild_recommendations(
        self,
        action_type: str | None = None,
        lookback_days: int | None = None,
        min_samples: int | None = None,
        agent_id: str | None = None,
    ) -> Response:
        """What `get_recommendations` answers, as published clients ask for it. Nothing has to be built before.

        Raises InvalidRequest for numbers that cannot be.
        """

    @sends(SET_RECOMMENDATION_ACTIVE)
    def set_recommendation_active(self, recommendation_id: str, active: bool) -> Response:
        """Switch a recommendation off, or on again. It is for the organization, and stays when it is made anew.

        Raises NotFound for an unknown recommendation, Forbidden for an agent's and an auditor's key.
        """

    @operation
    def record_recommendation_events(
        self, events: Sequence[Mapping[str, Any]] | Mapping[str, Any]
    ) -> Flow[RecordedRecommendationEvents]:
        """Say what became of recommendations: one event or up to 200, each with `recommendation_id`, `event_type`
        (fetched, applied or overridden), and where they are known `action_id` and `details`.

        Raises NotFound for an unknown recommendation; nothing is recorded then.
        """
        given = dict(events) if isinstance(events, Mapping) else {"events": [dict(event) for event in events]}
        body = members(RecordRecommendationEvents, given, "record_recommendation_events")
        return (yield from send(RECORD_RECOMMENDATION_EVENTS, body=body))

    @sends(GET_RECOMMENDATION_METRICS, unless_default=("include_inactive",))
    def get_recommendation_metrics(
        self,
        action_type: str | None = None,
        limit: int = 100,
        agent_id: str | None = None,
        include_inactive: bool = False,
        lookback_days: int | None = None,
    ) -> Response:
        """How often recommendations are followed, and the success rates (0 to 1) of episodes with them and without,
        with Wilson's 95% intervals. A difference is no effect: nobody drew lots who follows.

        Raises InvalidRequest for numbers that cannot be.
        """
