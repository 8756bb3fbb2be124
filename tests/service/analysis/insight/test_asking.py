"""What asking is worth, from requests that were asked and decided in a service, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.analysis.asking import AskingAdvice, AskingQuery, AskingStatus, AskingWorth
from assent_service.analysis.asking import asking_worth
from tests.service.control.actions.world import HOUR, SECOND, World

TICK = 0.001
"""Seconds that the tests' clock moves with each question."""


async def found(world: World, **query: Any) -> AskingWorth:
    return await asking_worth(world.service.ledger, world.admin, AskingQuery(**query), world.clock.now)


async def pay(world: World, verdict: str, seconds: int, by: str, ended: str | None = None) -> None:
    action = await world.act(action_type="pay", agent_id="bot", session_id=f"s{seconds}")
    world.clock.turn(seconds * SECOND)
    await world.decide(action, verdict, world.operator(by))
    if ended is not None:
        await world.report(action, status=ended)


async def test_minutes_denials_and_failures_are_those_of_the_requests(world: World) -> None:
    """Mia decides after 60 s, then after 30 more, Ben once: a burst of two, and one of one."""
    policy = await world.policy("require_approval", {"action_types": ["pay"]})
    await pay(world, "allow", 60, "Mia", "failed")
    await pay(world, "deny", 30, "Mia")
    await pay(world, "allow", 20, "Ben", "completed")
    await world.act(action_type="pay", agent_id="bot")
    world.clock.turn(25 * HOUR)
    assert await world.service.approvals.expire_overdue() == 1
    read = await world.act(action_type="read", agent_id="bot")
    await world.report(read, status="failed")
    answer = await found(world)
    (pays,) = answer.by_type
    assert (pays.name, pays.asked, pays.decided, pays.denied, pays.expired, pays.stopped) == ("pay", 4, 3, 1, 1, 2)
    assert pays.waited_minutes == pytest.approx(110 / 60, abs=TICK)
    assert pays.attention_seen == 1
    assert pays.attention_minutes == pytest.approx(90 / 60, abs=TICK)
    assert (pays.ended, pays.failed, pays.failed_share) == (2, 1, 0.5)
    assert pays.denied_share == pytest.approx(1 / 3)
    assert pays.advice is AskingAdvice.TOO_FEW
    (asked,) = answer.by_policy
    assert (asked.name, asked.asked) == (policy.policy_id, 4)
    (unasked,) = answer.unasked
    assert (unasked.name, unasked.ended, unasked.failed) == ("read", 1, 1)
    assert (answer.agreement.n, answer.agreement.operators, answer.agreement.pairs) == (3, 2, 2)
    assert answer.agreement.same == 0.5
    assert [each.n for each in answer.tiring.steps] == [2, 1, 0, 0, 0]
    assert answer.tiring.status is AskingStatus.INSUFFICIENT_DATA
    assert (answer.asked, answer.simulated, answer.not_shown) == (4, 0, {})


async def test_another_agent_source_and_organization_is_not_looked_at(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    await pay(world, "allow", 60, "Mia")
    assert (await found(world, agent_id="bot")).asked == 1
    assert (await found(world, agent_id="other")).asked == 0
    assert (await found(world, source="live")).asked == 1
    assert (await found(world, source="simulated")).asked == 0
    other = await world.stranger()
    theirs = await asking_worth(world.service.ledger, other, AskingQuery(), world.clock.now)
    assert (theirs.asked, theirs.by_type, theirs.agreement.n) == (0, [], 0)
