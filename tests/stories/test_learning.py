"""Learning over HTTP: what actions teach, to whom, and what becomes of recommendations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assent import Client
from assent.errors import AssentError, NotFound
from assent_analytics.curves import by_week
from assent_analytics.episodes import episodes
from assent_analytics.lessons import lessons
from assent_analytics.velocity import velocity
from tests.stories.tenant import Tenant
from tests.tiers import deep

ANALYTICS = "/api/learning/analytics"
RECOMMENDATIONS = "/api/learning/recommendations"
NOW = datetime.now(UTC)
DAYS = 12
EACH = 4


def history(tenant: Tenant, agent_id: str, *, failing: Callable[[int, int], bool], action_type: str = "look") -> None:
    """Four actions on each of twelve days; `failing` says which, by day and number."""
    for day in range(DAYS):
        at = NOW - timedelta(days=DAYS - day, hours=1)
        for number in range(EACH):
            past = {"source": "import", "occurred_at": (at + timedelta(minutes=number)).isoformat()}
            body = {
                **past,
                "action_type": action_type,
                "agent_id": agent_id,
                "risk_score": 10 + number,
                "reversible": True,
                "confidence": 60 + number,
                "duration_ms": 1000 * (number + 1),
                "cost_estimate": 0.01,
                "status": "failed" if failing(day, number) else "completed",
                "timestamp_end": (at + timedelta(minutes=number, seconds=30)).isoformat(),
            }
            outcome = {name: body.pop(name) for name in ("duration_ms", "timestamp_end", "status")}
            made = tenant.call("POST", "/api/actions", {**body, "status": "running"})
            tenant.call("PATCH", f"/api/actions/{made['action_id']}", {**outcome, **past})


@pytest.fixture(scope="module")
def learnt(shared_tenant: Tenant) -> Tenant:
    """`up` gets better, `down` worse; `new` has done two things."""
    tenant = shared_tenant
    history(tenant, "up", failing=lambda day, number: number >= 1 + day // 3)
    history(tenant, "down", failing=lambda day, number: number < day // 3)
    tenant.add_key("up", "agent", "up")
    for _ in range(2):
        made = tenant.create("look", agent_id="new", key="admin")
        tenant.call("PATCH", f"/api/actions/{made}", {"status": "completed"})
    return tenant


def frame(tenant: Tenant) -> Any:
    with tenant.client("auditor", None) as client:
        return episodes(client.frame("actions"), client.frame("assumptions"), client.frame("loops"))


@deep("one story of each kind is in the quick tier")
def test_who_gets_better_is_said_with_an_interval(learnt: Tenant) -> None:
    rows = {row["agent_id"]: row for row in learnt.call("GET", f"{ANALYTICS}/velocity")["velocity"]}
    assert list(rows) == ["down", "new", "up"]
    assert rows["up"]["slope_low"] > 0 > rows["down"]["slope_high"]
    assert rows["up"]["velocity_low"] <= rows["up"]["velocity"] <= rows["up"]["velocity_high"]
    assert rows["up"]["velocity"] == round(rows["up"]["velocity"], 3)
    assert (rows["new"]["status"], rows["new"]["slope"], rows["new"]["episode_count"]) == ("insufficient_data", None, 2)
    summary = learnt.call("GET", f"{ANALYTICS}/summary")
    assert (summary["improving"], summary["declining"], summary["unclear"]) == (1, 1, 1)
    assert summary["total_episodes"] == 2 * DAYS * EACH + 2


@deep("one story of each kind is in the quick tier")
def test_the_service_answers_with_the_functions_of_a_notebook(learnt: Tenant) -> None:
    known = frame(learnt)
    expected = {row["agent_id"]: row for row in velocity(known).to_dicts()}
    for row in learnt.call("GET", f"{ANALYTICS}/velocity")["velocity"]:
        there = expected[row["agent_id"]]
        assert (row["episode_count"], row["slope"], row["slope_low"]) == (
            there["n"],
            there["slope"],
            there["slope_low"],
        )
        assert (row["avg_score"], row["success_high"]) == (there["avg_score"], there["success_high"])
    points = learnt.call("GET", f"{ANALYTICS}/curves")["curves"]
    for row, there in zip(points, by_week(known).collect().to_dicts(), strict=True):
        assert (row["episode_count"], row["p25_score"]) == (there["n"], there["p25_score"])
        assert (row["avg_cost"] or 0) == pytest.approx(there["avg_cost"] or 0, rel=1e-12)
    told = learnt.call("GET", "/api/learning/lessons")["lessons"]
    first = next(row for row in lessons(known).to_dicts() if row["agent_id"] == told[0]["agent_id"])
    assert (told[0]["guidance"], told[0]["success_rate"]) == (first["guidance"], first["shrunk_rate"])


@deep("one story of each kind is in the quick tier")
def test_the_same_row_has_the_same_id(learnt: Tenant) -> None:
    def ids(path: str, member: str) -> list[str]:
        return [row["id"] for row in learnt.call("GET", path)[member]]

    for path, member in ((f"{ANALYTICS}/velocity", "velocity"), (f"{ANALYTICS}/curves?by=exposure", "curves")):
        first = ids(path, member)
        assert first == ids(path, member)
        assert len(set(first)) == len(first) > 2


@deep("one story of each kind is in the quick tier")
def test_a_curve_over_exposure_counts_every_episode_once(learnt: Tenant) -> None:
    points = learnt.call("GET", f"{ANALYTICS}/curves?by=exposure&agent_id=up")["curves"]
    assert [(row["exposure_from"], row["exposure_to"]) for row in points] == [(1, 10), (11, 20), (21, 40), (41, 48)]
    assert all(row["success_low"] <= row["success_rate"] <= row["success_high"] for row in points)


@deep("one story of each kind is in the quick tier")
def test_lessons_are_filled(learnt: Tenant) -> None:
    found = learnt.call("GET", "/api/learning/lessons?action_type=look")
    lesson = next(each for each in found["lessons"] if each["agent_id"] == "up")
    assert lesson["sample_size"] == DAYS * EACH
    # 35% of 48, rounded up; the cap is of the risks that the agent stated, 10 to 13.
    assert lesson["best_n"] == 17
    assert lesson["hints"] == {
        "risk_cap": 12.0,
        "prefer_reversible": True,
        "confidence_floor": 60.0,
        "expected_duration": 2000.0,
        "expected_cost": 0.01,
    }
    assert len(lesson["guidance"]) == 6
    assert [each["agent_id"] for each in found["insufficient_data"]] == ["new"]
    assert found["insufficient_data"][0]["hints"]["risk_cap"] is None
    assert found["drift_warnings"] == []


@deep("one story of each kind is in the quick tier")
def test_few_samples_are_drawn_toward_the_group(learnt: Tenant) -> None:
    new = learnt.call("GET", "/api/learning/lessons?agent_id=new")["insufficient_data"][0]
    assert new["raw_success_rate"] == 1.0
    assert new["group_rate"] < new["success_rate"] < 1.0
    assert new["group_members"] == 3


@deep("one story of each kind is in the quick tier")
def test_an_agent_sees_its_own(learnt: Tenant) -> None:
    for path, member in (
        (f"{ANALYTICS}/velocity", "velocity"),
        (f"{ANALYTICS}/curves", "curves"),
        ("/api/learning/lessons", "lessons"),
        (RECOMMENDATIONS, "recommendations"),
    ):
        rows = learnt.call("GET", path, key="up")[member]
        assert {row["agent_id"] for row in rows} == {"up"}, path
        joined = "&" if "?" in path else "?"
        assert learnt.call("GET", f"{path}{joined}agent_id=down", key="up")[member] == []
    assert learnt.call("GET", f"{ANALYTICS}/summary", key="up")["total_agents"] == 1
    # What it is shrunk toward is the whole organization's.
    own = learnt.call("GET", "/api/learning/lessons", key="up")["lessons"][0]
    seen = next(each for each in learnt.call("GET", "/api/learning/lessons")["lessons"] if each["agent_id"] == "up")
    assert own["success_rate"] == seen["success_rate"]


@deep("one story of each kind is in the quick tier")
def test_other_organizations_know_nothing(learnt: Tenant, tenant: Tenant) -> None:
    assert tenant.call("GET", f"{ANALYTICS}/velocity")["velocity"] == []
    assert tenant.call("GET", f"{ANALYTICS}/summary")["status"] == "insufficient_data"
    id_ = learnt.call("GET", RECOMMENDATIONS)["recommendations"][0]["id"]
    assert tenant.send("PATCH", f"{RECOMMENDATIONS}/{id_}", {"active": False}).code == "recommendation_not_found"


def test_a_recommendation_is_switched_off_and_on(tenant: Tenant) -> None:
    history(tenant, "bot", failing=lambda _, number: number == 0)
    with tenant.client("operator", None) as client:
        (first,) = client.get_recommendations().recommendations
        switched = client.set_recommendation_active(first.id, False).recommendation
        before = tenant.recorded()
        assert client.set_recommendation_active(first.id, False).recommendation == switched
        assert tenant.recorded() == before
        assert client.get_recommendations().recommendations == []
        (there,) = client.get_recommendations(include_inactive=True).recommendations
        assert (there.id, there.active) == (first.id, False)
        assert client.set_recommendation_active(first.id, True).recommendation.active
        assert client.get_recommendations().total == 1
        with pytest.raises(NotFound):
            client.set_recommendation_active("rec_none", True)


@deep("one story of each kind is in the quick tier")
def test_what_followed_is_compared_with_what_did_not(tenant: Tenant) -> None:
    ids = [tenant.create("look", agent_id="bot") for _ in range(12)]
    with tenant.client() as client:
        for place, action_id in enumerate(ids):
            client.update_outcome(action_id, status="failed" if place % 3 == 0 else "completed")
        (made,) = client.get_recommendations().recommendations
        said = [
            {"recommendation_id": made.id, "event_type": "applied", "action_id": action_id} for action_id in ids[6:]
        ]
        recorded = client.record_recommendation_events([*said, said[0] | {"event_type": "overridden"}])
        assert recorded.recorded == 7
        (metrics,) = client.get_recommendation_metrics().metrics
        assert (metrics.applied, metrics.overridden, metrics.adoption_rate) == (6, 1, 6 / 7)
        assert (metrics.with_n, metrics.with_rate, metrics.without_n, metrics.without_rate) == (6, 4 / 6, 6, 4 / 6)
        assert metrics.status == "ok"
        (shown,) = client.get_recommendations(include_metrics=True).recommendations
        assert shown.metrics == metrics


@deep("one story of each kind is in the quick tier")
def test_an_agent_says_nothing_about_what_is_anothers(learnt: Tenant) -> None:
    rows = learnt.call("GET", RECOMMENDATIONS)["recommendations"]
    other = next(row["id"] for row in rows if row["agent_id"] == "down")
    before = learnt.recorded()
    body = {"recommendation_id": other, "event_type": "applied"}
    assert learnt.send("POST", f"{RECOMMENDATIONS}/events", body, key="up").code == "recommendation_not_found"
    own = next(row["id"] for row in rows if row["agent_id"] == "up")
    both = {"events": [{"recommendation_id": own, "event_type": "applied"}, body]}
    assert learnt.send("POST", f"{RECOMMENDATIONS}/events", both, key="up").code == "recommendation_not_found"
    assert learnt.recorded() == before


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "recommendation_id"),
        ({"event_type": "applied"}, "recommendation_id"),
        ({"recommendation_id": "rec_1"}, "event_type"),
        ({"recommendation_id": "rec_1", "event_type": "eaten"}, "event_type"),
        ({"events": [{"event_type": "applied"}]}, "events"),
        ({"events": [{}] * 201}, "events"),
        ({"events": "applied"}, "events"),
        ({"recommendation_id": "rec_1", "event_type": "applied", "details": {"a": 2**60}}, "details.a"),
        ({"recommendation_id": "rec_1", "event_type": "applied", "details": {"a": "x" * 16_384}}, "details"),
        (
            {"events": [{"recommendation_id": "rec_1", "event_type": "applied", "details": {"a": 2**60}}]},
            "events[0].details.a",
        ),
    ],
)
def test_an_event_that_cannot_be_recorded(learnt: Tenant, body: dict[str, Any], place: str) -> None:
    reply = learnt.send("POST", f"{RECOMMENDATIONS}/events", body)
    assert (reply.status, reply.code) == (400, "invalid_body")
    assert reply.places[0].startswith(place)


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize(
    "asked",
    [
        f"{ANALYTICS}/velocity?lookback_days=0",
        f"{ANALYTICS}/velocity?lookback_days=366",
        f"{ANALYTICS}/velocity?period=hourly",
        f"{ANALYTICS}/velocity?limit=0",
        f"{ANALYTICS}/curves?by=day",
        f"{ANALYTICS}/curves?limit=1001",
        f"{ANALYTICS}/summary?lookback_days=x",
        "/api/learning/lessons?min_samples=0",
        f"{RECOMMENDATIONS}?include_inactive=perhaps",
        f"{RECOMMENDATIONS}/metrics?lookback_days=-1",
    ],
)
def test_numbers_that_cannot_be(learnt: Tenant, asked: str) -> None:
    reply = learnt.send("GET", asked)
    assert (reply.status, reply.code) == (400, "invalid_query")


@deep("one story of each kind is in the quick tier")
def test_a_switch_says_on_or_off(learnt: Tenant) -> None:
    id_ = learnt.call("GET", RECOMMENDATIONS)["recommendations"][0]["id"]
    for body in ({}, {"active": "no"}, {"active": None}):
        assert learnt.send("PATCH", f"{RECOMMENDATIONS}/{id_}", body).code == "invalid_body"
    with learnt.client("agent", None) as client, pytest.raises(AssentError):
        client.set_recommendation_active(id_, False)


@deep("one story of each kind is in the quick tier")
def test_an_empty_list_of_events_is_fine(learnt: Tenant) -> None:
    with Client(learnt.service.base_url, learnt.keys["agent"], "bot") as client:
        assert client.record_recommendation_events([]).recorded == 0
