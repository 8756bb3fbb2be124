"""Sending, reading and marking messages on a running service, without HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from assent.contract.exchange.messages import Message, MessageStatus
from assent.contract.problems import Code
from assent.contract.roles import Role
from tests.service.control.actions.world import opened, refused
from tests.service.exchange.messages.post import Post, posting


async def test_a_message_is_what_was_sent(post: Post) -> None:
    action = await post.world.act(agent_id="a")
    thread = await post.thread(post.a)
    sent = await post.send(
        post.a,
        "b",
        "The disk is full",
        subject="Disk",
        message_type="question",
        urgent=True,
        doc_ref="docs/disk.md",
        action_id=action.action_id,
        thread_id=thread.thread_id,
    )
    assert (sent.from_agent_id, sent.to_agent_id, sent.body, sent.subject) == ("a", "b", "The disk is full", "Disk")
    assert (sent.message_type, sent.urgent, sent.doc_ref) == ("question", True, "docs/disk.md")
    assert (sent.action_id, sent.thread_id, sent.id) == (action.action_id, thread.thread_id, sent.message_id)
    assert (sent.status, sent.is_read, sent.read_by, sent.read_at, sent.archived_at) == ("sent", False, [], None, None)
    assert await post.messages.get(post.b, sent.message_id, None) == sent
    assert msgspec.json.decode(msgspec.json.encode(sent), type=Message) == sent
    (event,) = await post.world.events(kind="message.created")
    assert (event.subject, event.action) == (sent.message_id, action.action_id)


@pytest.mark.parametrize("to", [None, "broadcast", "all"])
async def test_what_goes_to_all_names_nobody(post: Post, to: str | None) -> None:
    assert (await post.send(post.a, to)).to_agent_id is None
    assert [await post.bodies(by, "inbox") for by in (post.a, post.b, post.c)] == [[], ["hello"], ["hello"]]


async def test_the_inbox_is_what_came_and_what_was_sent_is_elsewhere(post: Post) -> None:
    for by, to, body in (
        (post.a, "b", "to b"),
        (post.a, "c", "to c"),
        (post.b, None, "to all, from b"),
        (post.a, None, "to all, from a"),
        (post.b, "a", "to a"),
    ):
        await post.send(by, to, body)
    assert await post.bodies(post.b, "inbox") == ["to b", "to all, from a"]
    assert await post.bodies(post.b, "sent") == ["to all, from b", "to a"]
    assert await post.bodies(post.b) == ["to b", "to all, from b", "to all, from a", "to a"]
    assert await post.bodies(post.c) == ["to c", "to all, from b", "to all, from a"]
    # Somebody who is bound to no agent sees all of it, or what the agent sees that they name.
    assert len(await post.bodies(post.world.somebody(Role.AUDITOR))) == 5
    assert await post.bodies(post.free, "inbox", agent_id="c") == ["to c", "to all, from b", "to all, from a"]
    async with refused(Code.AGENT_MISMATCH):
        await post.page(post.b, "inbox", agent_id="c")


async def test_filters_and_pages(post: Post) -> None:
    thread = (await post.thread(post.a)).thread_id
    for number in range(5):
        kind, where = ("lesson", thread) if number % 2 else ("status", None)
        await post.send(post.a, "b", f"m{number}", message_type=kind, thread_id=where)
    assert await post.bodies(post.b, "inbox", message_type="lesson") == ["m1", "m3"]
    assert await post.bodies(post.b, thread_id=thread) == ["m1", "m3"]
    first = await post.page(post.b, "inbox", limit=2)
    assert ([each.body for each in first.messages], first.total) == (["m4", "m3"], 5)
    await post.send(post.a, "b", "m5")
    second = await post.page(post.b, "inbox", limit=2, cursor=first.next_cursor)
    assert ([each.body for each in second.messages], second.total) == (["m2", "m1"], 6)
    third = await post.page(post.b, "inbox", limit=2, cursor=second.next_cursor)
    assert ([each.body for each in third.messages], third.next_cursor) == (["m0"], None)
    assert await post.bodies(post.b, "inbox", limit=2, offset=3) == ["m1", "m2"]


async def test_each_reader_has_a_state_of_its_own(post: Post) -> None:
    direct, to_all = await post.send(post.a, "b", "direct"), await post.send(post.a, None, "to all")
    assert (await post.page(post.b, "inbox")).unread_count == 2
    assert await post.mark(post.b, "read", direct, to_all) == 2
    assert await post.mark(post.b, "read", direct, to_all) == 0
    marked = (await post.page(post.b, "inbox")).messages
    assert [(each.is_read, each.status) for each in marked] == [(True, MessageStatus.READ)] * 2
    assert (await post.page(post.b, "inbox", unread=True)).messages == []
    # c has not read it, and is not told who has; its sender is.
    (at_c,) = (await post.page(post.c, "inbox", unread=True)).messages
    assert (at_c.is_read, at_c.read_by, at_c.status, at_c.read_at) == (False, [], "sent", None)
    assert await post.mark(post.c, "read", to_all) == 1
    sent = (await post.page(post.a, "sent")).messages
    assert [each.read_by for each in sent] == [["b", "c"], ["b"]]
    # The reader of a direct message is its addressee, whoever looks.
    assert [(each.is_read, each.status) for each in sent] == [(False, "sent"), (True, "read")]


async def test_archiving_takes_it_out_of_ones_own_inbox_and_is_not_reading(post: Post) -> None:
    message = await post.send(post.a, None)
    assert await post.mark(post.b, "archive", message) == 1
    page = await post.page(post.b, "inbox")
    assert (page.messages, page.total, page.unread_count) == ([], 0, 0)
    assert await post.bodies(post.c, "inbox") == ["hello"]
    (found,) = (await post.page(post.b)).messages
    assert (found.status, found.is_read, found.archived_at is None) == ("archived", False, False)
    assert (await post.messages.get(post.a, message.message_id, None)).read_by == []
    assert await post.mark(post.b, "read", message) == 1
    assert (await post.messages.get(post.b, message.message_id, None)).status == "archived"


async def test_only_its_readers_mark_a_message_and_unknown_ones_are_left_out(post: Post) -> None:
    direct, to_all = await post.send(post.a, "b"), await post.send(post.a, None)
    before = len(await post.world.events())
    assert await post.mark(post.c, "read", direct, "msg_nobody") == 0
    assert await post.mark(post.a, "read", direct, to_all) == 0
    async with refused(Code.AGENT_MISMATCH):
        await post.mark(post.c, "read", direct, agent_id="b")
    async with refused(Code.INVALID_BODY):
        await post.mark(post.free, "read", direct)
    stranger = await post.world.stranger()
    assert await post.mark(stranger, "read", direct, to_all, agent_id="b") == 0
    assert len(await post.world.events()) == before
    assert await post.mark(post.free, "read", direct, direct, to_all, agent_id="b") == 2


async def test_marking_at_once_marks_once(post: Post) -> None:
    messages = [await post.send(post.a, "b") for _ in range(3)]
    counts = await asyncio.gather(*(post.mark(post.b, "read", *messages) for _ in range(4)))
    assert sorted(counts) == [0, 0, 0, 3]


async def test_unread_of_what_was_sent_is_what_nobody_has_read(post: Post) -> None:
    await post.send(post.a, None, "read by b")
    await post.send(post.a, "c", "read by nobody")
    (first, *_) = reversed((await post.page(post.a, "sent")).messages)
    await post.mark(post.b, "read", first)
    assert await post.bodies(post.a, "sent", unread=True) == ["read by nobody"]
    assert await post.bodies(post.a, "sent", unread=False) == ["read by b", "read by nobody"]


async def test_what_is_not_for_somebody_is_not_there_for_them(post: Post) -> None:
    message = await post.send(post.a, "b")
    stranger = await post.world.stranger()
    for other in (post.c, stranger):
        async with refused(Code.MESSAGE_NOT_FOUND):
            await post.messages.get(other, message.message_id, None)
    async with refused(Code.AGENT_MISMATCH):
        await post.messages.get(post.b, message.message_id, "a")
    assert (await post.page(stranger)).total == 0
    for role in (Role.OPERATOR, Role.AUDITOR, Role.ADMIN):
        assert (await post.messages.get(post.world.somebody(role), message.message_id, None)).body == "hello"


async def test_nothing_is_sent_without_a_sender_into_nowhere_or_about_nothing(post: Post) -> None:
    foreign = await post.world.act(await post.world.stranger())
    of_c = await post.world.act(agent_id="c")
    before = len(await post.world.events())
    async with refused(Code.INVALID_BODY) as nobody:
        await post.send(post.free, "b")
    assert [each.place for each in nobody.value.errors] == ["from_agent_id"]
    async with refused(Code.AGENT_MISMATCH):
        await post.send(post.a, "b", from_agent_id="b")
    for action_id in ("act_nobody", foreign.action_id, of_c.action_id):
        async with refused(Code.ACTION_NOT_FOUND):
            await post.send(post.a, "b", action_id=action_id)
    async with refused(Code.THREAD_NOT_FOUND):
        await post.send(post.a, "b", thread_id="mt_nobody")
    async with refused(Code.INVALID_BODY) as context:
        await post.send(post.a, "b", thread_id="ct_1")
    assert "context thread" in context.value.detail
    for direction in ("inbox", "sent"):
        async with refused(Code.INVALID_QUERY):
            await post.page(post.free, direction)
    assert len(await post.world.events()) == before


async def test_messages_of_an_action_are_in_its_trace_for_those_who_may_see_them(post: Post) -> None:
    action = await post.world.act(agent_id="a")
    first = await post.send(post.a, "b", "first", action_id=action.action_id)
    await post.mark(post.b, "read", first)
    await post.send(post.b, "c", "between b and c", from_agent_id="b")
    about = await post.send(post.free, "c", "for c", from_agent_id="b", action_id=action.action_id)
    await post.send(post.a, None, "to all", action_id=action.action_id)
    all_of_it = (await post.world.trace(action)).trace.messages
    assert (all_of_it.total, [each.body for each in all_of_it.items]) == (3, ["first", "for c", "to all"])
    assert (all_of_it.items[0].read_by, all_of_it.items[1].message_id) == (["b"], about.message_id)
    of_a = (await post.world.trace(action, post.a)).trace.messages
    assert (of_a.total, [each.body for each in of_a.items]) == (2, ["first", "to all"])


async def test_a_rebuild_and_a_restart_say_the_same(tmp_path: Path) -> None:
    async with posting(tmp_path) as post:
        message = await post.send(post.a, "b")
        await post.mark(post.b, "read", message)
        thread = await post.thread(post.a, participants=["b", 'ü"x'])
        await post.resolve(post.b, thread.thread_id, summary="done")
        before = await post.page(post.world.admin), await post.thread_page(post.world.admin)
    (tmp_path / "tables.duckdb").unlink()
    async with opened(tmp_path) as world:
        again = Post(world, tmp_path)
        assert (await again.page(world.admin), await again.thread_page(world.admin)) == before
        assert (await again.thread_page(world.admin, agent_id='ü"x')).total == 1
        assert (await again.thread_page(world.admin, agent_id="x")).total == 0
