"""Risk templates through the published clients: they are written, listed, changed and removed, and guard uses them.

2.9.0 passes method and path the wrong way round in all four methods (`test_swapped`), so only the others can ask.
"""

from __future__ import annotations

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import NEWEST, OLDEST, only
from tests.stories.tenant import Tenant

RULES = [
    {"condition": 'metadata.env == "production"', "add": 30},
    {"condition": "amount > 1000", "add": 15},
    {"condition": "systems_touched contains 'ledger'", "add": -10},
]


@only(OLDEST, NEWEST)
def test_a_template_rates_what_guard_is_asked(boss: PublishedClient) -> None:
    wire = {"action_type": "wire", "amount": 5000, "metadata": {"env": "production"}}
    before = boss.guard(wire)["risk_score"]
    made = boss.create_risk_template(name="wires", action_type="wire", base_risk=40, rules=RULES)
    assert made["id"].startswith("rt_")
    assert (made["status"], made["rules"], made["base_risk"]) == ("active", RULES, 40)
    said = boss.guard(wire)
    assert (before, said["risk_score"]) == (25, 90)
    assert said["risk_template_id"] == made["id"]
    assert boss.list_risk_templates(action_type="wire")["templates"] == [made]
    assert boss.list_risk_templates()["templates"] == [made]
    assert boss.list_risk_templates(action_type="other")["templates"] == []
    # On the published server a change that does not name the action type would take it away.
    changed = boss.update_risk_template(made["id"], base_risk=20)
    assert (changed["action_type"], changed["base_risk"], changed["rules"]) == ("wire", 20, RULES)
    assert boss.guard(wire)["risk_score"] == 70
    assert boss.delete_risk_template(made["id"])["deleted"] is True
    assert boss.guard(wire)["risk_score"] == 25


@only(OLDEST, NEWEST)
def test_what_cannot_be_read_is_said(boss: PublishedClient) -> None:
    for rules, says in (
        ([{"condition": "amount is 5", "add": 5}], r"rules\[0\]\.condition"),
        ([*RULES, {"condition": "amount > 'much'", "add": 5}], r"rules\[3\]\.condition"),
        ([{"condition": "amount > 5"}], "add"),
    ):
        with pytest.raises(PublishedError, match=says) as found:
            boss.create_risk_template(name="wires", rules=rules)
        assert found.value.members["status"] == 400
    assert boss.list_risk_templates()["templates"] == []


@only(OLDEST, NEWEST)
def test_an_agent_reads_and_writes_none(agent: PublishedClient, asking: Tenant) -> None:
    made = asking.call("POST", "/api/scoring/risk-templates", {"name": "wires"})
    assert agent.list_risk_templates()["templates"] == [made]
    calls: tuple[tuple[str, tuple[str, ...], dict[str, object]], ...] = (
        ("create_risk_template", (), {"name": "wires"}),
        ("update_risk_template", (made["id"],), {"base_risk": 5}),
        ("delete_risk_template", (made["id"],), {}),
    )
    for name, args, members in calls:
        with pytest.raises(PublishedError) as found:
            getattr(agent, name)(*args, **members)
        assert found.value.members["status"] == 403


@only(OLDEST, NEWEST)
def test_scales_are_calibrated(boss: PublishedClient) -> None:
    few = boss.auto_calibrate()
    assert (few["status"], few["count"], few["suggestions"]) == ("insufficient_data", 0, [])
    assert few["message"]
    for k in range(12):
        made = boss.create_action("wire", "Send money", confidence=50 + k)
        boss.update_outcome(made["action_id"], status="completed", duration_ms=1000 * k)
    found = boss.auto_calibrate(action_type="wire", lookback_days=7, metrics=["duration_ms", "confidence"])
    assert (found["status"], found["count"], found["lookback_days"]) == ("ok", 12, 7)
    duration, confidence = found["suggestions"]
    assert (duration["metric"], duration["data_source"], duration["lower_is_better"]) == (
        "duration_ms",
        "duration_ms",
        True,
    )
    assert (duration["distribution"]["p50"], duration["sample_size"], duration["suggested_weight"]) == (6000, 12, 0.2)
    assert [step["score"] for step in duration["suggested_scale"]] == [100, 75, 50, 20]
    assert confidence["lower_is_better"] is False
