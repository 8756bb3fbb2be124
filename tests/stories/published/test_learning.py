"""Learning by published clients. 2.9.0 can ask for recommendations only: see test_swapped.py for the rest."""

from __future__ import annotations

import pytest

from tests.stories.published.client import PublishedClient
from tests.stories.published.versions import NEWEST, OLDEST, only
from tests.stories.tenant import Tenant

MADE = 6
reaching = only(OLDEST, NEWEST)


@pytest.fixture
def done(asking: Tenant) -> list[str]:
    """Six actions of `bot`, five of which completed."""
    ids = [asking.create("look", agent_id="bot", risk_score=10, reversible=True, confidence=80) for _ in range(MADE)]
    for place, action_id in enumerate(ids):
        outcome = {"status": "failed" if place == 2 else "completed", "duration_ms": 1000, "cost_estimate": 0.5}
        asking.call("PATCH", f"/api/actions/{action_id}", outcome)
    return ids


@reaching
def test_velocity_is_there_without_being_computed(agent: PublishedClient, done: list[str]) -> None:
    (row,) = agent.get_learning_velocity("bot")["velocity"]
    assert (row["agent_id"], row["episode_count"], row["success_rate"]) == ("bot", len(done), 5 / 6)
    assert (row["status"], row["velocity"], row["maturity_level"]) == ("insufficient_data", None, "novice")
    computed = agent.compute_learning_velocity("bot", 30, "weekly")
    assert (computed["agents_computed"], computed["results"][0]["period"]) == (0, "weekly")


@reaching
def test_curves_are_there_without_being_computed(agent: PublishedClient, done: list[str]) -> None:
    (point,) = agent.get_learning_curves("bot", "look")["curves"]
    assert (point["action_type"], point["episode_count"], point["avg_duration_ms"]) == ("look", len(done), 1000)
    assert agent.compute_learning_curves("bot")["results"][0]["id"] == point["id"]
    assert agent.compute_learning_curves()["curves_computed"] == 1


@reaching
def test_the_summary_and_the_levels(agent: PublishedClient, done: list[str]) -> None:
    summary = agent.get_learning_analytics_summary("bot")
    assert (summary["total_episodes"], summary["total_agents"], summary["unclear"]) == (len(done), 1, 1)
    levels = agent.get_maturity_levels()["levels"]
    assert [each["level"] for each in levels][:2] == ["novice", "developing"]


def test_recommendations_are_applied_and_followed_up(
    agent: PublishedClient, boss: PublishedClient, done: list[str]
) -> None:
    found = agent.get_recommendations("look")
    (recommendation,) = found["recommendations"]
    assert recommendation["hints"]["preferred_risk_cap"] == 10
    assert recommendation["hints"]["prefer_reversible"] is True
    assert recommendation["sample_size"] == len(done)
    assert agent.rebuild_recommendations("look")["recommendations"][0]["id"] == recommendation["id"]
    adapted = agent.recommend_action({"action_type": "look", "risk_score": 90})
    assert (adapted["action"]["risk_score"], adapted["recommendation"]["id"]) == (10, recommendation["id"])
    event = {"recommendation_id": recommendation["id"], "event_type": "applied", "action_id": done[0]}
    assert agent.record_recommendation_events([event, event | {"event_type": "overridden"}])["recorded"] == 2
    assert agent.record_recommendation_events(event)["recorded"] == 1
    (metrics,) = agent.get_recommendation_metrics("look")["metrics"]
    assert (metrics["applied"], metrics["overridden"], metrics["with_n"], metrics["without_n"]) == (2, 1, 1, 5)
    switched = boss.set_recommendation_active(recommendation["id"], False)
    assert switched["recommendation"]["active"] is False
    assert agent.get_recommendations("look")["recommendations"] == []
