"""An organization whose agent `bot` carried more risk from one hour on, as imported history; the alerts about it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from assent import Client
from assent.contract.analysis.drift import DriftAlert
from tests.live import WAIT
from tests.stories.tenant import Tenant

STABLE, CHANGED = [33, 35, 37] * 40, [53, 55, 57] * 30
"""Risks of one and the same score, so that no other metric changes with them."""
HOURS = 3


def drifted(tenant: Tenant, action_type: str = "look") -> DriftAlert:
    risks = [*STABLE, *CHANGED]
    # So that all of it lies in the past: 26 days.
    began = datetime.now(UTC) - timedelta(hours=HOURS * len(risks))
    with tenant.client("admin", None) as client:
        for number, risk in enumerate(risks):
            client.create_action(
                action_type,
                "See what is there",
                agent_id="bot",
                status="completed",
                risk_score=risk,
                source="import",
                occurred_at=began + timedelta(hours=HOURS * number),
            )
        return alert_of(client)


def alert_of(client: Client) -> DriftAlert:
    """The established alert, which came after a hint, once everything that was recorded has been looked at."""
    until = time.monotonic() + WAIT
    while True:
        alerts = client.list_drift_alerts().alerts
        if alerts and client.get_drift_stats().caught_up:
            hint, sure = sorted(alerts, key=lambda alert: alert.established)
            assert (hint.established, sure.established) == (False, True)
            return sure
        assert time.monotonic() < until, "no alert was raised"
        time.sleep(0.05)
