"""The summary of an agent's context: two questions, one answer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest

from assent import Ambient, NotFound
from tests.sdk.client import samples
from tests.sdk.client.doubles import BASE, Stage, Way
from tests.sdk.client.exchanges.swarm import POINT, POINTS, THREAD, THREADS


def service(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json=POINTS if request.url.path == "/api/context/points" else THREADS)


async def test_the_summary_is_of_todays_points_and_of_open_threads(way: Way) -> None:
    stage = Stage(way, service)
    summary = await stage("get_context_summary")
    assert [str(request.url) for request in stage.requests] == [
        f"{BASE}/api/context/points?agent_id=agent-7&session_date=2026-11-20&limit=200",
        f"{BASE}/api/context/threads?agent_id=agent-7&status=active&limit=200",
    ]
    assert [point.content for point in summary.points] == [POINT["content"]]
    assert [thread["name"] for thread in summary["threads"]] == [THREAD["name"]]


async def test_it_can_be_anothers_and_today_is_utcs(way: Way) -> None:
    evening = datetime(2026, 11, 20, 22, tzinfo=timezone(timedelta(hours=-5)))
    stage = Stage(way, service, ambient=Ambient(today=lambda: evening))
    await stage("get_context_summary", "other")
    assert stage.requests[0].url.query == b"agent_id=other&session_date=2026-11-21&limit=200"
    assert evening.astimezone(UTC).day == 21


async def test_without_an_agent_it_is_of_all_that_the_key_may_see(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_AGENT_ID", raising=False)
    stage = Stage(way, service, agent_id=None)
    await stage("get_context_summary")
    assert all("agent_id" not in str(request.url) for request in stage.requests)


async def test_what_is_refused_is_raised(way: Way) -> None:
    answer = httpx.Response(404, json=samples.problem("route_not_found", 404))
    stage = Stage(way, lambda _: answer)
    with pytest.raises(NotFound):
        await stage("get_context_summary")
