"""Looking for evidence on the service's own tables: what counts, and what does not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent.contract.exchange.feedback import SubmitFeedback
from assent_service.app import TABLES
from assent_service.core.moments import window_of
from assent_service.evidence.compliance.evidence import KINDS, EvidenceRecords, find
from assent_service.exchange.feedback import Feedbacks
from tests.service.analysis.evaluations.bench import Bench
from tests.service.control.actions.world import World, locks_of, opened


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path / "home") as found:
        yield found


async def found(world: World, name: str) -> EvidenceRecords:
    return await find(world.service.ledger, world.admin, KINDS[name], window_of("30d", world.clock.now))


async def test_a_kind_names_rows_by_an_id_that_no_other_row_has(world: World) -> None:
    keys = {table.name: table.key for table in TABLES}
    for name, kind in KINDS.items():
        assert kind.id == keys.get(kind.table, "leaf_hash"), name
        # Nothing of most kinds is there yet, and then `find` does not ask for ids: the columns are tried here.
        await world.service.ledger.read(f"SELECT {kind.id}, {kind.order} FROM {kind.table} WHERE {kind.only}")


async def test_only_scores_that_a_run_gave_to_real_actions_are_evidence(world: World) -> None:
    bench = Bench(world)
    real, made_up = await world.act(), await world.act(source="simulated")
    scorer = await bench.scorer("numeric_range", {"min": 0})
    await bench.score(real.action_id, 1.0, scorer_name=scorer.name)
    await bench.score(made_up.action_id, 1.0)
    assert await found(world, "evaluations") == EvidenceRecords(0, [])
    run = (await bench.run(scorer)).run
    assert run.scored_count == 2
    ((score_id,),) = await world.service.ledger.read(
        "SELECT id FROM scores WHERE run_id = ? AND action_id = ?", [run.id, real.action_id]
    )
    assert await found(world, "evaluations") == EvidenceRecords(1, [str(score_id)])
    await bench.evaluations.stop()


async def test_only_feedback_on_real_actions_is_evidence(world: World) -> None:
    service = world.service
    feedback = Feedbacks(service.ledger, world.clock, locks_of(service.ledger), service.actions)
    real, made_up = await world.act(), await world.act(source="simulated")
    await feedback.submit(world.admin, SubmitFeedback(rating=5, action_id=made_up.action_id))
    await feedback.submit(world.admin, SubmitFeedback(rating=5, agent_id="bot"))
    assert await found(world, "feedback") == EvidenceRecords(0, [])
    given = await feedback.submit(world.admin, SubmitFeedback(rating=5, action_id=real.action_id))
    assert await found(world, "feedback") == EvidenceRecords(1, [given.feedback_id])


async def test_nothing_came_of_what_was_blocked_or_denied(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    await world.policy("require_approval", {"action_types": ["pay"]})
    await world.blocked(action_type="wipe")
    await world.decide(await world.act(action_type="pay"), "deny")
    assert await found(world, "outcomes") == EvidenceRecords(0, [])
    failed = await world.failed()
    assert await found(world, "outcomes") == EvidenceRecords(1, [failed.action_id])


async def test_an_event_is_named_once_however_often_its_subject_changed(world: World) -> None:
    before = await found(world, "policy_changes")
    await world.policy("require_approval", {"action_types": ["pay"]})
    after = await found(world, "policy_changes")
    assert after.n == before.n + 1
    assert len(set(after.record_ids)) == len(after.record_ids) == after.n
