"""The follower: every alert once, whatever happens to it, to its checkpoint and to the disk."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from assent.contract.problems import Code
from assent_service.analysis.drift import checkpoint
from assent_service.analysis.drift.checkpoint import FILE
from assent_service.analysis.drift.streams import StreamAlarm
from assent_service.base.problem import Refusal
from assent_service.store.event import Event
from tests.live import WAIT
from tests.service.analysis.drift.watching import (
    CHANGED,
    STABLE,
    alerts,
    at,
    caught_up,
    follower,
    history,
    recorded,
    watching,
)
from tests.service.control.actions.world import World
from tests.tiers import deep

CUTS = (30, 62, 90)


def state(world: World) -> bytes:
    """Everything that the streams know, but for their order in memory."""
    snapshot = follower(world).streams.snapshot()
    return msgspec.msgpack.encode(sorted(snapshot.streams, key=lambda kept: kept.stream))


async def test_a_planted_change_raises_one_hint_and_one_established_alert(world: World) -> None:
    await history(world, STABLE + CHANGED)
    found = await alerts(world)
    assert [each.established for each in found] == [False, True]
    for alert in found:
        assert (alert.agent_id, alert.action_type, alert.metric) == ("bot", "look", "risk_score")
        assert (alert.direction, alert.severity, alert.source) == ("up", "critical", "import")
        assert abs((alert.change_estimated_at - at(60)).total_seconds()) <= 2 * 3600
        assert at(60) < alert.detected_at <= at(90)
        assert alert.detected_at == at(alert.n - 1)
    sure = found[1]
    assert (sure.clusters, sure.basis) == (sure.n, "hour"), "one value an hour"
    assert sure.change_earliest_at is not None
    assert sure.change_latest_at is not None
    assert sure.change_earliest_at <= at(60) <= sure.change_latest_at
    events = await world.events(kind="drift.alert")
    assert [(event.subject, event.actor, event.action) for event in events] == [
        (alert.id, "system", None) for alert in found
    ]
    assert await alerts(world) == found, "there is nothing more to tell"


async def test_alike_values_of_sessions_are_hinted_at_and_not_established(world: World) -> None:
    """Twelve sessions of eight actions, six of them with low risks: of independent values that would be a change."""
    for session, risk in enumerate([33, 35, 34, 36, 33, 35, 55, 57, 54, 58, 56, 53]):
        await history(world, [risk] * 8, 8 * session, session_id=f"run {session}")
    found = await alerts(world)
    assert found
    assert not any(each.established for each in found)


async def test_a_stable_history_raises_none(world: World) -> None:
    await history(world, STABLE * 3)
    assert await alerts(world) == []
    assert follower(world).caught_up()


@pytest.mark.parametrize("cut", [70, *(pytest.param(cut, marks=deep("one cut is in the quick tier")) for cut in CUTS)])
@pytest.mark.parametrize("lost", [False, True])
async def test_it_goes_on_after_a_restart_as_if_never_stopped(tmp_path: Path, cut: int, lost: bool) -> None:
    """With its checkpoint, and without."""
    risks = STABLE + CHANGED
    home = tmp_path / "home"
    async with watching(home) as world:
        await history(world, risks[:cut])
        told = await alerts(world)
        await follower(world).save()
        before = state(world)
    if lost:
        (home / FILE).unlink()
    async with watching(home, world.clock) as again:
        assert await alerts(again) == told, "nothing is told twice"
        assert state(again) == before
        await history(again, risks[cut:], cut)
        found = await alerts(again)
        assert [each.established for each in found] == [False, True], await recorded(again)
        after = state(again)
        (home / FILE).unlink(missing_ok=True)
    async with watching(home, world.clock) as whole:
        assert await alerts(whole) == found
        assert state(whole) == after, "as one run over everything"


async def test_a_kill_between_an_alert_and_its_checkpoint_repeats_nothing(tmp_path: Path) -> None:
    async with watching(tmp_path / "home") as world:
        await history(world, STABLE)
        await alerts(world)
        await follower(world).save()
        await history(world, CHANGED, len(STABLE))
        told = await alerts(world)
        assert len(told) == 2
    async with watching(tmp_path / "home", world.clock) as again:
        assert not follower(again).caught_up()
        assert await alerts(again) == told


@pytest.mark.parametrize(
    "spoilt", [b"x" * 100, *(pytest.param(each, marks=deep("torn in another way")) for each in (b"", None))]
)
async def test_a_checkpoint_that_is_torn_does_not_count(tmp_path: Path, spoilt: bytes | None) -> None:
    async with watching(tmp_path / "home") as world:
        await history(world, STABLE)
        await alerts(world)
        await follower(world).save()
        before = state(world)
    file = tmp_path / "home" / FILE
    file.write_bytes(file.read_bytes()[:-10] if spoilt is None else spoilt)
    async with watching(tmp_path / "home", world.clock) as again:
        await alerts(again)
        assert state(again) == before


async def test_a_checkpoint_of_another_log_or_of_other_settings_does_not_count(tmp_path: Path) -> None:
    for name in ("one", "other"):
        async with watching(tmp_path / name) as world:
            await history(world, STABLE, agent_id=name)
            await alerts(world)
            await follower(world).save()
    (tmp_path / "one" / FILE).replace(tmp_path / "other" / FILE)
    async with watching(tmp_path / "other", world.clock) as swapped:
        streams = follower(swapped).streams
        assert checkpoint.read(tmp_path / "other", swapped.service.ledger.log, streams) is None
        await alerts(swapped)
        assert all(kept.stream.agent_id == "other" for kept in streams.snapshot().streams)
        await follower(swapped).save()
    async with watching(tmp_path / "other", world.clock, drift_false_alarms=0.001) as stricter:
        log = stricter.service.ledger.log
        assert checkpoint.read(tmp_path / "other", log, follower(stricter).streams) is None


async def test_an_alert_that_cannot_be_recorded_is_recorded_later(world: World, tmp_path: Path) -> None:
    await history(world, STABLE + CHANGED)
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    with pytest.raises(Refusal) as refused:
        await follower(world).follow()
    assert refused.value.code is Code.STORAGE_UNAVAILABLE
    assert not follower(world).caught_up()
    await follower(world).save()
    assert not (tmp_path / FILE).exists(), "a checkpoint would go past what was not told"
    files.errors.clear()
    assert len(await alerts(world)) == 2


async def test_an_event_that_cannot_be_read_is_passed_over(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await history(world, STABLE)
    streams = follower(world).streams
    real = streams.take
    broken = (await world.events(kind="action.created"))[3].seq

    def take(event: Event) -> list[StreamAlarm]:
        if event.seq == broken:
            raise ValueError("unreadable")
        return real(event)

    monkeypatch.setattr(streams, "take", take)
    await history(world, CHANGED, len(STABLE))
    assert len(await alerts(world)) == 2


async def test_it_runs_by_itself_once_started_and_saves_at_the_end(world: World, tmp_path: Path) -> None:
    told = asyncio.Event()

    def listen(batch: Sequence[Event]) -> None:
        if any(event.type == "drift.alert" for event in batch):
            told.set()

    world.service.ledger.listen(listen)
    await follower(world).start()
    await history(world, STABLE + CHANGED)
    await asyncio.wait_for(told.wait(), WAIT)
    # It is told before the follower knows that it was recorded; until then there is nothing to save.
    await caught_up(world)
    await follower(world).stop()
    assert (tmp_path / FILE).exists()
    assert not (tmp_path / f"{FILE}.tmp").exists()


async def test_it_catches_up_after_a_load_and_says_how_far_it_is_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    trail = follower(world).trail
    await history(world, STABLE)
    waiting = trail.behind()
    assert waiting.events == world.service.ledger.head > len(STABLE)
    assert f"({waiting.events} events" in follower(world).inspect().detail
    # A slice that is over at once has one event in it.
    monkeypatch.setattr("assent_service.analysis.drift.follower.SLICE", 0.0)
    monkeypatch.setattr("assent_service.analysis.drift.follower.STEP", 0.01)
    await follower(world).start()
    await caught_up(world)
    assert trail.behind() == (0, 0.0)


async def test_a_checkpoint_is_written_in_pieces_and_is_that_of_a_snapshot(world: World, tmp_path: Path) -> None:
    for number in range(30):
        await history(world, STABLE[:3], agent_id=f"bot {number}")
    await alerts(world)
    streams, log = follower(world).streams, world.service.ledger.log
    assert streams.total > 2 * checkpoint.AT_ONCE
    began = checkpoint.write(tmp_path, follower(world)._position, streams)
    next(began)
    next(began)
    assert checkpoint.read(tmp_path, log, streams) is None, "nothing counts before the end"
    await follower(world).save()
    del began
    found = checkpoint.read(tmp_path, log, streams)
    assert found is not None
    assert found.position == follower(world)._position
    assert msgspec.msgpack.encode(found.snapshot) == msgspec.msgpack.encode(streams.snapshot())
