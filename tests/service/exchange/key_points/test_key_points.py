"""Key points, over HTTP and in process."""

from __future__ import annotations

import asyncio
from typing import Any

from assent.contract.exchange.key_points import CaptureKeyPoint
from assent.contract.roles import Role
from assent_service.exchange.key_points import KeyPoints
from tests.service.control.actions.world import DAY, World, locks_of

POINTS = "/api/context/points"


def nouns(world: World) -> KeyPoints:
    return KeyPoints(world.service.ledger, world.clock, locks_of(world.service.ledger))


async def capture(world: World, content: str, **more: Any) -> dict[str, Any]:
    answer = await world.http("POST", POINTS, {"content": content} | more, Role.AGENT)
    assert answer.status_code == 201, answer.text
    assert answer.json()["point_id"] == answer.json()["point"]["point_id"] == answer.json()["point"]["id"]
    return dict(answer.json()["point"])


async def listed(world: World, query: str) -> list[str]:
    answer = await world.http("GET", POINTS + query, by=Role.AUDITOR)
    assert answer.status_code == 200, answer.text
    return [each["content"] for each in answer.json()["points"]]


async def test_a_point_in_full_and_in_short(world: World) -> None:
    full = {"agent_id": "bot", "category": "decision", "importance": 9, "session_date": "2026-02-28"}
    row = await capture(world, "The index stays", **full)
    assert {name: row[name] for name in full} == full
    assert row["id"].startswith("cp_")
    short = await capture(world, "Tests are slow", category=None, importance=None, session_date=None)
    assert (short["category"], short["importance"], short["session_date"], short["agent_id"]) == (
        "general",
        5,
        "2026-03-02",
        None,
    )
    (first, second) = await world.events(kind="key_point.")
    assert (first.subject, second.subject) == (row["point_id"], short["point_id"])
    page = (await world.http("GET", POINTS)).json()
    assert (page["points"], page["total"]) == ([short, row], 2)


async def test_filters(world: World) -> None:
    await capture(world, "a", category="risk", importance=2, agent_id="bot")
    await capture(world, "b", importance=7, agent_id="bot")
    world.clock.turn(DAY)
    await capture(world, "c", importance=10)
    assert await listed(world, "?category=risk") == ["a"]
    assert await listed(world, "?importance_min=7") == ["c", "b"]
    for spelled in ("session_date", "sessionDate", "date"):
        assert await listed(world, f"?{spelled}=2026-03-03") == ["c"]
    assert await listed(world, "?agent_id=bot") == ["b", "a"]


async def test_an_id_that_is_there_stays_as_it_is(world: World) -> None:
    points, said = nouns(world), CaptureKeyPoint(content="once")
    found = await asyncio.gather(*(points.capture(world.admin, said, "cp_mine") for _ in range(4)))
    assert {each.point_id for each in found} == {"cp_mine"}
    assert len(await world.events(kind="key_point.")) == 1
