"""What is carried out although the caller is stopped, and for how long."""

from __future__ import annotations

import asyncio

import pytest

from assent.client import stopping
from assent.client.stopping import carried_out, stops, words_of


async def late() -> str:
    await asyncio.sleep(0.05)
    return "done"


async def test_what_nobody_stops_gives_its_result_and_its_errors() -> None:
    assert await carried_out(late) == ("done", None)

    async def fails() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await carried_out(fails)


@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancelled_task_carries_it_out_and_is_told(times: int) -> None:
    found: list[tuple[str, BaseException | None]] = []

    async def work() -> None:
        found.append(await carried_out(late))

    task = asyncio.create_task(work())
    for _ in range(times):
        await asyncio.sleep(0.005)
        task.cancel()
    await task
    ((result, stopped),) = found
    assert result == "done"
    assert isinstance(stopped, asyncio.CancelledError)


async def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "LEAVING", 0.05)
    monkeypatch.setattr(stopping, "GRACE", 0.0)
    given_up: list[bool] = []

    async def forever() -> None:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            given_up.append(True)
            raise

    for before in (True, False):
        stopped = asyncio.CancelledError() if before else None
        task = asyncio.create_task(carried_out(forever, stopped=stopped))
        await asyncio.sleep(0.01)
        if not before:
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)
        await asyncio.sleep(0)
    assert given_up == [True, True]


async def test_an_error_of_the_work_does_not_hide_the_stop() -> None:
    async def fails() -> None:
        await asyncio.sleep(0.01)
        raise ValueError("the service is gone")

    task = asyncio.create_task(carried_out(fails))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError) as caught:
        await task
    assert caught.value.__notes__ == ["What was under way failed meanwhile: the service is gone"]


@pytest.mark.parametrize(("again", "begun"), [(True, 2), (False, 1)])
async def test_work_that_is_cancelled_with_its_loop_is_begun_once_more_where_it_may(*, again: bool, begun: int) -> None:
    count = 0

    async def work() -> str:
        nonlocal count
        count += 1
        return await late()

    async def main() -> str:
        return (await carried_out(work, again=again))[0]

    task = asyncio.create_task(main())
    await asyncio.sleep(0.01)
    # As the end of a loop does it.
    for each in asyncio.all_tasks() - {asyncio.current_task()}:
        each.cancel()
    if again:
        assert await task == "done"
    else:
        with pytest.raises(asyncio.CancelledError):
            await task
    assert count == begun


def test_stops_and_their_words() -> None:
    assert all(map(stops, (asyncio.CancelledError(), GeneratorExit(), KeyboardInterrupt(), SystemExit())))
    assert not any(map(stops, (ValueError(), TimeoutError(), SystemExit(1), SystemExit("x"))))
    assert words_of(asyncio.CancelledError()) == "CancelledError: the task was cancelled"
    assert words_of(ValueError("password=hunter2")) == "ValueError: password=[REDACTED:password]"
    assert words_of(ValueError()) == "ValueError: "
