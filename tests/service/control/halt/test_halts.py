"""Turning the switch, what is recorded of it, and what a restart remembers."""

import asyncio
from pathlib import Path

from assent_service.base.clock import moment
from assent_service.core.principal import Principal
from tests.service.evidence.events.serving import Parts, opened, reader

NOON = 1_700_000_000_000_000


class Hands:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


def other() -> Principal:
    return Principal("org_a", "key_other", "other", reader().role, None)


async def turns(parts: Parts) -> list[tuple[bool, str | None]]:
    rows = await parts.ledger.read("SELECT halted, reason FROM halts WHERE org_id = 'org_a' ORDER BY created_at")
    return [(bool(halted), None if reason is None else str(reason)) for halted, reason in rows]


async def test_halt_and_resume(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as parts:
        untouched = parts.halts.get("org_a")
        assert (untouched.halted, untouched.changed_at, untouched.changed_by) == (False, None, None)
        assert parts.halts.state.reason("org_a") is None
        halted = await parts.halts.halt(reader(), "runaway")
        assert parts.halts.state.reason("org_a") == "runaway"
        assert parts.halts.state.reason("org_b") is None
        assert (halted.halted, halted.reason, halted.changed_at) == (True, "runaway", moment(NOON))
        clock.now += 5
        resumed = await parts.halts.resume(other())
        assert (resumed.halted, resumed.reason, resumed.changed_by) == (False, None, "other")
        assert resumed.changed_at == moment(NOON + 5)
        assert parts.halts.state.reason("org_a") is None


async def test_a_retry_keeps_the_first_time_and_records_nothing(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as parts:
        first = await parts.halts.halt(reader(), "runaway")
        clock.now += 9
        again = await asyncio.gather(*(parts.halts.halt(reader(), "runaway") for _ in range(5)))
        assert again == [first] * 5
        assert await turns(parts) == [(True, "runaway")]


async def test_another_reason_or_person_is_recorded_and_stands(tmp_path: Path) -> None:
    async with opened(tmp_path, Hands()) as parts:
        await parts.halts.halt(reader(), "runaway")
        await parts.halts.halt(other(), "runaway")
        await parts.halts.halt(other(), "leak")
        assert parts.halts.state.reason("org_a") == "leak"
        assert parts.halts.get("org_a").changed_by == "other"
        assert await turns(parts) == [(True, "runaway"), (True, "runaway"), (True, "leak")]


async def test_resuming_what_runs_records_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, Hands()) as parts:
        assert (await parts.halts.resume(reader())).changed_at is None
        await parts.halts.halt(reader(), "x")
        first = await parts.halts.resume(reader())
        assert await parts.halts.resume(other()) == first
        assert await turns(parts) == [(True, "x"), (False, None)]


async def test_the_newest_turn_stands_after_a_restart_even_when_the_clock_stepped_back(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as parts:
        await parts.halts.halt(reader(), "first")
        clock.now -= 1_000_000
        await parts.halts.resume(reader())
        last = await parts.halts.halt(reader(), "second")
        await parts.halts.halt(reader("org_b"), "theirs")
        await parts.ledger.caught_up()
    async with opened(tmp_path, clock) as parts:
        assert parts.halts.get("org_a") == last
        assert parts.halts.state.reason("org_a") == "second"
        assert parts.halts.state.reason("org_b") == "theirs"
