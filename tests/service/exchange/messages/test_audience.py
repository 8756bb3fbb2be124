"""What is sent to all within a thread of some: for those alone, wherever messages are shown."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from assent.contract.exchange.messages import Message, MessageRow
from assent.contract.people.keys import CreateKey
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.core.principal import Principal
from assent_service.core.rows import record, select
from assent_service.evidence.traces.graph import drawn
from assent_service.exchange.messages import MESSAGES
from tests.service.control.actions.world import World, opened, refused
from tests.service.exchange.messages.post import Post, file, posting

STRANGE = 'ü"x'


async def within(post: Post, by: Principal, body: str = "for us", **more: object) -> Message:
    """A message without an addressee in a thread that `a` opened for `b` and the agent of a strange name."""
    thread = await post.thread(post.a, participants=["b", STRANGE])
    return await post.send(by, None, body, thread_id=thread.thread_id, **more)


def bound(post: Post, agent_id: str) -> Principal:
    return post.world.somebody(agent_id=agent_id, name="bound")


async def test_it_is_in_the_lists_of_those_that_it_is_for(post: Post) -> None:
    await post.send(post.b, None, "to all")
    await within(post, post.b)
    strange = bound(post, STRANGE)
    both = ["to all", "for us"]
    assert [await post.bodies(by) for by in (post.a, post.b, strange, post.c)] == [both, both, both, ["to all"]]
    assert [await post.bodies(by, "inbox") for by in (post.a, post.b, strange, post.c)] == [both, [], both, ["to all"]]
    assert await post.bodies(post.b, "sent") == both
    assert await post.bodies(bound(post, "x"), "inbox", unread=True) == ["to all"]
    counted = {by.agent_id: await post.page(by, "inbox") for by in (post.a, strange, post.c)}
    assert {who: (page.total, page.unread_count) for who, page in counted.items()} == {
        "a": (2, 2),
        STRANGE: (2, 2),
        "c": (1, 1),
    }
    assert (await post.page(post.c)).total == 1


async def test_who_is_bound_to_no_agent_sees_all_or_what_the_agent_sees_that_they_name(post: Post) -> None:
    message = await within(post, post.b)
    everybody = (post.free, *(post.world.somebody(role) for role in (Role.OPERATOR, Role.AUDITOR, Role.ADMIN)))
    for by in everybody:
        assert await post.bodies(by) == ["for us"]
        assert await post.messages.get(by, message.message_id, None) == message
        for direction in ("inbox", "all"):
            of_a, of_c = [await post.page(by, direction, agent_id=who) for who in ("a", "c")]
            assert (of_a.messages, of_a.total, of_a.unread_count) == ([message], 1, 1)
            assert (of_c.messages, of_c.total, of_c.unread_count) == ([], 0, 0)


async def test_a_sender_from_outside_of_the_thread_sees_what_it_sent(post: Post) -> None:
    message = await within(post, post.free, from_agent_id="c")
    assert await post.bodies(post.c) == await post.bodies(post.c, "sent") == ["for us"]
    assert await post.bodies(post.b, "inbox") == ["for us"]
    assert (await post.messages.get(post.c, message.message_id, None)).body == "for us"
    assert await post.bodies(bound(post, "d")) == []


async def test_with_an_addressee_or_in_a_thread_of_all_it_is_as_ever(post: Post) -> None:
    closed, public = await post.thread(post.a, participants=["b"]), await post.thread(post.a)
    await post.send(post.a, "c", "to c alone", thread_id=closed.thread_id)
    await post.send(post.a, None, "to everybody", thread_id=public.thread_id)
    assert await post.bodies(post.b) == ["to everybody"]
    assert await post.bodies(post.c) == ["to c alone", "to everybody"]
    told = [json.loads(event.data or b"")["audience"] for event in await post.world.events(kind="message.created")]
    assert told == [[], []]


async def test_by_id_it_is_not_there_for_others(post: Post) -> None:
    message = await within(post, post.b, attachments=[file(b"secret")])
    (attachment,) = message.attachments
    for by in (post.a, bound(post, STRANGE), post.world.somebody(Role.AUDITOR)):
        assert (await post.messages.get(by, message.message_id, None)).body == "for us"
        assert (await post.messages.attachment(by, attachment.id))[1] == b"secret"
    async with refused(Code.MESSAGE_NOT_FOUND):
        await post.messages.get(post.c, message.message_id, None)
    async with refused(Code.ATTACHMENT_NOT_FOUND):
        await post.messages.attachment(post.c, attachment.id)


async def test_only_those_that_it_is_for_mark_it(post: Post) -> None:
    message = await within(post, post.b)
    before = len(await post.world.events())
    assert await post.mark(post.c, "read", message) == 0
    assert await post.mark(post.free, "archive", message, agent_id="c") == 0
    assert await post.mark(post.b, "read", message) == 0  # it sent it
    assert len(await post.world.events()) == before
    assert await post.mark(post.a, "read", message) == 1
    assert (await post.page(post.a, "inbox")).unread_count == 0
    assert (await post.messages.get(post.b, message.message_id, None)).read_by == ["a"]


async def test_the_trace_of_an_action_and_the_counts_of_a_thread_leave_it_out(post: Post) -> None:
    action = await post.world.act(agent_id="c")
    message = await within(post, post.free, from_agent_id="b", action_id=action.action_id)
    for by, total in ((post.world.admin, 1), (post.free, 1), (post.c, 0)):
        told = (await post.world.trace(action, by)).trace.messages
        assert (told.total, len(told.items)) == (total, total)
        drawing = drawn(await post.world.trace(action, by))
        assert (message.message_id in str(drawing)) is bool(total)
    (thread,) = (await post.thread_page(post.b)).threads
    assert thread.message_count == 1


async def test_the_event_keeps_whom_it_was_for_and_a_rebuild_too(tmp_path: Path) -> None:
    async with posting(tmp_path) as post:
        await within(post, post.free, from_agent_id="d")
        (event,) = await post.world.events(kind="message.created")
        assert json.loads(event.data or b"")["audience"] == ["b", STRANGE, "a", "d"]
        clock = post.world.clock
    (tmp_path / "tables.duckdb").unlink()
    async with opened(tmp_path, clock) as world:
        again = Post(world, tmp_path)
        agents = ("a", "b", STRANGE, "d", "c", "x")
        assert [len(await again.bodies(bound(again, each))) for each in agents] == [1, 1, 1, 1, 0, 0]


async def test_messages_from_before_there_was_an_audience_are_for_all(post: Post) -> None:
    await post.send(post.a, None)
    ledger = post.world.service.ledger
    (row,) = await ledger.read(f"SELECT {select(MESSAGES)} FROM messages")
    names = [column.name for column in MESSAGES.columns]
    older = tuple(None if name == "audience" else value for name, value in zip(names, row, strict=True))
    assert record(MESSAGES, older, MessageRow) == record(MESSAGES, row, MessageRow)
    payload = json.loads(msgspec.json.encode(record(MESSAGES, row, MessageRow)))
    assert msgspec.convert({k: v for k, v in payload.items() if k != "audience"}, MessageRow).audience == ()
    empty(post.world)
    assert await post.bodies(post.c, "inbox") == ["hello"]
    assert (await post.page(post.c, "inbox")).unread_count == 1


def empty(world: World) -> None:
    """As a column is that was added to a table with rows."""
    with world.service.ledger._projector.database.cursor() as cursor:
        cursor.execute("UPDATE messages SET audience = NULL")


@pytest.mark.parametrize("participants", [None, []])
async def test_a_thread_without_participants_is_for_all(post: Post, participants: list[str] | None) -> None:
    thread = await post.thread(post.a, participants=participants)
    await post.send(post.a, None, thread_id=thread.thread_id)
    assert await post.bodies(post.c, "inbox") == ["hello"]


async def test_a_key_of_nobody_does_not_read_what_agents_with_keys_write_to_each_other(post: Post) -> None:
    keys = post.world.service.keys
    members: dict[str, dict[str, object]] = {
        "a": {"agent_id": "a"},
        "b": {"agent_id": "b"},
        "free": {},
        "any": {"any_agent": True},
    }
    made = {
        name: await keys.create(post.world.admin, msgspec.convert({"name": name, **more}, CreateKey))
        for name, more in members.items()
    }
    principals = {name: keys.authenticate(key.api_key) for name, key in made.items()}
    a, b, free, shared = (principals[name] for name in ("a", "b", "free", "any"))
    assert a is not None
    assert b is not None
    assert free is not None
    assert shared is not None
    within = await post.thread(a, "ours", participants=["a", "b"])
    open_to_all = await post.thread(a, "for all")
    secret = await post.send(a, "b", "between us")
    await post.send(a, None, "in our thread", thread_id=within.thread_id)
    await post.send(a, None, "to all")
    await post.send(a, "c", "to c, who has no key")
    await post.send(free, "b", "from c", from_agent_id="c")
    everything = ["between us", "in our thread", "to all", "to c, who has no key", "from c"]
    assert await post.bodies(shared) == await post.bodies(post.world.admin) == everything
    assert await post.bodies(free) == ["to all", "to c, who has no key", "from c"]
    assert await post.bodies(free, "inbox", agent_id="c") == ["to all", "to c, who has no key"]
    assert await post.bodies(shared, "inbox", agent_id="b") == await post.bodies(b, "inbox")
    for direction, of in (("inbox", "b"), ("all", "b"), ("sent", "a")):
        async with refused(Code.AGENT_MISMATCH):
            await post.page(free, direction, agent_id=of)
    async with refused(Code.AGENT_MISMATCH):
        await post.mark(free, "archive", secret, agent_id="b")
    async with refused(Code.AGENT_MISMATCH):
        await post.messages.get(free, secret.message_id, "b")
    async with refused(Code.MESSAGE_NOT_FOUND):
        await post.messages.get(free, secret.message_id, None)
    async with refused(Code.THREAD_NOT_FOUND):
        await post.resolve(free, within.thread_id)
    assert [each.thread_id for each in (await post.thread_page(free)).threads] == [open_to_all.thread_id]
    assert len((await post.thread_page(shared)).threads) == 2
    # Once b has no key any more, nobody but a key of no agent can read for it.
    await keys.revoke(post.world.admin, made["b"].key.key_id)
    assert "between us" in await post.bodies(free, "inbox", agent_id="b")
