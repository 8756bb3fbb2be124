"""The share of proofs that hold, told from a sample."""

from __future__ import annotations

from pathlib import Path

import duckdb

from assent_service.evidence.proofs.verifier import SAMPLE
from tests.service.control.actions.world import MINUTE, World, opened


async def test_without_a_key_there_is_no_share(world: World) -> None:
    await world.act()
    assert await world.service.proofs.sampling.get(world.org_id) is None


async def test_no_more_than_a_sample_is_proven_and_no_less_than_there_is(world: World) -> None:
    await world.service.wallet.signer(world.org_id)
    sampling = world.service.proofs.sampling
    found = await sampling.get(world.org_id)
    assert found is not None
    assert (found.holding, found.n) == (0, 0)
    for _ in range(3):
        await world.act()
    world.clock.turn(6 * MINUTE)
    few = await sampling.get(world.org_id)
    assert few is not None
    assert (few.holding, few.n) == (3, 3)
    for _ in range(SAMPLE):
        await world.act()
    assert await sampling.get(world.org_id) == few, "it holds for a while"
    world.clock.turn(6 * MINUTE)
    many = await sampling.get(world.org_id)
    assert many is not None
    assert (many.holding, many.n) == (SAMPLE, SAMPLE)


async def test_an_action_whose_row_was_changed_does_not_hold_and_the_others_do(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        actions = [await world.act(declared_goal=f"goal {number}") for number in range(4)]
        await world.service.wallet.signer(world.org_id)
        clock = world.clock
    with duckdb.connect(str(tmp_path / "tables.duckdb")) as connection:
        connection.execute("UPDATE actions SET risk_score = 1 WHERE action_id = ?", [actions[1].action_id])
        connection.execute("UPDATE events SET leaf_hash = 'x' WHERE subject = ?", [actions[2].decision_id])
    async with opened(tmp_path, clock) as world:
        found = await world.service.proofs.sampling.get(world.org_id)
        assert found is not None
        assert (found.holding, found.n) == (2, 4)
        readiness = await world.http("GET", "/api/readiness")
        (share,) = [each for each in readiness.json()["shares"] if each["name"] == "proof"]
        assert (share["available"], share["count"], share["n"], share["percent"]) == (True, 2, 4, 50.0)
