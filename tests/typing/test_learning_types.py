"""Read by the type checkers, never called: what the operations of learning give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.analysis.learning import (
    ComputedCurves,
    ComputedVelocity,
    CurvesAnswer,
    DataStatus,
    LearningSummary,
    MaturityLevels,
    VelocityAnswer,
)
from assent.contract.analysis.lessons import (
    Lessons,
    RecommendationReport,
    Recommendations,
    RecordedRecommendationEvents,
    SwitchedRecommendation,
)


def blocking(client: Client) -> None:
    velocity = client.get_learning_velocity("bot", 30, lookback_days=90, period="weekly")
    assert_type(velocity, VelocityAnswer)
    assert_type(velocity.velocity[0].slope_low, float | None)
    assert_type(velocity.velocity[0].status, DataStatus)
    assert_type(client.compute_learning_velocity("bot", 30, "daily"), ComputedVelocity)
    assert_type(client.get_learning_curves("bot", "refund", by="exposure"), CurvesAnswer)
    assert_type(client.compute_learning_curves("bot", 60), ComputedCurves)
    assert_type(client.get_learning_analytics_summary(), LearningSummary)
    assert_type(client.get_maturity_levels(), MaturityLevels)
    lessons = client.get_lessons("refund", 10)
    assert_type(lessons, Lessons)
    assert_type(lessons.lessons[0].hints.risk_cap, float | None)
    assert_type(lessons.drift_warnings[0].z_score, str | None)
    assert_type(client.get_recommendations("refund", include_metrics=True), Recommendations)
    assert_type(client.rebuild_recommendations("refund"), Recommendations)
    assert_type(client.set_recommendation_active("rec_1", False), SwitchedRecommendation)
    said = {"recommendation_id": "rec_1", "event_type": "applied"}
    assert_type(client.record_recommendation_events(said), RecordedRecommendationEvents)
    assert_type(client.record_recommendation_events([said]), RecordedRecommendationEvents)
    assert_type(client.get_recommendation_metrics(), RecommendationReport)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.get_learning_velocity(), VelocityAnswer)
    assert_type(await client.get_learning_curves(), CurvesAnswer)
    assert_type(await client.get_lessons(), Lessons)
    assert_type(await client.record_recommendation_events([]), RecordedRecommendationEvents)
