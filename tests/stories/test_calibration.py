"""Calibration over HTTP: agents state and act, then what they stated is held against what happened."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.analysis.calibration import Predictor
from assent.errors import InvalidRequest
from assent_analytics.calibration import quality, suggest_template
from tests.stories.tenant import Tenant

SCALES, REPORT = "/api/scoring/calibrate", "/api/scoring/calibration"


def work(tenant: Tenant, n: int) -> None:
    with tenant.client() as agent:
        for k in range(n):
            sure = k % 2 == 0
            irreversible = k % 4 == 3
            # Each is a session of its own: what one agent does within an hour is one cluster otherwise.
            made = agent.create_action(
                "wire",
                "Send money",
                confidence=90 if sure else 40,
                reversible=not irreversible,
                agent_id="bot",
                session_id=f"s{k}",
            )
            failed = irreversible or k % 10 == 0
            agent.update_outcome(made.action_id, status="failed" if failed else "completed", duration_ms=100 * k)


def test_calibrate_suggest_publish_and_be_asked(tenant: Tenant) -> None:
    tenant.policy("Ask when risky", "risk_threshold", {"threshold": 80, "action": "require_approval"})
    work(tenant, 80)
    with tenant.client("admin") as boss:
        scale = boss.auto_calibrate("wire", metrics=["duration_ms"]).suggestions[0]
        assert (scale.sample_size, scale.distribution.p50, scale.distribution.max) == (80, 4000, 7900)
        report = boss.get_calibration("7d", action_type="wire")
        actions = boss.frame("actions")
        assert report.confidence.brier == pytest.approx(quality(actions).row(0, named=True)["brier"])
        assert [each.mean_predicted for each in report.confidence.bins] == pytest.approx([0.4, 0.9])
        # Irreversible ones always fail here: that is what history suggests, and what guard then asks about.
        found = suggest_template(actions, "wire")
        assert [rule["condition"] for rule in found.rules] == [{"field": "reversible", "op": "eq", "value": False}]
        assert found.rules[0]["add"] >= 80
        wire = {"action_type": "wire", "agent_id": "bot"}
        assert boss.guard(wire, reversible=False).decision == "allow"
        made = boss.create_risk_template(**found.as_arguments("wires that fail"))
        said = boss.guard(wire, reversible=False)
        assert (said.decision, said.risk_template_id) == ("require_approval", made.id)
        assert boss.guard(wire, reversible=True).decision == "allow"


async def test_the_other_client_gets_the_same(tenant: Tenant) -> None:
    work(tenant, 12)
    async with tenant.async_client("auditor") as looker:
        found = await looker.auto_calibrate(metrics=["confidence"])
        assert [each.sample_size for each in found.suggestions] == [12]
        assert (await looker.get_calibration()).risk_score.of is Predictor.RISK_SCORE


def test_an_organization_without_actions_is_told_so(shared_tenant: Tenant) -> None:
    found = shared_tenant.call("POST", SCALES, {})
    assert (found["status"], found["count"], found["suggestions"]) == ("insufficient_data", 0, [])
    report = shared_tenant.call("GET", REPORT)
    assert (report["confidence"]["status"], report["confidence"]["brier"]) == ("insufficient_data", None)
    assert (report["window"], report["confidence"]["bins"]) == ("30d", [])
    assert (report["confidence"]["base_low"], report["confidence"]["base_high"]) == (0, 1)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"lookback_days": 0}, "lookback_days"),
        ({"lookback_days": 3651}, "lookback_days"),
        ({"lookback_days": "30"}, "lookback_days"),
        ({"lookback_days": 1.5}, "lookback_days"),
        ({"action_type": ""}, "action_type"),
        ({"action_type": 7}, "action_type"),
        ({"agent_id": "x" * 129}, "agent_id"),
        ({"metrics": "duration_ms"}, "metrics"),
        ({"metrics": ["speed"]}, "metrics[0]"),
        ({"metrics": ["confidence"] * 21}, "metrics"),
    ],
)
def test_what_cannot_be_calibrated(shared_tenant: Tenant, body: dict[str, Any], place: str) -> None:
    reply = shared_tenant.send("POST", SCALES, body)
    assert (reply.status, reply.code, reply.places) == (400, "invalid_body", [place]), reply.content


@pytest.mark.parametrize("query", ["window=soon", "window=0d", "window=30", "bins=0", "bins=101", "bins=many"])
def test_what_cannot_be_reported(shared_tenant: Tenant, query: str) -> None:
    reply = shared_tenant.send("GET", f"{REPORT}?{query}")
    assert (reply.status, reply.code) == (400, "invalid_query"), reply.content


def test_camel_case_and_the_client(shared_tenant: Tenant) -> None:
    found = shared_tenant.call("POST", SCALES, {"lookbackDays": 7, "actionType": "wire", "agentId": "bot"})
    assert (found["lookback_days"], found["action_type"], found["agent_id"]) == (7, "wire", "bot")
    with shared_tenant.client() as agent, pytest.raises(InvalidRequest, match="speed"):
        agent.auto_calibrate(metrics=["speed"])
