"""Scoring through the published clients: profiles, dimensions, scores of one and of many, and what they add up to.

2.1.0 and 4.8.0 can send all twelve; 2.9.0 has method and path the wrong way round in each of them and fails before it
sends anything (`test_swapped`).
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import only

pytestmark = only("2.1.0", "4.8.0")

SCALE = [
    {"label": "fast", "operator": "lt", "value": 1000, "score": 100},
    {"label": "slow", "operator": "gte", "value": 1000, "score": 20},
]
SPEED: dict[str, Any] = {"name": "speed", "data_source": "duration_ms", "weight": 2.0, "scale": SCALE}


def test_profiles_and_dimensions(boss: PublishedClient) -> None:
    made = boss.create_scoring_profile(name="care", description="how careful", action_type="look", dimensions=[SPEED])
    assert made["id"].startswith("sp_")
    assert (made["status"], made["composite_method"], made["metadata"]) == ("active", "weighted_average", {})
    assert [(each["name"], each["scale"]) for each in made["dimensions"]] == [("speed", SCALE)]
    added = boss.add_scoring_dimension(
        made["id"], name="team", data_source="metadata_field", data_config={"field": "t"}
    )
    assert added["id"].startswith("sd_")
    assert (added["profile_id"], added["weight"], added["sort_order"]) == (made["id"], 1, 0)
    changed = boss.update_scoring_profile(made["id"], name="great care")
    assert (changed["name"], changed["action_type"], changed["description"]) == ("great care", "look", "how careful")
    heavier = boss.update_scoring_dimension(made["id"], added["id"], weight=3)
    assert (heavier["weight"], heavier["name"], heavier["data_config"]) == (3, "team", {"field": "t"})
    found = boss.get_scoring_profile(made["id"])
    assert [each["id"] for each in found["dimensions"]] == [made["dimensions"][0]["id"], added["id"]]
    assert boss.list_scoring_profiles(action_type="look")["profiles"] == [found]
    assert boss.list_scoring_profiles(action_type="other")["profiles"] == []
    assert boss.delete_scoring_dimension(made["id"], added["id"])["deleted"] is True
    assert boss.delete_scoring_profile(made["id"])["deleted"] is True
    calls: tuple[tuple[str, tuple[Any, ...]], ...] = (
        ("get_scoring_profile", (made["id"],)),
        ("update_scoring_profile", (made["id"],)),
        ("delete_scoring_profile", (made["id"],)),
        ("score_with_profile", (made["id"], {"duration_ms": 1})),
    )
    for name, args in calls:
        with pytest.raises(PublishedError, match="Profile not found") as refused:
            getattr(boss, name)(*args)
        assert refused.value.members["status"] == 404


def test_scores(boss: PublishedClient, agent: PublishedClient) -> None:
    profile = boss.create_scoring_profile(name="care", dimensions=[SPEED])
    action_id = str(agent.create_action("look", "Look at it")["action_id"])
    agent.update_outcome(action_id, status="completed", duration_ms=400)
    row = agent.get_action(action_id)["action"]
    made = agent.score_with_profile(profile["id"], row)
    assert made["id"].startswith("ps_")
    assert (made["profile_id"], made["profile_name"], made["action_id"]) == (profile["id"], "care", action_id)
    assert (made["composite_score"], made["composite_method"]) == (100, "weighted_average")
    (dimension,) = made["dimensions"]
    assert {name: dimension[name] for name in ("dimension_name", "weight", "raw_value", "score", "label")} == {
        "dimension_name": "speed",
        "weight": 2,
        "raw_value": 400,
        "score": 100,
        "label": "fast",
    }
    batch = agent.batch_score_with_profile(
        profile["id"], [row, {"duration_ms": 5000}, {"action_id": "x", "status": "y"}]
    )
    assert [each.get("composite_score") for each in batch["results"]] == [100, 20, None]
    assert batch["results"][2]["action_id"] == "x"
    assert "duration_ms" in batch["results"][2]["error"]
    assert {name: batch["summary"][name] for name in ("total", "scored", "avg_score")} == {
        "total": 3,
        "scored": 2,
        "avg_score": 60,
    }
    scores = agent.get_profile_scores(profile_id=profile["id"], action_id=action_id)["scores"]
    assert [(each["composite_score"], each["agent_id"], each["profile_name"]) for each in scores] == [
        (100, "bot", "care"),
        (100, "bot", "care"),
    ]
    assert scores[1]["dimension_scores"] == made["dimensions"]
    stats = agent.get_profile_score_stats(profile["id"])
    assert (stats["total_scores"], stats["min_score"], stats["max_score"]) == (3, 20, 100)
    assert stats["avg_score"] == pytest.approx(220 / 3)
    assert stats["stddev_score"] == pytest.approx((2 * (80 / 3) ** 2 + (160 / 3) ** 2) ** 0.5 / 2**0.5)
    assert stats["unique_actions"] == 1


def test_what_is_refused(boss: PublishedClient, agent: PublishedClient) -> None:
    for members, says in (
        ({"name": "x", "composite_method": "median"}, "geometric_mean"),
        ({"name": "x", "dimensions": [{**SPEED, "data_source": "custom_function"}]}, "no code is run"),
        ({"name": "x", "dimensions": [{**SPEED, "weight": -1}]}, "weight"),
        ({}, "name"),
    ):
        with pytest.raises(PublishedError, match=says) as refused:
            boss.create_scoring_profile(**members)
        assert refused.value.members["status"] == 400
    with pytest.raises(PublishedError) as refused:
        agent.create_scoring_profile(name="x")
    assert refused.value.members["status"] == 403
    profile = boss.create_scoring_profile(name="care", dimensions=[SPEED])
    with pytest.raises(PublishedError, match="No dimension") as refused:
        agent.score_with_profile(profile["id"], {"status": "completed"})
    assert refused.value.members["status"] == 422
