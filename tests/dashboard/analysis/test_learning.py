"""The learning page: with a real service behind it, and its words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import polars as pl
import pytest

from assent.contract.analysis.learning import (
    DataStatus,
    LearningDirection,
    LearningPeriod,
    LearningSummary,
    LearningVelocity,
)
from assent.contract.analysis.lessons import Recommendation, RecommendationHints, RecommendationMetrics
from assent_dashboard.views.learning import recommendations
from assent_dashboard.views.learning import words as learning_words
from assent_dashboard.views.learning.data import frame
from assent_dashboard.views.learning.progress import change, trend_rows
from assent_dashboard.views.learning.recommendations import followed
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant
from tests.tiers import deep

Look = Callable[..., Looker]
OFF = "PATCH /api/learning/recommendations/"
AT = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def episodes(house: Tenant) -> None:
    """Eight episodes of `bot`, over eight days and getting better, and two of `seer`."""
    now = datetime.now(UTC)
    for day in range(8):
        happened(house, "bot", "refund", now - timedelta(days=8 - day), "failed" if day < 3 else "completed")
    for day in range(2):
        happened(house, "seer", "look", now - timedelta(days=2 - day), "completed")


def happened(house: Tenant, agent: str, kind: str, at: datetime, status: str) -> None:
    house.call(
        "POST",
        "/api/actions",
        {
            "action_type": kind,
            "agent_id": agent,
            "declared_goal": "Help",
            "source": "import",
            "occurred_at": at.isoformat(),
            "status": status,
            "timestamp_end": (at + timedelta(seconds=5)).isoformat(),
        },
    )


def velocity(**changed: object) -> LearningVelocity:
    members: dict[str, Any] = dict.fromkeys(LearningVelocity.__struct_fields__)
    members |= {
        "agent_id": "bot",
        "period": LearningPeriod.DAILY,
        "episode_count": 40,
        "standardized": 0.5,
        "standardized_low": 0.1,
        "standardized_high": 0.9,
        "direction": LearningDirection.IMPROVING,
        "status": DataStatus.OK,
    }
    return LearningVelocity(**(members | changed))


def metrics(**changed: object) -> RecommendationMetrics:
    members: dict[str, Any] = {
        "recommendation_id": "rec_1",
        "agent_id": "bot",
        "action_type": "pay",
        "active": True,
        "fetched": 9,
        "applied": 6,
        "overridden": 2,
        "adoption_rate": 0.75,
        "adoption_low": 0.41,
        "adoption_high": 0.93,
        "with_n": 6,
        "with_rate": 0.5,
        "with_low": 0.19,
        "with_high": 0.81,
        "without_n": 0,
        "without_rate": None,
        "without_low": 0.0,
        "without_high": 1.0,
        "status": DataStatus.OK,
        "simulated": 0,
    }
    return RecommendationMetrics(**(members | changed))


def test_an_empty_workspace_says_what_to_do_next(look: Look, house: Tenant) -> None:
    looker = look(house, "learning").draw()
    assert "No action ended in the last 30 days." in looker.words
    assert any("update_outcome" in str(each.value) for each in looker.page.code)
    assert "The week beside the week before" in looker.words


@pytest.mark.usefixtures("episodes")
def test_every_number_has_its_interval_and_few_are_said_to_be_few(look: Look, house: Tenant) -> None:
    looker = look(house, "learning").draw()
    found = house.call("GET", "/api/learning/analytics/summary?lookback_days=30")
    assert {metric.label: metric.value for metric in looker.page.metric}["Episodes"] == "10"
    assert learning_words.share(found["success_rate"], found["success_low"], found["success_high"]) in looker.words
    headings = [str(each.value) for each in looker.page.header]
    assert len(headings) == len(set(headings)) == 5
    agents = looker.page.dataframe[0].value
    bot, seer = (agents.loc[agents["Agent"] == name].iloc[0] for name in ("bot", "seer"))
    assert seer["Direction"] == "not enough data"
    slope = next(each for each in found["velocity"] if each["agent_id"] == "bot")
    assert learning_words.between(
        slope["standardized"], slope["standardized_low"], slope["standardized_high"], "+.2f"
    ) in str(bot["Points a day (95 %)"])
    assert bot["Other work"] == learning_words.mix(msgspec.convert(slope, LearningVelocity))
    assert bot["Rests on"] == learning_words.rests(slope["clusters"], slope["basis"], slope["unmatched"])
    assert "Learned from released actions only" in looker.words


@pytest.mark.usefixtures("episodes")
def test_a_recommendation_is_switched_off_after_a_second_press(look: Look, house: Tenant) -> None:
    looker = look(house, "learning").draw()
    (advice,) = house.call("GET", "/api/learning/recommendations?include_inactive=true")["recommendations"]
    assert "**bot** · `refund`" in looker.words
    looker.requests.take()
    looker.press(f"learning_switch_{advice['id']}")
    assert looker.requests.take() == [], "the first press only asks"
    assert "Agents of your organization no longer get it" in looker.words
    looker.press("learning_confirm")
    assert f"{OFF}{advice['id']}" in looker.requests.take()
    assert house.call("GET", "/api/learning/recommendations")["total"] == 0
    looker.draw()
    assert "1 recommendation, 1 switched off" in looker.words
    assert any(str(each.value).startswith("Switched off at ") for each in looker.page.success)
    looker.press(f"learning_switch_{advice['id']}").press("learning_confirm")
    assert house.call("GET", "/api/learning/recommendations")["total"] == 1


@deep("a page's main ways are in the quick tier")
@pytest.mark.usefixtures("episodes")
def test_cancelling_switches_nothing(look: Look, house: Tenant) -> None:
    looker = look(house, "learning").draw()
    (advice,) = house.call("GET", "/api/learning/recommendations")["recommendations"]
    looker.requests.take()
    looker.press(f"learning_switch_{advice['id']}").press("learning_cancel")
    assert looker.requests.take() == []
    assert not looker.has("learning_confirm")


@pytest.mark.usefixtures("episodes")
def test_working_out_anew_tells_what_came_of_it(look: Look, house: Tenant) -> None:
    looker = look(house, "learning").draw()
    looker.requests.take()
    looker.press("learning_rebuild")
    assert "POST /api/learning/recommendations" in looker.requests.take()
    assert any("1 active recommendation from 30 days" in str(each.value) for each in looker.page.success)


@deep("a page's main ways are in the quick tier")
@pytest.mark.usefixtures("episodes")
def test_a_look_again_asks_nothing(look: Look, house: Tenant) -> None:
    looker = look(house, "learning").draw()
    assert len([each for each in looker.requests.take() if "/learning/" in each]) == 5
    looker.page.segmented_control(key="learning_measure").set_value("Time")
    assert looker.draw().requests.take() == []


@deep("a page's main ways are in the quick tier")
@pytest.mark.usefixtures("episodes")
def test_the_address_narrows_what_is_asked(look: Look, house: Tenant) -> None:
    looker = look(house, "learning")
    looker.page.query_params["agent_id"] = "seer"
    looker.page.query_params["window"] = "1000d"
    looker.draw()
    assert "Learning looks back 365 days at most" in looker.words
    assert {metric.label: metric.value for metric in looker.page.metric}["Episodes"] == "2"
    assert "0 recommendations" in looker.words


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, "better"),
        ({"direction": LearningDirection.DECLINING}, "worse"),
        ({"standardized_low": -0.1, "direction": LearningDirection.UNCLEAR}, "unclear"),
        ({"standardized_low": 0.0, "direction": LearningDirection.UNCLEAR}, "unclear"),
        ({"direction": LearningDirection.UNCLEAR}, "hours"),
        ({"standardized_low": None, "standardized_high": None}, ""),
        ({"status": DataStatus.INSUFFICIENT_DATA}, ""),
    ],
)
def test_only_intervals_that_leave_out_zero_say_a_direction(changed: dict[str, object], told: str) -> None:
    assert learning_words.direction(velocity(**changed)) == told


def test_trends_without_an_interval_are_not_drawn_and_the_steepest_comes_first() -> None:
    rows = trend_rows(
        [velocity(), velocity(agent_id="up", standardized=2.0), velocity(agent_id="new", standardized_low=None)]
    )
    assert rows["name"].to_list() == ["up", "bot"]
    assert learning_words.trends([], LearningPeriod.DAILY) == "No agent has enough episodes for a trend."
    assert "bot +0.50 (95 %: +0.10 to +0.90)" in learning_words.trends([velocity()], LearningPeriod.DAILY)


def test_what_a_trend_rests_on_says_what_was_not_compared() -> None:
    assert learning_words.rests(8, "5 days", 0) == "8 (5 days)"
    told = learning_words.rests(8, "5 days, at the same hours", 12)
    assert told == "8 (5 days, at the same hours), without 12 at hours or on days of one half only"
    assert learning_words.rests(None, None, 3) == learning_words.NOT_ENOUGH


def test_numbers_in_words() -> None:
    assert learning_words.share(0.888, 0.8734, 0.9014) == "88.8 % (95 %: 87.3 to 90.1)"
    assert learning_words.share(None, 0, 1) == "not enough data"
    assert learning_words.number(80.0, None, None) == "80.0 (too few for an interval)"
    assert learning_words.between(-0.51, -0.97, 0.02, "+.2f") == "−0.51 (−0.97 to +0.02)"
    assert learning_words.signed(-0.001, "+.2f") == "0.00"
    assert (change(1.05, 0.93, 1.2), change(None, None, None)) == ("+5 % (−7 to +20)", "not enough data")


HINT = {"hint": "risk_cap", "status": "insufficient_data", "gain": None, "low": None, "high": None, "p_adjusted": None}
FOLLOWED = "Hints could not be tested: of the episodes near in time, all followed them, or none did."


@pytest.mark.parametrize(
    ("test", "told"),
    [
        ({"n": 60, "clusters": 20}, FOLLOWED),
        ({"n": 60, "clusters": 19}, "are too few, or all ended alike."),
        ({"n": 60, "clusters": 20, "gain": 0.0}, "are too few, or all ended alike."),
    ],
)
def test_why_hints_could_not_be_tested(test: dict[str, object], told: str) -> None:
    test = HINT | test
    lesson = {
        "id": "rec_1",
        "agent_id": "bot",
        "action_type": "look",
        "active": True,
        "confidence": 80,
        "sample_size": 120,
        "success_rate": 0.9,
        "success_low": 0.8,
        "success_high": 1.0,
        "avg_score": 80.0,
        "hints": dict.fromkeys(RecommendationHints.__struct_fields__),
        "guidance": [],
        "metrics": None,
        "simulated": 0,
        "computed_at": "2026-11-20T00:00:00Z",
        "tests": [test],
        "clusters": 40,
        "basis": "session",
    }
    assert recommendations.tested(msgspec.convert(lesson, Recommendation)).endswith(told)


def test_what_agents_said_of_a_recommendation() -> None:
    assert (
        followed(None) == followed(metrics(applied=0, overridden=0)) == ["No agent has said whether it followed this."]
    )
    told = " ".join(followed(metrics()))
    assert "Followed: 75 % (95 %: 41.0 to 93.0), 6 times of 8." in told
    assert "Success with it: 50 % (95 %: 19.0 to 81.0), n = 6. Success without: no episode." in told
    assert told.endswith("no proof of an effect.")


def test_the_headline_says_who_gets_better() -> None:
    nobody = {"improving": 0, "declining": 0, "unclear": 0}
    for counts, told in (
        ({"improving": 1, "unclear": 2}, "1 agent getting better; whether 2 agents get better cannot be told yet."),
        ({"declining": 2}, "2 agents getting worse."),
        ({}, "No agent has an episode in this window."),
    ):
        assert learning_words.headline(msgspec.convert(SUMMARY | nobody | counts, LearningSummary)) == told


SUMMARY: dict[str, Any] = {
    "total_episodes": 0,
    "total_agents": 0,
    **dict.fromkeys(("avg_score", "avg_low", "avg_high", "success_rate", "success_low", "success_high")),
    "by_maturity": {},
    "velocity": [],
    "status": "insufficient_data",
    "simulated": 0,
    "since": AT,
    "until": AT,
}


def test_curves_in_words_tell_where_they_began_and_where_they_are() -> None:
    assert learning_words.curves(pl.DataFrame(), "success_rate") == "No episodes, so no curve."
    point = {"agent_id": "bot", "action_type": "pay", "n": 10, "exposure_from": 1, "exposure_to": 10}
    rows = pl.DataFrame(
        [
            point | {"success_rate": 0.5, "success_low": 0.2, "success_high": 0.8},
            point
            | {"exposure_from": 11, "exposure_to": 20, "success_rate": 0.9, "success_low": 0.6, "success_high": 1.0},
        ]
    )
    told = learning_words.curves(rows, "success_rate")
    assert told.startswith("Success by experience, 1 curve. bot, pay: 50 % (95 %: 20.0 to 80.0) in episodes 1 to 10, ")
    assert told.endswith("90 % (95 %: 60.0 to 100.0) in episodes 11 to 20.")


def test_rows_to_take_away_keep_times_and_nothing_is_no_column() -> None:
    assert frame([]).is_empty()
    taken = frame([velocity(created_at=AT), velocity(slope=None)])
    assert taken["created_at"].to_list() == [AT, None]
