"""Agents that already have a client: the real packages, three versions of them, against this service.

`make test` installs them; ASSENT_PUBLISHED_CLIENTS may name another folder with one folder for each version.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.live import WAIT
from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import NEWEST, only
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("test_tally counts what answers here", quick=True)
SOON = 20.0
"""Seconds. It would look again only after ten minutes."""
"""Seconds within which an agent with the newest client has to be unblocked."""
PACK = (
    "version: 1\npolicies:\n  - name: No mail\n    policy_type: block_action_type\n    rules: {action_types: [mail]}\n"
)


def test_guard(agent: PublishedClient) -> None:
    allowed = agent.guard({"action_type": "deploy", "risk_score": 20})
    assert (allowed["decision"], allowed["risk_score"], allowed["agent_risk_score"]) == ("allow", 80, 20)
    blocked = agent.guard({"action_type": "wipe", "declared_goal": "Make room"})
    assert blocked["decision"] == "block"
    assert blocked["reasons"][0].startswith("Nobody wipes")
    assert len(blocked["matched_policies"]) == 1
    asked = agent.guard({"action_type": "pay", "anything": {"else": [1]}})
    assert (asked["decision"], asked["agent_id"], asked["warnings"]) == ("require_approval", "bot", [])
    if agent.version == "2.1.0":
        assert agent.guard({"action_type": "look"}, include_signals=True)["signals"] == []


def test_decisions(agent: PublishedClient) -> None:
    for action_type in ("look", "wipe", "wipe"):
        agent.guard({"action_type": action_type})
    page = agent.get_guard_decisions(decision="block", limit=1)
    assert (page["total"], len(page["decisions"]), page["limit"]) == (2, 1, 1)
    assert page["decisions"][0]["action_type"] == "wipe"
    assert page["stats"]["blocks_24h"] == 2
    assert agent.get_guard_decisions()["total"] == 3


def test_an_allowed_action_through_to_its_trace(agent: PublishedClient) -> None:
    created = agent.create_action("deploy", "Put it on staging", risk_score=30, systems_touched=["staging"])
    action_id = created["action_id"]
    assert created["action"]["status"] == "running"
    assert created["action"]["agent_id"] == "bot"
    believed = agent.register_assumption(action_id, "Staging is free", basis="the calendar")
    assumption_id = believed["assumption_id"]
    assert believed["assumption"]["validated"] is False
    assert agent.get_assumption(assumption_id)["assumption"]["basis"] == "the calendar"
    judged = agent.validate_assumption(assumption_id, False, "it was in use")["assumption"]
    assert (judged["invalidated"], judged["invalidated_reason"]) == (True, "it was in use")
    done = agent.update_outcome(action_id, status="failed", error_message="no slot", cost_estimate=0.25)
    assert (done["action"]["status"], done["action"]["cost_estimate"]) == ("failed", 0.25)
    found = agent.get_action(action_id)
    assert found["action"]["error_message"] == "no slot"
    assert [each["assumption_id"] for each in found["assumptions"]] == [assumption_id]
    listed = agent.get_actions(agent_id="bot", status="failed", limit=5)
    assert (listed["total"], listed["actions"][0]["action_id"], listed["stats"]["failed"]) == (1, action_id, 1)
    trace = agent.get_action_trace(action_id)["trace"]
    assert (trace["assumptions"]["total"], trace["assumptions"]["invalidated"]) == (1, 1)
    assert [cause["type"] for cause in trace["root_cause_indicators"]] == ["invalidated_assumption"]


def test_an_outcome_in_every_form(agent: PublishedClient) -> None:
    action_id = agent.create_action("look", "See")["action_id"]
    outcome = {"status": "completed", "output_summary": "seen", "tokens_in": 12}
    # The oldest one takes keywords only.
    done = (
        agent.update_outcome(action_id, **outcome) if agent.version == "2.1.0" else _mapped(agent, action_id, outcome)
    )
    assert (done["action"]["output_summary"], done["action"]["tokens_in"]) == ("seen", 12)
    assert done["action"]["timestamp_end"] is not None


def _mapped(agent: PublishedClient, action_id: str, outcome: dict[str, Any]) -> Any:
    """What came later: outcomes and assumptions as mappings, and the context of an action."""
    recorded = agent.record_assumption({"action_id": action_id, "assumption": "It is quiet", "basis": "the log"})
    assert recorded["assumption"]["assumption"] == "It is quiet"
    believed, done = agent.in_context(action_id, {"assumption": "Nobody looks"}, status="running")
    assert (believed["assumption"]["action_id"], done["action"]["status"]) == (action_id, "running")
    return agent.update_outcome(action_id, outcome)


def test_a_blocked_action_is_their_own_error(agent: PublishedClient) -> None:
    with pytest.raises(PublishedError) as blocked:
        agent.create_action("wipe", "Make room")
    assert blocked.value.members["status"] == 403
    if agent.version == "2.1.0":
        # The oldest one knows a refusal by its status and its text.
        assert blocked.value.type == "DashClawError"
        assert "Nobody wipes" in blocked.value.text
    else:
        assert blocked.value.type == "GuardBlockedError"
        assert blocked.value.members["decision"] == "block"
        assert blocked.value.members["reasons"][0].startswith("Nobody wipes")
    listed = agent.get_actions(status="blocked")
    assert listed["actions"][0]["declared_goal"] == "Make room"


def test_what_is_wrong_is_said_in_their_own_error(agent: PublishedClient) -> None:
    with pytest.raises(PublishedError) as unknown:
        agent.get_action("act_unknown")
    assert (unknown.value.members["status"], "act_unknown" in unknown.value.text) == (404, True)
    with pytest.raises(PublishedError) as wrong:
        agent.create_action("look", "See", confidence="sure")
    assert wrong.value.members["status"] == 400
    assert wrong.value.members["details"][0].startswith("confidence: ")


def wait(agent: PublishedClient, action_id: str) -> None:
    """Let it wait; the newest one must hear of the decision on the stream: it looks again after ten minutes."""
    agent.send("wait_for_approval", action_id, timeout=WAIT, interval=600 if agent.version == "4.8.0" else 0.05)


def listening(agent: PublishedClient) -> None:
    """Give the newest one the time to open its stream; without it, it is told of recent decisions when it does."""
    time.sleep(0.2 if agent.version == "4.8.0" else 0.0)


@pytest.mark.parametrize("early", [False, True], ids=["while it waits", "before it listens"])
def test_an_approval_unblocks_it(agent: PublishedClient, boss: PublishedClient, early: bool) -> None:
    created = agent.create_action("pay", "Pay the invoice")
    action_id = created["action_id"]
    assert created["action"]["status"] == "pending_approval"
    waiting = boss.get_pending_approvals(limit=5)
    assert [action["action_id"] for action in waiting["actions"]] == [action_id]
    if not early:
        wait(agent, action_id)
        listening(agent)
    approved = boss.approve_action(action_id, "allow", "in order")
    assert (approved["success"], approved["action"]["approved_by"]) == (True, "First admin key")
    decided = time.monotonic()
    if early:
        wait(agent, action_id)
    result = agent.receive()
    assert time.monotonic() - decided < SOON
    assert (result["action"]["action_id"], result["action"]["status"]) == (action_id, "running")
    assert result["action"]["approved_by"] == "First admin key"
    assert boss.get_pending_approvals()["total"] == 0


def test_a_denial_unblocks_it_with_the_reason(agent: PublishedClient, boss: PublishedClient) -> None:
    action_id = agent.create_action("pay", "Pay twice")["action_id"]
    wait(agent, action_id)
    listening(agent)
    boss.approve_action(action_id, "deny", "once is enough")
    decided = time.monotonic()
    with pytest.raises(PublishedError, match="once is enough") as denied:
        agent.receive()
    assert time.monotonic() - decided < SOON
    assert denied.value.type == "ApprovalDeniedError"
    if agent.version != "2.1.0":
        assert denied.value.members["decision"] == "cancelled"


def test_a_withdrawal_unblocks_it_as_a_denial_with_the_reason(
    asking: Tenant, agent: PublishedClient, boss: PublishedClient
) -> None:
    action_id = agent.create_action("pay", "Pay the invoice")["action_id"]
    wait(agent, action_id)
    listening(agent)
    asking.call("POST", f"/api/actions/{action_id}/withdraw", {"reason": "the customer hung up"})
    ended = time.monotonic()
    with pytest.raises(PublishedError, match="the customer hung up") as withdrawn:
        agent.receive()
    assert time.monotonic() - ended < SOON
    assert withdrawn.value.type == "ApprovalDeniedError"
    assert boss.get_pending_approvals()["total"] == 0


def test_an_agent_cannot_approve(asking: Tenant, agent: PublishedClient) -> None:
    action_id = agent.create_action("pay", "Pay")["action_id"]
    with pytest.raises(PublishedError) as refused:
        agent.approve_action(action_id, "allow")
    assert refused.value.members["status"] == 403
    assert asking.action(action_id)["status"] == "pending_approval"


def test_track(agent: PublishedClient) -> None:
    done = agent.get_action(agent.track("look", "See")["action_id"])["action"]
    assert (done["status"], done["duration_ms"] >= 0) == ("completed", True)
    with pytest.raises(PublishedError, match="out of paper"):
        agent.track("print", "Print it", failing="out of paper")
    (failed,) = agent.get_actions(status="failed")["actions"]
    assert (failed["action_type"], failed["error_message"]) == ("print", "out of paper")


def test_policies(agent: PublishedClient, boss: PublishedClient) -> None:
    imported: dict[str, Any] = boss.import_policies(yaml=PACK)
    assert imported["imported"] == 1
    assert "No mail" in [policy["name"] for policy in imported["policies"]]
    assert agent.guard({"action_type": "mail"})["decision"] == "block"
    tested = boss.test_policies()
    # The default pack's four, two of this organization, and the one imported.
    assert (tested["success"], tested["total"], tested["passed"], tested["failed"]) == (True, 7, 7, 0)
    assert {check["passed"] for check in tested["results"]} == {True}
    assert boss.import_policies(pack="default")["imported"] == 0
    with pytest.raises(PublishedError) as refused:
        agent.import_policies(yaml=PACK)
    assert refused.value.members["status"] == 403


def test_the_drift_report_counts_assumptions(agent: PublishedClient) -> None:
    action_id = agent.create_action("look", "See")["action_id"]
    believed = agent.register_assumption(action_id, "It is day")["assumption_id"]
    agent.register_assumption(action_id, "It is quiet")
    agent.validate_assumption(believed, True)
    report = agent.get_drift_report(action_id=action_id)
    assert report["drift_summary"] == {"total": 2, "at_risk": 0, "validated": 1, "invalidated": 0, "unvalidated": 1}


def test_a_wrapped_model_reports_what_it_used(agent: PublishedClient, asking: Tenant) -> None:
    usage = {"input_tokens": 12, "output_tokens": 7}
    assert agent.wrapped(model="some-model", usage=usage) == "some-model"
    (reported,) = asking.call("GET", "/api/tokens")["usage"]
    assert (reported["tokens_in"], reported["tokens_out"], reported["model"]) == (12, 7, "some-model")


@only(NEWEST)
def test_a_derived_key_makes_a_creation_repeatable(agent: PublishedClient) -> None:
    key = agent.derive_idempotency_key({"agent_id": "bot", "request": 7})
    first = agent.create_action("look", "See", idempotency_key=key)
    again = agent.create_action("look", "See", idempotency_key=key)
    assert (again["action_id"], again["idempotent_replay"]) == (first["action_id"], True)
    assert agent.get_actions()["total"] == 1
