"""Kinds of work go by the risk that the agent stated, not by what guard made of it."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.service.control.actions.world import World, opened

DAYS, EACH = 7, 6
EASY, HARD = 20, 60
SUCCEEDS = {EASY: 0.95, HARD: 0.3}


async def imported(world: World, agent_id: str, *, more: int) -> None:
    """Six episodes on each of seven days, each rated 90 or more by guard; each day one more is easy, or one fewer."""
    drawn = random.Random(agent_id)
    today = datetime.fromtimestamp(world.clock() / 1e6, UTC)
    for day in range(DAYS):
        easy = day if more > 0 else EACH - day
        for number in range(EACH):
            risk = EASY if number < easy else HARD
            at = today - timedelta(days=DAYS - day, minutes=EACH - number)
            past = {"source": "import", "occurred_at": at.isoformat()}
            body: dict[str, Any] = {
                "action_type": "deploy",
                "reversible": False,
                "agent_id": agent_id,
                "risk_score": risk,
            }
            made = await world.http("POST", "/api/actions", body | past | {"status": "running"})
            assert made.status_code < 300, made.text
            status = "completed" if drawn.random() < SUCCEEDS[risk] else "failed"
            ended = {"status": status, "timestamp_end": at.isoformat()} | past
            told = await world.http("PATCH", f"/api/actions/{made.json()['action_id']}", ended)
            assert told.status_code < 300, told.text


async def test_easier_work_is_no_progress(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await imported(world, "easier", more=1)
        await imported(world, "harder", more=-1)
        found = (await world.http("GET", "/api/learning/analytics/velocity")).json()["velocity"]
        easier, harder = sorted(found, key=lambda row: row["agent_id"])
        assert (easier["kinds"], harder["kinds"]) == (2, 2)
        assert (easier["direction"], harder["direction"]) == ("unclear", "unclear")
        assert easier["mix"] > abs(easier["standardized"]), easier
        assert harder["mix"] < -abs(harder["standardized"]), harder
        lessons = (await world.http("GET", "/api/learning/lessons")).json()["lessons"]
        assert {each["hints"]["risk_cap"] for each in lessons} <= {float(EASY), float(HARD)}, lessons
