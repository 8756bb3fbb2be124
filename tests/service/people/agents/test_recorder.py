"""What of it is recorded, and when."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import msgspec
import pytest

from assent.contract.people.agents import AgentRow, Heartbeat
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from tests.service.people.agents.parts import MINUTE, NOON, SECOND, Parts, opened, somebody
from tests.service.store.logbook import break_disk


async def payloads(parts: Parts) -> list[AgentRow]:
    return [msgspec.json.decode(event.data or b"", type=AgentRow) for event in await parts.events()]


async def test_many_calls_are_one_event_and_the_tables_have_one_row(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        for _ in range(1000):
            parts.clock.now += SECOND // 10
            parts.agents.note_call(somebody(key_id="key_7"), "bot")
        assert await parts.events() == []
        assert await parts.recorder.record() == 1
        (event,) = await parts.events()
        assert (event.type, event.actor) == ("agent.heartbeat", "key_7")
        assert [each.last_seen for each in await payloads(parts)] == [parts.agents.state.of("org_a")[0].last_seen]
        for _ in range(40):
            parts.clock.now += MINUTE
            parts.agents.note_call(somebody(), "bot")
            await parts.recorder.record()
        # Once when it was new, and then every five minutes.
        assert len(await payloads(parts)) == 1 + 8
        rows = await parts.ledger.read("SELECT agent_id, count(*) FROM agents GROUP BY agent_id")
        assert rows == [("bot", 1)]


async def test_what_an_agent_says_anew_is_recorded_at_the_next_write(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        for status, task in (("online", None), ("online", None), ("busy", "t"), ("busy", "t"), ("busy", "u")):
            parts.clock.now += SECOND
            parts.agents.heartbeat(somebody("bot"), Heartbeat(status=status, current_task_id=task))
            await parts.recorder.record()
        assert [(each.said, each.current_task_id) for each in await payloads(parts)] == [
            ("online", None),
            ("busy", "t"),
            ("busy", "u"),
        ]


async def test_a_write_that_fails_is_made_up_for(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        files = break_disk(parts.ledger)
        parts.agents.note_call(somebody(), "bot")
        files.errors["write"] = errno.ENOSPC
        with pytest.raises(Refusal) as refused:
            await parts.recorder.record()
        assert refused.value.code is Code.STORAGE_UNAVAILABLE
        # Nor does it keep the service from stopping.
        await parts.recorder.stop()
        assert await parts.events() == []
        del files.errors["write"]
        assert await parts.recorder.record() == 1
        assert [each.agent_id for each in await payloads(parts)] == ["bot"]


async def test_the_stop_records_what_memory_knows_better(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        parts.agents.note_call(somebody(), "bot")
        parts.agents.note_call(somebody(), "other")
        await parts.recorder.record()
        parts.clock.now += MINUTE
        parts.agents.note_call(somebody(), "bot")
        assert await parts.recorder.record() == 0
        await parts.recorder.stop()
        assert [each.agent_id for each in await payloads(parts)] == ["bot", "other", "bot"]
        rows = await parts.ledger.read("SELECT agent_id, epoch_us(last_seen) FROM agents ORDER BY agent_id")
        assert rows == [("bot", NOON + MINUTE), ("other", NOON)]


async def test_it_writes_by_itself_while_it_runs(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        await parts.recorder.start()
        parts.agents.note_call(somebody(), "bot")
        for _ in range(2000):
            if await parts.events():
                break
            await asyncio.sleep(0.005)
        await parts.recorder.stop()
        assert [each.agent_id for each in await payloads(parts)] == ["bot"]


async def test_of_very_many_a_write_takes_a_thousand_and_the_others_wait(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        for number in range(2500):
            parts.agents.note_call(somebody(), f"bot-{number}")
        assert [await parts.recorder.record() for _ in range(4)] == [1000, 1000, 500, 0]
        rows = await parts.ledger.read("SELECT count(*), count(DISTINCT agent_id) FROM agents")
        assert rows == [(2500, 2500)]
