"""An agent that waits goes on as soon as an operator decides, and not before."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from assent import (
    ApprovalDeniedError,
    ApprovalExpiredError,
    ApprovalTimeoutError,
    Code,
    Conflict,
    Forbidden,
    Gone,
    NotAwaitingApprovalError,
    Role,
)
from assent.contract.control.actions import ActionStatus
from tests.live import WAIT, LiveService, start_service
from tests.stories.proxy import proxy
from tests.stories.tenant import Tenant
from tests.stories.waiting_agent import NEVER, waiting_agent
from tests.tiers import deep


@pytest.fixture
def asking(tenant: Tenant) -> Tenant:
    tenant.governed()
    return tenant


@pytest.mark.parametrize("awaited", [False, True], ids=["blocking", "awaiting"])
def test_an_agent_in_another_process_goes_on_when_it_is_approved(asking: Tenant, awaited: bool) -> None:
    action_id = asking.create("pay", declared_goal="Pay the invoice")
    with waiting_agent(asking.service.base_url, asking.keys["agent"], action_id, awaited=awaited) as agent:
        assert agent.said == f"Waiting for approval of {action_id}: {asking.service.base_url}/replay/{action_id}\n"
        with asking.client("operator") as operator:
            (waiting,) = operator.get_pending_approvals().actions
            assert waiting.action_id == action_id
            assert agent.waits
            approved = operator.approve_action(action_id, "allow", "The invoice is in order")
            assert operator.get_pending_approvals().total == 0
        assert agent.ended() == {"status": "running", "approved_by": "the operator"}
    assert approved.approval.reasoning == "The invoice is in order"
    assert approved.approval.decided_by_key == asking.key_ids["operator"]
    assert approved.action.approved_at == approved.approval.decided_at


def test_an_agent_in_another_process_is_told_why_it_is_denied(asking: Tenant) -> None:
    action_id = asking.create("pay")
    with waiting_agent(asking.service.base_url, asking.keys["agent"], action_id) as agent:
        with asking.client("operator") as operator:
            operator.approve_action(action_id, "deny", "Paid last week")
        assert agent.ended() == {"error": "ApprovalDeniedError", "decision": "deny", "reasoning": "Paid last week"}
    kept = asking.action(action_id)
    assert (kept["status"], kept["error_message"], kept["approved_by"]) == ("cancelled", "Paid last week", None)


def test_an_agent_goes_on_after_its_stream_was_cut(asking: Tenant) -> None:
    action_id = asking.create("pay")
    with (
        proxy(asking.service.port) as between,
        waiting_agent(between.base_url, asking.keys["agent"], action_id, interval=0.5) as agent,
        asking.client("operator") as operator,
    ):
        assert between.looks.acquire(timeout=WAIT)
        # Decided while nobody listens: the wait must not depend on hearing of it.
        port, between.port = between.port, 1
        between.cut()
        operator.approve_action(action_id, "allow")
        between.port = port
        assert agent.ended() == {"status": "running", "approved_by": "the operator"}


@deep("test_kill has one in the quick tier")
def test_an_agent_goes_on_after_the_service_was_killed(tmp_path: Path, http: httpx.Client) -> None:
    with start_service(tmp_path / "home") as first:
        before = Tenant(first, http)
        before.governed()
        action_id = before.create("pay")
        key = before.keys["agent"]
        with proxy(first.port) as between, waiting_agent(between.base_url, key, action_id, interval=0.5) as agent:
            assert between.looks.acquire(timeout=WAIT)
            first.kill()
            with start_service(tmp_path / "home") as second:
                between.port = second.port
                approve = f"{second.base_url}/api/actions/{action_id}/approve"
                headers = {"x-api-key": before.keys["operator"]}
                denied = http.post(approve, json={"decision": "deny", "reasoning": "not now"}, headers=headers)
                assert denied.is_success
                assert agent.ended()["reasoning"] == "not now"


def test_a_wait_that_nobody_ends_is_a_timeout_of_its_own(asking: Tenant) -> None:
    with asking.client() as client:
        created = client.create_action("pay")
        with pytest.raises(ApprovalTimeoutError) as late:
            client.wait_for_approval(created.action_id, timeout=0.3)
        assert late.value.action_id == created.action_id
        assert client.get_action(created.action_id).action.status is ActionStatus.PENDING_APPROVAL


async def test_waiting_for_what_needs_no_approval_or_is_over(asking: Tenant) -> None:
    async with asking.async_client() as client:
        running = await client.create_action("look")
        assert (await client.wait_for_approval(running.action_id)).action_id == running.action_id
        await client.update_outcome(running.action_id, "completed")
        with pytest.raises(NotAwaitingApprovalError):
            await client.wait_for_approval(running.action_id)


def test_track_waits_and_does_not_run_what_is_denied(asking: Tenant) -> None:
    ran: list[str] = []
    errors: list[ApprovalDeniedError] = []

    def work() -> None:
        with asking.client() as client:
            try:
                with client.track("pay", "Pay twice", approval_timeout=WAIT):
                    ran.append("paid")
            except ApprovalDeniedError as error:
                errors.append(error)

    agent = threading.Thread(target=work)
    agent.start()
    with asking.client("operator") as operator:
        while not (waiting := operator.get_pending_approvals().actions):
            time.sleep(0.01)
        operator.approve_action(waiting[0].action_id, "deny", "Once is enough")
    agent.join(WAIT)
    assert (ran, errors[0].reasoning) == ([], "Once is enough")


def test_only_operators_decide_and_only_once(asking: Tenant) -> None:
    action_id = asking.create("pay")
    with asking.client() as agent, asking.client("auditor") as auditor, asking.client("operator") as operator:
        for client in (agent, auditor):
            with pytest.raises(Forbidden):
                client.approve_action(action_id, "allow")
        with pytest.raises(Conflict) as early:
            agent.update_outcome(action_id, "completed")
        assert early.value.code is Code.AWAITING_APPROVAL
        first = operator.approve_action(action_id, "deny", "no", idempotency_key="k1")
        again = operator.approve_action(action_id, "deny", "no", idempotency_key="k1")
        assert again.approval == first.approval
        with pytest.raises(Conflict, match="the operator has denied") as second:
            operator.approve_action(action_id, "allow", idempotency_key="k2")
        assert second.value.problem["approval"]["decided_by"] == "the operator"
        with pytest.raises(Conflict) as never:
            operator.approve_action(asking.create("look"), "allow")
        assert never.value.code is Code.NOT_AWAITING_APPROVAL


def test_an_agent_may_ask_for_approval_itself(asking: Tenant) -> None:
    with asking.client() as agent, asking.client("admin") as admin:
        created = agent.create_action("look", status="pending_approval")
        assert created.approval is not None
        admin.approve_action(created.action_id, "allow")
        assert agent.wait_for_approval(created.action_id, interval=NEVER).approved_by == "First admin key"


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service on which an operator has less than a second."""
    home = tmp_path_factory.mktemp("hasty") / "home"
    home.mkdir()
    (home / "assent.toml").write_text("approval_hours = 0.0002\n")
    with start_service(home) as running:
        yield running


@deep("waits for time to pass")
def test_time_decides_when_nobody_does(hasty: LiveService, http: httpx.Client) -> None:
    tenant = Tenant(hasty, http)
    tenant.governed()
    with tenant.client() as agent, tenant.client("operator") as operator:
        created = agent.create_action("pay")
        with pytest.raises(ApprovalExpiredError) as expired:
            agent.wait_for_approval(created.action_id, timeout=WAIT, interval=NEVER)
        assert expired.value.action.status is ActionStatus.CANCELLED
        with pytest.raises(Gone) as late:
            operator.approve_action(created.action_id, "allow")
        assert late.value.code is Code.APPROVAL_EXPIRED
        trace = agent.get_action_trace(created.action_id)
        assert operator.get_pending_approvals().total == 0
    assert [change.kind for change in trace.trace.changes] == ["expiry"]
    assert [cause.type for cause in trace.trace.root_cause_indicators] == ["approval_expired"]
    assert trace.approval is not None
    assert (trace.approval.state, trace.approval.decided_by) == ("expired", None)


def test_an_operator_bound_by_role_not_by_agent(asking: Tenant) -> None:
    """An operator's key decides for every agent of its organization."""
    asking.add_key("one-agent", Role.AGENT, "a-1")
    action_id = asking.create("pay", key="one-agent")
    assert asking.action(action_id)["agent_id"] == "a-1"
    with asking.client("operator") as operator:
        assert operator.approve_action(action_id, "allow").action.status is ActionStatus.RUNNING
