"""The pipe: bounded, in order, and ended from either side, whoever waits."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from assent_service.analysis.data.pipe import Pipe
from assent_service.core.stream import Interrupted

WAIT = 10.0


class Writer:
    """A thread that writes `pieces` into a pipe; `written` says how many it has got rid of."""

    def __init__(self, pipe: Pipe, pieces: list[bytes], error: BaseException | None = None) -> None:
        self.written = 0
        self.stopped: BaseException | None = None
        self._pipe, self._pieces, self._error = pipe, pieces, error
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        try:
            for piece in self._pieces:
                self._pipe.write(piece)
                self.written += 1
        except Interrupted as error:
            self.stopped = error
        self._pipe.end(self._error)

    async def rests_at(self, pieces: int) -> None:
        """It writes so many and comes no further."""
        for _ in range(int(WAIT / 0.01)):
            if self.written >= pieces:
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert self.written == pieces


async def everything(pipe: Pipe) -> list[bytes]:
    found = []
    while (piece := await asyncio.wait_for(pipe.take(), WAIT)) is not None:
        found.append(piece)
    return found


async def test_pieces_arrive_whole_and_in_order() -> None:
    pieces = [bytes([number % 256]) * (number % 7 + 1) for number in range(5000)]
    pipe = Pipe(50)
    writer = Writer(pipe, pieces)
    assert await everything(pipe) == pieces
    writer.thread.join(WAIT)
    assert await pipe.take() is None


async def test_no_more_than_the_bound_and_one_piece_is_ever_on_the_way() -> None:
    pipe = Pipe(1000)
    writer = Writer(pipe, [b"x" * 300] * 100)
    for taken in range(90):
        # A write waits from the moment that 1000 bytes are there, which four pieces are.
        await writer.rests_at(taken + 4)
        if taken > 5:
            break
        assert await pipe.take() == b"x" * 300
    pipe.cut("enough")
    writer.thread.join(WAIT)


async def test_a_piece_larger_than_the_bound_goes_through() -> None:
    pipe = Pipe(10)
    writer = Writer(pipe, [b"x" * 1000, b"y"])
    assert await everything(pipe) == [b"x" * 1000, b"y"]
    writer.thread.join(WAIT)


async def test_an_error_of_the_writer_comes_after_what_it_wrote() -> None:
    pipe = Pipe(100)
    Writer(pipe, [b"one", b"two"], ValueError("broken")).thread.join(WAIT)
    assert [await pipe.take(), await pipe.take()] == [b"one", b"two"]
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            await pipe.take()


async def test_cutting_frees_a_writer_that_waits_and_its_memory() -> None:
    pipe = Pipe(10)
    writer = Writer(pipe, [b"x" * 10] * 5)
    await writer.rests_at(1)
    pipe.cut("the reader is gone")
    pipe.cut("later and for another reason")
    writer.thread.join(WAIT)
    assert str(writer.stopped) == "the reader is gone"
    with pytest.raises(Interrupted, match="the reader is gone"):
        await pipe.take()
    assert await asyncio.wait_for(pipe.over.wait(), WAIT)


async def test_cutting_from_another_thread_wakes_a_reader_that_waits() -> None:
    pipe = Pipe(10)

    def cut_soon() -> None:
        time.sleep(0.05)
        pipe.cut("the tables are being opened anew")

    cutter = threading.Thread(target=cut_soon)
    cutter.start()
    with pytest.raises(Interrupted, match="opened anew"):
        await asyncio.wait_for(pipe.take(), WAIT)
    cutter.join(WAIT)


def test_a_pipe_whose_loop_is_closed_can_still_be_cut() -> None:
    async def make() -> Pipe:
        return Pipe(10)

    pipe = asyncio.run(make())
    pipe.cut("the service is stopping")
    with pytest.raises(Interrupted):
        pipe.write(b"x")
