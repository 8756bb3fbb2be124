"""Work that is still to come when its call is over: it does not run, and its action has failed."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import tempfile
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from io import StringIO
from types import MappingProxyType
from typing import Any

import pytest

from assent import governed
from assent.governing import Governor, ToolCall
from assent.governing.results import finished
from tests.stories.tenant import Tenant

Recorded = Callable[[], list[dict[str, Any]]]
Makes = Callable[[list[str]], object]


def numbers(ran: list[str]) -> Iterator[int]:
    ran.append("generator")
    yield 1


async def awaited(ran: list[str]) -> int:
    ran.append("coroutine")
    return 1


async def counting(ran: list[str]) -> AsyncIterator[int]:
    ran.append("async generator")
    yield 1


def on_a_loop(ran: list[str]) -> object:
    return asyncio.get_running_loop().create_task(awaited(ran))


class Lazy:
    def __init__(self, ran: list[str]) -> None:
        self.ran = ran

    def __await__(self) -> Generator[Any, Any, int]:
        return awaited(self.ran).__await__()


@dataclass(slots=True)
class Page:
    rows: object
    left: object = field(init=False)


STOPPED: list[Makes] = [
    awaited,
    numbers,
    contextlib.contextmanager(numbers),
    lambda ran: [1, {"later": (awaited(ran),)}],
    lambda ran: {awaited(ran): 1},
    lambda ran: deque([numbers(ran)]),
    lambda ran: {1: numbers(ran)}.values(),
    lambda ran: {1: numbers(ran)}.items(),
    lambda ran: {awaited(ran): 1}.keys(),
    lambda ran: MappingProxyType({1: awaited(ran)}),
    lambda ran: Page([numbers(ran)]),
    lambda ran: [Page(Page(awaited(ran)))],
]
"""Of these it is known that nothing ran."""
MAKES: list[Makes] = [
    *STOPPED,
    counting,
    contextlib.asynccontextmanager(counting),
    Lazy,
    lambda ran: map(ran.append, "a"),
    lambda ran: filter(ran.append, "a"),
    lambda ran: zip(numbers(ran), strict=True),
    lambda ran: enumerate(numbers(ran)),
    lambda ran: itertools.chain(numbers(ran)),
    lambda ran: itertools.starmap(ran.append, [("a",)]),
    lambda ran: iter(lambda: ran.append("a"), 1),
    lambda _: Future[int](),
]


@pytest.mark.parametrize("make", MAKES)
def test_work_that_would_run_after_its_action_does_not_run(tenant: Tenant, recorded: Recorded, make: Makes) -> None:
    ran: list[str] = []

    @governed("work")
    def hidden() -> object:
        return make(ran)

    with pytest.raises(TypeError, match=r"would run after its action was over; .*Finish it in the function") as error:
        hidden()
    assert ran == []
    assert ("nothing of it ran" in str(error.value)) == (make in STOPPED)
    (action,) = recorded()
    assert action["status"] == "failed"
    assert "would run after its action was over" in action["error_message"]


@pytest.mark.parametrize("make", [*MAKES, on_a_loop])
async def test_nor_does_it_where_the_function_is_awaited(tenant: Tenant, recorded: Recorded, make: Makes) -> None:
    ran: list[str] = []

    @governed("work")
    async def hidden() -> object:
        return make(ran)

    with pytest.raises(TypeError, match="would run after its action was over"):
        await hidden()
    await asyncio.sleep(0)
    assert ran == []
    assert [action["status"] for action in recorded()] == ["failed"]


async def test_nor_a_task_that_a_sync_function_begins(tenant: Tenant, recorded: Recorded) -> None:
    ran: list[str] = []
    with pytest.raises(TypeError, match=r"gave a Task, .* it was stopped where it could be, but a part"):
        governed("work")(on_a_loop)(ran)
    await asyncio.sleep(0)
    assert ran == []
    assert [action["status"] for action in recorded()] == ["failed"]


def test_observing_records_it_as_failed_as_well(tenant: Tenant, recorded: Recorded) -> None:
    ran: list[str] = []

    @governed("work", mode="observe")
    def hidden() -> object:
        return awaited(ran)

    with pytest.raises(TypeError, match="would run after its action was over"):
        hidden()
    assert ran == []
    assert [action["status"] for action in recorded()] == ["failed"]


async def test_nothing_of_it_runs_where_nobody_observes(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    async def give() -> object:
        return numbers(ran)

    governor = Governor(mode="observe")
    monkeypatch.delenv("ASSENT_API_KEY", raising=False)
    with pytest.raises(TypeError, match="nothing of it ran"):
        governor.run(ToolCall(name="work"), lambda: numbers(ran))
    with pytest.raises(TypeError, match="nothing of it ran"):
        await governor.run_async(ToolCall(name="work"), give)
    assert ran == []


def test_what_has_begun_is_stopped_and_not_said_to_be_undone() -> None:
    ended: list[str] = []

    def begun() -> Iterator[int]:
        try:
            yield 1
        finally:
            ended.append("generator")

    work = begun()
    next(work)
    with pytest.raises(TypeError, match="but a part of it may be done"):
        finished(work, "work")
    assert ended == ["generator"]


def test_a_future_of_a_pool_is_cancelled_where_it_has_not_begun() -> None:
    hold, ran = threading.Event(), list[str]()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(hold.wait, 60)
        second = pool.submit(ran.append, "second")
        with pytest.raises(TypeError, match=r"work gave a Future, .* a part of it may be done"):
            finished([first, second], "work")
        hold.set()
    assert (ran, second.cancelled()) == ([], True)


def test_a_future_that_is_done_is_refused_too_since_it_might_not_have_been() -> None:
    done: Future[int] = Future()
    done.set_result(1)
    with pytest.raises(TypeError, match="gave a Future"):
        finished(done, "work")


async def test_a_task_of_a_loop_in_another_thread_is_cancelled_by_that_loop() -> None:
    ended = asyncio.Event()

    async def long() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    task = asyncio.create_task(long())
    await asyncio.sleep(0)
    with pytest.raises(TypeError, match="gave a Task"):
        await asyncio.to_thread(finished, task, "work")
    await asyncio.wait_for(ended.wait(), 10)
    assert task.cancelled() or task.cancelling()


def test_what_is_a_result_passes() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    page = Page([])
    page.left = page
    with contextlib.ExitStack() as stack, tempfile.TemporaryFile() as file, ThreadPoolExecutor(1) as pool:
        for each in (
            *(None, 1, "a", b"a", [1, {"a": (2,)}], cycle, {1, 2}, iter([1]), {}.keys(), range(3)),
            *(page, Page, Page(deque([{1: 2}.items()])), MappingProxyType({1: page})),
            *(numbers, awaited, functools.partial(numbers, []), Lazy, object()),
            *(stack, contextlib.AsyncExitStack(), file, StringIO(), threading.Lock(), asyncio.Lock(), pool),
            *(contextlib.nullcontext(), contextlib.closing(StringIO()), contextlib.suppress(ValueError)),
        ):
            assert finished(each, "work") is each


@pytest.mark.parametrize("make", [contextlib.contextmanager(numbers), contextlib.asynccontextmanager(counting)])
def test_a_function_that_enters_a_block_may_be_one_of_a_wrapper(
    tenant: Tenant, recorded: Recorded, make: Makes
) -> None:
    """Only what contextlib itself has made is refused before it is called."""

    @functools.wraps(make)
    def enters(ran: list[str]) -> str:
        return "done"

    assert governed("work")(enters)([]) == "done"
    assert [action["status"] for action in recorded()] == ["completed"]
