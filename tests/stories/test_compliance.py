"""Auditors ask what shows a control: the records themselves, over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.stories.tenant import Tenant


@pytest.fixture
def shown(tenant: Tenant) -> Tenant:
    """An organization where something of most kinds has happened."""
    tenant.governed()
    return tenant


def control(answer: dict[str, Any], control_id: str) -> dict[str, Any]:
    (found,) = [each for each in answer["controls"] if each["control_id"] == control_id]
    assert isinstance(found, dict)
    return found


def evidence(found: dict[str, Any]) -> dict[str, tuple[str, int, list[str]]]:
    return {each["evidence"]: (each["status"], each["n"], each["record_ids"]) for each in found["evidence"]}


def mapped(tenant: Tenant, framework: str = "eu-ai-act", window: str = "30d", role: str = "auditor") -> dict[str, Any]:
    return tenant.call("GET", f"/api/compliance/map?framework={framework}&window={window}", key=role)


def test_human_oversight_is_shown_by_the_approvals_themselves(shown: Tenant) -> None:
    before = control(mapped(shown), "Art. 14(1)")
    assert (before["status"], before["gap_recommendations"]) == (
        "absent",
        ["Have a policy require approval for what carries risk.", "Have operators decide on approvals."],
    )
    waiting = shown.create("pay")
    asked = control(mapped(shown), "Art. 14(1)")
    assert (asked["status"], len(asked["gap_recommendations"])) == ("partial", 1)
    shown.call("POST", f"/api/actions/{waiting}/approve", {"decision": "deny", "reasoning": "no"}, key="operator")
    action = shown.action(waiting)
    after = mapped(shown)
    oversight = control(after, "Art. 14(1)")
    assert oversight["status"] == "present"
    assert evidence(oversight) == {
        "escalations": ("present", 1, [action["decision_id"]]),
        "approvals": ("present", 1, [action["approval_id"]]),
    }
    assert evidence(control(after, "Art. 14(4)(d)")) == {"denials": ("present", 1, [action["approval_id"]])}
    assert control(after, "Art. 26(6)")["status"] == "partial", "the log is there, and younger than six months"
    counts = after["summary"]
    statuses = [each["status"] for each in after["controls"]]
    assert (counts["covered"], counts["partial"], counts["gaps"]) == tuple(
        statuses.count(status) for status in ("present", "partial", "absent")
    )
    assert "complian" not in json.dumps(after).lower().replace("/api/compliance", "")


def test_what_was_imported_shows_what_was_done_and_not_that_anybody_was_asked(shown: Tenant) -> None:
    history = {"action_type": "pay", "source": "import", "occurred_at": "2026-10-01T00:00:00Z", "status": "completed"}
    shown.call("POST", "/api/actions", history)
    answer = mapped(shown, window="3650d")
    found = evidence(control(answer, "Art. 12(1)"))
    assert found["actions"][:2] == ("present", 1)
    assert found["decisions"][:2] == ("absent", 0)
    assert evidence(control(mapped(shown, window="7d"), "Art. 12(1)"))["actions"][:2] == ("absent", 0)


def test_access_is_shown_by_keys(shown: Tenant) -> None:
    shown.add_key("bound", "agent", "bot")
    answer = mapped(shown, "soc2")
    access = evidence(control(answer, "CC6.3"))
    assert access["bound_keys"] == ("present", 1, [shown.key_ids["bound"]])
    assert access["operator_keys"] == ("present", 1, [shown.key_ids["operator"]])
    assert control(answer, "CC5.2")["matched_policies"]
    shown.call("DELETE", f"/api/keys/{shown.key_ids['bound']}")
    after = mapped(shown, "soc2")
    assert evidence(control(after, "CC6.3"))["bound_keys"][0] == "absent"
    (revoked,) = shown.call("GET", f"/api/activity?action=key.revoked&resource_id={shown.key_ids['bound']}")["logs"]
    assert evidence(control(after, "CC6.2"))["revoked_keys"] == ("present", 1, [revoked["leaf_hash"]])


def test_one_organization_is_no_evidence_for_another(shown: Tenant, new_tenant: Any) -> None:
    shown.create("look")
    other = new_tenant()
    found = evidence(control(mapped(other), "Art. 12(1)"))
    assert (found["actions"][0], found["decisions"][0]) == ("absent", "absent")


def test_gaps_and_reports_say_the_same_as_the_map(shown: Tenant) -> None:
    shown.create("look")
    whole = mapped(shown, "soc2")
    gaps = shown.call("GET", "/api/compliance/gaps?framework=SOC2", key="auditor")
    lacking = {each["control_id"] for each in whole["controls"] if each["status"] != "present"}
    assert {each["control_id"] for each in gaps["gaps"]} == lacking
    assert gaps["total_gaps"] == len(lacking)
    written = shown.call("GET", "/api/compliance/report?framework=soc2&format=markdown", key="auditor")
    assert written["format"] == "md"
    for each in whole["controls"]:
        assert f"## {each['control_id']} {each['title']}: {each['status']}" in written["report"]
    data = json.loads(shown.call("GET", "/api/compliance/report?framework=soc2", key="auditor")["report"])
    assert data["summary"] == whole["summary"]


def test_a_name_cannot_put_markup_into_a_report(shown: Tenant) -> None:
    shown.call("PATCH", f"/api/orgs/{shown.org_id}", {"name": "A|B\n# <script>"})
    report = shown.call("GET", "/api/compliance/report?framework=soc2&format=md")["report"]
    assert report.splitlines()[0].endswith("evidence of A\\|B \\# \\<script\\>")
    shown.call("PATCH", f"/api/orgs/{shown.org_id}", {"name": "so \u202eton\x00 &#x202e;"})
    report = shown.call("GET", "/api/compliance/report?framework=soc2&format=md")["report"]
    assert report.splitlines()[0].endswith("evidence of so ton \\&\\#x202e;")


def test_an_unknown_framework_is_told_which_there_are(shown: Tenant) -> None:
    reply = shown.send("GET", "/api/compliance/map?framework=iso9001")
    assert (reply.status, reply.code) == (404, "framework_not_found")
    assert "eu-ai-act, soc2" in reply.body["error"]
    assert shown.send("GET", "/api/compliance/map").code == "invalid_query"
    assert shown.send("GET", "/api/compliance/map?framework=soc2&window=soon").places == ["window"]


def test_live_counts(shown: Tenant) -> None:
    shown.create("look")
    believing = shown.create("look")
    shown.call("POST", "/api/assumptions", {"action_id": believing, "assumption": "so"})
    shown.send("POST", "/api/actions", {"action_type": "wipe"})
    shown.create("pay")
    answer = shown.call("GET", "/api/compliance/evidence?window=7d&framework=any", key="auditor")
    assert (answer["window"], answer["window_days"]) == ("7d", 7)
    counts = answer["evidence"]
    assert counts["breakdown"] == [
        {"action_type": "look", "decision": "allow", "count": 2},
        {"action_type": "pay", "decision": "require_approval", "count": 1},
        {"action_type": "wipe", "decision": "block", "count": 1},
    ]
    assert {each["status"]: each["count"] for each in counts["action_breakdown"]} == {
        "running": 2,
        "blocked": 1,
        "pending_approval": 1,
    }
    assert {name: value for name, value in counts.items() if isinstance(value, int)} == {
        "guard_decisions_total": 4,
        "guard_decisions_blocked": 1,
        "approval_requests": 1,
        "approvals_decided": 0,
        "action_records_total": 4,
        "actions_verified": 0,
        "assumptions_total": 1,
        "simulated": 0,
    }


def test_the_proof_report_names_what_is_in_force_and_how_often_it_matched(shown: Tenant) -> None:
    for _ in range(2):
        shown.send("POST", "/api/actions", {"action_type": "wipe"})
    answer = shown.call("GET", "/api/policies/proof", key="auditor")
    assert answer["format"] == "json"
    policies = {each["name"]: each for each in json.loads(answer["report"])["policies"]}
    assert (policies["Nobody wipes"]["matched"], policies["Ask before paying"]["matched"]) == (2, 0)
    newest = shown.call("GET", "/api/guard?decision=block")["decisions"][0]
    assert policies["Nobody wipes"]["newest_decision"] == newest["decision_id"]
    written = shown.call("GET", "/api/policies/proof?format=md", key="auditor")["report"]
    assert "| Nobody wipes | block_action_type | enforce | 2 |" in written


def test_the_activity_log_says_who_did_what(shown: Tenant) -> None:
    action_id = shown.create("pay")
    shown.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="operator")
    decided = shown.call("GET", "/api/activity?action=approval.decided", key="auditor")
    (entry,) = decided["logs"]
    assert (entry["actor_id"], entry["actor_name"]) == (shown.key_ids["operator"], "the operator")
    assert (entry["resource_type"], entry["action_id"]) == ("approval", action_id)
    assert decided["stats"] == {"total": 1, "today": 1, "unique_actors": 1}
    assert decided["pagination"] == {"limit": 50, "offset": 0}
    every = shown.call("GET", "/api/activity?limit=2&offset=1", key="auditor")
    assert len(every["logs"]) == 2
    assert every["stats"]["total"] == shown.recorded()
    numbers = [each["id"] for each in shown.call("GET", "/api/activity?limit=200")["logs"]]
    assert numbers == sorted(numbers, reverse=True)
    keys = shown.call("GET", "/api/activity?resource_type=key&limit=200")
    assert {each["action"] for each in keys["logs"]} == {"key.created"}
    at = entry["created_at"]
    assert shown.call("GET", f"/api/activity?action=approval.decided&before={at}")["logs"] == []
    assert shown.call("GET", f"/api/activity?action=approval.decided&after={at}")["logs"] == []


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("before=yesterday", "before"),
        ("after=0001-01-01T00:00:00%2B14:00", "after"),
        ("after=2026-01-01T00:00:00", "after"),
        ("limit=201", "limit"),
        ("offset=-1", "offset"),
    ],
)
def test_a_filter_that_cannot_be_read(shown: Tenant, query: str, place: str) -> None:
    reply = shown.send("GET", f"/api/activity?{query}")
    assert (reply.status, reply.code, reply.places) == (400, "invalid_query", [place])
