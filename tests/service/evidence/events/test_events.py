"""One reader in process: what comes in which order, and every way in which a stream ends."""

import asyncio
from pathlib import Path

import pytest

from assent.contract.events import StreamQuery
from assent.contract.people.keys import CreateKey
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal
from assent_service.core.stream import EventStream
from assent_service.evidence.events import reading as subscriptions
from tests.service.evidence.events.serving import Parts, action, opened, reader
from tests.service.evidence.events.sse import Parser

URLLIB = "Python-urllib/3.11"


async def listen(
    parts: Parts, principal: Principal | None = None, *, after: int | None = None, agent: str = ""
) -> EventStream:
    header = None if after is None else str(after)
    return await parts.events.open(principal or reader(), StreamQuery(), header, agent)


async def drain(stream: EventStream, *, until: str | None = None) -> Parser:
    """What comes up to the first event named `until`, or to the end of the stream."""
    parser = Parser()
    async for chunk in stream.chunks:
        parser.feed(chunk)
        if until is not None and until in parser.names():
            break
    return parser


async def test_the_order_of_a_stream(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        await parts.ledger.append(*(action(number=i) for i in range(5)))
        stream = await listen(parts, after=1)
        await parts.ledger.append(action(number=5))
        parser = await drain(stream, until="connected")
        parser.feed(await anext(stream.chunks))
        assert [each.id for each in parser.heard] == [2, 3, 4, None, 5]
        assert [each.data.get("number") for each in parser.heard] == [2, 3, 4, None, 5]
        assert parser.heard[3].event == "connected"
        assert parser.heard[3].data == {
            "status": "connected",
            "orgId": "org_a",
            "replayed": 3,
            "lastEventId": 4,
            "last_event_id": 4,
        }
        await stream.chunks.aclose()
        assert parts.events.readers == 0


async def test_a_long_replay_comes_whole_over_many_pages(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        for start in range(0, 1300, 100):
            await parts.ledger.append(*(action(number=start + i, text="x" * 300) for i in range(100)))
        parser = await drain(await listen(parts, after=9), until="connected")
        assert parser.ids() == list(range(10, 1300))
        assert parser.heard[-1].data["replayed"] == 1290


async def test_organizations_do_not_hear_each_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        mine = await listen(parts, reader("org_a"))
        await drain(mine, until="connected")
        await parts.ledger.append(action("org_b", secret="theirs"))
        await parts.ledger.append(action("org_a", number=1))
        await parts.ledger.append(action("org_b", secret="theirs"))
        heard = Parser()
        heard.feed(await anext(mine.chunks))
        assert [each.data["number"] for each in heard.heard] == [1]
        missed = await drain(await listen(parts, reader("org_b"), after=0), until="connected")
        assert [(each.id, each.data.get("secret")) for each in missed.heard] == [(1, "theirs"), (None, None)]


async def test_a_bound_key_hears_its_agent_and_what_concerns_every_agent(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        bound = reader(role=Role.AGENT, agent_id="bot")
        stream = await listen(parts, bound)
        await drain(stream, until="connected")
        await parts.ledger.append(
            action(agent_id="bot", number=0),
            action(agent_id="other", number=1),
            action(agent_id=None, number=2),
            action(name="policy.updated", number=3),
        )
        parser = Parser()
        parser.feed(await anext(stream.chunks))
        assert [each.data["number"] for each in parser.heard] == [0, 3]
        replayed = await drain(await listen(parts, bound, after=0), until="connected")
        assert replayed.ids() == [3]


async def test_silence_is_filled_with_heartbeats(tmp_path: Path) -> None:
    async with opened(tmp_path, heartbeat=0.001) as parts:
        stream = await listen(parts)
        await drain(stream, until="connected")
        assert await anext(stream.chunks) == b": heartbeat\n\n"
        assert await anext(stream.chunks) == b": heartbeat\n\n"
        await parts.ledger.append(action(number=1))
        chunk = await anext(stream.chunks)
        while chunk == b": heartbeat\n\n":
            chunk = await anext(stream.chunks)
        assert b'"number":1' in chunk


async def test_a_slow_reader_gets_its_queue_and_then_a_place_to_resume(tmp_path: Path) -> None:
    async with opened(tmp_path, queue=3) as parts:
        await parts.ledger.append(action(number=0))
        slow, quick = await listen(parts), await listen(parts)
        for i in range(1, 7):
            await parts.ledger.append(action(number=i))
            if i == 2:
                await drain(quick, until="action.created")
        first = await drain(slow)
        assert [each.id for each in first.heard] == [None, 1, 2, 3, None]
        assert first.heard[-1].event == "reset"
        assert first.heard[-1].data["last_event_id"] == 3
        again = await drain(await listen(parts, after=3), until="connected")
        assert again.ids() == [4, 5, 6]


async def test_a_queue_is_bounded_in_bytes_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MOST_BYTES", 20_000)
    async with opened(tmp_path) as parts:
        stream = await listen(parts)
        for i in range(10):
            await parts.ledger.append(action(number=i, text="x" * 9000))
        parser = await drain(stream)
        assert parser.ids() == [0, 1, 2]
        assert parser.heard[-1].data["last_event_id"] == 2


async def test_stopping_ends_streams_and_refuses_new_ones(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        waiting, fresh = await listen(parts), await listen(parts)
        await drain(waiting, until="connected")
        following = asyncio.create_task(drain(waiting))
        await asyncio.sleep(0)
        parts.events.stop_all()
        parts.events.stop_all()
        assert (await following).heard == []
        assert (await drain(fresh)).heard == []
        assert parts.events.readers == 0
        with pytest.raises(Refusal) as refusal:
            await listen(parts)
        assert refusal.value.code is Code.SHUTTING_DOWN


async def test_what_was_queued_before_the_stop_is_still_sent(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        stream = await listen(parts)
        await drain(stream, until="connected")
        await parts.ledger.append(action(number=1))
        parts.events.stop_all()
        assert [each.data["number"] for each in (await drain(stream)).heard] == [1]


async def test_revoking_a_key_ends_its_streams_and_no_others(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        _, admin = await parts.first()
        created = await parts.keys.create(admin, CreateKey(name="watcher", role=Role.AUDITOR))
        watcher = parts.keys.authenticate(created.api_key)
        assert watcher is not None
        theirs, mine = await listen(parts, watcher), await listen(parts, admin)
        await drain(theirs, until="connected")
        await parts.keys.revoke(admin, created.key.key_id)
        await parts.ledger.append(action(admin.org_id, number=1))
        assert (await drain(theirs)).heard == []
        assert (await drain(mine, until="action.created")).heard[-1].data["number"] == 1


async def test_recent_decisions_are_for_those_who_subscribe_without_looking(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        await parts.ledger.append(action(action_id="act_1"), action(action_id="act_2"))
        await parts.ledger.append(action(name="action.updated", action_id="act_1", approved_by="key_o"))
        await parts.ledger.append(action(name="action.updated", action_id="act_2", status="running"))
        published = await drain(await listen(parts, agent=URLLIB), until="connected")
        assert [(each.id, each.event, each.data.get("action_id")) for each in published.heard] == [
            (None, "connected", None),
            (None, "action.updated", "act_1"),
        ]
        assert (await drain(await listen(parts), until="connected")).names() == ["connected"]
        resumed = await drain(await listen(parts, agent=URLLIB, after=1), until="connected")
        assert [each.id for each in resumed.heard] == [2, 3, None]


async def test_a_refused_resume_leaves_nothing_open(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        await parts.ledger.append(action(number=0))
        with pytest.raises(Refusal) as refusal:
            await listen(parts, after=1)
        assert refusal.value.code is Code.INVALID_QUERY
        assert parts.events.readers == 0


async def test_a_reader_that_leaves_before_its_first_byte_is_forgotten(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        stream = await listen(parts)
        assert parts.events.readers == 1
        stream.stop()
        assert parts.events.readers == 0
        await stream.chunks.aclose()
