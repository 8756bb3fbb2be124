"""An agent takes its question back: what everybody sees, and that a decision which races with it has one winner."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections import Counter
from typing import Any

import httpx
import pytest

from assent import ApprovalWithdrawnError, Conflict
from tests.live import WAIT
from tests.stories.proving import bundle_of, failing, offline, published_keys
from tests.stories.rush import at_once, request
from tests.stories.tenant import Tenant
from tests.stories.waiting_agent import waiting_agent
from tests.tiers import deep

ROUNDS = 60


@pytest.fixture(scope="module")
def office(shared_tenant: Tenant) -> Tenant:
    shared_tenant.governed()
    shared_tenant.add_key("bound", "agent", "bot")
    shared_tenant.add_key("other", "agent", "other")
    return shared_tenant


def test_a_withdrawal_and_a_decision_at_once_have_one_winner(office: Tenant) -> None:
    """Sixty rounds, three of each side at once; over them both sides win."""
    body = {"approve": {"decision": "allow", "reasoning": "go"}, "withdraw": {"reason": "nobody waits"}}
    winners: Counter[str] = Counter()
    for turn in range(ROUNDS):
        action_id = office.create("pay", agent_id="bot")
        before = office.recorded()
        kinds = ["approve", "withdraw"] * 3 if turn % 2 else ["withdraw", "approve"] * 3
        answers = at_once(
            office.service.port,
            [
                request(
                    f"/api/actions/{action_id}/{kind}",
                    json.dumps(body[kind]).encode(),
                    office.keys["operator" if kind == "approve" else "bound"],
                    None,
                )
                for kind in kinds
            ],
        )
        detail = office.call("GET", f"/api/actions/{action_id}")
        state = detail["approval"]["state"]
        won = {"approved": "approve", "withdrawn": "withdraw"}[state]
        winners[won] += 1
        assert detail["action"]["status"] == {"approve": "running", "withdraw": "cancelled"}[won]
        for kind, (status, answer) in zip(kinds, answers, strict=True):
            if status == 200:
                assert kind == won
                assert answer["approval"]["state"] == state
            else:
                # Of several operators one decides; a withdrawal that came after another one found what it wanted.
                assert status == 409
                assert answer["code"] == ("already_decided" if won == "approve" else "approval_withdrawn")
                assert answer["approval"]["state"] == state
        given = Counter(kind for kind, (status, _) in zip(kinds, answers, strict=True) if status == 200)
        assert given == ({"approve": 1} if won == "approve" else {"withdraw": 3})
        # The end of the approval and the action's change, and nothing for those who came too late.
        assert office.recorded() == before + 2
    assert set(winners) == {"approve", "withdraw"}, f"the race is none: {winners}"


@deep("one story of each kind is in the quick tier")
def test_whoever_waits_beside_is_told_and_operators_see_it_at_once(office: Tenant) -> None:
    action_id = office.create("pay", agent_id="bot")

    async def waits() -> None:
        async with office.async_client("bound", "bot") as first, office.async_client("bound", "bot") as second:
            waiting = asyncio.create_task(first.wait_for_approval(action_id, WAIT, interval=600))
            heard: asyncio.Future[str] = asyncio.get_running_loop().create_future()

            async def listen() -> None:
                async with office.async_client("operator", None) as operator:
                    async for event in operator.events(types="approval.withdrawn"):
                        heard.set_result(str(event.data["reasoning"]))
                        return

            listening = asyncio.create_task(listen())
            await asyncio.sleep(0.3)
            done = await second.withdraw_action(action_id, "the customer hung up")
            assert done.approval.state == "withdrawn"
            with pytest.raises(ApprovalWithdrawnError, match="the customer hung up"):
                await waiting
            assert await asyncio.wait_for(heard, WAIT) == "the customer hung up"
            await listening

    asyncio.run(waits())
    listed = office.call("GET", "/api/approvals?state=awaiting", key="operator")["approvals"]
    assert action_id not in [each["action"]["action_id"] for each in listed]
    withdrawn = office.call("GET", "/api/approvals?state=withdrawn", key="operator")["approvals"]
    assert action_id in [each["action"]["action_id"] for each in withdrawn]
    with office.client("operator", None) as operator, pytest.raises(Conflict) as late:
        operator.approve_action(action_id, "allow")
    assert late.value.code == "approval_withdrawn"


@deep("one story of each kind is in the quick tier")
def test_the_key_of_another_agent_takes_nothing_back(office: Tenant) -> None:
    action_id = office.create("pay", agent_id="bot")
    reply = office.send("POST", f"/api/actions/{action_id}/withdraw", {}, key="other")
    assert (reply.status, reply.code) == (404, "action_not_found")
    assert office.action(action_id)["status"] == "pending_approval"
    assert office.send("POST", f"/api/actions/{action_id}/withdraw", {}, key="auditor").status == 403


@deep("one story of each kind is in the quick tier")
def test_the_proof_of_a_withdrawn_action_says_that_it_did_not_run(office: Tenant) -> None:
    action_id = office.create("pay", agent_id="bot")
    office.call("POST", f"/api/actions/{action_id}/withdraw", {"reason": "nobody waits"}, key="bound")
    bundle = bundle_of(office, action_id)
    found = offline(bundle, published_keys(office.service, office.org_id))
    assert failing(found) == set()
    certificate = statement_in(bundle)
    owed = {each["id"]: each["status"] for each in certificate["checkpoints"]}
    assert (owed["approval"], owed["outcome_closure"]) == ("not_required", "not_required")
    approval = office.call("GET", f"/api/actions/{action_id}")["approval"]
    assert certificate["non_execution"] == {
        "basis": "withdrawn", "by": approval["approval_id"], "at": approval["decided_at"],
    }  # fmt: skip
    assert (certificate["approval"]["state"], certificate["approval"]["reasoning"]) == ("withdrawn", "nobody waits")
    assert certificate["outcome"] is None


@deep("one story of each kind is in the quick tier")
def test_the_proof_of_a_decision_says_whether_the_key_had_asked(office: Tenant) -> None:
    own, others = (office.create("pay", key="operator", agent_id="clerk") for _ in range(2))
    office.call("POST", f"/api/actions/{own}/approve", {"decision": "allow"}, key="operator")
    office.call("POST", f"/api/actions/{others}/approve", {"decision": "allow"}, key="admin")
    for action_id, marked in ((own, True), (others, False)):
        bundle = bundle_of(office, action_id)
        found = offline(bundle, published_keys(office.service, office.org_id))
        assert failing(found) == set()
        assert statement_in(bundle)["approval"]["self_decided"] is marked
        told = next(check["detail"] for check in found["checks"] if check["name"] == "approval_receipt")
        assert ("had opened the action itself" in told) is marked
        assert office.call("GET", f"/api/actions/{action_id}")["approval"]["self_decided"] is marked


def statement_in(bundle: dict[str, Any]) -> dict[str, Any]:
    """The certificate that was signed."""
    payload = json.loads(base64.b64decode(bundle["attestation"]["payload"]))
    certificate: dict[str, Any] = payload["predicate"]
    return certificate


def test_a_task_that_is_cancelled_while_it_waits_withdraws_its_approval(office: Tenant) -> None:
    """Inside `track`, and inside a plain wait; one that asks to keep it keeps it."""

    async def run() -> list[str]:
        async with office.async_client("bound", "bot", retries=0) as client:
            ran: list[str] = []

            async def tracked() -> None:
                async with client.track("pay", "Pay the invoice") as action:
                    ran.append(action.action_id)

            kept = (await client.create_action("pay", "Keep this")).action_id
            plain = (await client.create_action("pay", "Wait for this")).action_id
            tasks = [
                asyncio.create_task(tracked()),
                asyncio.create_task(client.wait_for_approval(plain, WAIT)),
                asyncio.create_task(client.wait_for_approval(kept, WAIT, withdraw_on_cancel=False)),
            ]
            await asyncio.sleep(0.5)
            for task in tasks:
                task.cancel()
            for task in tasks:
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert ran == []
            found = await client.get_actions(agent_id="bot", limit=3)
            waits = next(each for each in found.actions if each.declared_goal == "Pay the invoice")
            return [waits.action_id, plain, kept]

    tracked, plain, kept = asyncio.run(run())
    for action_id in (tracked, plain):
        detail = office.call("GET", f"/api/actions/{action_id}")
        assert (detail["action"]["status"], detail["approval"]["state"]) == ("cancelled", "withdrawn")
        assert detail["approval"]["reasoning"] == "CancelledError: the task was cancelled"
    assert office.call("GET", f"/api/actions/{kept}")["approval"]["state"] == "awaiting"


@deep("processes that are interrupted")
@pytest.mark.parametrize("awaited", [False, True], ids=["Client", "AsyncClient"])
def test_ctrl_c_withdraws_what_a_process_waits_for(office: Tenant, *, awaited: bool) -> None:
    action_id = office.create("pay", agent_id="bot")
    with waiting_agent(office.service.base_url, office.keys["bound"], action_id, awaited=awaited) as agent:
        time.sleep(0.3)
        assert agent.waits
        assert agent.interrupt() != 0
    approval = office.call("GET", f"/api/actions/{action_id}")["approval"]
    assert approval["state"] == "withdrawn"
    assert approval["reasoning"].startswith("CancelledError" if awaited else "KeyboardInterrupt")


@deep("one story of each kind is in the quick tier")
def test_a_body_that_is_cancelled_is_recorded_cancelled(office: Tenant) -> None:
    async def run() -> str:
        async with office.async_client("bound", "bot") as client:
            begun: asyncio.Future[str] = asyncio.get_running_loop().create_future()

            async def tracked() -> None:
                async with client.track("look", "Look for long") as action:
                    begun.set_result(action.action_id)
                    await asyncio.sleep(WAIT)

            task = asyncio.create_task(tracked())
            action_id = await begun
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert task.cancelled()
            return action_id

    action = office.action(asyncio.run(run()))
    assert (action["status"], action["error_message"]) == ("cancelled", "CancelledError: the task was cancelled")
    assert action["duration_ms"] is not None


@deep("one story of each kind is in the quick tier")
def test_a_loop_that_ends_leaves_nothing_running(office: Tenant) -> None:
    """`asyncio.run` cancels what is left when its main task ends, a report that is under way too."""

    async def main() -> str:
        begun: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def tracked() -> None:
            async with (
                office.async_client("bound", "bot") as client,
                client.track("look", "Look beside the main task") as action,
            ):
                begun.set_result(action.action_id)
                await asyncio.sleep(WAIT)

        beside = asyncio.create_task(tracked())
        action_id = await begun
        assert not beside.done()
        return action_id

    assert office.action(asyncio.run(main()))["status"] == "cancelled"


@deep("one story of each kind is in the quick tier")
def test_a_task_cancelled_at_any_moment_leaves_no_action_running(office: Tenant) -> None:
    """While the action is created, while the body runs, and while its outcome is reported: the moments differ by
    fractions of a millisecond."""

    async def run() -> Counter[str]:
        async with office.async_client("bound", "bot") as client:

            async def tracked() -> None:
                async with client.track("look", "Be quick"):
                    await asyncio.sleep(0.001)

            await tracked()
            tasks = []
            for turn in range(60):
                task = asyncio.create_task(tracked())
                await asyncio.sleep(0.0003 * turn)
                task.cancel()
                tasks.append(task)
                await asyncio.wait({task})
            assert any(task.cancelled() for task in tasks)
            found = await client.get_actions(agent_id="bot", limit=200)
            return Counter(each.status.value for each in found.actions if each.declared_goal == "Be quick")

    statuses = asyncio.run(run())
    assert set(statuses) == {"completed", "cancelled"}, statuses


@deep("one story of each kind is in the quick tier")
def test_a_service_that_does_not_answer_holds_a_cancelled_task_for_a_bounded_time(
    office: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.client.stopping.LEAVING", 0.3)
    monkeypatch.setattr("assent.client.stopping.GRACE", 0.2)

    async def hang(*_: object) -> httpx.Response:
        await asyncio.sleep(WAIT)
        raise AssertionError("nobody waits this long")

    async def run() -> float:
        loop = asyncio.get_running_loop()
        async with office.async_client("bound", "bot") as client:
            begun = asyncio.Event()

            async def tracked() -> None:
                async with client.track("look", "Hang"):
                    begun.set()
                    await asyncio.sleep(WAIT)

            task = asyncio.create_task(tracked())
            await begun.wait()
            with monkeypatch.context() as hanging:
                hanging.setattr(httpx.AsyncHTTPTransport, "handle_async_request", hang)
                began = loop.time()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                return loop.time() - began

    assert 0.4 < asyncio.run(run()) < 3
