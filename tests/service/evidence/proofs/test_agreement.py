"""Rows are compared with events while both go on: what is newer is not what was changed."""

from __future__ import annotations

from pathlib import Path

import duckdb

from assent.contract.control.actions import Action
from assent.contract.evidence.proofs import CheckStatus
from assent_service.evidence.proofs import agreement
from assent_service.evidence.proofs.evidence import ActionEvidence, gather, gather_all
from tests.service.control.actions.world import World, opened


async def found(world: World, action: Action) -> ActionEvidence:
    evidence = await gather(world.service.ledger, world.org_id, action.action_id)
    assert evidence is not None
    return evidence


async def test_what_is_recorded_after_the_events_were_gathered_is_no_difference(world: World) -> None:
    action = await world.act()
    belief = await world.believe(action)
    before = await found(world, action)
    await world.judge(belief, False, "it was not")
    await world.believe(action)
    await world.report(action, status="completed")
    await world.service.ledger.caught_up()
    assert world.service.ledger.compare(world.org_id, before.events, action.action_id).differences
    check = await agreement.agree(world.service.ledger, before)
    assert check.status is CheckStatus.PASS, check.detail


async def test_a_changed_row_is_found_whatever_is_recorded_meanwhile(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await world.act()
        belief = await world.believe(action)
        clock = world.clock
    with duckdb.connect(str(tmp_path / "tables.duckdb")) as connection:
        connection.execute("UPDATE actions SET risk_score = 1 WHERE action_id = ?", [action.action_id])
    async with opened(tmp_path, clock) as world:
        before = await found(world, action)
        await world.judge(belief, True)
        await world.believe(action)
        check = await agreement.agree(world.service.ledger, before)
        assert check.status is CheckStatus.FAIL
        assert "actions.risk_score" in check.detail
        assert "assumption" not in check.detail
        (one,) = await world.service.ledger.events_about(world.org_id, [action.action_id], "subject")
        assert await world.service.proofs.verifier.holding(world.org_id, [one.subject]) == 0


async def test_many_are_gathered_as_each_is(world: World) -> None:
    actions = [await world.act() for _ in range(4)]
    await world.believe(actions[1])
    await world.http("POST", f"/api/actions/{(await world.failed()).action_id}/erase", {"reason": "x"})
    ids = [*(action.action_id for action in actions), "act_unknown"]
    many = await gather_all(world.service.ledger, world.org_id, ids)
    assert list(many) == ids[:4]
    for action_id, evidence in many.items():
        assert evidence == await gather(world.service.ledger, world.org_id, action_id)
    assert await gather_all(world.service.ledger, world.org_id, []) == {}
