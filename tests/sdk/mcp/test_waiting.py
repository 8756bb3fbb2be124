"""Waiting for a person: another process decides, and meanwhile the server answers everything else."""

from __future__ import annotations

import asyncio
import subprocess
from typing import Any

import anyio
import pytest
from mcp import Client

from assent.mcp import calls
from tests.live import WAIT
from tests.sdk.mcp.host import ASSENT, DOWN_LEVEL, MODERN, environment, inside, told
from tests.stories.tenant import Tenant
from tests.tiers import deep

each_mode = pytest.mark.parametrize(
    "mode", [MODERN, pytest.param(DOWN_LEVEL, marks=deep("the version of today is in the quick tier"))]
)


async def decide(tenant: Tenant, *arguments: str) -> None:
    """An operator decides, in a process of their own."""
    env = environment(tenant, ASSENT_API_KEY=tenant.keys["operator"])
    command = [ASSENT, *arguments]
    await asyncio.to_thread(subprocess.run, command, env=env, check=True, capture_output=True, timeout=WAIT)


async def paying(host: Client, **more: Any) -> str:
    created = await told(host, "create_action", action_type="pay", declared_goal="Pay 5", **more)
    assert (created["may_act"], created["status"]) == (False, "pending_approval")
    assert f"/replay/{created['action_id']}" in created["what_to_do"]
    action_id: str = created["action_id"]
    return action_id


@each_mode
async def test_an_approval_ends_the_wait_and_a_denial_allows_nothing(tenant: Tenant, mode: str) -> None:
    async with inside(tenant.async_client(), mode, patience=WAIT) as host:
        yes, no = await paying(host), await paying(host)
        waits = [asyncio.create_task(told(host, "wait_for_approval", action_id=each)) for each in (yes, no)]
        # Both wait, and the server answers all the same.
        assert (await told(host, "guard", action_type="look"))["may_act"] is True
        assert not any(wait.done() for wait in waits)
        await decide(tenant, "approve", yes, "--reason", "Checked")
        await decide(tenant, "deny", no, "--reason", "Not on a Friday")
        approved, denied = await asyncio.gather(*waits)
    assert (approved["may_act"], approved["ended"], approved["action_id"]) == (True, "approved", yes)
    assert approved["approval"]["reasoning"] == "Checked"
    assert (denied["may_act"], denied["ended"], denied["action_id"]) == (False, "denied", no)
    assert "Not on a Friday" in denied["what_to_do"]


async def test_nobody_decides_in_time(tenant: Tenant) -> None:
    async with inside(tenant.async_client()) as host:
        action_id = await paying(host)
        answer = await told(host, "wait_for_approval", action_id=action_id, timeout_seconds=0.3)
    assert (answer["may_act"], answer["ended"]) == (False, "still_waiting")
    assert "0.3 s" in answer["what_to_do"]


async def test_a_wait_is_as_long_as_it_was_set_where_the_call_does_not_say(tenant: Tenant) -> None:
    async with inside(tenant.async_client(), patience=0.2) as host:
        answer = await told(host, "wait_for_approval", action_id=await paying(host))
    assert "within 0.2 s" in answer["what_to_do"]


async def test_an_approval_for_a_while_is_claimed_once_for_exactly_what_was_approved(tenant: Tenant) -> None:
    async with inside(tenant.async_client()) as host:
        action_id = await paying(host, parameters={"amount": 5})
        verdict = {"decision": "allow", "conditions": ["Tell finance"], "valid_minutes": 5}
        tenant.call("POST", f"/api/actions/{action_id}/approve", verdict, key="operator")
        waited = await told(host, "wait_for_approval", action_id=action_id)
        assert (waited["may_act"], waited["ended"]) == (False, "approved")
        assert "claim_action" in waited["what_to_do"]
        claim = {"action_id": action_id, "action_type": "pay", "declared_goal": "Pay 5"}
        other = await host.call_tool("claim_action", {**claim, "parameters": {"amount": 500}})
        mine = await told(host, "claim_action", **claim, parameters={"amount": 5})
        again = await host.call_tool("claim_action", {**claim, "parameters": {"amount": 5}})
    assert (other.is_error, again.is_error) == (True, True)
    assert mine["may_act"] is True
    assert "Tell finance" in mine["what_to_do"]


async def test_a_repeated_creation_does_not_pass_by_an_approval(tenant: Tenant) -> None:
    async with inside(tenant.async_client()) as host:
        action_id = await paying(host, idempotency_key="once")
        tenant.call(
            "POST", f"/api/actions/{action_id}/approve", {"decision": "allow", "valid_minutes": 5}, key="operator"
        )
        approved = await told(host, "create_action", action_type="pay", declared_goal="Pay 5", idempotency_key="once")
        await told(host, "claim_action", action_id=action_id, action_type="pay", declared_goal="Pay 5")
        used = await told(host, "create_action", action_type="pay", declared_goal="Pay 5", idempotency_key="once")
    for again in (approved, used):
        assert (again["action_id"], again["status"], again["may_act"]) == (action_id, "running", False)
        assert "wait_for_approval" in again["what_to_do"]


@each_mode
async def test_a_host_that_asks_hears_that_the_wait_goes_on(
    tenant: Tenant, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "INTERVAL", 0.1)
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with inside(tenant.async_client(), mode) as host:
        action_id = await paying(host)
        asked = {"action_id": action_id, "timeout_seconds": 1}
        await host.call_tool("wait_for_approval", asked, progress_callback=hear)
        told_before = len(heard)
        await anyio.sleep(0.3)
        assert len(heard) == told_before > 2
    assert [progress for progress, _, _ in heard] == sorted({progress for progress, _, _ in heard})
    assert all(total == 1 and message is not None and action_id in message for _, total, message in heard)


@each_mode
async def test_a_cancelled_wait_ends_and_the_action_still_waits(tenant: Tenant, mode: str) -> None:
    async with inside(tenant.async_client(), mode, patience=WAIT) as host:
        action_id = await paying(host)
        with anyio.move_on_after(0.5) as scope:
            await host.call_tool("wait_for_approval", {"action_id": action_id})
        assert scope.cancelled_caught
        assert (await told(host, "guard", action_type="look"))["may_act"] is True
    assert tenant.action(action_id)["status"] == "pending_approval"


async def test_a_question_is_put_to_the_model_in_words_and_allows_nothing(tenant: Tenant) -> None:
    """It answers in words, then by a changed request, which is what the operator approves."""
    async with inside(tenant.async_client(), patience=WAIT) as host:
        old = await paying(host, parameters={"amount": 5})
        said = {"text": "To whom?", "conditions": ["only 3 EUR"]}
        made = tenant.call("POST", f"/api/actions/{old}/questions", said, key="operator")["question"]
        asked = await told(host, "wait_for_approval", action_id=old)
        assert (asked["may_act"], asked["ended"]) == (False, "question")
        assert asked["question"]["question_id"] == made["question_id"]
        for words in ("the operator asks", "To whom?", "only 3 EUR", "do not carry it out", made["question_id"], old):
            assert words in asked["what_to_do"]
        answered = await told(host, "answer_question", question_id=made["question_id"], answer="To the printer.")
        assert answered["question"]["answer"] == "To the printer."
        waits = await told(host, "wait_for_approval", action_id=old, timeout_seconds=0.3)
        assert (waits["may_act"], waits["ended"], waits["question"]) == (False, "still_waiting", None)
        tenant.call("POST", f"/api/actions/{old}/questions", {"text": "Less?"}, key="operator")
        new = await paying(host, parameters={"amount": 3}, replaces=old)
        gone = await told(host, "wait_for_approval", action_id=old)
        assert (gone["may_act"], gone["ended"]) == (False, "withdrawn")
        tenant.call("POST", f"/api/actions/{new}/approve", {"decision": "allow"}, key="operator")
        assert (await told(host, "wait_for_approval", action_id=new))["may_act"] is True
