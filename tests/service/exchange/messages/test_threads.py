"""Message threads: for whom they are, what is in them, and their end."""

from __future__ import annotations

import asyncio

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from tests.service.control.actions.world import refused
from tests.service.exchange.messages.post import Post


async def test_a_thread_from_its_opening_to_its_end(post: Post) -> None:
    made = await post.thread(post.a, "The disk", participants=["b", "b", "c"])
    assert (made.name, made.participants, made.status, made.created_by) == ("The disk", ["b", "c"], "open", "a")
    assert (made.message_count, made.last_message_at, made.resolved_at, made.id) == (0, None, None, made.thread_id)
    assert made.thread_id.startswith("mt_")
    sent = [await post.send(by, None, thread_id=made.thread_id) for by in (post.a, post.b)]
    (listed,) = (await post.thread_page(post.c)).threads
    assert (listed.message_count, listed.last_message_at) == (2, sent[1].created_at)
    done = await post.resolve(post.b, made.thread_id, summary="It is larger now")
    assert (done.status, done.summary, done.message_count) == ("resolved", "It is larger now", 2)
    assert done.resolved_at == done.updated_at > made.created_at
    async with refused(Code.THREAD_CLOSED) as closed:
        await post.send(post.a, "b", thread_id=made.thread_id)
    assert [each.place for each in closed.value.errors] == ["thread_id"]


async def test_resolving_again_changes_the_summary_and_nothing_else(post: Post) -> None:
    thread = (await post.thread(post.a, participants=["b"])).thread_id
    first = await post.resolve(post.a, thread, summary="so")
    before = len(await post.world.events())
    assert await post.resolve(post.b, thread) == first
    assert await post.resolve(post.b, thread, summary="so") == first
    assert len(await post.world.events()) == before
    other = await post.resolve(post.b, thread, summary="otherwise")
    assert (other.summary, other.resolved_at) == ("otherwise", first.resolved_at)
    assert other.updated_at > first.updated_at


async def test_a_thread_is_for_its_participants(post: Post) -> None:
    closed, public = await post.thread(post.a, participants=["b"]), await post.thread(post.c)
    seen = {
        "a": (await post.thread_page(post.a)).threads,
        "b": (await post.thread_page(post.b)).threads,
        "c": (await post.thread_page(post.c)).threads,
        "named": (await post.thread_page(post.free, agent_id="c")).threads,
        "admin": (await post.thread_page(post.world.admin)).threads,
    }
    both = [public.thread_id, closed.thread_id]
    assert {who: [each.thread_id for each in threads] for who, threads in seen.items()} == {
        "a": both,
        "b": both,
        "c": both[:1],
        "named": both[:1],
        "admin": both,
    }
    stranger = await post.world.stranger()
    for other in (post.c, stranger):
        async with refused(Code.THREAD_NOT_FOUND):
            await post.resolve(other, closed.thread_id)
        async with refused(Code.THREAD_NOT_FOUND):
            await post.send(other, "b", from_agent_id=other.agent_id or "x", thread_id=closed.thread_id)


async def test_counts_are_of_what_one_may_see(post: Post) -> None:
    thread = (await post.thread(post.a)).thread_id
    await post.send(post.a, "b", thread_id=thread)
    for by, count in ((post.a, 1), (post.b, 1), (post.c, 0), (post.world.admin, 1)):
        (listed,) = (await post.thread_page(by)).threads
        assert listed.message_count == count


async def test_threads_by_status_and_page(post: Post) -> None:
    made = [(await post.thread(post.a, f"t{number}")).thread_id for number in range(4)]
    await post.resolve(post.a, made[1])
    page = await post.thread_page(post.a, status="open", limit=2)
    assert ([each.name for each in page.threads], page.total) == (["t3", "t2"], 3)
    rest = await post.thread_page(post.a, status="open", limit=2, cursor=page.next_cursor)
    assert ([each.name for each in rest.threads], rest.next_cursor) == (["t0"], None)
    assert [each.name for each in (await post.thread_page(post.a, status="resolved")).threads] == ["t1"]


async def test_context_threads_are_told_apart(post: Post) -> None:
    async with refused(Code.INVALID_BODY):
        await post.resolve(post.a, "ct_1")
    async with refused(Code.INVALID_QUERY):
        await post.page(post.a, thread_id="ct_1")
    async with refused(Code.THREAD_NOT_FOUND):
        await post.resolve(post.a, "mt_nobody")
    async with refused(Code.AGENT_MISMATCH):
        await post.thread(post.a, agent_id="b")


async def test_nothing_gets_into_a_thread_behind_its_end(post: Post) -> None:
    thread = (await post.thread(post.a)).thread_id
    sending = [post.send(post.a, "b", thread_id=thread) for _ in range(8)]
    sending.insert(4, post.resolve(post.a, thread))  # type: ignore[arg-type]  # awaited all the same
    results = await asyncio.gather(*sending, return_exceptions=True)
    assert {each.code for each in results if isinstance(each, Refusal)} <= {Code.THREAD_CLOSED}
    kinds = [event.type for event in await post.world.events(kind="message")]
    assert kinds.count("message.created") == sum(not isinstance(each, BaseException) for each in results) - 1
    assert kinds[-1] == "message_thread.updated"
