"""PCAA health: counted by hand, and the same from the grouped query as from the whole tables."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import polars as pl
import pytest

from assent.contract.control.actions import Action
from assent.contract.evidence.pcaa import PcaaHealth, PcaaHealthQuery
from assent.contract.roles import Role
from assent_analytics import pcaa
from assent_service.core.principal import Principal
from assent_service.evidence.pcaa import health
from tests.service.control.actions.world import DAY, HOUR, MINUTE, SECOND, World


async def rules(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    await world.policy("require_approval", {"action_types": ["pay"]})


async def asked(world: World, window: str = "30d", by: Principal | None = None, **more: Any) -> PcaaHealth:
    query = PcaaHealthQuery(window=window, **more)
    return await health(world.service.ledger, by or world.admin, query, world.clock.now)


def counts(found: PcaaHealth) -> dict[str, tuple[int, int, int, int, int]]:
    return {
        each.id.value: (each.complete, each.pending, each.missing, each.not_required, each.denied)
        for each in found.checkpoints
    }


async def six(world: World) -> dict[str, Action]:
    """One action of each kind, by an agent called like it; how each stands is written beside it."""
    await rules(world)
    made: dict[str, Action] = {}
    for kind, action_type in [
        ("done", "refund"),  # cc--c, with words
        ("runs", "refund"),  # cc--p: overdue
        ("asks", "pay"),  # ccpp-
        ("denied", "pay"),  # cccd-, with a basis
        ("approved", "pay"),  # ccmcc, no words
    ]:
        made[kind] = await world.act(action_type=action_type, agent_id=kind, declared_goal="help")
    await world.blocked(action_type="wipe", agent_id="blocked")  # dc---, without a goal
    world.clock.turn(SECOND)
    await world.report(made["done"], status="completed", output_summary="it is done")
    await world.believe(made["denied"], basis="the invoice")
    await world.decide(made["denied"], "deny")
    await world.decide(made["approved"], "allow")
    await world.report(made["approved"], status="completed")
    world.clock.turn(2 * HOUR)
    return made


async def test_six_actions_by_hand(world: World) -> None:
    await six(world)
    found = await asked(world)
    assert counts(found) == {
        "pre_action_admissibility": (5, 0, 0, 0, 1),
        "action_open": (6, 0, 0, 0, 0),
        "assumption_capture": (1, 1, 1, 3, 0),
        "approval": (1, 1, 0, 3, 1),
        "outcome_closure": (2, 1, 0, 3, 0),
    }
    # answered / expected: done 3/3, runs 2/3, asks 2/4, denied 4/4, approved 4/5, blocked 2/2
    assert found.checkpointCoverage == pytest.approx(100 * (1 + 2 / 3 + 1 / 2 + 1 + 4 / 5 + 1) / 6)
    # observed / expected: done 3/3, runs 2/3, asks 2/4, denied 4/4, approved 3/5, blocked 1/2 (no goal)
    assert found.evidenceCompletion == pytest.approx(100 * (1 + 2 / 3 + 1 / 2 + 1 + 3 / 5 + 1 / 2) / 6)
    assert found.approvalRate == 50.0
    assert (found.n.checkpointCoverage, found.n.approvalRate, found.n.evidenceCompletion) == (6, 6, 6)
    assert found.simulated == 0
    assert found.until - found.since == timedelta(days=30)


async def test_nothing_happened(world: World) -> None:
    found = await asked(world)
    assert (found.checkpointCoverage, found.approvalRate, found.evidenceCompletion) == (0.0, 0.0, 0.0)
    assert found.n.checkpointCoverage == 0
    assert set(counts(found).values()) == {(0, 0, 0, 0, 0)}


async def test_a_window_counts_by_when_it_happened(world: World) -> None:
    await world.act()
    world.clock.turn(2 * DAY)
    await world.act()
    long_ago = world.clock.moment - timedelta(days=5)
    await world.act(source="import", occurred_at=long_ago, status="completed")
    await world.act(source="simulated", occurred_at=long_ago, status="completed")
    found = {window: (await asked(world, window)) for window in ("1d", "3d", "7d")}
    assert {window: each.n.approvalRate for window, each in found.items()} == {"1d": 1, "3d": 2, "7d": 4}
    assert {window: each.simulated for window, each in found.items()} == {"1d": 0, "3d": 0, "7d": 1}


async def test_whoever_asks_sees_what_is_theirs(world: World) -> None:
    await six(world)
    bound = world.somebody(Role.AGENT, "done")
    assert (await asked(world, by=bound)).n.approvalRate == 1
    assert (await asked(world, by=bound, agent_id="runs")).n.approvalRate == 0
    assert (await asked(world, by=world.somebody(Role.AGENT))).n.approvalRate == 6
    assert (await asked(world, agent_id="runs")).n.approvalRate == 1
    assert (await asked(world, action_type="pay")).n.approvalRate == 3
    assert (await asked(world, by=await world.stranger())).n.approvalRate == 0


async def test_the_query_and_the_tables_say_the_same(world: World) -> None:
    await rules(world)
    chance = random.Random(7)
    for _ in range(120):
        await something(world, chance)
        world.clock.turn(chance.choice([SECOND, 20 * MINUTE, 3 * HOUR]))
        await world.service.approvals.expire_overdue()
    await world.service.ledger.caught_up()
    acts, beliefs, asks = [await everything(world, name) for name in ("actions", "assumptions", "approvals")]
    found = await asked(world, "365d")
    states = pcaa.checkpoint_states(acts, beliefs, asks, found.until)
    numbers = pcaa.health(states).collect().row(0, named=True)
    assert numbers["n"] == found.n.checkpointCoverage >= 100
    assert found.checkpointCoverage == pytest.approx(numbers["checkpoint_coverage"])
    assert found.approvalRate == pytest.approx(numbers["approval_rate"])
    assert found.evidenceCompletion == pytest.approx(numbers["evidence_completion"])
    assert found.simulated == numbers["simulated"] > 0
    assert counts(found) == {row[0]: row[1:] for row in pcaa.checkpoint_counts(states).collect().rows()}
    # The history is varied enough for that to mean something.
    assert counts(found)["assumption_capture"][:4] > (5, 0, 5, 5)
    assert min(counts(found)["approval"][:1] + counts(found)["approval"][2:]) > 3
    assert counts(found)["outcome_closure"][0] > 5


async def something(world: World, chance: random.Random) -> None:
    """One action of any kind, with or without everything that may happen to it."""
    action_type = chance.choice(["refund", "pay", "pay", "wipe", "lookup"])
    members: dict[str, Any] = {"action_type": action_type, "agent_id": chance.choice(["a", "b"])}
    members["risk_score"] = chance.choice([None, 10, 59.9, 60, 85])
    members["declared_goal"] = chance.choice([None, "help"])
    members["runtime"] = chance.choice([None, "sdk_service", "coding_agent", "evidence_import"])
    source = chance.choice([None, None, None, "import", "simulated"])
    if source is not None:
        members |= {"source": source, "occurred_at": world.clock.moment - timedelta(hours=chance.choice([1, 30]))}
    if action_type == "wipe" and source is None:
        await world.blocked(**members)
        return
    action = await world.act(**members)
    for basis in chance.choice([(), (None,), ("the invoice",), (None, "the invoice")]):
        await world.believe(action, basis=basis)
    if action.status == "pending_approval":
        if (said := chance.choice(["allow", "deny", None])) is None:
            world.clock.turn(chance.choice([0, 25 * HOUR]))
            return
        action = await world.decide(action, said)
    if action.status == "running" and chance.random() < 0.6:
        words: dict[str, Any] = chance.choice([{}, {"output_summary": "done"}, {"error_message": "no"}])
        await world.report(action, status=chance.choice(["completed", "failed", "cancelled"]), **words)


async def everything(world: World, table: str) -> pl.DataFrame:
    return await world.service.ledger.frame(f"SELECT * FROM {table} WHERE org_id = ?", [world.org_id])
