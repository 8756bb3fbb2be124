"""Read by mypy and basedpyright, never called: what each operation gives, on both clients."""

from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, assert_type

from assent import (
    Action,
    ActionContext,
    ActionDetail,
    Actions,
    ActionTrace,
    ApprovedAction,
    AssumptionDetail,
    Assumptions,
    AsyncActionContext,
    AsyncClient,
    Client,
    CreatedAction,
    CreatedKey,
    CreatedOrganization,
    DeletedPolicy,
    Event,
    GuardBlockedError,
    GuardDecisions,
    GuardResult,
    Halt,
    Health,
    ImportedPolicies,
    Key,
    Keys,
    Organizations,
    Policies,
    PolicyDetail,
    PolicyTest,
    Readiness,
    RecordedAssumption,
    RevokedKey,
    UpdatedAction,
)
from assent.contract.control.loops import LoopPriority, Loops, RegisteredLoop
from assent.contract.exchange.feedback import Feedback
from assent.contract.exchange.webhooks import CreatedWebhook


def blocking(client: Client) -> None:
    assert_type(client.guard({"action_type": "deploy"}, risk_score=40), GuardResult)
    assert_type(client.get_guard_decisions("block", 10), GuardDecisions)
    assert_type(client.create_action("deploy", "ship it", risk_score=40, context={"ticket": 7}), CreatedAction)
    assert_type(client.get_action("act_1"), ActionDetail)
    assert_type(client.get_actions(status="running", limit=5), Actions)
    assert_type(client.update_outcome("act_1", "completed", duration_ms=3), UpdatedAction)
    assert_type(client.update_outcome("act_1", {"status": "failed"}), UpdatedAction)
    assert_type(client.get_action_trace("act_1"), ActionTrace)
    assert_type(client.record_assumption("it is night", action_id="act_1"), RecordedAssumption)
    assert_type(client.register_assumption("act_1", "it is night", basis="clock"), RecordedAssumption)
    assert_type(client.get_assumption("asm_1"), AssumptionDetail)
    assert_type(client.get_assumptions(action_id="act_1"), Assumptions)
    assert_type(client.validate_assumption("asm_1", False, "it was day"), AssumptionDetail)
    assert_type(client.approve_action("act_1", "allow", idempotency_key="k"), ApprovedAction)
    assert_type(client.get_pending_approvals(), Actions)
    assert_type(client.wait_for_approval("act_1", timeout=1.0), Action)
    assert_type(client.events(["action.created"]), Iterator[Event])
    assert_type(client.halt("fire"), Halt)
    assert_type(client.resume(), Halt)
    assert_type(client.get_halt(), Halt)
    assert_type(client.get_policies(), Policies)
    assert_type(client.create_policy("p", "risk_threshold", {"threshold": 80}, mode="observe"), PolicyDetail)
    assert_type(client.update_policy("pol_1", active=False), PolicyDetail)
    assert_type(client.delete_policy("pol_1"), DeletedPolicy)
    assert_type(client.import_policies(pack="default"), ImportedPolicies)
    assert_type(client.test_policies({"action_type": "deploy"}), PolicyTest)
    assert_type(client.create_key("ci", "agent"), CreatedKey)
    assert_type(client.get_keys(), Keys)
    assert_type(client.get_own_key(), Key)
    assert_type(client.revoke_key("key_1"), RevokedKey)
    assert_type(client.create_org("Acme", "acme"), CreatedOrganization)
    assert_type(client.get_org(), Organizations)
    assert_type(client.health(), Health)
    assert_type(client.ready(), Readiness)


def blocking_contexts(client: Client) -> None:
    with client.action_context("act_1") as bound:
        assert_type(bound, ActionContext)
        assert_type(bound.record_assumption("it is night"), RecordedAssumption)
    with client.track("deploy", risk_score=3) as tracked:
        assert_type(tracked, ActionContext)
        assert_type(tracked.update_outcome(output_summary="done"), UpdatedAction)
        assert_type(tracked.created, CreatedAction | None)
    try:
        client.guard(action_type="deploy")
    except GuardBlockedError as error:
        assert_type(error.decision, GuardResult)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.guard({"action_type": "deploy"}), GuardResult)
    pending = client.guard({"action_type": "deploy"})
    same = assert_type(pending, Coroutine[Any, Any, GuardResult])
    await same
    assert_type(await client.get_guard_decisions(), GuardDecisions)
    assert_type(await client.create_action("deploy", systems_touched=["db"]), CreatedAction)
    assert_type(await client.get_action("act_1"), ActionDetail)
    assert_type(await client.get_actions(), Actions)
    assert_type(await client.update_outcome("act_1", "completed"), UpdatedAction)
    assert_type(await client.get_action_trace("act_1"), ActionTrace)
    assert_type(await client.record_assumption({"action_id": "act_1", "assumption": "a"}), RecordedAssumption)
    assert_type(await client.get_assumption("asm_1"), AssumptionDetail)
    assert_type(await client.get_assumptions(), Assumptions)
    assert_type(await client.validate_assumption("asm_1", True), AssumptionDetail)
    assert_type(await client.approve_action("act_1", "deny", "no"), ApprovedAction)
    assert_type(await client.get_pending_approvals(), Actions)
    assert_type(await client.wait_for_approval("act_1"), Action)
    assert_type(client.events(), AsyncIterator[Event])
    assert_type(await client.get_halt(), Halt)
    assert_type(await client.get_policies(), Policies)
    assert_type(await client.create_key("ci"), CreatedKey)
    assert_type(await client.get_org(), Organizations)
    assert_type(await client.ready(), Readiness)
    async with client.action_context("act_1") as bound:
        assert_type(bound, AsyncActionContext)
        assert_type(await bound.update_outcome("completed"), UpdatedAction)
    async with client.track("deploy") as tracked:
        assert_type(tracked, AsyncActionContext)


def wrong(client: Client) -> None:
    client.get_action()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    client.get_action(7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    client.create_action("deploy", declared_gaol="x")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    client.create_action("deploy", risk_score="high")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    client.track("deploy", sytems_touched=[])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    client.get_open_loops(stats="open")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    client.get_open_loops(limit="5")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    client.get_feedback(7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def declared(client: Client, awaiting: AsyncClient) -> None:
    """What only sends: an id by name too, a word for an enum's member, any sequence, the endpoint's answer."""
    assert_type(client.get_feedback(feedback_id="fb_1"), Feedback)
    assert_type(client.register_open_loop("act_1", "followup", "Ask", priority=LoopPriority.HIGH), RegisteredLoop)
    assert_type(client.create_webhook("https://example.invalid", ("all",)), CreatedWebhook)
    pending = awaiting.get_open_loops(status="open", limit=None)
    assert_type(await pending, Loops)
