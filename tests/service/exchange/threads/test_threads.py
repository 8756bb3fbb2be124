"""Context threads, over HTTP and in process."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from assent.contract.exchange.threads import (
    AddThreadEntry,
    ChangeThread,
    CreateThread,
    Thread,
    ThreadEntry,
    ThreadQuery,
    ThreadsQuery,
    ThreadStatus,
)
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.exchange.threads import ContextThreads
from tests.service.control.actions.world import World, locks_of, refused
from tests.tiers import deep

THREADS = "/api/context/threads"


def nouns(world: World) -> ContextThreads:
    return ContextThreads(world.service.ledger, world.clock, locks_of(world.service.ledger))


async def begin(world: World, **body: Any) -> tuple[int, dict[str, Any]]:
    answer = await world.http("POST", THREADS, {"name": "the move", "agent_id": "bot"} | body, Role.AGENT)
    assert answer.status_code < 300, answer.text
    assert answer.json()["thread_id"] == answer.json()["thread"]["thread_id"] == answer.json()["thread"]["id"]
    return answer.status_code, dict(answer.json()["thread"])


async def test_a_thread_from_beginning_to_close(world: World) -> None:
    status, thread = await begin(world, summary="To the new house")
    assert (status, thread["status"], thread["summary"], thread["closed_at"]) == (
        201,
        "active",
        "To the new house",
        None,
    )
    assert thread["id"].startswith("ct_")
    one = f"{THREADS}/{thread['id']}"
    said: list[dict[str, Any]] = [
        {"content": "Boxes are packed", "entry_type": "milestone"},
        {"content": "Who has the key?", "entryType": "a question"},
        {"content": "The neighbour has", "entry_type": None},
    ]
    written = []
    for body in said:
        answer = await world.http("POST", f"{one}/entries", body, Role.AGENT)
        assert answer.status_code == 201
        assert answer.json()["entry_id"] == answer.json()["entry"]["entry_id"] == answer.json()["entry"]["id"]
        written.append(answer.json()["entry"])
    assert [each["entry_type"] for each in written] == ["milestone", "a question", "note"]
    assert {(each["agent_id"], each["thread_id"]) for each in written} == {("bot", thread["id"])}
    detail = (await world.http("GET", one, by=Role.AUDITOR)).json()
    assert detail == {"thread": thread, "entries": written, "total": 3}
    back = (await world.http("GET", f"{one}?limit=1&offset=1")).json()
    assert (back["entries"], back["total"]) == ([written[1]], 3)
    closed = (await world.http("PATCH", one, {"status": "closed", "summary": "Moved"}, Role.AGENT)).json()["thread"]
    assert (closed["status"], closed["summary"], closed["closed_at"]) == ("closed", "Moved", closed["updated_at"])
    late = await world.http("POST", f"{one}/entries", {"content": "one more"}, Role.AGENT)
    assert (late.status_code, late.json()["code"]) == (400, "thread_closed")
    assert thread["id"] in late.json()["detail"]
    events = await world.events(kind="thread")
    assert [event.type for event in events] == ["thread.created", *["thread_entry.created"] * 3, "thread.updated"]
    assert msgspec.json.decode(events[-1].data or b"", type=Thread) == msgspec.convert(closed, Thread)


async def test_the_same_name_is_the_same_thread_and_opens_it_again(world: World) -> None:
    _, first = await begin(world)
    assert await begin(world) == (200, first)
    await world.http("PATCH", f"{THREADS}/{first['id']}", {"status": "closed", "summary": "done"})
    status, again = await begin(world)
    assert (status, again["id"], again["status"], again["summary"], again["closed_at"]) == (
        200,
        first["id"],
        "active",
        "done",
        None,
    )
    assert (await begin(world, summary="anew"))[1]["summary"] == "anew"
    # Another agent's, and nobody's, are others.
    others = {(await begin(world, agent_id=who))[1]["id"] for who in ("other", None)}
    assert len(others | {first["id"]}) == 3
    assert (await begin(world, agent_id=None))[0] == 200
    assert (await world.http("POST", f"{THREADS}/{first['id']}/entries", {"content": "c"})).status_code == 201


async def test_lists(world: World) -> None:
    ids = [(await begin(world, name=f"n{number}", agent_id="ab"[number % 2]))[1]["id"] for number in range(4)]
    await world.http("PATCH", f"{THREADS}/{ids[0]}", {"status": "closed"})

    async def listed(query: str) -> list[str]:
        answer = (await world.http("GET", THREADS + query, by=Role.AUDITOR)).json()
        return [each["id"] for each in answer["threads"]]

    assert await listed("") == ids[::-1]
    assert await listed("?status=active") == ids[:0:-1]
    assert await listed("?status=closed") == ids[:1]
    assert await listed("?agent_id=a&limit=1") == [ids[2]]
    assert await listed("?agentId=a&limit=1&offset=1") == [ids[0]]
    assert await listed("?name=n3") == [ids[3]]


further = deep("further values that are wrong in a like way")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code", "place"),
    [
        ("POST", THREADS, {}, 400, "invalid_body", "body"),
        pytest.param("POST", THREADS, {"name": ""}, 400, "invalid_body", "name", marks=further),
        ("POST", THREADS, {"name": "x" * 501}, 400, "invalid_body", "name"),
        pytest.param("POST", THREADS, {"name": None}, 400, "invalid_body", "name", marks=further),
        pytest.param(
            "POST", THREADS, {"name": "n", "summary": "x" * 5001}, 400, "invalid_body", "summary", marks=further
        ),
        pytest.param("POST", "{one}/entries", {}, 400, "invalid_body", "body", marks=further),
        pytest.param("POST", "{one}/entries", {"content": ""}, 400, "invalid_body", "content", marks=further),
        ("POST", "{one}/entries", {"content": "x" * 5001}, 400, "invalid_body", "content"),
        pytest.param(
            "POST",
            "{one}/entries",
            {"content": "c", "entry_type": ""},
            400,
            "invalid_body",
            "entry_type",
            marks=further,
        ),
        ("POST", "{one}/entries", {"content": "c", "entry_type": "x" * 101}, 400, "invalid_body", "entry_type"),
        ("POST", f"{THREADS}/ct_none/entries", {"content": "c"}, 404, "thread_not_found", None),
        ("PATCH", "{one}", {}, 400, "invalid_body", "status"),
        ("PATCH", "{one}", {"status": "gone"}, 400, "invalid_body", "status"),
        pytest.param(
            "PATCH", "{one}", {"status": "closed", "summary": "x" * 5001}, 400, "invalid_body", "summary", marks=further
        ),
        ("PATCH", f"{THREADS}/ct_none", {"status": "closed"}, 404, "thread_not_found", None),
        ("GET", f"{THREADS}/ct_none", None, 404, "thread_not_found", None),
        pytest.param("GET", "{one}?limit=0", None, 400, "invalid_query", "limit", marks=further),
        pytest.param("GET", f"{THREADS}?status=open", None, 400, "invalid_query", "status", marks=further),
        ("GET", f"{THREADS}?cursor=nonsense", None, 400, "invalid_query", "cursor"),
    ],
)
async def test_what_is_refused(
    world: World, method: str, path: str, body: Any, status: int, code: str, place: str | None
) -> None:
    _, thread = await begin(world)
    answer = await world.http(method, path.replace("{one}", f"{THREADS}/{thread['id']}"), body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert [error["place"] for error in answer.json()["errors"]] == ([] if place is None else [place])
    assert len(await world.events(kind="thread")) == 1


async def test_the_longest_that_fit(world: World) -> None:
    _, thread = await begin(world, name="n" * 500, summary="s" * 5000)
    body = {"content": "c" * 5000, "entry_type": "t" * 100}
    assert (await world.http("POST", f"{THREADS}/{thread['id']}/entries", body)).status_code == 201


async def test_a_foreign_thread_is_not_there(world: World) -> None:
    threads, stranger = nouns(world), await world.stranger()
    mine, _ = await threads.create(world.admin, CreateThread(name="the move", agent_id="bot"))
    theirs, new = await threads.create(stranger, CreateThread(name="the move", agent_id="bot"))
    assert new
    assert theirs.thread_id != mine.thread_id
    for who in (stranger, world.somebody(agent_id="other")):
        async with refused(Code.THREAD_NOT_FOUND):
            await threads.add(who, mine.thread_id, AddThreadEntry(content="c"))
        async with refused(Code.THREAD_NOT_FOUND):
            await threads.change(who, mine.thread_id, ChangeThread(status=ThreadStatus.CLOSED))
        async with refused(Code.THREAD_NOT_FOUND):
            await threads.detail(who, mine.thread_id, ThreadQuery())
    assert (await threads.page(stranger, ThreadsQuery())).threads == [theirs]
    assert (await threads.page(world.somebody(agent_id="other"), ThreadsQuery())).total == 0
    assert (await threads.detail(world.somebody(agent_id="bot"), mine.thread_id, ThreadQuery())).total == 0


async def test_a_bound_key_writes_as_its_agent_only(world: World) -> None:
    threads, bot = nouns(world), world.somebody(agent_id="bot")
    async with refused(Code.AGENT_MISMATCH):
        await threads.create(bot, CreateThread(name="n", agent_id="other"))
    thread, _ = await threads.create(bot, CreateThread(name="n"))
    assert thread.agent_id == "bot"
    async with refused(Code.AGENT_MISMATCH):
        await threads.add(bot, thread.thread_id, AddThreadEntry(content="c", agent_id="other"))
    helped = await threads.add(world.admin, thread.thread_id, AddThreadEntry(content="c", agent_id="other"))
    assert helped.agent_id == "other"


async def test_of_many_that_begin_the_same_at_once_one_is_new(world: World) -> None:
    threads = nouns(world)
    found = await asyncio.gather(*(threads.create(world.admin, CreateThread(name="n")) for _ in range(8)))
    assert sorted(new for _, new in found) == [False] * 7 + [True]
    assert len({thread.thread_id for thread, _ in found}) == 1
    assert len(await world.events(kind="thread.")) == 1


async def test_no_entry_gets_in_behind_a_close(world: World) -> None:
    threads = nouns(world)
    thread, _ = await threads.create(world.admin, CreateThread(name="n"))
    close = ChangeThread(status=ThreadStatus.CLOSED)
    entries = [threads.add(world.admin, thread.thread_id, AddThreadEntry(content=f"c{n}")) for n in range(10)]
    tasks: list[Any] = [*entries[:5], threads.change(world.admin, thread.thread_id, close), *entries[5:]]
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    kept = [each for each in answers if isinstance(each, ThreadEntry)]
    assert [each.code for each in answers if isinstance(each, Refusal)] == [Code.THREAD_CLOSED] * (10 - len(kept))
    kinds = [event.type for event in await world.events(kind="thread")]
    assert kinds == ["thread.created", *["thread_entry.created"] * len(kept), "thread.updated"]
    detail = await threads.detail(world.admin, thread.thread_id, ThreadQuery())
    assert detail.entries == kept
