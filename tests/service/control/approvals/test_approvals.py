"""Approvals on a running service, without HTTP: one winner, repeats, expiry by time."""

from __future__ import annotations

import asyncio
import errno
from datetime import timedelta
from pathlib import Path

import pytest

from assent.contract.control.actions import APPROVE_ACTION, CREATE_ACTION, Action
from assent.contract.control.approvals import Approval, ApproveAction, Verdict
from assent.contract.control.claims import ClaimAction, ClaimedAction
from assent.contract.control.policies import PolicyDraft
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base import memory
from assent_service.base.problem import Refusal
from assent_service.control.approvals import ApprovalStore
from tests.service.control.actions.world import HOUR, MINUTE, World, opened, refused

DAY = 24 * HOUR


@pytest.fixture
async def waiting(world: World) -> Action:
    """A refund that waits for an operator."""
    return await ask(world)


async def ask(world: World) -> Action:
    policies = world.service.policies.state.list(world.org_id)
    if not any(policy.policy_type == "require_approval" for policy in policies):
        await world.policy("require_approval", {"action_types": ["refund"]})
    created = await world.create(agent_id="bot")
    assert created.approval is not None
    return created.action


async def approval_of(world: World, action: Action) -> Approval:
    found = await world.service.actions.approval(action)
    assert found is not None
    return found


def store(world: World) -> ApprovalStore:
    return next(memory for memory in world.service.memories if isinstance(memory, ApprovalStore))


async def test_asking_records_action_and_approval_together(world: World, waiting: Action) -> None:
    approval = await approval_of(world, waiting)
    assert (waiting.status, waiting.approval_id, waiting.decision) == (
        "pending_approval",
        approval.approval_id,
        "require_approval",
    )
    assert approval.expires_at - approval.requested_at == timedelta(hours=24)
    assert approval.reasons
    decision, created, requested = (await world.events())[-3:]
    assert [each.type for each in (decision, created, requested)] == [
        "guard.decision.created",
        "action.created",
        "approval.requested",
    ]
    assert decision.batch == created.batch == requested.batch
    assert requested.action == waiting.action_id


async def test_allowing_lets_it_run_and_says_who(world: World, waiting: Action) -> None:
    action = await world.decide(waiting, "allow", world.operator("Ann"))
    assert (action.status, action.approved_by, action.revision) == ("running", "Ann", 1)
    approval = await approval_of(world, waiting)
    assert (approval.state, approval.decided_by, approval.decided_by_key) == ("approved", "Ann", "key_Ann")
    assert action.approved_at == approval.decided_at
    assert await world.service.actions.visible(world.admin, waiting.action_id) == action
    assert (await world.report(waiting, status="completed")).status == "completed"


@pytest.mark.parametrize(("why", "said"), [("too much", "too much"), (None, "Denied by a human operator.")])
async def test_denying_cancels_it_with_the_reason(world: World, waiting: Action, why: str | None, said: str) -> None:
    action = await world.decide(waiting, "deny", world.operator("Ann"), why=why)
    assert (action.status, action.error_message, action.approved_by) == ("cancelled", said, None)
    assert action.timestamp_end is not None
    assert (await approval_of(world, waiting)).state == "denied"
    assert (await world.report(waiting, status="failed")).status == "failed"


async def test_of_many_who_decide_at_once_one_wins_and_the_others_are_told_who(world: World) -> None:
    for _ in range(10):
        action = await ask(world)
        people = [(world.operator(f"op{n}"), "allow" if n % 2 else "deny") for n in range(20)]
        answers = await asyncio.gather(
            *(world.decide(action, verdict, by) for by, verdict in people), return_exceptions=True
        )
        (won,) = [number for number, answer in enumerate(answers) if isinstance(answer, Action)]
        winner, verdict = people[won]
        approval = await approval_of(world, action)
        assert approval.decided_by == winner.name
        assert approval.state == {"allow": "approved", "deny": "denied"}[verdict]
        for answer in answers:
            if isinstance(answer, Refusal):
                assert answer.code is Code.ALREADY_DECIDED
                assert f"{winner.name} has {approval.state}" in answer.detail
                assert answer.extras["approval"] == approval
        decided = [event for event in await world.events(kind="approval.decided") if event.action == action.action_id]
        assert len(decided) == 1


async def test_a_repeat_with_the_same_key_gets_the_first_answer(world: World, waiting: Action) -> None:
    ann, bob = world.operator("Ann"), world.operator("Bob")
    first = await world.decide(waiting, "allow", ann, key="k1")
    count = len(await world.events())
    world.clock.turn(2 * DAY)
    assert await world.decide(waiting, "allow", ann, key="k1") == first
    for verdict, key in (("deny", "k1"), ("allow", "k2"), ("allow", None), ("deny", None)):
        async with refused(Code.ALREADY_DECIDED) as found:
            await world.decide(waiting, verdict, bob, key=key)
        assert "Ann has approved" in found.value.detail
    assert len(await world.events()) == count


async def test_repeats_at_once_are_one_decision(world: World, waiting: Action) -> None:
    ann = world.operator("Ann")
    answers = await asyncio.gather(*(world.decide(waiting, "allow", ann, key="k1") for _ in range(8)))
    assert {(answer.status, answer.revision) for answer in answers} == {("running", 1)}
    assert len(await world.events(kind="approval.decided")) == 1


async def test_there_is_nothing_to_decide_on_what_never_asked(world: World) -> None:
    action = await world.act()
    async with refused(Code.NOT_AWAITING_APPROVAL):
        await world.decide(action, "allow")
    async with refused(Code.ACTION_NOT_FOUND):
        await world.service.approvals.decide(world.admin, "act_nobody", _allow(), None)


async def test_another_organization_finds_nothing_to_decide(world: World, waiting: Action) -> None:
    stranger = await world.stranger()
    async with refused(Code.ACTION_NOT_FOUND):
        await world.decide(waiting, "allow", stranger)
    # The same id over there is another action.
    theirs = await world.act(stranger, action_id=waiting.action_id, status="pending_approval")
    await world.decide(theirs, "deny", stranger)
    assert (await approval_of(world, waiting)).state == "awaiting"
    assert (await world.service.actions.visible(world.admin, waiting.action_id)).status == "pending_approval"


def test_no_agents_key_and_no_auditors_may_approve() -> None:
    assert APPROVE_ACTION.roles == frozenset({Role.OPERATOR, Role.ADMIN})
    assert CREATE_ACTION.roles is not None
    assert Role.AGENT in CREATE_ACTION.roles


async def test_an_outcome_waits_for_the_operator(world: World, waiting: Action) -> None:
    async with refused(Code.AWAITING_APPROVAL):
        await world.report(waiting, status="completed")
    assert await world.report(waiting, status="completed", close_if_running=True) == waiting
    assert (await approval_of(world, waiting)).state == "awaiting"


async def test_time_expires_what_nobody_decided(world: World, waiting: Action) -> None:
    approval = await approval_of(world, waiting)
    world.clock.now = int((approval.expires_at.timestamp() - 1) * 1_000_000)
    assert await world.service.approvals.expire_overdue() == 0
    world.clock.turn(2_000_000)
    # Before anybody has looked, it is too late all the same.
    async with refused(Code.APPROVAL_EXPIRED):
        await world.decide(waiting, "allow")
    assert await world.service.approvals.expire_overdue() == 1
    assert await world.service.approvals.expire_overdue() == 0
    expired = await approval_of(world, waiting)
    assert (expired.state, expired.decided_by) == ("expired", None)
    action = await world.service.actions.visible(world.admin, waiting.action_id)
    assert action.status == "cancelled"
    assert str(action.error_message).startswith("The approval expired at 2026-03-03T09:00:00")
    assert [(each.type, each.actor) for each in (await world.events())[-2:]] == [
        ("approval.expired", "system"),
        ("action.updated", "system"),
    ]
    async with refused(Code.APPROVAL_EXPIRED):
        await world.decide(waiting, "allow")
    assert store(world).awaiting == {}


async def test_a_decision_and_the_expiry_do_not_both_happen(world: World, waiting: Action) -> None:
    await world.decide(waiting, "allow")
    world.clock.turn(2 * DAY)
    assert await world.service.approvals.expire_overdue() == 0
    assert (await approval_of(world, waiting)).state == "approved"


async def test_the_life_of_an_approval_is_a_setting(tmp_path: Path) -> None:
    async with opened(tmp_path, approval_hours=0.5) as world:
        action = await ask(world)
        world.clock.turn(31 * MINUTE)
        assert await world.service.approvals.expire_overdue() == 1
        assert (await approval_of(world, action)).state == "expired"


async def test_an_expiry_that_cannot_be_recorded_is_tried_again(world: World, waiting: Action) -> None:
    second = await ask(world)
    world.clock.turn(25 * HOUR)
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    assert await world.service.approvals.expire_overdue() == 0
    assert len(store(world).awaiting) == 2
    files.errors.clear()
    assert await world.service.approvals.expire_overdue() == 2
    for action in (waiting, second):
        assert (await approval_of(world, action)).state == "expired"


async def test_an_approval_that_cannot_expire_does_not_keep_the_others_from_it(
    world: World, waiting: Action, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = await ask(world)
    world.clock.turn(25 * HOUR)
    find = world.service.actions.find

    async def find_but_the_first(org_id: str, action_id: str) -> Action | None:
        if action_id == waiting.action_id:
            raise RuntimeError("nobody foresaw this")
        return await find(org_id, action_id)

    monkeypatch.setattr(world.service.actions, "find", find_but_the_first)
    assert await world.service.approvals.expire_overdue() == 1
    assert (await approval_of(world, second)).state == "expired"
    monkeypatch.undo()
    assert await world.service.approvals.expire_overdue() == 1
    assert (await approval_of(world, waiting)).state == "expired"


async def test_a_decision_that_cannot_be_recorded_has_not_happened(world: World, waiting: Action) -> None:
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    async with refused(Code.STORAGE_UNAVAILABLE):
        await world.decide(waiting, "deny", world.operator("Ann"))
    files.errors.clear()
    assert (await world.service.actions.visible(world.admin, waiting.action_id)).status == "pending_approval"
    assert (await world.decide(waiting, "allow", world.operator("Bob"))).approved_by == "Bob"


async def test_what_waited_still_waits_and_expires_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action, decided = await ask(world), await ask(world)
        await world.decide(decided, "allow")
        clock = world.clock
    clock.turn(25 * HOUR)
    async with opened(tmp_path, clock) as world:
        assert list(store(world).awaiting) == [(world.org_id, action.action_id)]
        assert await world.service.approvals.expire_overdue() == 1
        assert (await approval_of(world, action)).state == "expired"
        assert (await approval_of(world, decided)).state == "approved"


async def test_the_watch_looks_by_itself(world: World, waiting: Action, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent_service.control.approvals.approvals.LOOK_SECONDS", 0.01)
    world.clock.turn(25 * HOUR)
    world.service.approvals.start()
    expired = asyncio.Event()
    world.service.ledger.listen(lambda events: expired.set())
    await asyncio.wait_for(expired.wait(), 60)
    await world.service.approvals.stop()
    assert (await approval_of(world, waiting)).state == "expired"


def _allow() -> ApproveAction:
    return ApproveAction(decision=Verdict.ALLOW)


async def test_a_withdrawal_cancels_the_action_and_ends_the_waiting(world: World, waiting: Action) -> None:
    agent = world.somebody(Role.AGENT, "bot", "agent")
    done = await world.withdraw(waiting, agent, "the task was cancelled")
    assert (done.approval.state, done.approval.decided_by, done.approval.reasoning) == (
        "withdrawn", "agent", "the task was cancelled",
    )  # fmt: skip
    assert (done.action.status, done.action.error_message, done.action.approved_by) == (
        "cancelled", "Withdrawn: the task was cancelled", None,
    )  # fmt: skip
    assert done.action.timestamp_end == done.approval.decided_at
    last = (await world.events())[-2:]
    assert [(each.type, each.actor) for each in last] == [
        ("approval.withdrawn", "key_agent"),
        ("action.updated", "key_agent"),
    ]
    assert last[0].batch == last[1].batch
    assert store(world).awaiting == {}
    assert await approval_of(world, waiting) == done.approval
    # Said again it is the same, whoever was first and whatever is said now; nothing is recorded.
    count = len(await world.events())
    assert await world.withdraw(waiting, world.operator("Ann"), "another reason") == done
    assert len(await world.events()) == count


async def test_a_withdrawn_approval_is_neither_decided_nor_claimed_nor_expired(world: World, waiting: Action) -> None:
    await world.withdraw(waiting)
    for verdict in ("allow", "deny"):
        async with refused(Code.APPROVAL_WITHDRAWN) as found:
            await world.decide(waiting, verdict, world.operator("Ann"))
        assert found.value.status == 409
        assert found.value.extras["approval"].state == "withdrawn"
    async with refused(Code.NOT_APPROVED) as found:
        await world.service.approvals.claim(world.admin, waiting.action_id, ClaimAction(action_type="refund"), None)
    assert "was withdrawn at" in found.value.detail
    world.clock.turn(2 * DAY)
    assert await world.service.approvals.expire_overdue() == 0
    assert (await approval_of(world, waiting)).state == "withdrawn"


async def test_of_many_claims_at_once_one_uses_the_approval(world: World, waiting: Action) -> None:
    await world.decide(waiting, "allow", world.operator("Ann"))
    claim = ClaimAction(action_type="refund")
    answers = await asyncio.gather(
        *(world.service.approvals.claim(world.admin, waiting.action_id, claim, None) for _ in range(8)),
        return_exceptions=True,
    )
    assert sum(isinstance(each, ClaimedAction) for each in answers) == 1
    assert [each.code for each in answers if isinstance(each, Refusal)] == [Code.RECEIPT_USED] * 7
    assert len(await world.events(kind="approval.claimed")) == 1


async def test_no_approval_is_used_while_the_organization_is_halted(world: World, waiting: Action) -> None:
    await world.decide(waiting, "allow", world.operator("Ann"))
    claim = ClaimAction(action_type="refund")
    await world.service.halts.halt(world.admin, "runaway")
    async with refused(Code.HALTED) as found:
        await world.service.approvals.claim(world.admin, waiting.action_id, claim, "k1")
    assert "runaway" in found.value.detail
    await world.service.halts.resume(world.admin)
    used = await world.service.approvals.claim(world.admin, waiting.action_id, claim, "k1")
    assert used.approval.claimed_at is not None
    await world.service.halts.halt(world.admin, "again")
    async with refused(Code.HALTED):
        await world.service.approvals.claim(world.admin, waiting.action_id, claim, "k1")


async def test_nothing_is_allowed_while_the_organization_is_halted(world: World, waiting: Action) -> None:
    """Who waits for it would run."""
    await world.service.halts.halt(world.admin, "runaway")
    async with refused(Code.HALTED) as found:
        await world.decide(waiting, "allow", world.operator("Ann"))
    assert "runaway" in found.value.detail
    assert await world.events(kind="approval.decided") == []
    await world.service.halts.resume(world.admin)
    assert (await world.decide(waiting, "allow", world.operator("Ann"))).status == "running"
    await world.service.halts.halt(world.admin, "again")
    async with refused(Code.ALREADY_DECIDED):
        await world.decide(waiting, "allow", world.operator("Ben"))


async def test_what_waits_is_denied_while_the_organization_is_halted(world: World, waiting: Action) -> None:
    await world.service.halts.halt(world.admin, "runaway")
    assert (await world.decide(waiting, "deny", world.operator("Ann"))).status == "cancelled"


async def test_what_was_decided_or_expired_is_not_withdrawn(world: World, waiting: Action) -> None:
    await world.decide(waiting, "allow", world.operator("Ann"))
    async with refused(Code.ALREADY_DECIDED) as found:
        await world.withdraw(waiting)
    assert "Ann has approved" in found.value.detail
    late = await ask(world)
    world.clock.turn(25 * HOUR)
    async with refused(Code.APPROVAL_EXPIRED):
        await world.withdraw(late)
    async with refused(Code.NOT_AWAITING_APPROVAL):
        await world.withdraw(await world.act(action_type="look"))


async def test_a_key_of_another_agent_withdraws_nothing(world: World, waiting: Action) -> None:
    async with refused(Code.ACTION_NOT_FOUND):
        await world.withdraw(waiting, world.somebody(Role.AGENT, "other"))
    async with refused(Code.AGENT_MISMATCH):
        await world.withdraw(waiting, world.somebody(Role.OPERATOR, "other"))
    async with refused(Code.ACTION_NOT_FOUND):
        await world.withdraw(waiting, await world.stranger())
    assert (await approval_of(world, waiting)).state == "awaiting"
    assert (await world.withdraw(waiting, world.operator("Ann"))).approval.state == "withdrawn"


async def test_a_withdrawal_survives_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await ask(world)
        done = await world.withdraw(action, why="the task was cancelled")
    async with opened(tmp_path) as world:
        assert store(world).awaiting == {}
        assert await approval_of(world, action) == done.approval
        assert await world.service.actions.visible(world.admin, action.action_id) == done.action


async def test_a_key_bound_to_an_agent_never_decides_on_that_agents_actions(world: World) -> None:
    action = await ask(world)
    for role in (Role.AGENT, Role.OPERATOR, Role.ADMIN):
        for verdict in ("allow", "deny"):
            async with refused(Code.SELF_APPROVAL) as found:
                await world.decide(action, verdict, world.somebody(role, "bot"))
            assert found.value.status == 403
    assert (await approval_of(world, action)).state == "awaiting"
    assert (await world.decide(action, "allow", world.somebody(Role.OPERATOR, "another"))).status == "running"


async def test_a_decision_by_the_key_that_asked_is_marked(world: World) -> None:
    own, others = await ask(world), await ask(world)
    await world.decide(own, "allow")
    await world.decide(others, "allow", world.operator("Ann"))
    assert (await approval_of(world, own)).self_decided is True
    assert (await approval_of(world, others)).self_decided is False
    rows = await world.service.ledger.read("SELECT action_id FROM approvals WHERE self_decided", [])
    assert rows == [(own.action_id,)]


async def test_a_decision_by_the_key_that_asked_can_be_refused(tmp_path: Path) -> None:
    async with opened(tmp_path, self_decisions="refuse") as world:
        action = await ask(world)
        async with refused(Code.SELF_APPROVAL):
            await world.decide(action, "allow")
        assert (await approval_of(world, action)).state == "awaiting"
        assert (await world.decide(action, "allow", world.operator("Ann"))).status == "running"


# How many may wait


async def test_an_agent_has_at_most_so_many_that_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent_service.control.approvals.state.EACH", 5)
    async with opened(tmp_path) as world:
        await world.policy("require_approval", {"action_types": ["refund"]})
        first = [await world.act(agent_id="bot") for _ in range(5)]
        before = len(await world.events())
        async with refused(Code.TOO_MANY_WAITING) as found:
            await world.act(agent_id="bot")
        assert "5 actions of agent 'bot' wait" in found.value.detail
        assert len(await world.events()) == before, "nothing was recorded"
        await world.act(agent_id="other")
        assert (await world.act(agent_id="bot", action_type="look")).status == "running", "who need not wait goes on"
        await world.decide(first[0], "deny")
        await world.act(agent_id="bot")
    async with opened(tmp_path, world.clock) as again:
        async with refused(Code.TOO_MANY_WAITING):
            await again.act(agent_id="bot")
        again.clock.turn(2 * DAY)
        await again.service.approvals.expire_overdue()
        await again.act(agent_id="bot")


async def test_no_more_wait_than_may_when_they_come_at_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent_service.control.approvals.state.EACH", 5)
    await world.policy("require_approval", {"action_types": ["refund"]})
    results = await asyncio.gather(*(world.act(agent_id="bot") for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(each, Action) for each in results) == 5
    assert {each.code for each in results if isinstance(each, Refusal)} == {Code.TOO_MANY_WAITING}


async def test_all_that_wait_keep_to_their_budget_and_one_organization_to_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(memory.SHARES, "approvals", 60_000 / (1024 * memory.MEGABYTE))
    async with opened(tmp_path) as world:
        await world.policy("require_approval", {"action_types": ["refund"]})
        # 30,000 bytes of 4,500 each; the one that goes beyond is the last.
        for number in range(7):
            await world.act(agent_id=f"bot-{number}", declared_goal="g" * 1000)
        async with refused(Code.TOO_MANY_WAITING) as found:
            await world.act(agent_id="bot-7", declared_goal="g" * 1000)
        assert "memory_megabytes" in found.value.detail
        stranger = await world.stranger()
        await world.service.policies.create(
            stranger,
            PolicyDraft(name="ask", policy_type="require_approval", rules={"action_types": ["refund"]}),
        )
        assert (await world.act(stranger, agent_id="bot")).status == "pending_approval", "others have their half"


async def test_every_spelling_of_an_agent_is_the_agent_whose_key_decides_not(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["refund"]})
    bound = world.somebody(Role.OPERATOR, "agent-a", "bound")
    for spelled in ("agent-a", "AGENT-A", "\N{CYRILLIC SMALL LETTER A}gent-a"):
        action = await world.act(agent_id=spelled)
        async with refused(Code.SELF_APPROVAL):
            await world.decide(action, "allow", bound)


async def test_what_waits_is_counted_for_every_spelling_together(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent_service.control.approvals.state.EACH", 2)
    await world.policy("require_approval", {"action_types": ["refund"]})
    first = await world.act(agent_id="waiter")
    await world.act(agent_id="WAITER")
    async with refused(Code.TOO_MANY_WAITING):
        await world.act(agent_id="Waiter")
    await world.decide(first, "deny")
    await world.act(agent_id="Waiter")
