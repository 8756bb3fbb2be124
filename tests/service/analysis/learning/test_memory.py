"""What guard says back about outcomes: by hand, and in memory as in the tables."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assent.contract.analysis.drift import DriftDirection
from assent.contract.control.guard import Learning
from assent.contract.control.loops import LoopEnd, LoopType, RegisterOpenLoop, ResolveOpenLoop
from assent_service.analysis.learning import Keeper, LearningMemory
from assent_service.analysis.learning.memory import drift_status
from assent_service.analysis.learning.tracks import RECENT
from assent_service.base.clock import DAY
from assent_service.base.pace import Pace
from assent_service.store.budget import TooManyAnalyses
from assent_service.store.reader import TableReader
from tests.live import WAIT
from tests.service.analysis.drift.watching import HINTED, alerts, history, watching
from tests.service.control.actions.world import MINUTE, World, opened
from tests.tiers import deep

GOOD: dict[str, Any] = {"status": "completed", "duration_ms": 30_000, "cost_estimate": 0.01}
"""50 + 30, risk 25 (20, and 5 without history) 4, reversible 5, a short time 6, a low cost 4: 99."""
BAD: dict[str, Any] = {"status": "failed", "duration_ms": 3_600_000, "cost_estimate": 9.0}
"""50 - 35 + 4 + 5 - 10 - 8 = 6 with the risk at most 30, 2 with more."""


async def learning(world: World, **members: Any) -> Learning:
    found = (await world.guard(agent_id="bot", **members)).learning
    assert isinstance(found, Learning), found
    return found


async def done(world: World, agent_id: str = "bot", **outcome: Any) -> str:
    action = await world.act(agent_id=agent_id)
    world.clock.turn(MINUTE)
    await world.report(action, **outcome)
    return action.action_id


async def test_nothing_is_said_without_history(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await world.act(agent_id="bot")
        result = await world.guard(agent_id="bot")
        assert not result.learning, "an action that still runs is no history"


async def test_recent_and_baseline_are_those_worked_out_by_hand(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        for _ in range(10):
            await done(world, **GOOD)
        first = await learning(world)
        # The first one had no history, so 25 of risk; those after it 20: below 30 both.
        assert (first.recent_score_avg, first.baseline_score_avg) == (99.0, 99.0)
        for _ in range(5):
            await done(world, **BAD)
        said = await learning(world)
        # The fifth saw 4 failures of 14 (10 more) at more than five an hour (5 more): 35 of risk, so no 4 for that.
        scores = [99] * 10 + [6] * 4 + [2]
        assert said.recent_score_avg == sum(scores[-RECENT:]) / RECENT
        assert said.baseline_score_avg == round(sum(scores) / 15, 1)
        assert said.drift_status == "insufficient_data"
        assert (await world.guard(agent_id="other")).learning is not said
        assert not (await world.guard(agent_id="other")).learning
        assert not (await world.guard(agent_id="bot", action_type="deploy")).learning


async def test_wrong_assumptions_and_open_loops_count(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await world.act(agent_id="bot")
        for held in (False, False, True):
            await world.judge(await world.believe(action), held, None if held else "it was not")
        for loop_id in ("a", "b"):
            said = RegisterOpenLoop(
                action_id=action.action_id, loop_type=LoopType.OTHER, description="?", loop_id=loop_id
            )
            await world.service.loops.register(world.admin, said)
        await world.service.loops.resolve(world.admin, "b", ResolveOpenLoop(status=LoopEnd.RESOLVED, resolution="yes"))
        await world.report(action, **GOOD)
        # 99, two wrong assumptions at 4, one open loop at 2.
        assert (await learning(world)).recent_score_avg == 89.0
        assert not world.service.learned.stale


async def test_a_correction_is_read_from_the_tables(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action_id = await done(world, **GOOD)
        await world.report(action_id, status="failed")
        assert world.service.learned.stale == {(world.org_id, "bot")}
        await world.service.keeper.read(world.org_id, "bot")
        # 50 - 35 + 4 + 5 + 6 + 4
        assert (await learning(world)).recent_score_avg == 34.0


async def test_patterns_are_the_guidance_of_lessons(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        for _ in range(6):
            await done(world, **GOOD)
        assert (await learning(world)).patterns == []
        await world.service.keeper.read(world.org_id, "bot")
        patterns = (await learning(world)).patterns
        assert patterns[0].startswith("6 of 6 episodes of refund succeeded")
        assert any("30.0 seconds" in sentence for sentence in patterns)


async def test_feedback_is_counted_until_it_is_taken_back(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action_id = await done(world, **GOOD)
        given = []
        for rating in (5, 4, 1, 3):
            said = {"action_id": action_id, "rating": rating}
            given.append((await world.http("POST", "/api/feedback", said)).json())
        assert (await learning(world)).feedback_summary == {"positive": 2, "negative": 1}
        assert (await world.http("DELETE", f"/api/feedback/{given[0]['feedback_id']}")).status_code == 200
        assert (await learning(world)).feedback_summary == {"positive": 1, "negative": 1}


async def erased(world: World, action_id: str) -> None:
    assert (await world.http("POST", f"/api/actions/{action_id}/erase", {"reason": "ticket 7"})).status_code == 200
    assert world.service.learned.stale == {(world.org_id, "bot")}
    await world.service.keeper.read(world.org_id, "bot")


async def test_an_erasure_takes_the_feedback_with_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        gone, kept = await done(world, **GOOD), await done(world, **GOOD)
        for action_id, rating in ((gone, 5), (gone, 1), (kept, 4)):
            await world.http("POST", "/api/feedback", {"action_id": action_id, "rating": rating})
        await erased(world, gone)
        assert (await learning(world)).feedback_summary == {"positive": 1, "negative": 0}


async def test_feedback_that_comes_while_the_tables_are_read_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given before the tables are asked, and between their answer and its use."""
    async with opened(tmp_path) as world:
        action_id = await done(world, **GOOD)
        read, frame = world.service.ledger.read, world.service.ledger.frame_of_ours

        async def rate() -> None:
            await world.http("POST", "/api/feedback", {"action_id": action_id, "rating": 5})

        async def frame_then(sql: str, *parameters: Any) -> Any:
            found = await frame(sql, *parameters)
            if "FROM loops" in sql:
                await rate()
            return found

        async def read_then(sql: str, *parameters: Any) -> Any:
            found = await read(sql, *parameters)
            if "FROM applied" in sql:
                await rate()
            return found

        monkeypatch.setattr(world.service.ledger, "frame_of_ours", frame_then)
        monkeypatch.setattr(world.service.ledger, "read", read_then)
        await world.service.keeper.read(world.org_id, "bot")
        assert (await learning(world)).feedback_summary == {"positive": 2, "negative": 0}


async def test_drift_of_others_and_of_a_simulator_is_none(tmp_path: Path) -> None:
    async with watching(tmp_path) as world:
        await history(world, HINTED, agent_id="bot")
        await history(world, HINTED, agent_id="other", source="simulated")
        (of_bot, of_simulator) = await alerts(world)
        status = {}
        for agent_id in ("bot", "other", None):
            await world.report(await world.act(agent_id=agent_id, action_type="look"), **GOOD)
            found = (await world.guard(agent_id=agent_id, action_type="look")).learning
            assert isinstance(found, Learning)
            status[agent_id] = found.drift_status
        assert status == {"bot": "drifting", "other": "insufficient_data", None: "insufficient_data"}
        await world.service.drift.acknowledge(world.admin, of_bot.id)
        found = (await world.guard(agent_id="bot", action_type="look")).learning
        assert isinstance(found, Learning)
        assert found.drift_status == "stable"
        assert of_simulator.source == "simulated"


async def test_what_is_older_than_90_days_does_not_count(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        await done(world, **BAD)
        world.clock.turn(91 * DAY)
        await done(world, **GOOD)
        before = await learning(world)
        assert (before.recent_score_avg, before.baseline_score_avg) == (99.0, 99.0)
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        await world.service.keeper.read(world.org_id, "bot")
        after = await learning(world)
        assert (after.recent_score_avg, after.baseline_score_avg) == (99.0, 99.0), "a restart changes nothing"
        clock.turn(91 * DAY)
        assert not (await world.guard(agent_id="bot")).learning


async def test_simulated_actions_teach_nobody(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await world.act(agent_id="bot", source="simulated")
        await world.report(action, **GOOD)
        assert not (await world.guard(agent_id="bot")).learning


async def random_history(world: World, seed: int, steps: int) -> None:
    chance = random.Random(seed)
    actions: list[str] = []
    beliefs: list[str] = []
    loops: list[str] = []
    for step in range(steps):
        world.clock.turn(chance.randrange(30 * MINUTE))
        what = chance.random()
        agent = chance.choice(["a", "b"])
        if what < 0.35 or not actions:
            made = await world.act(agent_id=agent, action_type=chance.choice(["refund", "email"]))
            actions.append(made.action_id)
        elif what < 0.7:
            outcome: dict[str, Any] = {"status": chance.choice(["completed", "failed", "cancelled", "running"])}
            if chance.random() < 0.7:
                outcome["duration_ms"] = chance.choice([10, 100_000, 1_000_000, 10_000_000])
            if chance.random() < 0.7:
                outcome["cost_estimate"] = chance.choice([0.0, 0.5, 3.0, 50.0])
            await world.report(chance.choice(actions[-4:]), **outcome)
        elif what < 0.8:
            beliefs.append((await world.believe(chance.choice(actions[-4:]))).assumption_id)
        elif what < 0.87 and beliefs:
            await world.judge(beliefs.pop(), chance.random() < 0.3, "it was not")
        elif what < 0.95 or not loops:
            loops.append(f"loop-{seed}-{step}")
            of = chance.choice(actions[-4:])
            said = RegisterOpenLoop(action_id=of, loop_type=LoopType.OTHER, description="?", loop_id=loops[-1])
            await world.service.loops.register(world.admin, said)
        else:
            end = ResolveOpenLoop(status=LoopEnd.RESOLVED, resolution="done")
            await world.service.loops.resolve(world.admin, loops.pop(), end)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=deep("one seed is in the quick tier")) for seed in range(1, 6))]
)
async def test_memory_is_what_the_tables_say(tmp_path: Path, seed: int) -> None:
    """Folded, with what it calls stale read anew, and read whole by a service that starts on the same tables."""
    async with opened(tmp_path) as world:
        await random_history(world, seed, 120)
        folded = world.service.learned
        kept = folded.snapshot(world.clock.now)
        for org_id, agent_id in folded.stale:
            await world.service.keeper.read(org_id, agent_id)
        fresh = LearningMemory(world.clock)
        whole = Keeper(world.service.ledger, world.clock, fresh, partial(Pace, lag=lambda: 0.0))
        for agent_id in ("a", "b"):
            await whole.read(world.org_id, agent_id)
        assert folded.snapshot(world.clock.now) == fresh.snapshot(world.clock.now)
        assert kept, "the history taught something"
        untouched = {key for key in kept if key[:2] not in folded.stale}
        assert {key: kept[key] for key in untouched} == {key: fresh.snapshot(world.clock.now)[key] for key in untouched}


async def test_an_agent_that_cannot_be_read_does_not_hold_up_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as world:
        for agent_id in ("a", "b", "c"):
            await done(world, agent_id, **GOOD)
        memory = LearningMemory(world.clock)
        keeper = Keeper(world.service.ledger, world.clock, memory, partial(Pace, lag=lambda: 0.0))
        read = keeper.read

        async def fails_for_b(org_id: str, agent_id: str | None) -> None:
            if agent_id == "b":
                raise ValueError("unreadable")
            await read(org_id, agent_id)

        monkeypatch.setattr(keeper, "read", fails_for_b)
        await keeper.start()
        await asyncio.wait_for(keeper.ready.wait(), WAIT)
        await keeper.stop()
        assert {key.agent_id for key in memory.snapshot(world.clock.now)} == {"a", "c"}
        assert memory.grown == {(world.org_id, "b")}, "it is tried again"


async def test_a_restart_forgets_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        for _ in range(3):
            await done(world, **GOOD)
        under_way = await world.act(agent_id="bot")
        await world.judge(await world.believe(under_way), False, "it was not")
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        memory = world.service.learned
        assert not memory.snapshot(clock.now)
        await world.service.keeper.read(world.org_id, "bot")
        await world.report(under_way, **GOOD)
        # 99 three times, and 95 for the one that rested on a wrong assumption before the restart.
        assert (await learning(world)).recent_score_avg == 98.0
        assert not memory.stale


async def test_analyses_beyond_their_budget_do_not_keep_guard_from_learning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cut(*_: object) -> None:
        raise TooManyAnalyses

    async with opened(tmp_path) as world:
        for _ in range(3):
            await done(world, **GOOD)
        clock = world.clock
    monkeypatch.setattr(TableReader, "frame", cut)
    async with opened(tmp_path, clock) as world:
        await world.service.keeper.read(world.org_id, "bot")
        assert (await learning(world)).recent_score_avg == 99.0


class Alert:
    def __init__(self, metric: str, direction: DriftDirection) -> None:
        self.metric, self.direction = metric, direction


@pytest.mark.parametrize(
    ("n", "alerts", "status"),
    [
        (0, [], "insufficient_data"),
        (19, [], "insufficient_data"),
        (20, [], "stable"),
        (20, [("score", DriftDirection.DOWN)], "degraded"),
        (5, [("score", DriftDirection.UP)], "improved"),
        (20, [("cost_estimate", DriftDirection.UP), ("score", DriftDirection.DOWN)], "degraded"),
        (20, [("score", DriftDirection.UP), ("score", DriftDirection.DOWN)], "improved"),
        (20, [("duration_ms", DriftDirection.DOWN)], "drifting"),
        (20, [("score", DriftDirection.CHANGED)], "drifting"),
    ],
)
def test_the_newest_alert_on_the_score_says_where_it_went(
    n: int, alerts: list[tuple[str, DriftDirection]], status: str
) -> None:
    found: Any = [Alert(*alert) for alert in alerts]
    assert drift_status(n, found) == status
