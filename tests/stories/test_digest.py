"""A notebook that has the tables comes to the same digest and the same signals as the service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from assent.contract.analysis.week import week_of
from assent_analytics import approvals, signals
from assent_analytics.digest import Tables, digest, firsts
from tests.stories.exports import work
from tests.stories.tenant import Tenant


def test_a_notebook_and_the_service_agree(tenant: Tenant) -> None:
    work(tenant)
    for days in (0.5, 1, 3, 8, 9, 20):
        at = (datetime.now(UTC) - timedelta(days=days)).isoformat()
        made = tenant.create(timestamp_start=at, risk_score=4 * days, agent_id=f"agent {days > 2}")
        report = {"status": "completed" if days > 1 else "failed", "cost_estimate": days}
        tenant.call("PATCH", f"/api/actions/{made}", report)
    with tenant.client("auditor") as client:
        for text in (None, "{}-W{:02}".format(*datetime.now(UTC).isocalendar()[:2])):
            said = client.get_digest(text)
            # Of the week under way, up to where the service's clock stood.
            week = week_of(text, said.until)
            assert (week.since, week.until) == (said.since, said.until)
            actions = client.frame("actions", "60d")
            tables = Tables(
                actions=actions,
                decisions=client.frame("decisions", "60d"),
                approvals=approvals.with_source(client.frame("approvals", "60d"), actions),
                signals=client.frame("signals", "60d"),
                drift_alerts=client.frame("drift_alerts", "60d"),
                first_seen=firsts(actions),
            )
            assert msgspec.to_builtins(digest(week, tables)) == msgspec.to_builtins(said)
            assert said.actions.all.n > 0
        history = client.get_signal_history("60d")
        (row,) = signals.rates(client.frame("signals", "60d"), client.frame("actions", "60d"), ()).collect().to_dicts()
        assert (row["n"], row["actions"], row["per_100"]) == (
            history.all.n,
            history.all.actions,
            history.all.per_100,
        )
        assert client.get_digest(agent_id="agent True").actions.all.n < client.get_digest().actions.all.n
