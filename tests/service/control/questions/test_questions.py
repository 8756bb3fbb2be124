"""Questions on a running service, without HTTP: time, restarts, memory and erasure."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.contract.control.actions import Action
from assent.contract.control.questions import AnswerQuestion, ApprovalQuestion, AskQuestion, QuestionsQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base import memory
from assent_service.control.questions import QuestionStore
from assent_service.core.principal import Principal
from tests.service.control.actions.world import DAY, World, opened, refused


async def waiting(world: World, agent_id: str = "bot") -> Action:
    policies = world.service.policies.state.list(world.org_id)
    if not any(policy.policy_type == "require_approval" for policy in policies):
        await world.policy("require_approval", {"action_types": ["refund"]})
    return await world.act(world.somebody(Role.AGENT, agent_id, agent_id), agent_id=agent_id)


async def asked(world: World, action: Action, text: str = "Why?", by: Principal | None = None) -> ApprovalQuestion:
    operator = by or world.operator("Ann")
    return await world.service.questions.ask(operator, action.action_id, AskQuestion(text=text))


async def answered(world: World, question: ApprovalQuestion, words: str, agent: str = "bot") -> ApprovalQuestion:
    who = world.somebody(Role.AGENT, agent, agent)
    return await world.service.questions.answer(who, question.question_id, AnswerQuestion(answer=words))


async def found(world: World, question: ApprovalQuestion) -> ApprovalQuestion:
    page = await world.service.questions.page(world.admin, QuestionsQuery(action_id=question.action_id))
    return next(each for each in page.questions if each.question_id == question.question_id)


def store(world: World) -> QuestionStore:
    return next(memory for memory in world.service.memories if isinstance(memory, QuestionStore))


async def test_a_question_and_its_answer_are_one_event_each_and_change_nothing_else(world: World) -> None:
    action = await waiting(world)
    before = len(await world.events())
    question = await asked(world, action)
    assert (question.asked_by, question.asked_by_key, question.approval_id) == ("Ann", "key_Ann", action.approval_id)
    await asked(world, action)  # the same words by the same key
    await asked(world, action, by=world.operator("Ben"))  # the same words by somebody else are another question
    after = await answered(world, question, "The parcel was lost.")
    assert (after.state, after.answer, after.answered_by, after.answered_by_key) == (
        "answered", "The parcel was lost.", "bot", "key_bot",
    )  # fmt: skip
    await answered(world, question, "The parcel was lost.")
    async with refused(Code.QUESTION_CLOSED) as late:
        await answered(world, question, "No, it was not.")
    assert "was answered by bot" in late.value.detail
    events = (await world.events())[before:]
    assert [(each.type, each.actor, each.action) for each in events] == [
        ("approval_question.created", "key_Ann", action.action_id),
        ("approval_question.created", "key_Ben", action.action_id),
        ("approval_question.updated", "key_bot", action.action_id),
    ]
    assert await world.service.actions.visible(world.admin, action.action_id) == action


async def test_open_questions_outlive_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await waiting(world)
        first, second = await asked(world, action), await asked(world, action, "How much?")
        await answered(world, first, "Because.")
        kept = store(world).snapshot()
        assert list(kept[world.org_id, action.action_id]) == [second.question_id]
    async with opened(tmp_path, world.clock) as again:
        assert store(again).snapshot() == kept
        await answered(again, second, "50 EUR")
        assert store(again).snapshot() == {}
        async with refused(Code.QUESTION_CLOSED):
            await answered(again, first, "For no reason.")


async def test_time_goes_on_while_a_question_is_open_and_ends_it(world: World) -> None:
    action = await waiting(world)
    question = await asked(world, action)
    world.clock.turn(DAY)
    async with refused(Code.APPROVAL_EXPIRED):  # overdue, and not recorded as such yet
        await answered(world, question, "Too late.")
    async with refused(Code.APPROVAL_EXPIRED):
        await asked(world, action, "Still there?")
    async with refused(Code.APPROVAL_EXPIRED):
        await world.act(world.somebody(Role.AGENT, "bot", "bot"), replaces=action.action_id)
    assert (await found(world, question)).state == "open"
    assert await world.service.approvals.expire_overdue() == 1
    ended = await found(world, question)
    assert (ended.state, ended.answer, ended.closed_at) == (
        "ended", None, (await world.service.actions.visible(world.admin, action.action_id)).timestamp_end,
    )  # fmt: skip
    types = [each.type for each in (await world.events())[-3:]]
    assert types == ["approval.expired", "action.updated", "approval_question.updated"]
    assert store(world).snapshot() == {}
    async with refused(Code.QUESTION_CLOSED) as late:
        await answered(world, question, "Too late.")
    assert "ended at" in late.value.detail


async def test_open_questions_keep_to_their_budget(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """10,000 bytes for one organization: of 1,500 each, and twice 3,000 characters, one is below it and two are not."""
    monkeypatch.setitem(memory.SHARES, "questions", 20_000 / (1024 * memory.MEGABYTE))
    room = QuestionStore(memory.MemoryBudget(1024))
    action = await waiting(world)
    question = await asked(world, action, "w" * 3000)
    for event in (await world.events())[-1:]:
        room.fold(event)
        room.fold(event)  # a row that comes again counts once
    room.check_room(world.org_id)
    await answered(world, question, "No.")
    await asked(world, action, "v" * 3000)
    twin = await asked(world, await waiting(world), "u" * 3000)
    for event in await world.events():
        if event.type in QuestionStore.types:
            room.fold(event)
    async with refused(Code.TOO_MANY_QUESTIONS) as full:
        room.check_room(world.org_id)
    assert "memory_megabytes" in full.value.detail
    room.check_room("org_another")
    assert twin.question_id in room.snapshot()[world.org_id, twin.action_id]


async def test_what_was_asked_goes_with_the_erasure_of_its_action(world: World) -> None:
    action = await waiting(world)
    question = await asked(world, action, "Is it for Zoë?")
    await world.decide(action, "deny", why="no")
    assert (await found(world, question)).state == "ended"
    erased = await world.http("POST", f"/api/actions/{action.action_id}/erase", {"reason": "ticket 7"})
    assert erased.status_code == 200
    page = await world.service.questions.page(world.admin, QuestionsQuery())
    assert page.questions == []


async def test_a_decision_with_nothing_asked_is_two_events_as_before(world: World) -> None:
    action = await waiting(world)
    before = len(await world.events())
    await world.decide(action, "allow")
    assert [each.type for each in (await world.events())[before:]] == ["approval.decided", "action.updated"]
