"""Who is there, as it is taken in, listed and remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.people.agents import Agents, AgentsQuery, Heartbeat
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from tests.service.people.agents.parts import MINUTE, NOON, SECOND, Hands, Parts, opened, somebody


async def listed(parts: Parts, who: Any = None, **query: Any) -> Agents:
    return await parts.agents.page(who or somebody(role=Role.ADMIN), msgspec.convert(query, AgentsQuery))


async def test_those_heard_of_last_come_first_and_each_says_since_when(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        parts.agents.note_call(somebody(), "early")
        parts.clock.now += 4 * MINUTE
        parts.agents.heartbeat(somebody(), Heartbeat(agent_id="late", agent_name="Late", status="busy"))
        parts.clock.now += 7 * MINUTE
        page = await listed(parts)
        assert [(each.agent_id, each.status, each.silent_seconds) for each in page.agents] == [
            ("late", "online", 420.0),
            ("early", "offline", 660.0),
        ]
        assert (page.total, page.online, page.offline) == (2, 1, 1)
        assert (page.agents[0].said, page.agents[0].agent_name, page.agents[0].last_heartbeat is None) == (
            "busy",
            "Late",
            False,
        )
        assert (page.agents[1].said, page.agents[1].last_heartbeat, page.agents[1].actions) == (None, None, None)
        offline = await listed(parts, status="offline")
        assert ([each.agent_id for each in offline.agents], offline.total, offline.online) == (["early"], 1, 1)
        assert [each.agent_id for each in (await listed(parts, agent_id="late")).agents] == ["late"]
        assert [each.agent_id for each in (await listed(parts, limit=1, offset=1)).agents] == ["early"]


async def test_nobody_hears_of_another_organizations_agents_or_of_others_with_a_bound_key(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        for agent_id in ("bot", "other"):
            parts.agents.note_call(somebody(), agent_id)
        parts.agents.note_call(somebody(org_id="org_b"), "bot")
        assert (await listed(parts)).total == 2
        assert (await listed(parts, somebody(org_id="org_b", role=Role.ADMIN))).total == 1
        own = await listed(parts, somebody("bot"))
        assert ([each.agent_id for each in own.agents], own.total, own.online, own.offline) == (["bot"], 1, 1, 0)
        assert (await listed(parts, somebody("bot"), agent_id="other")).agents == []


async def test_a_heartbeat_needs_an_agent_and_cannot_be_anothers(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        for said in (Heartbeat(), Heartbeat(agent_id="")):
            with pytest.raises(Refusal) as nobody:
                parts.agents.heartbeat(somebody(), said)
            assert (nobody.value.code, nobody.value.errors[0].place) == (Code.INVALID_BODY, "agent_id")
        with pytest.raises(Refusal) as other:
            parts.agents.heartbeat(somebody("bot"), Heartbeat(agent_id="other"))
        assert other.value.code is Code.AGENT_MISMATCH
        assert (await listed(parts)).total == 0
        answer = parts.agents.heartbeat(somebody("bot"), Heartbeat())
        assert answer.status == "ok"
        assert [each.agent_id for each in (await listed(parts)).agents] == ["bot"]


@pytest.mark.parametrize("metadata", [{"a": "x" * 9_993}, {"a": 2**53}], ids=["too large", "rounded by others"])
async def test_metadata_has_its_limits(tmp_path: Path, metadata: dict[str, Any]) -> None:
    async with opened(tmp_path) as parts:
        with pytest.raises(Refusal) as refused:
            parts.agents.heartbeat(somebody("bot"), Heartbeat(metadata=metadata))
        assert refused.value.code is Code.INVALID_BODY
        assert refused.value.errors[0].place.startswith("metadata")
        # {"a":"..."} has eight bytes around the text.
        parts.agents.heartbeat(somebody("bot"), Heartbeat(metadata={"a": "x" * 9_992}))


async def test_silent_are_those_who_beat_once_the_most_silent_first(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        for agent_id in ("first", "second", "third"):
            parts.agents.heartbeat(somebody(), Heartbeat(agent_id=agent_id, current_task_id=f"task of {agent_id}"))
            parts.clock.now += SECOND
        parts.agents.note_call(somebody(), "never")
        parts.agents.heartbeat(somebody(), Heartbeat(agent_id="gone", status="offline"))
        parts.clock.now = NOON + 10 * MINUTE + SECOND + 1
        # The third one works, and so it is not silent.
        parts.agents.note_call(somebody(), "third")
        found = parts.agents.silent("org_a", parts.clock.now, 10 * MINUTE)
        assert [(each.agent_id, each.current_task_id) for each in found] == [
            ("first", "task of first"),
            ("second", "task of second"),
        ]
        assert parts.agents.silent("org_b", parts.clock.now, 0) == []


async def test_a_restart_remembers_what_was_recorded(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as parts:
        parts.agents.heartbeat(somebody(), Heartbeat(agent_id="bot", agent_name="Bot", metadata={"a": [1, None]}))
        parts.agents.note_call(somebody(org_id="org_b"), "bot")
        await parts.recorder.record()
        before = {org: parts.agents.state.of(org) for org in ("org_a", "org_b")}
    async with opened(tmp_path, clock) as parts:
        assert {org: parts.agents.state.of(org) for org in ("org_a", "org_b")} == before
        assert (await listed(parts)).agents[0].metadata == {"a": [1, None]}
        # And what is known needs no new row.
        parts.clock.now += SECOND
        parts.agents.note_call(somebody(), "bot")
        assert await parts.recorder.record() == 0
