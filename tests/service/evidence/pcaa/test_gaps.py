"""PCAA gaps: counted by hand, the same as health, and only of what the caller may see."""

from __future__ import annotations

import pytest

from assent.contract.evidence.pcaa import PcaaHealthQuery
from assent.contract.evidence.pcaa_gaps import MOST_GROUPS, PcaaGaps, PcaaGapsQuery, PcaaGroup
from assent.contract.roles import Role
from assent_service.core.principal import Principal
from assent_service.evidence.pcaa import gaps, health
from tests.service.control.actions.world import DAY, HOUR, World

RUNTIMES = (("lost", "sdk_service"), ("lost", "sdk_service"), ("fine", "coding_agent"), ("risky", "sdk_service"))


async def asked(world: World, by: Principal | None = None, **more: str) -> PcaaGaps:
    return await gaps(world.service.ledger, by or world.admin, PcaaGapsQuery(**more), world.clock())


def named(groups: list[PcaaGroup]) -> dict[str | None, tuple[int, int]]:
    """Actions, and incomplete ones, by name."""
    return {group.name: (group.n, group.incomplete) for group in groups}


async def some(world: World) -> dict[str, str]:
    """The newest id by agent, and two days pass. `lost` has two actions without an outcome, `risky` one without an
    assumption; of `fine` nothing is missing."""
    made = {}
    for agent, runtime in RUNTIMES:
        risk = 80 if agent == "risky" else 10
        action = await world.act(
            action_type="refund", agent_id=agent, declared_goal="help", runtime=runtime, risk_score=risk
        )
        if agent != "lost":
            await world.report(action, status="completed", output_summary="done")
        made[agent] = action.action_id
    world.clock.turn(2 * DAY)
    return made


async def test_who_leaves_what_unanswered(world: World) -> None:
    made = await some(world)
    found = await asked(world)
    assert [(gap.id, gap.agent_id, gap.missing, gap.expected, gap.newest_action_id) for gap in found.gaps] == [
        ("outcome_closure", "lost", 2, 2, made["lost"]),
        ("assumption_capture", "risky", 1, 1, made["risky"]),
    ]
    assert named(found.by_agent) == {"lost": (2, 2), "risky": (1, 1), "fine": (1, 0)}
    assert [group.name for group in found.by_agent] == ["lost", "risky", "fine"]
    assert named(found.by_type) == {"refund": (4, 3)}
    assert named(found.by_runtime) == {"sdk_service": (3, 3), "coding_agent": (1, 0)}
    assert (found.all.name, found.all.n, found.all.incomplete) == (None, 4, 3)


async def test_the_whole_is_what_health_says(world: World) -> None:
    await some(world)
    found = await asked(world)
    whole = await health(world.service.ledger, world.admin, PcaaHealthQuery(), world.clock())
    assert found.all.coverage.value == pytest.approx(whole.checkpointCoverage)
    assert found.all.approval.value == pytest.approx(whole.approvalRate)
    assert found.all.evidence.value == pytest.approx(whole.evidenceCompletion)
    assert found.checkpoints == whole.checkpoints
    assert found.all.coverage.low < whole.checkpointCoverage < found.all.coverage.high


async def test_it_is_narrowed_by_window_agent_and_type(world: World) -> None:
    await some(world)
    assert (await asked(world, window="1d")).all.n == 0
    assert (await asked(world, agent_id="lost")).all.n == 2
    assert (await asked(world, action_type="refund")).all.n == 4
    assert (await asked(world, action_type="pay")).all.n == 0
    assert (await asked(world, agent_id="fine")).gaps == []


async def test_whoever_asks_sees_what_is_theirs(world: World) -> None:
    await some(world)
    assert named((await asked(world, by=world.somebody(Role.AGENT, "fine"))).by_agent) == {"fine": (1, 0)}
    assert (await asked(world, by=await world.stranger())).all.n == 0


async def test_nothing_happened(world: World) -> None:
    found = await asked(world)
    assert (found.all.n, found.all.coverage.value, found.all.coverage.high) == (0, None, 100)
    assert (found.by_agent, found.gaps) == ([], [])


async def test_more_groups_than_are_shown_are_counted(world: World) -> None:
    for number in range(MOST_GROUPS + 2):
        await world.act(agent_id=f"bot-{number}")
    world.clock.turn(HOUR)
    found = await asked(world)
    assert len(found.by_agent) == MOST_GROUPS
    assert found.not_shown == {"by_agent": 2, "by_type": 0, "by_runtime": 0, "gaps": 0}
