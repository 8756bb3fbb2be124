"""The follower: every alert once, whatever happens to it, to its checkpoint and to the disk."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from assent.contract.problems import Code
from assent_service.core.problem import Refusal
from assent_service.drift import checkpoint
from assent_service.drift.checkpoint import FILE
from assent_service.drift.streams import Found
from assent_service.store.event import Event
from tests.live import WAIT
from tests.service.actions.world import World
from tests.service.drift.watching import CHANGED, STABLE, alerts, at, follower, history, watching

CUTS = (30, 62, 70, 90)


def state(world: World) -> bytes:
    """Everything that the streams know, but for their order in memory."""
    snapshot = follower(world).streams.snapshot()
    return msgspec.msgpack.encode(sorted(snapshot.streams, key=lambda kept: kept.stream))


async def test_a_planted_change_raises_exactly_one_alert(world: World) -> None:
    await history(world, STABLE + CHANGED)
    (alert,) = await alerts(world)
    assert (alert.agent_id, alert.action_type, alert.metric) == ("bot", "look", "risk_score")
    assert (alert.direction, alert.severity, alert.source) == ("up", "critical", "import")
    assert abs((alert.change_estimated_at - at(60)).total_seconds()) <= 2 * 3600
    assert at(60) < alert.detected_at <= at(90)
    assert alert.detected_at == at(alert.n - 1)
    (event,) = await world.events(kind="drift.alert")
    assert (event.subject, event.actor, event.action) == (alert.id, "system", None)
    assert await alerts(world) == [alert], "there is nothing more to tell"


async def test_a_stable_history_raises_none(world: World) -> None:
    await history(world, STABLE * 3)
    assert await alerts(world) == []
    assert follower(world).caught_up()


@pytest.mark.parametrize("cut", CUTS)
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
        (alert,) = await alerts(again)
        after = state(again)
        (home / FILE).unlink(missing_ok=True)
    async with watching(home, world.clock) as whole:
        assert await alerts(whole) == [alert]
        assert state(whole) == after, "as one run over everything"


async def test_a_kill_between_an_alert_and_its_checkpoint_repeats_nothing(tmp_path: Path) -> None:
    async with watching(tmp_path / "home") as world:
        await history(world, STABLE)
        await alerts(world)
        await follower(world).save()
        await history(world, CHANGED, len(STABLE))
        (alert,) = await alerts(world)
    async with watching(tmp_path / "home", world.clock) as again:
        assert not follower(again).caught_up()
        assert await alerts(again) == [alert]


@pytest.mark.parametrize("spoilt", [b"", b"x" * 100, None])
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
    assert len(await alerts(world)) == 1


async def test_an_event_that_cannot_be_read_is_passed_over(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await history(world, STABLE)
    streams = follower(world).streams
    real = streams.take
    broken = (await world.events(kind="action.created"))[3].seq

    def take(event: Event) -> Iterator[Found]:
        if event.seq == broken:
            raise ValueError("unreadable")
        return real(event)

    monkeypatch.setattr(streams, "take", take)
    await history(world, CHANGED, len(STABLE))
    assert len(await alerts(world)) == 1


async def test_it_runs_by_itself_once_started_and_saves_at_the_end(world: World, tmp_path: Path) -> None:
    told = asyncio.Event()

    def listen(batch: Sequence[Event]) -> None:
        if any(event.type == "drift.alert" for event in batch):
            told.set()

    world.service.ledger.listen(listen)
    await follower(world).start()
    await history(world, STABLE + CHANGED)
    await asyncio.wait_for(told.wait(), WAIT)
    await follower(world).stop()
    assert (tmp_path / FILE).exists()
    assert not (tmp_path / f"{FILE}.tmp").exists()
