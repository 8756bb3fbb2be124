"""Read by mypy and basedpyright, never called: what the operations of drift give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.analysis.drift import (
    DeletedDriftAlert,
    DetectedDrift,
    DriftAlert,
    DriftAlerts,
    DriftComparison,
    DriftMetrics,
    DriftSnapshots,
    DriftStats,
)


def blocking(client: Client) -> None:
    assert_type(client.list_drift_alerts(severity="critical", acknowledged=False), DriftAlerts)
    assert_type(client.detect_drift("bot", 7, lookback_days=60), DetectedDrift)
    assert_type(client.acknowledge_drift_alert("da_1"), DriftAlert)
    assert_type(client.delete_drift_alert("da_1"), DeletedDriftAlert)
    assert_type(client.get_drift_stats("bot"), DriftStats)
    assert_type(client.get_drift_metrics(), DriftMetrics)
    assert_type(client.get_drift_snapshots(metric="score", limit=3), DriftSnapshots)
    assert_type(client.compare_drift("60d", "14d", agent_id="bot"), DriftComparison)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.list_drift_alerts(), DriftAlerts)
    assert_type(await client.acknowledge_drift_alert("da_1"), DriftAlert)
    assert_type(await client.compare_drift(), DriftComparison)
