"""What the ledger tells the log that an append rests on and moves, and what it makes of one that was overtaken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.core.locks import EntityLocks, Fence
from assent_service.store.conditions import ATTEMPT, HELD, Attempt, Condition, Overtaken, apart, once
from assent_service.store.event import Event
from assent_service.store.ledger import MOST_RUNS, Ledger, Read
from assent_service.store.log import Submission
from tests.contested import ContestedLog, Overtakes, always, contested, never
from tests.service.store.logbook import WAIT
from tests.service.store.things import TABLES, created, updated

SHELF = Fence("test_shelf", "shelf")
ONE, OTHER = SHELF.of("org_a", "1"), SHELF.of("org_a", "2")


class Rules:
    """A memory that every request rests on."""

    types = frozenset({"thing.updated"})
    rules = True

    def __init__(self) -> None:
        self.folded: list[int] = []

    def load(self, read: Read) -> None:
        pass

    def fold(self, event: Event) -> None:
        self.folded.append(event.seq)


@asynccontextmanager
async def started(home: Path, overtakes: Overtakes = never) -> AsyncIterator[tuple[Ledger, ContestedLog, EntityLocks]]:
    opened = Ledger(home, TABLES, open_log=contested(overtakes))
    opened.remember([Rules()])
    opened.start()
    assert isinstance(opened.log, ContestedLog)
    try:
        async with asyncio.timeout(WAIT):
            yield opened, opened.log, EntityLocks(lambda: opened.head)
    finally:
        opened.close()


def first(times: int) -> Overtakes:
    """So many submissions are overtaken."""
    left = [times]

    def overtakes(_: Submission) -> bool:
        left[0] -= 1
        return left[0] >= 0

    return overtakes


async def test_what_is_held_is_what_an_append_rests_on_and_moves(tmp_path: Path) -> None:
    async with started(tmp_path) as (ledger, log, locks):
        await ledger.append(created("a"))
        assert log.fences == {}
        async with locks.hold(ONE):
            assert HELD.get() == (Condition(ONE, 1),)
            async with locks.hold(OTHER):
                await ledger.append(created("b"))
            await ledger.append(created("c"))
        assert HELD.get() == ()
        assert log.fences == {OTHER: (2, True), ONE: (3, True)}
        assert log.overtaken == [], "what a request recorded itself does not overtake it"


async def test_who_read_before_somebody_moved_it_is_overtaken(tmp_path: Path) -> None:
    async with started(tmp_path) as (ledger, log, _):
        await ledger.append(created("a"))
        await ledger.append(created("b"), conditions=[Condition(ONE, 1)])
        with pytest.raises(Overtaken) as overtaken:
            await ledger.append(created("c"), conditions=[Condition(ONE, 1)])
        assert overtaken.value.seq == 2
        (event,) = await ledger.append(created("d"), conditions=[Condition(ONE, 1, own=True)])
        assert (event.seq, ledger.head, len(log.overtaken)) == (3, 3, 1)


async def test_a_request_rests_on_the_rules_of_its_organizations(tmp_path: Path) -> None:
    async with started(tmp_path) as (ledger, log, _):
        *_, event = await ledger.append(created("a"), updated("a"))
        assert log.fences == {"rules:org_a": (event.seq, True)}
        request = Attempt(0)
        ATTEMPT.set(request)
        with pytest.raises(Overtaken):
            await ledger.append(created("b"))
        request.org_id, request.after = "org_b", event.seq
        await ledger.append(created("b"), updated("b"))
        assert request.after == ledger.head, "its own change of the rules does not overtake what it records next"
        await ledger.append(created("c"))
        ATTEMPT.set(None)


async def test_it_runs_again_when_what_overtook_it_is_folded(tmp_path: Path) -> None:
    runs = list[int]()

    async with started(tmp_path, first(MOST_RUNS - 1)) as (ledger, _, locks):

        async def work() -> list[Event]:
            runs.append(ledger.head)
            async with locks.hold(ONE):
                return await ledger.append(created("a"))

        (event,) = await ledger.run(work)
        assert runs == list(range(MOST_RUNS))
        assert (event.seq, event.n) == (MOST_RUNS, 0)


async def test_it_is_given_up_when_it_is_overtaken_each_time(tmp_path: Path) -> None:
    async with started(tmp_path, always) as (ledger, log, locks):

        async def work() -> None:
            async with locks.hold(ONE):
                await ledger.append(created("a"))

        with pytest.raises(Refusal) as refused:
            await ledger.run(work)
        assert refused.value.code is Code.BUSY
        assert len(log.overtaken) == MOST_RUNS


async def test_what_was_done_once_is_not_done_again_and_getting_further_counts(tmp_path: Path) -> None:
    """Ten steps, each of which records and is overtaken once: more often than any of them may be."""
    request, steps = Attempt(0), list[int]()
    overtaken = set[bytes]()

    def overtakes(submission: Submission) -> bool:
        before = len(overtaken)
        overtaken.add(submission.drafts[0].data)
        return len(overtaken) > before

    async with started(tmp_path, overtakes) as (ledger, _, locks):

        async def step(number: int) -> int:
            async with locks.hold(ONE):
                await ledger.append(created(f"t{number}"))
            steps.append(number)
            return number

        async def work() -> list[int]:
            request.begin_again(ledger.head)
            return [await once(number, lambda n=number: step(n)) for number in range(10)]  # type: ignore[misc]

        ATTEMPT.set(request)
        assert await ledger.run(work) == list(range(10))
        ATTEMPT.set(None)
        assert steps == list(range(10))


async def test_what_is_done_twice_in_one_run_is_done_twice() -> None:
    done = list[int]()

    async def work() -> int:
        done.append(len(done))
        return done[-1]

    ATTEMPT.set(Attempt(0))
    assert [await once("same", work), await once("same", work)] == [0, 1]
    request = ATTEMPT.get()
    assert request is not None
    request.begin_again(7)
    assert [await once("same", work), await once("same", work)] == [1, 1]
    ATTEMPT.set(None)


async def test_a_task_that_outlives_its_request_rests_on_nothing_of_it() -> None:
    locks = EntityLocks(lambda: 3)

    async def look() -> tuple[object, object]:
        return HELD.get(), ATTEMPT.get()

    ATTEMPT.set(Attempt(3))
    async with locks.hold(ONE):
        assert await asyncio.create_task(look(), context=apart()) == ((), None)
        assert HELD.get() == (Condition(ONE, 3),)
    ATTEMPT.set(None)
