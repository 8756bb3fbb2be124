"""Insight, counted by hand."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from assent.contract.analysis.insight import ApprovalInsight, DecisionMix, InsightQuery, OperatorInsight
from assent.contract.roles import Role
from assent_service.analysis.insight import approval_insight, decision_mix
from assent_service.core.principal import Principal
from tests.service.control.actions.world import DAY, HOUR, SECOND, World

TICK = 0.001
"""Seconds that the tests' clock moves with each question."""


async def of_approvals(world: World, window: str = "30d", **more: Any) -> ApprovalInsight:
    query = InsightQuery(window=window, **more)
    return await approval_insight(world.service.ledger, world.admin, query, world.clock.now)


async def of_decisions(world: World, window: str = "30d", by: Principal | None = None, **more: Any) -> DecisionMix:
    query = InsightQuery(window=window, **more)
    return await decision_mix(world.service.ledger, by or world.admin, query, world.clock.now)


async def pay(world: World, verdict: str | None, seconds: int, by: str, agent: str = "bot") -> None:
    action = await world.act(action_type="pay", agent_id=agent)
    world.clock.turn(seconds * SECOND)
    if verdict is not None:
        await world.decide(action, verdict, world.operator(by))


@pytest.fixture
async def asking(world: World) -> World:
    await world.policy("require_approval", {"action_types": ["pay"]})
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    return world


async def test_approvals(asking: World) -> None:
    await pay(asking, None, 0, "nobody")
    asking.clock.turn(25 * HOUR)
    assert await asking.service.approvals.expire_overdue() == 1
    for verdict, seconds, by in [("allow", 10, "Mia"), ("deny", 20, "Mia"), ("allow", 60, "Ben")]:
        await pay(asking, verdict, seconds, by)
    await pay(asking, None, 5, "nobody", agent="late")
    found = await of_approvals(asking)
    assert (found.asked, found.awaiting, found.expired, found.decided) == (5, 1, 1, 3)
    assert (found.approved, found.denied, found.simulated) == (2, 1, 0)
    assert found.approval_rate == pytest.approx(200 / 3)
    # Of 10, 20 and 60 s: p50 is 20, p95 lies at position 1.9, so 20 + 0.9 * 40 = 56; the clock ticks meanwhile.
    assert found.p50_seconds == pytest.approx(20, abs=5 * TICK)
    assert found.p95_seconds == pytest.approx(56, abs=5 * TICK)
    assert found.by_operator == [
        OperatorInsight(operator="Mia", decided=2, approved=1, denied=1, p50_seconds=found.by_operator[0].p50_seconds),
        OperatorInsight(operator="Ben", decided=1, approved=1, denied=0, p50_seconds=found.by_operator[1].p50_seconds),
    ]
    assert [each.p50_seconds for each in found.by_operator] == [
        pytest.approx(15, abs=5 * TICK),
        pytest.approx(60, abs=5 * TICK),
    ]
    assert (await of_approvals(asking, "1d")).asked == 4
    assert (await of_approvals(asking, agent_id="late")).asked == 1


async def test_no_approvals(world: World) -> None:
    found = await of_approvals(world)
    assert (found.asked, found.decided, found.by_operator) == (0, 0, [])
    assert found.approval_rate is found.p50_seconds is found.p95_seconds is None


async def test_decisions(asking: World) -> None:
    await asking.guard(action_type="wipe", agent_id="a")
    await asking.guard(action_type="lookup", agent_id="a")
    asking.clock.turn(DAY)
    await asking.act(action_type="lookup", agent_id="b")
    await asking.act(action_type="pay", agent_id="b")
    before = asking.clock.moment - timedelta(days=3)
    await asking.guard(action_type="wipe", source="simulated", occurred_at=before)
    found = await of_decisions(asking)
    assert (found.n, found.allow, found.warn, found.require_approval, found.block) == (5, 2, 0, 1, 2)
    assert found.simulated == 1
    assert [(each.day, each.allow, each.require_approval, each.block) for each in found.days] == [
        (date(2026, 2, 28), 0, 0, 1),
        (date(2026, 3, 2), 1, 0, 1),
        (date(2026, 3, 3), 1, 1, 0),
    ]
    assert (await of_decisions(asking, "1d")).n == 2
    assert (await of_decisions(asking, agent_id="a")).n == 2
    assert (await of_decisions(asking, by=asking.somebody(Role.AGENT, "a"))).n == 2
    assert (await of_decisions(asking, by=asking.somebody(Role.AGENT, "a"), agent_id="b")).n == 0
    assert (await of_decisions(asking, by=await asking.stranger())).n == 0


async def test_no_decisions(world: World) -> None:
    found = await of_decisions(world)
    assert (found.n, found.days) == (0, [])
