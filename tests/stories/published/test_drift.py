"""Drift through the published clients: alerts that came by themselves, and what they ask for step by step.

2.9.0 passes method and path the wrong way round in all nine methods (`test_swapped`), so only the others can ask.
"""

from __future__ import annotations

import pytest

from tests.stories.asks.drift import alert
from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import NEWEST, OLDEST, only
from tests.stories.tenant import Tenant


@only(OLDEST, NEWEST)
def test_alerts_are_listed_acknowledged_and_removed(boss: PublishedClient, asking: Tenant) -> None:
    alert_id = alert(asking)
    (found,) = boss.list_drift_alerts(agent_id="bot", severity="critical", acknowledged=False)["alerts"]
    assert (found["id"], found["metric"], found["direction"]) == (alert_id, "block_rate", "up")
    assert found["acknowledged"] is False
    stats = boss.get_drift_stats()
    assert (stats["total"], stats["unacknowledged"], stats["by_severity"]) == (1, 1, {"critical": 1})
    assert boss.acknowledge_drift_alert(alert_id)["acknowledged"] is True
    assert boss.list_drift_alerts(acknowledged=False)["alerts"] == []
    assert boss.get_drift_stats(agent_id="bot")["unacknowledged"] == 0
    assert boss.delete_drift_alert(alert_id)["deleted"] is True
    assert boss.list_drift_alerts()["alerts"] == []


@only(OLDEST, NEWEST)
def test_steps_answer_at_once(boss: PublishedClient) -> None:
    for _ in range(3):
        action_id = boss.create_action("look", "See what is there")["action_id"]
        boss.update_outcome(action_id, status="completed")
    baselines = boss.compute_drift_baselines(lookback_days=30)["baselines"]
    assert {each["metric"]: each["n"] for each in baselines}["score"] == 3
    snapshots = boss.record_drift_snapshots()["snapshots"]
    assert {each["metric"]: each["n"] for each in snapshots}["success_rate"] == 3
    detected = boss.detect_drift(window_days=7)
    assert (detected["action"], detected["alerts"]) == ("detect", [])
    assert {each["status"] for each in detected["comparison"]["comparisons"]} == {"insufficient_data"}
    (shown,) = boss.get_drift_snapshots(metric="learning_score", limit=5)["snapshots"]
    assert (shown["metric"], shown["n"]) == ("score", 3)


@only(OLDEST, NEWEST)
def test_metrics_have_their_published_names_too(agent: PublishedClient) -> None:
    names = {each["name"]: each["published"] for each in agent.get_drift_metrics()["metrics"]}
    assert {ours for ours, published in names.items() if published} == {"score", "tokens"}
    assert {"risk_score", "confidence", "duration_ms", "cost_estimate"} <= set(names)


@only(OLDEST, NEWEST)
def test_an_agent_acknowledges_and_removes_none(agent: PublishedClient) -> None:
    for name in ("acknowledge_drift_alert", "delete_drift_alert"):
        with pytest.raises(PublishedError) as found:
            getattr(agent, name)("da_1")
        assert found.value.members["status"] == 403
