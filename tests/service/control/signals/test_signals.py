"""Each signal by its own rule, at its thresholds and one step before them, on a running service without HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.control.loops import RegisterOpenLoop, ResolveOpenLoop
from assent.contract.control.signals import Signal, Signals, SignalsQuery
from assent_service.control.signals import SilentAgent
from assent_service.core.principal import Principal
from assent_service.core.settings import Levels, Thresholds
from tests.service.control.actions.world import DAY, HOUR, MINUTE, World, opened
from tests.tiers import deep


def page(world: World, by: Principal | None = None, agent_id: str | None = None) -> Signals:
    return world.service.signals.page(by or world.admin, SignalsQuery(agent_id=agent_id))


def on(world: World, kind: str) -> list[Signal]:
    return [signal for signal in page(world).signals if signal.type == kind]


def short(signals: list[Signal]) -> list[tuple[str, str | None]]:
    return [(str(signal.severity), signal.agent_id) for signal in signals]


async def leave(world: World, action: Action, **members: Any) -> str:
    said = {"action_id": action.action_id, "loop_type": "question", "description": "which account?"} | members
    made = await world.service.loops.register(world.admin, msgspec.convert(said, RegisterOpenLoop))
    return made.loop_id


async def denied(world: World, **members: Any) -> Action:
    await world.policy("require_approval", {"action_types": ["pay"]})
    action = await world.act(action_type="pay", agent_id="bot", **members)
    return await world.decide(action, "deny", why="no")


async def test_a_quiet_workspace_has_none(world: World) -> None:
    await world.act(agent_id="bot")
    found = page(world)
    assert (found.signals, found.not_shown) == ([], {})
    assert (found.counts.red, found.counts.amber, found.counts.total) == (0, 0, 0)


async def test_more_than_ten_actions_within_an_hour_are_a_spike_and_more_than_twenty_red(world: World) -> None:
    for number in range(1, 23):
        await world.act(agent_id="bot")
        await world.act(agent_id=None)
        expected = [] if number <= 10 else [("amber" if number <= 20 else "red", "bot")]
        assert short(on(world, "autonomy_spike")) == expected, number
    (signal,) = on(world, "autonomy_spike")
    assert "22 times" in signal.label
    assert (signal.action_id, signal.loop_id, signal.assumption_id) == (None, None, None)
    world.clock.turn(HOUR)
    assert on(world, "autonomy_spike") == []


async def test_of_a_spike_only_the_last_hour_counts(world: World) -> None:
    await world.act(agent_id="bot")
    world.clock.turn(HOUR)
    for _ in range(10):
        await world.act(agent_id="bot")
    assert on(world, "autonomy_spike") == []
    await world.act(agent_id="bot")
    assert short(on(world, "autonomy_spike")) == [("amber", "bot")]


async def test_attempts_that_were_blocked_are_no_spike_and_one_that_ran_after_all_is(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    blocked = [(await world.blocked(action_type="wipe", agent_id="bot")).extras["action"] for _ in range(11)]
    assert on(world, "autonomy_spike") == []
    for action in blocked:
        await world.report(action["action_id"], status="completed")
    assert short(on(world, "autonomy_spike")) == [("amber", "bot")]


IRREVERSIBLE = 5
"""What the service adds to the risk of what cannot be taken back."""


further = deep("a further value of the same rule")


@pytest.mark.parametrize(
    ("risk", "members", "expected"),
    [
        pytest.param(69, {}, [], marks=further),
        (70, {}, ["amber"]),
        pytest.param(89, {}, ["amber"], marks=further),
        (90, {}, ["red"]),
        (90, {"authorization_scope": "ticket 7"}, []),
        pytest.param(90, {"authorization_scope": ""}, ["red"], marks=further),
        (90, {"status": "pending"}, []),
    ],
)
async def test_high_impact_without_a_scope(
    world: World, risk: int, members: dict[str, Any], expected: list[str]
) -> None:
    said: dict[str, Any] = {"action_type": "look", "reversible": False, "risk_score": risk - IRREVERSIBLE} | members
    action = await world.act(agent_id="bot", **said)
    assert action.risk_score == risk
    found = on(world, "high_impact_low_oversight")
    assert [str(signal.severity) for signal in found] == expected
    assert all(signal.action_id == action.action_id for signal in found)
    await world.report(action, status="completed")
    assert on(world, "high_impact_low_oversight") == []


async def test_what_can_be_taken_back_is_no_high_impact(world: World) -> None:
    await world.act(agent_id="bot", reversible=True, risk_score=100)
    assert on(world, "high_impact_low_oversight") == []


async def test_four_failures_within_a_day_are_amber_and_six_red(world: World) -> None:
    failed = []
    for number in range(1, 7):
        failed.append(await world.failed(agent_id="bot"))
        expected = [] if number <= 3 else [("amber" if number <= 5 else "red", "bot")]
        assert short(on(world, "repeated_failures")) == expected, number
    # A corrected one did not fail.
    await world.report(failed[0], status="completed")
    assert short(on(world, "repeated_failures")) == [("amber", "bot")]
    world.clock.turn(DAY)
    assert on(world, "repeated_failures") == []


async def test_a_failure_reported_with_a_time_of_its_own_counts_when_it_was_recorded(world: World) -> None:
    """Neither long before the action was there nor in a year to come."""
    for year in ("2020", "2020", "2099", "2099"):
        action = await world.act(agent_id="bot")
        await world.report(action, status="failed", timestamp_end=f"{year}-01-01T00:00:00Z")
    assert short(on(world, "repeated_failures")) == [("amber", "bot")]
    world.clock.turn(DAY)
    assert on(world, "repeated_failures") == []


async def test_two_wrong_assumptions_within_a_week_are_amber_and_four_red(world: World) -> None:
    action = await world.act(agent_id="bot")
    made = []
    for number in range(1, 5):
        made.append(await world.judge(await world.believe(action), False, "wrong"))
        expected = [] if number < 2 else [("amber" if number < 4 else "red", "bot")]
        assert short(on(world, "assumption_drift")) == expected, number
    await world.judge(made[0], True)
    assert short(on(world, "assumption_drift")) == [("amber", "bot")]
    world.clock.turn(7 * DAY)
    assert on(world, "assumption_drift") == []


@pytest.mark.parametrize(
    ("kind", "amber", "red"),
    [
        ("stale_running_action", 4 * HOUR, 24 * HOUR),
        ("stale_loop", 48 * HOUR, 96 * HOUR),
        ("stale_assumption", 14 * DAY, 30 * DAY),
    ],
)
async def test_what_goes_on_for_too_long(world: World, kind: str, amber: int, red: int) -> None:
    action = await world.act(agent_id="bot")
    loop_id, belief = await leave(world, action), await world.believe(action)
    began: dict[str, datetime] = {
        "stale_running_action": action.created_at,
        "stale_loop": (await world.service.loops.of(action))[0].created_at,
        "stale_assumption": belief.created_at,
    }

    def at(age: int) -> list[tuple[str, str | None]]:
        # The clock moves on by a millisecond when it is asked.
        world.clock.now = int(
            (began[kind] - datetime.fromisoformat("1970-01-01T00:00:00Z")) / timedelta(microseconds=1)
        )
        world.clock.now += age - 1000
        return short(on(world, kind))

    assert at(amber) == []
    assert at(amber + 1) == [("amber", "bot")]
    assert at(red) == [("amber", "bot")]
    assert at(red + 1) == [("red", "bot")]
    (signal,) = on(world, kind)
    assert signal.since == began[kind]
    assert signal.action_id == action.action_id
    assert signal.loop_id == (loop_id if kind == "stale_loop" else None)
    assert signal.assumption_id == (belief.assumption_id if kind == "stale_assumption" else None)
    await world.report(action, status="completed")
    ended = msgspec.convert({"status": "cancelled"}, ResolveOpenLoop)
    await world.service.loops.resolve(world.admin, loop_id, ended)
    await world.judge(belief, True)
    assert page(world).signals == []


async def test_an_action_that_had_to_wait_runs_since_it_was_allowed(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    action = await world.act(action_type="pay", agent_id="bot")
    world.clock.turn(23 * HOUR)
    assert on(world, "stale_running_action") == []
    await world.decide(action, "allow")
    world.clock.turn(3 * HOUR)
    assert on(world, "stale_running_action") == []
    world.clock.turn(2 * HOUR)
    assert short(on(world, "stale_running_action")) == [("amber", "bot")]


@pytest.mark.parametrize(("status", "severity"), [("completed", "red"), ("failed", "amber")])
async def test_an_outcome_of_what_was_denied(world: World, status: str, severity: str) -> None:
    action = await denied(world)
    assert on(world, "outcome_without_approval") == []
    await world.report(action, status=status)
    (signal,) = on(world, "outcome_without_approval")
    assert (signal.severity, signal.agent_id, signal.action_id) == (severity, "bot", action.action_id)
    # Whoever made a mistake says so, and it is gone.
    await world.report(action, status="cancelled")
    assert on(world, "outcome_without_approval") == []


async def test_an_outcome_of_what_nobody_decided_in_time(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    action = await world.act(action_type="pay", agent_id="bot")
    world.clock.turn(25 * HOUR)
    assert await world.service.approvals.expire_overdue() == 1
    await world.report(action, status="completed")
    assert short(on(world, "outcome_without_approval")) == [("red", "bot")]
    world.clock.turn(7 * DAY)
    assert on(world, "outcome_without_approval") == []


async def test_an_outcome_of_what_was_blocked(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    attempt = (await world.blocked(action_type="wipe", agent_id="bot")).extras["action"]
    assert on(world, "outcome_without_approval") == []
    await world.report(attempt["action_id"], status="completed")
    assert short(on(world, "outcome_without_approval")) == [("red", "bot")]


async def test_an_outcome_of_what_a_client_itself_asked_for_and_was_denied(world: World) -> None:
    action = await world.act(agent_id="bot", status="pending_approval")
    assert action.decision == "allow"
    await world.decide(action, "deny")
    await world.report(action, status="completed")
    assert short(on(world, "outcome_without_approval")) == [("red", "bot")]


async def test_what_was_allowed_or_needed_nobody_is_no_signal(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    allowed = await world.decide(await world.act(action_type="pay", agent_id="bot"), "allow")
    await world.report(allowed, status="completed")
    await world.report(await world.act(agent_id="bot"), status="completed")
    assert on(world, "outcome_without_approval") == []


class Agent(NamedTuple):
    agent_id: str
    last_seen: datetime
    current_task_id: str | None


class Heartbeats:
    """Who is silent, and for how long that must have been."""

    def __init__(self, *agents: Agent) -> None:
        self.agents = agents
        self.asked: list[int] = []

    def silent(self, org_id: str, now: int, after_microseconds: int, /) -> Sequence[SilentAgent]:
        self.asked.append(after_microseconds)
        return self.agents


async def test_a_silent_agent_is_red_while_it_is_at_a_task(world: World) -> None:
    then = world.clock.moment - timedelta(minutes=12)
    presence = world.service.signals.presence = Heartbeats(Agent("idle", then, None), Agent("busy", then, "t7"))
    found = on(world, "agent_silent")
    assert short(found) == [("red", "busy"), ("amber", "idle")]
    assert "12 minutes" in found[0].label
    assert "t7" in found[0].detail
    assert presence.asked == [10 * MINUTE]
    assert short(list(page(world, agent_id="idle").signals)) == [("amber", "idle")]


@pytest.mark.parametrize("source", ["import", "simulated"])
async def test_what_is_not_live_is_none(world: World, source: str) -> None:
    then = (world.clock.moment - timedelta(minutes=5)).isoformat()
    old = (world.clock.moment - timedelta(days=40)).isoformat()
    history: dict[str, Any] = {"agent_id": "bot", "source": source, "action_type": "look"}
    for _ in range(30):
        await world.act(**history, occurred_at=then, status="failed")
    action = await world.act(**history, occurred_at=old, reversible=False, risk_score=100)
    for _ in range(5):
        believed = await world.believe(action, source=source, occurred_at=old)
        await world.judge(believed, False, "wrong")
    await world.believe(action, source=source, occurred_at=old)
    world.clock.turn(60 * DAY)
    assert page(world).signals == []


async def test_red_ones_come_first_ten_of_a_kind_and_the_rest_is_counted(world: World) -> None:
    for number in range(13):
        await world.act(agent_id=f"slow-{number:02}")
        world.clock.turn(HOUR)
    world.clock.turn(13 * HOUR + 30 * MINUTE)
    await world.report(await denied(world), status="failed")
    found = page(world)
    stale = [signal for signal in found.signals if signal.type == "stale_running_action"]
    assert [signal.agent_id for signal in stale] == [f"slow-{number:02}" for number in range(10)]
    # The first three have been running for more than 24 hours by now.
    assert [str(signal.severity) for signal in stale] == ["red"] * 3 + ["amber"] * 7
    assert found.not_shown == {"stale_running_action": 3}
    severities = [str(signal.severity) for signal in found.signals]
    assert severities == sorted(severities, reverse=True)
    counts = found.counts
    assert (counts.red, counts.amber, counts.total) == (3, 8, 11)


async def test_of_one_agent_and_what_a_bound_key_sees(world: World) -> None:
    for agent_id in ("a", "b"):
        for _ in range(11):
            await world.failed(agent_id=agent_id)
    world.clock.turn(5 * MINUTE)
    assert {signal.agent_id for signal in page(world).signals} == {"a", "b"}
    only = page(world, agent_id="a").signals
    assert [(signal.type, signal.agent_id) for signal in only] == [("repeated_failures", "a"), ("autonomy_spike", "a")]
    bound = world.somebody(agent_id="b")
    assert {signal.agent_id for signal in page(world, bound).signals} == {"b"}
    assert page(world, bound, "a").signals == []
    assert page(world, await world.stranger()).signals == []


async def test_thresholds_are_settings(tmp_path: Path) -> None:
    levels = Thresholds(autonomy_spike=Levels(amber=0, red=1), stale_running_hours=Levels(amber=0.5, red=0.75))
    async with opened(tmp_path, signals=levels) as world:
        await world.act(agent_id="bot")
        assert short(on(world, "autonomy_spike")) == [("amber", "bot")]
        await world.act(agent_id="bot")
        assert short(on(world, "autonomy_spike")) == [("red", "bot")]
        world.clock.turn(31 * MINUTE)
        assert short(on(world, "stale_running_action")) == [("amber", "bot")] * 2


async def test_guard_warns_of_what_is_on_for_the_agent_when_it_is_asked_to(world: World) -> None:
    for _ in range(4):
        await world.failed(agent_id="bot")
    (signal,) = page(world, agent_id="bot").signals
    body = {"action_type": "look", "agent_id": "bot"}
    said = (await world.http("POST", "/api/guard?include_signals=true", body)).json()
    assert said["warnings"] == [f"Active signal: repeated_failures — {signal.label}"]
    assert (said["decision"], said["reason"], said["signals"]) == ("allow", None, said["warnings"])
    for path, other in (("/api/guard", "bot"), ("/api/guard?include_signals=true", "somebody else")):
        assert (await world.http("POST", path, body | {"agent_id": other})).json()["warnings"] == []
    recorded = [event for event in await world.events(kind="guard.") if b"Active signal" in (event.data or b"")]
    assert [event.subject for event in recorded] == [said["decision_id"]]
