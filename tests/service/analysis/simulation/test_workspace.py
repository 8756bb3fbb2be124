"""A real service on a simulated home answers as if all of it had happened, and says that none of it has."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from assent.contract.control.policies import Policy
from assent.proof.policies import snapshot
from assent.proof.replay import replay
from tests.service.analysis.simulation.conftest import Running, Simulated
from tests.stories.evidence import read_log
from tests.tiers import deep

pytestmark = deep("a simulated month")


@pytest.fixture(scope="module")
def actions(running: Running) -> list[dict[str, Any]]:
    """Every action as it is now, newest first."""
    return running.pages("/api/actions", "actions")


def test_everything_is_there_and_says_that_it_is_simulated(running: Running, actions: list[dict[str, Any]]) -> None:
    report = running.report
    assert len(actions) == report.actions == 1500
    assert {action["source"] for action in actions} == {"simulated"}
    assert running.get("/api/actions?source=simulated&limit=1")["total"] == 1500
    assert running.get("/api/actions?source=live&limit=1")["total"] == 0
    decisions = running.get("/api/guard?limit=1000")
    assert decisions["total"] == 1500
    assert {decision["source"] for decision in decisions["decisions"]} == {"simulated"}
    assumptions = running.pages("/api/assumptions", "assumptions")
    assert len(assumptions) == report.assumptions
    assert {assumption["source"] for assumption in assumptions} == {"simulated"}


def test_it_was_recorded_now_and_happened_over_thirty_days(running: Running, actions: list[dict[str, Any]]) -> None:
    now = running.made
    recorded = [datetime.fromisoformat(action["created_at"]) for action in actions]
    happened = [datetime.fromisoformat(action["timestamp_start"]) for action in actions]
    assert now - timedelta(minutes=10) < min(recorded) <= max(recorded) <= now
    assert happened == sorted(happened, reverse=True), "the order of recording is the order of happening"
    assert now - timedelta(days=30, minutes=10) < min(happened) < now - timedelta(days=28)
    assert max(happened) > now - timedelta(hours=1)
    assert [action["action_id"] for action in actions] == sorted((a["action_id"] for a in actions), reverse=True)


def test_agents_types_and_endings_are_many(actions: list[dict[str, Any]]) -> None:
    assert len({action["agent_id"] for action in actions}) == 6
    assert len({action["action_type"] for action in actions}) >= 10
    assert {action["status"] for action in actions} == {
        "running",
        "pending_approval",
        "completed",
        "failed",
        "cancelled",
        "blocked",
    }
    assert {action["decision"] for action in actions} == {"allow", "warn", "require_approval", "block"}
    assert len({action["declared_goal"] for action in actions}) > 1000


def test_the_policies_are_real_and_those_of_the_decisions(running: Running, actions: list[dict[str, Any]]) -> None:
    policies = {policy["policy_id"]: policy["name"] for policy in running.get("/api/policies")["policies"]}
    assert set(policies.values()) == {
        "Nobody deletes customer data",
        "Ask before a risky release",
        "Ask before a risky refund",
        "Warn from risk 50",
        "Trial: ask from risk 80",
        "Ask where a value came from",
    }
    for decision in running.get("/api/guard?limit=1000")["decisions"]:
        named = {policies[policy_id] for policy_id in decision["matched_policies"]}
        assert ("Warn from risk 50" in named) == (decision["risk_score"] >= 50)
        assert ("Nobody deletes customer data" in named) == (decision["action_type"] == "delete_customers")
        observed = [policies[policy_id] for policy_id in decision["observed_policies"]]
        trial = ["Trial: ask from risk 80"] if decision["risk_score"] >= 80 else []
        assert [each for each in observed if each != "Ask where a value came from"] == trial


def test_a_dozen_sessions_were_told_and_in_a_third_of_them_the_policy_would_have_asked(running: Running) -> None:
    flows = running.get("/api/flows?limit=200")["flows"]
    assert len(flows) == 12
    assert all(flow["complete"] and flow["told"] >= 2 and flow["labels"] == ["untrusted_seen"] for flow in flows)
    stopped = set()
    for flow in flows:
        steps = running.get(f"/api/flows/{flow['flow_id']}/steps?limit=1000")
        assert (steps["total"], steps["missing"]) == (len(steps["steps"]), 0)
        assert steps["steps"][0]["told"]["kind"] == "user"
        read = next(
            at for at, each in enumerate(steps["steps"]) if each["told"] and each["told"]["tool"] == "read_ticket"
        )
        for at, step in enumerate(steps["steps"]):
            asked = step["asked"]
            if asked is None:
                continue
            assert asked["source"] == "simulated"
            origins = {value["path"]: value["origin"] for value in asked["flow"]["values"]}
            if asked["action_type"] in ("refund", "send_email"):
                assert at > read
                place = origins["recipient" if asked["action_type"] == "refund" else "to"]
                assert place in ("user", "free")
                if place == "free":
                    assert asked["would_decide"] == "require_approval"
                    stopped.add(flow["flow_id"])
    assert len(stopped) == 4
    flow_policy = next(each for each in running.get("/api/policies")["policies"] if each["policy_type"] == "flow")
    policies = [{"name": "Values", "policy_type": "flow", "rules": flow_policy["rules"]}]
    status, found = running.service.call("POST", "/api/policies/backtest", {"policies": policies}, key=running.key)
    assert status == 200, found
    (replayed,) = found["flows"]
    assert (replayed["sessions"], replayed["sessions_stopped"], replayed["no_trace"]) == (12, 4, 0)


def test_what_was_asked_in_a_told_session_is_replayed_from_the_proof_alone(simulated: Simulated) -> None:
    log = read_log(simulated.home)
    kept = {event.subject: event.data for event in log if event.type.startswith("policy.")}
    policies = msgspec.json.decode(
        msgspec.json.encode(
            snapshot([msgspec.convert(each, Policy) for each in kept.values() if each["deleted_at"] is None])
        )
    )
    told = [event.data for event in log if event.type == "guard.decision.created" and "flow" in event.data]
    assert len(told) > 20
    for decision in told:
        found = replay(decision, policies)
        assert found.agrees, found.detail


def waiting(running: Running) -> list[dict[str, Any]]:
    return running.pages("/api/actions?status=pending_approval", "actions")


def test_several_wait_from_minutes_to_most_of_a_day(running: Running) -> None:
    details = [running.get(f"/api/actions/{action['action_id']}") for action in waiting(running)]
    now = running.made
    asked = sorted(now - datetime.fromisoformat(detail["approval"]["requested_at"]) for detail in details)
    assert len(asked) >= 4
    assert asked[0] < timedelta(minutes=15)
    assert asked[-1] > timedelta(hours=19)
    assert all(detail["approval"]["state"] == "awaiting" for detail in details)
    assert all(datetime.fromisoformat(detail["approval"]["expires_at"]) > now for detail in details)


@pytest.mark.parametrize(
    ("verdict", "status", "state"), [("allow", "running", "approved"), ("deny", "cancelled", "denied")]
)
def test_one_that_waits_can_be_decided(running: Running, verdict: str, status: str, state: str) -> None:
    chosen = waiting(running)[0]["action_id"]
    body = {"decision": verdict, "reasoning": "Looked at it."}
    code, answer = running.service.call("POST", f"/api/actions/{chosen}/approve", body, key=running.key)
    assert code == 200, answer
    assert (answer["action"]["status"], answer["approval"]["state"]) == (status, state)
    again, refused = running.service.call("POST", f"/api/actions/{chosen}/approve", body, key=running.key)
    assert (again, refused["code"]) == (409, "already_decided")
    trace = running.get(f"/api/actions/{chosen}/trace")
    assert trace["action"]["source"] == "simulated"
    assert trace["trace"]["changes"][-1]["changed"]["status"] == status


def test_a_running_one_can_be_ended(running: Running, actions: list[dict[str, Any]]) -> None:
    chosen = next(action for action in actions if action["status"] == "running")["action_id"]
    body = {"status": "completed", "output_summary": "Done after all."}
    code, answer = running.service.call("PATCH", f"/api/actions/{chosen}", body, key=running.key)
    assert (code, answer["action"]["status"], answer["action"]["revision"] >= 1) == (200, "completed", True)


def test_the_trace_of_a_denied_action_says_who_and_why(running: Running, actions: list[dict[str, Any]]) -> None:
    for action in (a for a in actions if a["status"] == "cancelled"):
        trace = running.get(f"/api/actions/{action['action_id']}/trace")
        if trace["approval"]["state"] == "denied":
            break
    approval = trace["approval"]
    assert approval["decided_by"] in {"Mara Lind", "Jonas Okafor", "Priya Raman"}
    (cause,) = [found for found in trace["trace"]["root_cause_indicators"] if found["type"] == "approval_denied"]
    assert cause["severity"] == "high"
    assert cause["detail"][0]["reasoning"] == approval["reasoning"] == trace["action"]["error_message"]
    (change,) = trace["trace"]["changes"]
    assert (change["kind"], change["by"]) == ("denial", approval["decided_by"])
    assert change["replaced"] == {"status": "pending_approval", "error_message": None, "timestamp_end": None}
    assert change["changed"]["timestamp_end"] == approval["decided_at"]
    asked, decided = (datetime.fromisoformat(approval[name]) for name in ("requested_at", "decided_at"))
    assert approval["requested_at"] == trace["action"]["timestamp_start"]
    assert timedelta(0) < decided - asked < timedelta(days=1)


def test_the_trace_of_an_approved_action_has_every_step(running: Running, actions: list[dict[str, Any]]) -> None:
    action = next(a for a in actions if a["approved_by"] and a["status"] == "completed")
    trace = running.get(f"/api/actions/{action['action_id']}/trace")
    by = [(change["kind"], change["by"]) for change in trace["trace"]["changes"]]
    assert by == [("approval", action["approved_by"]), ("outcome", action["agent_id"])]
    assert action["revision"] == 2
    start, approved, end = (
        datetime.fromisoformat(action[name]) for name in ("timestamp_start", "approved_at", "timestamp_end")
    )
    assert start < approved < end
    assert (end - approved) / timedelta(milliseconds=1) == pytest.approx(action["duration_ms"], abs=0.001)
    assert trace["decision"]["decision"] == "require_approval"
    assert trace["decision"]["decision_id"] == action["decision_id"]


def test_a_wrong_assumption_shows_in_the_trace_of_a_failure(running: Running, actions: list[dict[str, Any]]) -> None:
    wrong = running.pages("/api/assumptions?invalidated=true", "assumptions")
    failed = {action["action_id"] for action in actions if action["status"] == "failed"}
    chosen = next(assumption for assumption in wrong if assumption["action_id"] in failed)
    causes = running.get(f"/api/actions/{chosen['action_id']}/trace")["trace"]["root_cause_indicators"]
    (cause,) = [cause for cause in causes if cause["type"] == "invalidated_assumption"]
    reasons = {row["assumption_id"]: row["invalidated_reason"] for row in cause["detail"]}
    assert reasons[chosen["assumption_id"]] == chosen["invalidated_reason"]


def test_a_blocked_attempt_is_evidence(running: Running, actions: list[dict[str, Any]]) -> None:
    action = next(a for a in actions if a["status"] == "blocked")
    assert action["action_type"] == "delete_customers"
    assert action["error_message"].startswith("Nobody deletes customer data: ")
    causes = running.get(f"/api/actions/{action['action_id']}/trace")["trace"]["root_cause_indicators"]
    assert "blocked_by_policy" in {cause["type"] for cause in causes}
