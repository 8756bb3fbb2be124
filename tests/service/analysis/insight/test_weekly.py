"""The digest of a week and the history of signals, as the service answers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assent.contract.analysis.insight import InsightQuery, SignalHistory
from assent.contract.analysis.weekly import WeeklyDigest, WeekQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.analysis.insight import signal_history, weekly_digest
from assent_service.base.problem import Refusal
from tests.service.control.actions.world import DAY, HOUR, World


def now(world: World) -> datetime:
    return datetime.fromtimestamp(world.clock.now / 1e6, UTC)


async def of_week(world: World, by: Any = None, **query: Any) -> WeeklyDigest:
    return await weekly_digest(world.service.ledger, by or world.admin, WeekQuery(**query), world.clock.now)


async def of_signals(world: World, by: Any = None, **query: Any) -> SignalHistory:
    return await signal_history(world.service.ledger, by or world.admin, InsightQuery(**query), world.clock.now)


async def test_a_week_beside_the_one_before(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    for _ in range(3):
        await world.act(action_type="pay", agent_id="old", risk_score=30, cost_estimate=0.5)
    world.clock.turn(7 * DAY)
    for number in range(2):
        done = await world.act(action_type="look", agent_id="new", risk_score=60, cost_estimate=1.0)
        await world.report(done, status="completed" if number else "failed")
    await world.blocked(action_type="wipe", agent_id="old")
    world.clock.turn(DAY)
    found = await of_week(world)
    assert (found.actions.all.n, found.actions.all.before) == (3, 3)
    assert found.actions.by_status == {"blocked": 1, "completed": 1, "failed": 1}
    assert (found.actions.success.count, found.actions.success.n) == (1, 2)
    assert (found.decisions.block.count, found.decisions.all.n) == (1, 3)
    assert (found.cost.n, found.cost.total, found.cost.before_total) == (2, 2.0, 1.5)
    assert [each.name for each in found.new_agents] == ["new"]
    assert {each.name for each in found.new_types} == {"look", "wipe"}
    assert {each.name for each in found.agents_by_risk} == {"old", "new"}
    assert (await of_week(world, agent_id="new")).actions.all.n == 2


async def test_a_week_under_way_is_cut_at_the_same_hour(world: World) -> None:
    await world.act(action_type="look")
    world.clock.turn(1_000_000)
    year, week, _ = now(world).isocalendar()
    found = await of_week(world, week=f"{year}-W{week:02}")
    assert not found.complete
    assert found.until - found.since == found.before_until - found.before_since < timedelta(days=7)
    assert found.actions.all.n == 1
    # The last seven days have no today.
    assert (await of_week(world)).actions.all.n == 0


async def test_approvals_of_a_week(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    asked = await world.act(action_type="pay")
    world.clock.turn(60_000_000)
    await world.decide(asked, "allow", world.operator("Mia"))
    await world.act(action_type="pay")
    world.clock.turn(DAY)
    found = (await of_week(world)).approvals
    assert (found.asked.n, found.decided.n, found.approved.count) == (2, 1, 1)
    assert found.p50.value == pytest.approx(60, abs=0.1)


@pytest.mark.parametrize("week", ["", "x", "2026-W54", "9998-W01"])
async def test_what_is_no_week_is_refused(world: World, week: str) -> None:
    with pytest.raises(Refusal) as caught:
        await of_week(world, week=week)
    assert caught.value.code is Code.INVALID_QUERY
    assert [each.place for each in caught.value.errors] == ["week"]


async def test_signals_of_a_window(world: World) -> None:
    for agent in ("a", "b"):
        for _ in range(30):
            await world.act(action_type="look", agent_id=agent)
    for _ in range(5):
        failed = await world.act(action_type="look", agent_id="a")
        await world.report(failed, status="failed", error_message="no")
    await world.service.announcer.tell()
    world.clock.turn(HOUR)
    found = await of_signals(world, window="7d")
    kinds = {each.type: each for each in found.by_type}
    failing = next(each for kind, each in kinds.items() if kind == "repeated_failures")
    assert (failing.n, failing.agents, failing.actions) == (1, 1, 65)
    assert failing.per_100 == pytest.approx(100 / 65)
    assert found.all.n == sum(each.n for each in found.by_type) == sum(each.n for each in found.days)
    of_a = next(each for each in found.by_agent if each.agent_id == "a")
    assert of_a.actions == 35
    own = await of_signals(world, by=world.somebody(Role.AGENT, "b"))
    assert own.all.actions == 30
    assert all(each.agent_id == "b" for each in own.by_agent)
    assert (await of_week(world)).signals.all.n == 0
    assert found.not_shown == {}


async def test_a_window_that_is_none_is_refused(world: World) -> None:
    with pytest.raises(Refusal) as caught:
        await of_signals(world, window="0d")
    assert caught.value.code is Code.INVALID_QUERY
