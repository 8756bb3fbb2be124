"""Handoffs, over HTTP and in process."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from assent.contract.exchange.handoffs import CreateHandoff, Handoff
from assent.contract.roles import Role
from assent_service.exchange.handoffs import Handoffs
from tests.service.control.actions.world import DAY, World, locks_of

FULL = {
    "summary": "The migration is half done.",
    "agent_id": "bot",
    "context": {"branch": "main", "tables": ["a", None, {"b": 1.5}]},
    "tags": ["migration", "red"],
    "session_date": "2026-02-28",
    "key_decisions": ["keep the old column"],
    "open_tasks": [{"task": "drop it", "owner": "bot"}],
    "mood_notes": "hurried",
    "next_priorities": "The index",
}


def nouns(world: World) -> Handoffs:
    return Handoffs(world.service.ledger, world.clock, locks_of(world.service.ledger), world.service.injection.screen)


async def listed(world: World, query: str = "", by: Role = Role.AUDITOR) -> dict[str, Any]:
    answer = await world.http("GET", f"/api/handoffs{query}", by=by)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_everything_that_was_said_comes_back_as_it_was(world: World) -> None:
    made = await world.http("POST", "/api/handoffs", FULL, Role.AGENT)
    assert made.status_code == 201
    row = made.json()["handoff"]
    assert made.json()["handoff_id"] == row["handoff_id"] == row["id"]
    assert row["id"].startswith("ho_")
    assert {name: row[name] for name in FULL} == FULL
    page = await listed(world, "?agent_id=bot")
    assert (page["handoffs"], page["total"], page["handoff"], page["next_cursor"]) == ([row], 1, row, None)
    (event,) = await world.events(kind="handoff.")
    assert msgspec.json.decode(event.data or b"", type=Handoff) == msgspec.convert(row, Handoff)


async def test_the_least_that_can_be_said_is_of_today_and_of_nobody(world: World) -> None:
    camel: dict[str, Any] = {
        "summary": "Done.",
        "keyDecisions": "none",
        "openTasks": [],
        "nextPriorities": None,
        "moodNotes": "",
    }
    row = (await world.http("POST", "/api/handoffs", camel, Role.AGENT)).json()["handoff"]
    assert (row["agent_id"], row["session_date"], row["context"], row["tags"]) == (None, "2026-03-02", {}, [])
    assert (row["key_decisions"], row["open_tasks"], row["next_priorities"], row["mood_notes"]) == (
        "none",
        [],
        None,
        "",
    )
    assert (await listed(world))["handoffs"] == [row]


async def test_the_latest_is_the_agents_own(world: World) -> None:
    assert (await listed(world, "?agent_id=bot&latest=true"))["handoff"] is None
    for number in range(3):
        for agent_id in ("bot", "other"):
            await world.http("POST", "/api/handoffs", {"summary": f"{agent_id} {number}", "agent_id": agent_id})
    for latest in ("true", "True", "1"):
        found = await listed(world, f"?agent_id=bot&latest={latest}")
        assert (found["handoff"]["summary"], len(found["handoffs"]), found["total"]) == ("bot 2", 1, 3)
    assert (await listed(world, "?latest=true"))["handoff"]["summary"] == "other 2"


async def test_days(world: World) -> None:
    for day in ("2026-02-27", "2026-02-28", "2026-03-01"):
        world.clock.turn(DAY)
        for number in (1, 2):
            await world.http("POST", "/api/handoffs", {"summary": f"{day} {number}", "session_date": day})
    for query in ("session_date=2026-02-28", "date=2026-02-28", "sessionDate=2026-02-28"):
        found = await listed(world, f"?{query}")
        assert [each["summary"] for each in found["handoffs"]] == ["2026-02-28 2", "2026-02-28 1"]
    assert (await listed(world, "?since=2026-02-28"))["total"] == 4
    assert (await listed(world, "?since=2026-02-28&until=2026-02-28"))["total"] == 2


async def test_an_id_that_is_there_stays_as_it_is_however_often(world: World) -> None:
    handoffs, said = nouns(world), CreateHandoff(summary="once")
    first = await asyncio.gather(*(handoffs.create(world.admin, said, "ho_mine") for _ in range(4)))
    again = await handoffs.create(world.admin, CreateHandoff(summary="twice"), "ho_mine")
    assert {each.handoff.summary for each in (*first, again)} == {"once"}
    assert len(await world.events(kind="handoff.")) == 1
