"""Scoring over HTTP: our own clients, every kind of bad input, a large batch while others ask, the rows as data."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import polars as pl
import pytest

from assent import Client
from assent.errors import InvalidRequest, NotFound
from assent_analytics import scoring
from assent_service import rebuild
from tests.live import start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

PROFILES, SCORE = "/api/scoring/profiles", "/api/scoring/score"
SPEED: dict[str, Any] = {
    "name": "speed",
    "data_source": "duration_ms",
    "weight": 2,
    "scale": [
        {"label": "fast", "operator": "lt", "value": 1000, "score": 100},
        {"label": "fair", "operator": "between", "value": [1000, 5000], "score": 60},
    ],
}
SAFE: dict[str, Any] = {
    "name": "safe",
    "data_source": "condition",
    "data_config": {"when": {"field": "reversible", "op": "eq", "value": True}},
}


def test_a_profile_scores_recorded_actions(tenant: Tenant) -> None:
    with tenant.client("admin") as client:
        profile = client.create_scoring_profile("care", dimensions=[SPEED])
        client.add_scoring_dimension(profile.id, **SAFE)
        action_id = client.create_action("look", reversible=True).action_id
        client.update_outcome(action_id, "completed", duration_ms=2500)
        made = client.score_with_profile(profile.id, action_id)
        # Twice 60 for the speed and once 100 for the condition, by three.
        assert made.composite_score == 73.33
        assert made["dimensions"][1].label == "holds"
        assert client.score_with_profile(profile.id, client.get_action(action_id).action).composite_score == 73.33
        batch = client.batch_score_with_profile(profile.id, [{"duration_ms": 10}, "act_nobody", {"reversible": True}])
        assert [each.get("composite_score") for each in batch.results] == [66.67, None, 100]
        assert "act_nobody" in str(batch.results[1].error)
        assert (batch.summary.total, batch.summary.scored) == (3, 2)
        scores = client.get_profile_scores(profile_id=profile.id)
        assert scores.total == 4
        assert client.get_profile_scores(action_id=action_id).total == 2
        stats = client.get_profile_score_stats(profile.id)
        assert (stats.n, stats.min_score, stats.max_score, stats.unique_actions) == (4, 66.67, 100, 1)
        assert stats.avg_low < stats.avg_score < stats.avg_high  # type: ignore[operator]  # there are four
        changed = client.update_scoring_profile(profile.id, composite_method="minimum", description="the worst")
        assert (changed.name, changed.description, len(changed.dimensions)) == ("care", "the worst", 2)
        assert client.update_scoring_profile(profile.id, description=None).description is None
        assert client.score_with_profile(profile.id, action_id).composite_score == 60
        with pytest.raises(NotFound, match="Profile not found"):
            client.get_scoring_profile("sp_nobody")
        with pytest.raises(InvalidRequest, match="no code is run here"):
            client.add_scoring_dimension(profile.id, "x", "custom_function", data_config={"function_body": "1"})
    table = pl.read_parquet(tenant.send("GET", "/api/data/profile_scores?format=parquet", key="auditor").content)
    assert sorted(table["composite_score"]) == [60, 66.67, 73.33, 73.33, 100]
    assert scoring.stats(table).collect()["n"].to_list() == [5]


@deep("one story of each kind is in the quick tier")
async def test_the_awaiting_client_does_the_same(tenant: Tenant) -> None:
    async with tenant.async_client("admin") as client:
        profile = await client.create_scoring_profile("care", composite_method="geometric_mean", dimensions=[SPEED])
        (dimension,) = profile.dimensions
        assert (await client.update_scoring_dimension(profile.id, dimension.id, weight=7)).weight == 7
        assert (await client.score_with_profile(profile.id, {"duration_ms": 10})).composite_score == 100
        assert (await client.batch_score_with_profile(profile.id, [])).results == []
        assert (await client.delete_scoring_dimension(profile.id, dimension.id)).deleted
        assert (await client.delete_scoring_profile(profile.id)).deleted
        assert (await client.list_scoring_profiles(status="all")).profiles == []
        assert (await client.get_profile_score_stats(profile.id)).n == 1


@deep("one story of each kind is in the quick tier")
def test_a_notebook_scores_the_table_as_the_service_does(tenant: Tenant) -> None:
    with tenant.client("admin") as client:
        ids = []
        for at in range(6):
            ids.append(client.create_action("look", reversible=at % 2 == 0, metadata={"at": at}).action_id)
            client.update_outcome(ids[-1], "completed", duration_ms=at * 1000)
        late = {"name": "at", "data_source": "metadata_field", "data_config": {"field": "at"}, "scale": [
            {"label": "late", "operator": "gte", "value": 3, "score": 30}]}  # fmt: skip
        profile = client.create_scoring_profile("care", dimensions=[SPEED, SAFE, late])
        served = {
            each.action_id: each.composite_score for each in client.batch_score_with_profile(profile.id, ids).results
        }
        rows = scoring.score_frame(client.frame("actions"), client.get_scoring_profile(profile.id)).collect()
    assert dict(rows.select("action_id", "composite_score").iter_rows()) == served
    assert len(set(served.values())) > 2


@pytest.mark.parametrize(
    ("body", "status", "code", "places"),
    [
        ({}, 400, "invalid_body", ["body"]),
        ({"profile_id": "PROFILE"}, 400, "invalid_body", []),
        ({"profile_id": "PROFILE", "action": {}, "actions": []}, 400, "invalid_body", []),
        ({"profile_id": "a/b", "action": {}}, 400, "invalid_body", ["profile_id"]),
        ({"profile_id": "sp_nobody", "action": {"duration_ms": 1}}, 404, "profile_not_found", []),
        ({"profile_id": "PROFILE", "action": 7}, 400, "invalid_body", ["action"]),
        ({"profile_id": "PROFILE", "action": {"duration_ms": "1"}}, 400, "invalid_body", ["action.duration_ms"]),
        (
            {"profile_id": "PROFILE", "actions": [{}, {"risk_score": []}]},
            400,
            "invalid_body",
            ["actions[1].risk_score"],
        ),
        ({"profile_id": "PROFILE", "actions": ["x"] * 5001}, 400, "invalid_body", ["actions"]),
        ({"profile_id": "PROFILE", "action": "act_nobody"}, 404, "action_not_found", []),
        ({"profile_id": "PROFILE", "action": {"risk_score": 1}}, 422, "nothing_to_score", ["action"]),
        ({"profile_id": "PROFILE", "action": {"duration_ms": 1}, "metadata": {"n": 2**60}}, 400, "invalid_body", None),
        (b'{"profile_id": "PROFILE", "action": {"duration_ms": NaN}}', 400, "invalid_json", []),
        (b"x" * 10_000_001, 413, "payload_too_large", []),
    ],
)
def test_what_cannot_be_scored_is_refused(
    tenant: Tenant, body: Any, status: int, code: str, places: list[str] | None
) -> None:
    profile_id = tenant.call("POST", PROFILES, {"name": "care", "dimensions": [SPEED]})["id"]
    if isinstance(body, dict) and body.get("profile_id") == "PROFILE":
        body = {**body, "profile_id": profile_id}
    reply = tenant.send("POST", SCORE, body)
    assert (reply.status, reply.code) == (status, code), reply.content
    assert places is None or reply.places == places
    assert tenant.call("GET", SCORE)["total"] == 0


@deep("one story of each kind is in the quick tier")
def test_misspelt_members_and_wrong_queries_are_named(tenant: Tenant) -> None:
    profile_id = tenant.call("POST", PROFILES, {"name": "care", "compositeMethod": "minimum"})["id"]
    reply = tenant.send("PATCH", f"{PROFILES}/{profile_id}", {"nmae": "x"}, prefer="handling=strict")
    assert (reply.status, reply.code, reply.places) == (400, "unknown_member", ["nmae"])
    for body, place in (
        ({"name": None}, "name"),
        ({"composite_method": None}, "composite_method"),
        ({"status": 1}, "status"),
    ):
        reply = tenant.send("PATCH", f"{PROFILES}/{profile_id}", body)
        assert (reply.status, reply.code, reply.places) == (400, "invalid_body", [place])
    for query in ("view=everything", "limit=0", "cursor=zzz", "view=stats"):
        assert tenant.send("GET", f"{SCORE}?{query}").code == "invalid_query", query
    assert tenant.send("GET", f"{PROFILES}?status=asleep").code == "invalid_query"
    assert tenant.send("GET", f"{SCORE}?view=stats&profileId=sp_nobody").code == "profile_not_found"
    found = tenant.call("GET", f"{PROFILES}/{profile_id}")
    assert (found["composite_method"], found["name"]) == ("minimum", "care")


@deep("one story of each kind is in the quick tier")
def test_an_erased_action_is_not_scored_again_and_its_scores_are_gone(tenant: Tenant) -> None:
    profile_id = tenant.call("POST", PROFILES, {"name": "care", "dimensions": [SPEED]})["id"]
    action_id, kept = tenant.create(), tenant.create()
    for each in (action_id, kept):
        tenant.call("PATCH", f"/api/actions/{each}", {"status": "completed", "duration_ms": 7})
        tenant.call("POST", SCORE, {"profile_id": profile_id, "action": each})
    tenant.call("POST", f"/api/actions/{action_id}/erase", {"reason": "asked for"})
    assert [each["action_id"] for each in tenant.call("GET", SCORE)["scores"]] == [kept]
    for action in (action_id, {"action_id": action_id, "duration_ms": 7}):
        reply = tenant.send("POST", SCORE, {"profile_id": profile_id, "action": action})
        assert (reply.status, reply.code) == (410, "action_erased"), reply.content
    batch = tenant.call("POST", SCORE, {"profile_id": profile_id, "actions": [action_id, kept]})
    assert ["error" in each for each in batch["results"]] == [True, False]


@deep("one story of each kind is in the quick tier")
def test_a_large_batch_does_not_hold_up_others(tenant: Tenant) -> None:
    profile_id = tenant.call("POST", PROFILES, {"name": "care", "dimensions": [SPEED, SAFE] * 5})["id"]
    actions = [{"duration_ms": at, "metadata": {"note": "x" * 500}} for at in range(5000)]
    with ThreadPoolExecutor(1) as pool, tenant.client("agent") as client:
        scored = pool.submit(tenant.call, "POST", SCORE, {"profile_id": profile_id, "actions": actions})
        answered = 0
        while not scored.done():
            client.guard(action_type="look")
            answered += 1
        assert scored.result()["summary"]["scored"] == 5000
    # Worked off on the loop, it would have held up the first or the second of them until its own end.
    assert answered > 5
    assert tenant.call("GET", f"{SCORE}?profile_id={profile_id}&view=stats")["total_scores"] == 5000


@deep("one story of each kind is in the quick tier")
def test_profiles_and_scores_are_there_after_a_crash_and_from_the_log_alone(tmp_path: Path, http: httpx.Client) -> None:
    home = tmp_path / "home"
    service = start_service(home)
    tenant = Tenant(service, http)
    profile_id = tenant.call("POST", PROFILES, {"name": "care", "dimensions": [SPEED, SAFE]})["id"]
    tenant.call("PATCH", f"{PROFILES}/{profile_id}", {"description": "why"})
    tenant.call("POST", SCORE, {"profile_id": profile_id, "actions": [{"duration_ms": at} for at in range(50)]})
    asked = (f"{PROFILES}/{profile_id}", f"{SCORE}?limit=200", f"{SCORE}?view=stats&profile_id={profile_id}")
    before = [tenant.send("GET", path).content for path in asked]
    service.kill()
    rebuild.run(home)
    again = start_service(home)
    try:
        tenant.service = again
        assert [tenant.send("GET", path).content for path in asked] == before
    finally:
        again.stop()


@deep("one story of each kind is in the quick tier")
def test_the_client_says_what_it_is_given(tenant: Tenant) -> None:
    with tenant.client("admin") as client:
        assert isinstance(client, Client)
        with pytest.raises(TypeError, match="did you mean 'description'"):
            client.update_scoring_profile("sp_1", descripton="x")  # type: ignore[call-arg]  # what the test is about
