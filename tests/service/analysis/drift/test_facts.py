"""What events add to streams: each finished action once, each decision, and nothing else."""

from __future__ import annotations

from typing import Any

from assent.contract.control.guard import Source
from assent_analytics.episodes import EpisodeFacts, score
from assent_service.analysis.drift.facts import GRIDS, FactReader, MetricValues
from assent_service.base.clock import microseconds
from tests.service.analysis.drift.watching import at
from tests.service.control.actions.world import World


async def added(world: World, kind: str = "") -> list[MetricValues]:
    """What all events so far add, in order."""
    reader = FactReader()
    found = [reader.read(event) for event in await world.events()]
    return [values for values in found if values is not None and (not kind or kind in values.numbers)]


async def of_actions(world: World) -> list[MetricValues]:
    return await added(world, "score")


async def test_a_finished_action_adds_its_numbers(world: World) -> None:
    action = await world.act(agent_id="bot", action_type="look", confidence=80, risk_score=40)
    report: dict[str, Any] = {"status": "completed", "duration_ms": 1500, "cost_estimate": 0.02, "tokens_in": 10}
    ended = await world.report(action, **report)
    (values,) = await of_actions(world)
    facts = EpisodeFacts(
        status="completed",
        risk_score=ended.risk_score,
        reversible=ended.reversible,
        duration_ms=1500,
        cost_estimate=0.02,
        confidence=80,
    )
    assert values.numbers == {
        "score": score(facts).score,
        "risk_score": ended.risk_score,
        "confidence": 80,
        "duration_ms": 1500,
        "cost_estimate": 0.02,
        "tokens": 10,
        "success_rate": 1,
    }
    assert (values.agent_id, values.action_type, values.source) == ("bot", "look", Source.LIVE)
    assert ended.timestamp_end is not None
    assert values.at == microseconds(ended.timestamp_end)
    assert set(values.numbers) <= set(GRIDS)


async def test_what_is_not_known_adds_nothing(world: World) -> None:
    await world.act(agent_id="bot", status="completed", source="import", occurred_at=at(1).isoformat())
    (values,) = await of_actions(world)
    assert not {"duration_ms", "cost_estimate", "tokens"} & set(values.numbers)
    assert values.at == microseconds(at(1))
    assert values.source is Source.IMPORT


async def test_one_that_goes_on_or_was_blocked_adds_no_numbers(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    await world.act(agent_id="bot")
    await world.blocked(agent_id="bot", action_type="wipe")
    assert await of_actions(world) == []


async def test_a_belief_that_held_after_all_takes_nothing_off(world: World) -> None:
    action = await world.act(agent_id="bot")
    belief = await world.believe(action)
    for held in (False, True):
        await world.judge(belief, held, None if held else "it was not")
    ended = await world.report(action, status="completed")
    (values,) = await of_actions(world)
    facts = EpisodeFacts(
        status="completed",
        risk_score=ended.risk_score,
        reversible=ended.reversible,
        confidence=ended.confidence,
        duration_ms=ended.duration_ms,
    )
    assert values.numbers["score"] == score(facts).score


async def test_a_correction_adds_nothing(world: World) -> None:
    action = await world.act(agent_id="bot")
    await world.report(action, status="completed")
    await world.report(action, status="failed", error_message="it was not, after all")
    await world.report(action, cost_estimate=4.0)
    assert [values.numbers["success_rate"] for values in await of_actions(world)] == [1]


async def test_a_report_that_does_not_end_it_adds_nothing_yet(world: World) -> None:
    action = await world.act(agent_id="bot")
    await world.report(action, output_summary="halfway")
    assert await of_actions(world) == []
    await world.report(action, status="cancelled")
    assert await of_actions(world) == [], "what was given up while it ran has no outcome"
    failed = await world.act(agent_id="bot")
    await world.report(failed, status="failed", error_message="no")
    assert [values.numbers["success_rate"] for values in await of_actions(world)] == [0]


async def test_a_decision_adds_whether_it_asked_and_whether_it_blocked(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    await world.policy("require_approval", {"action_types": ["pay"]})
    for action_type in ("look", "pay", "wipe"):
        await world.guard(agent_id="bot", action_type=action_type)
    found = [(v.action_type, v.numbers) for v in await added(world, "block_rate")]
    assert found == [
        ("look", {"approval_rate": 0, "block_rate": 0}),
        ("pay", {"approval_rate": 1, "block_rate": 0}),
        ("wipe", {"approval_rate": 0, "block_rate": 1}),
    ]


async def test_the_score_counts_what_was_wrong_or_open_when_the_action_ended(world: World) -> None:
    plain, doubtful = [await world.act(agent_id="bot") for _ in range(2)]
    belief = await world.believe(doubtful)
    await world.judge(belief, False, "it was not paid")
    other = await world.believe(doubtful, assumption="the customer is known")
    await world.report(plain, status="completed", duration_ms=5)
    await world.report(doubtful, status="completed", duration_ms=5)
    await world.judge(other, False, "too late to count")
    first, second = [values.numbers["score"] for values in await of_actions(world)]
    assert first - second == 4
