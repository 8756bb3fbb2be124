"""What is counted, and what is not, in windows that were worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assent.contract.analysis.readiness import LastTest
from assent.contract.people.keys import CreateKey
from assent.contract.roles import Role
from assent_service.analysis.readiness.queries import ReadinessCounts, count, newest_test
from assent_service.base.clock import microseconds
from assent_service.core.principal import Principal
from tests.service.control.actions.world import DAY, HOUR, SECOND, World

ASKED = microseconds(datetime(2026, 3, 9, 12, 0, tzinfo=UTC))
# Seven days before.
OPENS = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


async def counts(world: World, now: int) -> ReadinessCounts:
    return await count(world.service.ledger, world.org_id, now)


async def with_key(world: World, role: Role) -> Principal:
    made = await world.service.keys.create(world.admin, CreateKey(name=f"a {role}", role=role))
    principal = world.service.keys.authenticate(made.api_key)
    assert principal is not None
    return principal


@pytest.mark.parametrize(
    ("happened", "inside"),
    [
        ("2026-03-02T11:59:59.999999+00:00", 0),
        ("2026-03-02T12:00:00+00:00", 1),
        ("2026-03-09T12:00:00+00:00", 1),
        ("2026-03-09T12:00:00.000001+00:00", 0),
        ("2026-03-09T14:00:00+02:00", 1),
    ],
)
async def test_both_ends_of_the_window_count_and_nothing_beyond_them(world: World, happened: str, inside: int) -> None:
    world.clock.now = ASKED + HOUR
    await world.act(source="simulated", occurred_at=datetime.fromisoformat(happened).isoformat())
    found = await counts(world, ASKED)
    assert (found.actions, found.governed, found.simulated) == (inside, inside, inside)


async def test_an_approval_counts_for_seven_days_from_its_request(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    asked = microseconds((await world.act(action_type="pay")).created_at)
    seen = [(await counts(world, now)).asked for now in (asked - 1, asked, asked + 7 * DAY, asked + 7 * DAY + 1)]
    assert seen == [0, 1, 1, 0]


async def test_imported_history_was_not_governed(world: World) -> None:
    await world.act()
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    await world.blocked(action_type="wipe")
    await world.act(source="import")
    await world.act(source="simulated")
    found = await counts(world, world.clock())
    assert (found.actions, found.governed, found.simulated) == (4, 3, 1)


async def test_only_what_an_operator_decided_counts_as_decided(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    allowed, denied, _ = [await world.act(action_type="pay") for _ in range(3)]
    await world.decide(allowed, "allow")
    await world.decide(denied, "deny")
    world.clock.turn(25 * HOUR)
    assert await world.service.approvals.expire_overdue() == 1
    await world.act(action_type="pay")
    found = await counts(world, world.clock())
    assert (found.asked, found.decided) == (4, 2)


async def test_another_organization_is_not_counted(world: World) -> None:
    stranger = await world.stranger()
    await world.act(stranger)
    await world.act(stranger, status="pending_approval")
    await world.act(stranger, trigger="connection test", status="completed")
    assert await counts(world, world.clock()) == ReadinessCounts(0, 0, 0, 0, 0, None)
    assert await newest_test(world.service.ledger, world.org_id) is None
    assert await count(world.service.ledger, stranger.org_id, world.clock()) == ReadinessCounts(3, 3, 0, 1, 0, None)


async def test_an_event_that_is_still_to_come_is_found(world: World) -> None:
    action = await world.act()
    found = await counts(world, world.clock.now - 75 * SECOND)
    assert found.newest == action.created_at
    assert (await counts(world, microseconds(action.created_at))).newest is None


async def test_the_newest_test_is_the_last_one_an_operator_made(world: World) -> None:
    operator, agent = await with_key(world, Role.OPERATOR), await with_key(world, Role.AGENT)
    ledger = world.service.ledger
    await world.act(operator, trigger="connection test", status="failed")
    passed = await world.act(operator, trigger="connection test", status="completed")
    expected = LastTest(action_id=passed.action_id, at=passed.created_at, passed=True)
    # None of these is a test: by an agent, of another trigger, of something that never happened.
    await world.act(agent, trigger="connection test", status="failed")
    await world.act(operator, trigger="a cron job", status="failed")
    await world.act(source="simulated", trigger="connection test", status="failed")
    assert await newest_test(ledger, world.org_id) == expected
    running = await world.act(operator, trigger="connection test")
    assert await newest_test(ledger, world.org_id) == LastTest(
        action_id=running.action_id, at=running.created_at, passed=False
    )
