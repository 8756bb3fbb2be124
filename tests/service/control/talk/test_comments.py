"""Comments on a running service, without HTTP: while a request waits, after it has ended, and with its erasure."""

from __future__ import annotations

import pytest

from assent.contract.control.actions import Action
from assent.contract.control.comments import AddComment, ApprovalComment, CommentsQuery
from assent.contract.problems import Code
from assent.proof.certificate import CERTIFIED
from assent_service.base.problem import Refusal
from assent_service.control.comments import Comments, check_text
from assent_service.core.principal import Principal
from tests.service.control.actions.world import World, locks_of, refused


@pytest.fixture
def comments(world: World) -> Comments:
    on = world.service
    return Comments(on.ledger, world.clock, locks_of(on.ledger), on.actions, on.approvals)


async def waiting(world: World) -> Action:
    await world.policy("require_approval", {"action_types": ["refund"]})
    return await world.act(agent_id="bot")


async def said(comments: Comments, by: Principal, action: Action, text: str) -> ApprovalComment:
    return await comments.add(by, action.action_id, AddComment(text=text))


async def test_a_comment_says_who_and_when_and_changes_nothing_of_the_request(world: World, comments: Comments) -> None:
    action = await waiting(world)
    ann, ben = world.operator("Ann"), world.operator("Ben")
    before = len(await world.events())
    first = await said(comments, ann, action, "I know the customer.")
    at = world.clock.moment
    assert (first.written_by, first.written_by_key, first.approval_id) == ("Ann", "key_Ann", action.approval_id)
    assert first.created_at == at
    assert (await said(comments, ann, action, "I know the customer.")).comment_id == first.comment_id
    other = await said(comments, ben, action, "I know the customer.")
    assert other.comment_id != first.comment_id, "the same words of somebody else are another comment"
    again = await said(comments, ann, action, "I know the customer.")
    assert again.comment_id != first.comment_id, "and so are one's own after somebody else's"
    await world.decide(action, "deny", ann, why="no")
    late = await said(comments, ben, action, "The parcel came back.")
    page = await comments.page(world.admin, CommentsQuery(action_id=action.action_id))
    assert [each.comment_id for each in page.comments] == [each.comment_id for each in (late, again, other, first)]
    events = (await world.events())[before:]
    assert [each.type for each in events] == [
        *["approval_comment.created"] * 3, "approval.decided", "action.updated", "approval_comment.created",
    ]  # fmt: skip
    assert {each.action for each in events} == {action.action_id}
    assert "approval_comment.created" not in CERTIFIED


async def test_what_cannot_be_commented_on(world: World, comments: Comments) -> None:
    action = await waiting(world)
    async with refused(Code.ACTION_NOT_FOUND):
        await comments.add(world.admin, "act_nobody", AddComment(text="x"))
    async with refused(Code.ACTION_NOT_FOUND):
        await said(comments, await world.stranger(), action, "x")
    allowed = await world.act(action_type="look")
    async with refused(Code.NOT_AWAITING_APPROVAL):
        await said(comments, world.admin, allowed, "Nobody was asked about this one.")
    assert await world.events(kind="approval_comment") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [("  \n", "is blank"), ("é" * 2001, "holds 4,002 bytes in UTF-8, at most 4,000"), ("\ud800" * 1334, "4,002")],
)
def test_a_text_has_words_and_a_bound(text: str, message: str) -> None:
    with pytest.raises(Refusal) as found:
        check_text(text)
    assert found.value.code is Code.INVALID_BODY
    assert message in found.value.detail
    assert [each.place for each in found.value.errors] == ["text"]
    check_text("é" * 2000)


async def test_comments_go_with_the_erasure_of_their_action(world: World, comments: Comments) -> None:
    action = await waiting(world)
    await said(comments, world.admin, action, "Zoë called.")
    await world.decide(action, "deny", why="no")
    erased = await world.http("POST", f"/api/actions/{action.action_id}/erase", {"reason": "ticket 7"})
    assert erased.status_code == 200
    assert (await comments.page(world.admin, CommentsQuery())).comments == []
    assert [each.data for each in await world.events(kind="approval_comment")] == [None]
