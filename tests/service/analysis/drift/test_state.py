"""Alerts in memory: what nobody has acknowledged, newest first, and the same from the tables as from the events."""

from __future__ import annotations

import msgspec
import pytest

from assent.contract.analysis.drift import DriftAlert, DriftDirection, DriftSeverity
from assent.contract.control.guard import Source
from assent_service.analysis.drift import DriftState
from assent_service.analysis.drift import state as module
from assent_service.analysis.drift.streams import Stream
from assent_service.base.clock import moment
from assent_service.core.payload import encode
from assent_service.store.event import Draft
from tests.service.control.actions.world import START, World


def alert(number: int, *, org_id: str = "org_1", agent_id: str | None = "bot", action_type: str = "look") -> DriftAlert:
    at = moment(START + number * 1000)
    return DriftAlert(
        id=f"da_{number}",
        org_id=org_id,
        agent_id=agent_id,
        action_type=action_type,
        metric="score",
        severity=DriftSeverity.INFO,
        direction=DriftDirection.DOWN,
        description="score of bot on look went down",
        baseline_mean=80.0,
        baseline_sd=5.0,
        baseline_n=50,
        recent_mean=75.0,
        recent_n=20,
        z_score=-1.0,
        n=70,
        e_value=101.0,
        threshold=100.0,
        change_estimated_at=at,
        detected_at=at,
        acknowledged=False,
        acknowledged_by=None,
        acknowledged_at=None,
        deleted_at=None,
        source=Source.LIVE,
        raised_n=number,
        created_at=at,
        updated_at=at,
    )


async def record(world: World, each: DriftAlert, kind: str = "drift.alert") -> None:
    draft = Draft(org=each.org_id, type=kind, ts=START, subject=each.id, actor="system", data=encode(each))
    await world.service.ledger.append(draft)


async def test_memory_is_alike_from_events_and_from_the_tables(world: World) -> None:
    org_id = world.org_id
    alerts = [
        alert(number, org_id=org_id, agent_id=agent_id, action_type=action_type)
        for number, (agent_id, action_type) in enumerate([("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), (None, "x")])
    ]
    for each in alerts:
        await record(world, each)
    await record(world, msgspec.structs.replace(alerts[1], acknowledged=True), "drift.alert.updated")
    await record(world, msgspec.structs.replace(alerts[3], deleted_at=moment(START)), "drift.alert.updated")
    await world.service.ledger.caught_up()
    loaded, folded = DriftState(), world.service.drift.state
    loaded.load(world.service.ledger.read_now)
    for state in (loaded, folded):
        assert [each.id for each in state.unacknowledged(org_id)] == ["da_4", "da_2", "da_0"]
        assert [each.id for each in state.unacknowledged(org_id, "a")] == ["da_2", "da_0"]
        assert [each.id for each in state.unacknowledged(org_id, "a", "x")] == ["da_0"]
        assert [each.id for each in state.unacknowledged(org_id, None, "x")] == ["da_4", "da_0"]
        assert list(state.unacknowledged(org_id, "nobody", "x")) == []
        assert list(state.unacknowledged("org_other")) == []
        assert [each.id for each in state.about(org_id, "a", "x")] == ["da_0"]
        assert [each.id for each in state.about(org_id, None, "x")] == ["da_4"], "nobody's, and not everybody's"
        assert not state.about(org_id, "nobody", "x")
        assert not state.about("org_other", "a", "x")
        stream = Stream(org_id, "b", "x", "score", False)
        assert state.recorded_up_to(stream, established=False) == 3, "also what was removed was told"
        assert state.recorded_up_to(stream, established=True) == -1
        assert state.recorded_up_to(stream._replace(simulated=True), established=False) == -1
    assert list(loaded.unacknowledged(org_id)) == list(folded.unacknowledged(org_id))


async def test_only_the_newest_of_an_agent_and_action_type_are_kept(world: World) -> None:
    for number in range(25):
        await record(world, alert(number, org_id=world.org_id))
    await world.service.ledger.caught_up()
    loaded = DriftState()
    loaded.load(world.service.ledger.read_now)
    for state in (loaded, world.service.drift.state):
        assert [each.raised_n for each in state.unacknowledged(world.org_id)] == list(range(24, 4, -1))


async def test_the_organization_with_the_most_forgets_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    other = (await world.stranger()).org_id
    await record(world, alert(0, org_id=other))
    for number in range(1, 5):
        await record(world, alert(number, org_id=world.org_id, agent_id=f"bot {number}"))
    state = world.service.drift.state
    assert len(state.unacknowledged(other)) == 1
    assert [each.agent_id for each in state.unacknowledged(world.org_id)] == ["bot 4", "bot 3"]
