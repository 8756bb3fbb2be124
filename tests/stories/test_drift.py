"""Drift through the door: a change in imported history and in what guard says, found, told, acknowledged and kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import Client
from assent.contract.analysis.drift import DriftAlert
from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Reply, Tenant
from tests.tiers import deep

STABLE, CHANGED = [33, 35, 37] * 20, [53, 55, 57] * 10
"""Risks of one and the same score, so that no other metric changes with them."""
BEGAN = datetime.now(UTC) - timedelta(days=20)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[LiveService]:
    """A service with the usual probability of false alerts."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text("presence_write_seconds = 3600\nhead_seconds = 3600\n")
    with start_service(home) as running:
        yield running


def admin_of(service: LiveService) -> Client:
    return Client(service.base_url, service.admin_key, say=lambda _: None)


def bring(client: Client, risks: list[int], start: int = 0) -> None:
    """Imported actions of `bot`, one an hour."""
    for number, risk in enumerate(risks, start):
        client.create_action(
            "look",
            "See what is there",
            agent_id="bot",
            status="completed",
            risk_score=risk,
            source="import",
            occurred_at=BEGAN + timedelta(hours=number),
        )


def settled(client: Client) -> list[DriftAlert]:
    """The alerts, once everything that was recorded has been looked at."""
    until = time.monotonic() + WAIT
    while not client.get_drift_stats().caught_up:
        assert time.monotonic() < until, "the streams do not catch up"
        time.sleep(0.02)
    return client.list_drift_alerts().alerts


def test_a_planted_change_is_found_told_acknowledged_and_kept(watched: LiveService) -> None:
    heard: list[dict[str, Any]] = []
    with admin_of(watched) as client:
        bring(client, STABLE)
        assert settled(client) == []

        def listen() -> None:
            for event in client.events(types=["drift.alert"]):
                heard.append(dict(event.data))
                return

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        bring(client, CHANGED, len(STABLE))
        hint, sure = sorted(settled(client), key=lambda alert: alert.established)
        assert (hint.established, sure.established) == (False, True)
        listener.join(WAIT)
        assert [each["id"] for each in heard] == [hint.id]
        for alert in (sure, hint):
            assert (alert.agent_id, alert.action_type, alert.metric) == ("bot", "look", "risk_score")
            assert (alert.direction, alert.severity, alert.source) == ("up", "critical", "import")
            assert abs(alert.change_estimated_at - (BEGAN + timedelta(hours=60))) <= timedelta(hours=2)
        frame = client.frame("drift_alerts", window="90d").sort("detected_at")
        told = [(hint.id, "risk_score", False, False), (sure.id, "risk_score", False, True)]
        assert frame.select("id", "metric", "acknowledged", "established").rows() == told
        found = client.compare_drift("40d", "17d", agent_id="bot")
        assert [each.metric for each in found.comparisons if each.drifted] == ["risk_score"]
        done = client.acknowledge_drift_alert(sure.id)
        assert done.acknowledged
    watched.stop()
    assert (watched.home / "drift.checkpoint").exists()
    for lost in (False, True):
        if lost:
            (watched.home / "drift.checkpoint").unlink()
        with start_service(watched.home) as again, admin_of(again) as client:
            assert sorted(settled(client), key=lambda alert: alert.established) == [hint, done], "nothing is told twice"
            again.kill()


@deep("one story of each kind is in the quick tier")
def test_what_guard_says_is_watched_live(watched: LiveService) -> None:
    with admin_of(watched) as client:
        for _ in range(80):
            client.guard({"action_type": "wipe", "agent_id": "bot"})
        client.create_policy("Nobody wipes", "block_action_type", {"action_types": ["wipe"]})
        for _ in range(40):
            client.guard({"action_type": "wipe", "agent_id": "bot"}, raise_on_block=False)
        (alert,) = settled(client)
        assert (alert.metric, alert.direction, alert.source) == ("block_rate", "up", "live")
        assert alert.baseline_mean == 0
        assert alert.recent_mean == 1


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/api/drift/alerts?metric=mood", "metric"),
        ("/api/drift/alerts?severity=terrible", "severity"),
        ("/api/drift/alerts?acknowledged=perhaps", "acknowledged"),
        ("/api/drift/alerts?limit=0", "limit"),
        ("/api/drift/alerts?cursor=nonsense", "cursor"),
        ("/api/drift/snapshots?metric=action_mix", "metric"),
        ("/api/drift/snapshots?window=yesterday", "window"),
        ("/api/drift/comparison?baseline=7d&recent=7d", "recent"),
        ("/api/drift/comparison?baseline=0d", "window"),
        ("/api/drift/comparison?limit=1001", "limit"),
    ],
)
def test_a_question_that_cannot_be(tenant: Tenant, path: str, place: str) -> None:
    reply = tenant.send("GET", path)
    assert (reply.status, reply.code, reply.places) == (400, "invalid_query", [place])


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"action": "guess"}, "action"),
        ({"window_days": 0}, "window_days"),
        ({"windowDays": 30, "lookbackDays": 30}, "window_days"),
        ({"agent_id": 7}, "agent_id"),
    ],
)
def test_a_step_that_cannot_be(tenant: Tenant, body: dict[str, Any], place: str) -> None:
    reply = tenant.send("POST", "/api/drift/alerts", body)
    assert (reply.status, reply.code, reply.places) == (400, "invalid_body", [place])


def test_an_alert_that_is_not_there(tenant: Tenant) -> None:
    def answers(reply: Reply) -> tuple[int, str]:
        return reply.status, reply.code

    for method in ("PATCH", "DELETE"):
        assert answers(tenant.send(method, "/api/drift/alerts/da_none")) == (404, "drift_alert_not_found")


@deep("one story of each kind is in the quick tier")
async def test_the_async_client_asks_alike(tenant: Tenant, http: httpx.Client) -> None:
    async with tenant.async_client("admin") as client:
        assert (await client.list_drift_alerts()).alerts == []
        assert (await client.get_drift_metrics()).metrics[0].name == "score"
        assert (await client.detect_drift()).alerts == []
