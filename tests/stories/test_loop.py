"""The governed loop, as an agent goes through it: ask, act, believe, report, and read what became of it."""

from __future__ import annotations

from typing import Any

import pytest

from assent import ApiError, Code, Decision, GuardBlockedError, NotFound
from assent.contract.control.actions import ActionStatus
from tests.stories.tenant import Tenant

CONTEXT: dict[str, Any] = {
    "action_type": "deploy",
    "declared_goal": "Put build 4711 on staging",
    "systems_touched": ["staging"],
}


def test_the_whole_loop(tenant: Tenant) -> None:
    with tenant.client() as client:
        asked = client.guard(CONTEXT)
        # deploy is 75 by itself, the goal says nothing, and an agent without history adds 5.
        assert (asked.decision, asked.risk_score, asked.agent_id) == (Decision.ALLOW, 80, "bot")
        created = client.create_action("deploy", CONTEXT["declared_goal"], systems_touched=["staging"])
        believed = client.record_assumption("Staging is free", action_id=created.action_id, basis="the calendar")
        client.validate_assumption(believed.assumption_id, True)
        done = client.update_outcome(created.action_id, "completed", output_summary="up", duration_ms=1200)
        trace = client.get_action_trace(created.action_id)
    assert done.action.status is ActionStatus.COMPLETED
    assert (trace.action.output_summary, trace.action.duration_ms) == ("up", 1200)
    assert trace.trace.assumptions.validated == trace.trace.assumptions.total == 1
    assert trace.trace.assumptions.items[0].basis == "the calendar"
    assert [change.kind for change in trace.trace.changes] == ["outcome"]
    assert trace.decision.decision_id == created.action.decision_id  # type: ignore[union-attr]  # live: never erased
    assert trace.trace.root_cause_indicators == []


async def test_the_whole_loop_awaited(tenant: Tenant) -> None:
    async with tenant.async_client() as client:
        asked = await client.guard(CONTEXT)
        created = await client.create_action(**CONTEXT, decision_id=asked.decision_id)
        assert created.action.decision_id == asked.decision_id
        believed = await client.record_assumption("Staging is free", action_id=created.action_id)
        await client.validate_assumption(believed.assumption_id, False, "it was in use")
        await client.update_outcome(created.action_id, {"status": "failed", "error_message": "no slot"})
        trace = await client.get_action_trace(created.action_id)
    assert trace.action.status is ActionStatus.FAILED
    (cause,) = trace.trace.root_cause_indicators
    assert (cause.type, cause.severity) == ("invalidated_assumption", "high")
    assert cause.detail[0]["invalidated_reason"] == "it was in use"


def test_a_decision_is_used_once(tenant: Tenant) -> None:
    with tenant.client() as client:
        asked = client.guard(CONTEXT)
        client.create_action(**CONTEXT, decision_id=asked.decision_id)
        with pytest.raises(ApiError) as refused:
            client.create_action(**CONTEXT, decision_id=asked.decision_id)
        another = client.guard(CONTEXT)
        with pytest.raises(ApiError, match="another context"):
            client.create_action("deploy", "Put build 4711 on production", decision_id=another.decision_id)
    assert refused.value.code is Code.DECISION_UNUSABLE


def test_a_block_is_an_error_and_stays_as_evidence(tenant: Tenant) -> None:
    tenant.governed()
    with tenant.client() as client:
        with pytest.raises(GuardBlockedError) as guarded:
            client.guard(action_type="wipe")
        assert guarded.value.action_id is None
        with pytest.raises(GuardBlockedError, match="Nobody wipes") as blocked:
            client.create_action("wipe", "Make room")
        assert blocked.value.action_id is not None
        kept = client.get_action(blocked.value.action_id).action
        listed = client.get_actions(status="blocked")
    assert kept.status is ActionStatus.BLOCKED
    assert "Nobody wipes" in (kept.error_message or "")
    assert [action.action_id for action in listed.actions] == [blocked.value.action_id]


def test_a_correction_stands_beside_what_it_replaced(tenant: Tenant) -> None:
    with tenant.client() as client:
        action_id = client.create_action("look").action_id
        client.update_outcome(action_id, "completed", output_summary="all good")
        client.update_outcome(action_id, "failed", error_message="the disk was full after all")
        client.update_outcome(action_id, "failed", error_message="the disk was full after all")
        trace = client.get_action_trace(action_id)
    outcome, correction = trace.trace.changes
    assert (outcome.kind, correction.kind) == ("outcome", "correction")
    assert correction.replaced == {"status": "completed", "error_message": None}
    assert correction.changed == {"status": "failed", "error_message": "the disk was full after all"}
    assert correction.by == "the agent"
    assert trace.action.output_summary == "all good"


def test_track_reports_how_the_block_ended(tenant: Tenant) -> None:
    with tenant.client() as client:
        with client.track("look", "Read the log") as good:
            good.record_assumption("The log is complete")
        with pytest.raises(ZeroDivisionError), client.track("look", "Divide") as bad:
            _ = 1 // 0
        fine, failed = client.get_action(good.action_id), client.get_action(bad.action_id)
    assert fine.action.status is ActionStatus.COMPLETED
    assert fine.action.duration_ms is not None
    assert [each.assumption for each in fine.assumptions] == ["The log is complete"]
    assert failed.action.status is ActionStatus.FAILED
    assert failed.action.error_message == "ZeroDivisionError: integer division or modulo by zero"


async def test_track_awaited_does_not_run_what_is_blocked(tenant: Tenant) -> None:
    tenant.governed()
    ran = False
    async with tenant.async_client() as client:
        with pytest.raises(GuardBlockedError):
            async with client.track("wipe", "Make room"):
                ran = True
        async with client.track("look") as looked:
            await looked.update_outcome("cancelled", output_summary="not needed")
        kept = (await client.get_action(looked.action_id)).action
    assert not ran
    assert (kept.status, kept.output_summary) == (ActionStatus.CANCELLED, "not needed")


def test_an_action_context_carries_the_id(tenant: Tenant) -> None:
    with tenant.client() as client:
        created = client.create_action("look")
        with client.action_context(created.action_id) as bound:
            bound.record_assumption({"assumption": "It is quiet"})
            bound.update_outcome("completed")
        detail = client.get_action(created.action_id)
    assert detail.action.status is ActionStatus.COMPLETED
    assert [each.assumption for each in detail.assumptions] == ["It is quiet"]


def test_a_repeated_creation_is_the_first_one(tenant: Tenant) -> None:
    with tenant.client() as client:
        first = client.create_action("look", "once", idempotency_key="job-1")
        before = tenant.recorded()
        again = client.create_action("look", "once", idempotency_key="job-1")
        with pytest.raises(ApiError) as other:
            client.create_action("look", "twice", idempotency_key="job-1")
        assert client.get_actions().total == 1
    assert (again.action_id, again.idempotent_replay) == (first.action_id, True)
    assert other.value.code is Code.IDEMPOTENCY_MISMATCH
    assert tenant.recorded() == before


def test_the_kill_switch_blocks_everything_at_once(tenant: Tenant) -> None:
    with tenant.client() as agent, tenant.client("operator") as operator:
        asked = agent.guard(CONTEXT)
        operator.halt("A key has leaked")
        with pytest.raises(GuardBlockedError, match="A key has leaked"):
            agent.guard(CONTEXT)
        # A decision from before the halt is no way around it.
        with pytest.raises(GuardBlockedError):
            agent.create_action(**CONTEXT, decision_id=asked.decision_id)
        assert agent.get_halt().reason == "A key has leaked"
        assert agent.get_actions(status="blocked").total == 1
        operator.resume()
        assert agent.guard(CONTEXT).decision is Decision.ALLOW


def test_the_next_guard_follows_a_changed_policy(tenant: Tenant) -> None:
    with tenant.client() as agent, tenant.client("admin") as admin:
        made = admin.create_policy("No mail", "block_action_type", {"action_types": ["mail"]}).policy
        assert agent.guard(action_type="mail", raise_on_block=False).decision is Decision.BLOCK
        admin.update_policy(made.policy_id, policy_type="require_approval")
        assert agent.guard(action_type="mail").decision is Decision.REQUIRE_APPROVAL
        admin.update_policy(made.policy_id, mode="observe")
        observed = agent.guard(action_type="mail")
        assert (observed.decision, observed.would_decide) == (Decision.ALLOW, Decision.REQUIRE_APPROVAL)
        assert observed.observed_policies == [made.policy_id]
        admin.update_policy(made.policy_id, mode="enforce", agent_ids=["somebody-else"])
        assert agent.guard(action_type="mail").matched_policies == []
        admin.delete_policy(made.policy_id)
        with pytest.raises(NotFound):
            admin.update_policy(made.policy_id, active=False)


PACK = """
version: 1
policies:
  - name: Refunds over a hundred
    policy_type: condition
    rules:
      when:
        all:
          - {field: action_type, op: eq, value: refund}
          - {field: metadata.amount, op: gt, value: 100}
      action: require_approval
  - name: Slowly
    policy_type: rate_limit
    rules: {max_actions: 2, window_minutes: 5, action: warn}
"""


def test_a_pack_is_tried_and_imported(tenant: Tenant) -> None:
    large: dict[str, Any] = {"action_type": "refund", "metadata": {"amount": 101}}
    with tenant.client() as agent, tenant.client("admin") as admin:
        imported = admin.import_policies(PACK)
        assert (imported.imported, imported.unchanged, imported.deleted) == (2, 0, 0)
        before = tenant.recorded()
        tried = admin.test_policies(large)
        assert tried.result is not None
        assert (tried.success, tried.result.decision) == (True, Decision.REQUIRE_APPROVAL)
        again = admin.import_policies(PACK)
        assert (again.imported, again.unchanged, tenant.recorded()) == (0, 2, before)
        assert agent.guard(large).decision is Decision.REQUIRE_APPROVAL
        assert agent.guard(action_type="refund", metadata={"amount": 100}).decision is Decision.ALLOW
        for _ in range(2):
            agent.create_action("look")
        assert agent.guard(action_type="look").decision is Decision.WARN
        tenant.add_key("another's", "agent", "another")
        with tenant.client("another's", "another") as other:
            assert other.guard(action_type="look").decision is Decision.ALLOW
        by_key = agent.guard(action_type="look", agent_id="another")
        assert by_key.decision is Decision.WARN, "one key for many agents counts for all of them"
        replaced = admin.import_policies("version: 1\npolicies: []\n", replace=True)
    assert (replaced.deleted, replaced.policies) == (6, [])
