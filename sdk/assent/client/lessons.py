"""Lessons and recommendations: what an agent's own record suggests, and what came of following it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.lessons import (
    GET_LESSONS,
    GET_RECOMMENDATION_METRICS,
    GET_RECOMMENDATIONS,
    REBUILD_RECOMMENDATIONS,
    RECORD_RECOMMENDATION_EVENTS,
    SET_RECOMMENDATION_ACTIVE,
    Lessons,
    LessonsQuery,
    RebuildRecommendations,
    RecommendationMetricsQuery,
    RecommendationReport,
    Recommendations,
    RecommendationsQuery,
    RecordedRecommendationEvents,
    RecordRecommendationEvents,
    SetRecommendationActive,
    SwitchedRecommendation,
)


class LessonOperations(Caller):
    @operation
    def get_lessons(
        self,
        action_type: str | None = None,
        limit: int = 10,
        agent_id: str | None = None,
        *,
        lookback_days: int | None = None,
        min_samples: int | None = None,
    ) -> Flow[Lessons]:
        """What an agent's own episodes suggest for the next one, for each action type: success rate shrunk toward that
        of everybody who does it, with its 95% credible interval; hints; guidance in sentences; and what has drifted.
        Types with fewer than `min_samples` (5) episodes are in `insufficient_data`.

        Raises InvalidRequest for numbers that cannot be.
        """
        given = {
            "agent_id": agent_id,
            "action_type": action_type,
            "limit": limit,
            "lookback_days": lookback_days,
            "min_samples": min_samples,
        }
        return (yield from send(GET_LESSONS, query=members(LessonsQuery, given, "get_lessons")))

    @operation
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
    ) -> Flow[Recommendations]:
        """Lessons as recommendations with ids, that can be switched off and followed up. Reading them records nothing.

        Raises InvalidRequest for numbers that cannot be.
        """
        given = {
            "agent_id": agent_id,
            "action_type": action_type,
            "limit": limit,
            "include_inactive": include_inactive or None,
            "include_metrics": include_metrics or None,
            "lookback_days": lookback_days,
            "min_samples": min_samples,
        }
        query = members(RecommendationsQuery, given, "get_recommendations")
        return (yield from send(GET_RECOMMENDATIONS, query=query))

    @operation
    def rebuild_recommendations(
        self,
        action_type: str | None = None,
        lookback_days: int | None = None,
        min_samples: int | None = None,
        agent_id: str | None = None,
    ) -> Flow[Recommendations]:
        """What `get_recommendations` answers, as published clients ask for it. Nothing has to be built before.

        Raises InvalidRequest for numbers that cannot be.
        """
        given = {
            "agent_id": agent_id,
            "action_type": action_type,
            "lookback_days": lookback_days,
            "min_samples": min_samples,
        }
        body = members(RebuildRecommendations, given, "rebuild_recommendations")
        return (yield from send(REBUILD_RECOMMENDATIONS, body=body))

    @operation
    def set_recommendation_active(self, recommendation_id: str, active: bool) -> Flow[SwitchedRecommendation]:
        """Switch a recommendation off, or on again. It is for the organization, and stays when it is made anew.

        Raises NotFound for an unknown recommendation, Forbidden for an agent's and an auditor's key.
        """
        body = members(SetRecommendationActive, {"active": active}, "set_recommendation_active")
        path = {"recommendation_id": recommendation_id}
        return (yield from send(SET_RECOMMENDATION_ACTIVE, path=path, body=body))

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

    @operation
    def get_recommendation_metrics(
        self,
        action_type: str | None = None,
        limit: int = 100,
        agent_id: str | None = None,
        include_inactive: bool = False,
        lookback_days: int | None = None,
    ) -> Flow[RecommendationReport]:
        """How often recommendations are followed, and the success rates (0 to 1) of episodes with them and without,
        with Wilson's 95% intervals. A difference is no effect: nobody drew lots who follows.

        Raises InvalidRequest for numbers that cannot be.
        """
        given = {
            "agent_id": agent_id,
            "action_type": action_type,
            "limit": limit,
            "include_inactive": include_inactive or None,
            "lookback_days": lookback_days,
        }
        query = members(RecommendationMetricsQuery, given, "get_recommendation_metrics")
        return (yield from send(GET_RECOMMENDATION_METRICS, query=query))
