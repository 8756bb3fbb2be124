"""Reading a body while it arrives: exactly what was asked for, in the loop's thread or beside it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.client.incoming import AT_HAND, Incoming, consumed, consumed_aside


@given(st.lists(st.binary(max_size=20)), st.lists(st.integers(0, 30)))
def test_reads_give_the_body_in_the_sizes_asked_for(pieces: list[bytes], sizes: list[int]) -> None:
    body, file, at = b"".join(pieces), Incoming(iter(pieces)), 0
    for size in sizes:
        if at + size > len(body):
            with pytest.raises(EOFError, match=f"ends {at + size - len(body)} bytes too early"):
                file.read(size)
            return
        assert file.read(size) == body[at : at + size]
        at += size


def test_what_is_left_of_a_body_is_taken_too() -> None:
    pieces = iter([b"abc", b"def", b"ghi"])
    assert consumed(pieces, lambda file: file.read(4)) == b"abcd"
    assert next(pieces, None) is None


class Body:
    """`count` pieces of four bytes, and then `error`; `given` says how many were asked for."""

    def __init__(self, count: int, error: Exception | None = None) -> None:
        self.count, self.error, self.given = count, error, 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.given < self.count:
            self.given += 1
            yield b"%04d" % self.given
            await asyncio.sleep(0)
        if self.error is not None:
            raise self.error


async def test_the_loop_goes_on_while_a_thread_reads() -> None:
    def consume(file: Incoming) -> tuple[int, bytes]:
        asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(timeout=60)
        return threading.get_ident(), file.read(4 * 1000)

    loop, body = asyncio.get_running_loop(), Body(1000)
    thread, read = await consumed_aside(aiter(body), consume)
    assert thread != threading.get_ident()
    assert read == b"".join(b"%04d" % number for number in range(1, 1001))


async def test_a_thread_that_does_not_read_holds_the_connection_up() -> None:
    free = threading.Event()
    body = Body(10 * AT_HAND)
    under_way = asyncio.create_task(consumed_aside(aiter(body), lambda _: free.wait(10)))
    for _ in range(20 * AT_HAND):
        await asyncio.sleep(0)
    assert body.given == AT_HAND + 1
    free.set()
    assert await under_way
    assert body.given == body.count


async def test_a_reader_that_gives_up_ends_the_reading() -> None:
    def consume(file: Incoming) -> None:
        raise ValueError(file.read(4))

    body = Body(1_000_000)
    with pytest.raises(ValueError, match="0001"):
        await consumed_aside(aiter(body), consume)
    assert body.given < body.count


async def test_an_error_of_the_connection_comes_out_as_it_is() -> None:
    with pytest.raises(ConnectionResetError, match="by peer"):
        await consumed_aside(aiter(Body(3, ConnectionResetError("by peer"))), lambda file: file.read(100))


async def test_a_body_that_is_too_short_is_told_to_the_reader() -> None:
    with pytest.raises(EOFError, match="ends 88 bytes too early"):
        await consumed_aside(aiter(Body(3)), lambda file: file.read(100))


async def test_the_thread_has_ended_when_a_cancelled_reading_has() -> None:
    began, ended = threading.Event(), threading.Event()

    def consume(file: Incoming) -> None:
        began.set()
        try:
            file.read(100)
        finally:
            ended.set()

    async def endless() -> AsyncIterator[bytes]:
        yield b"abc"
        await asyncio.Event().wait()

    under_way = asyncio.create_task(consumed_aside(endless(), consume))
    await asyncio.to_thread(began.wait, 10)
    under_way.cancel()
    with pytest.raises(asyncio.CancelledError):
        await under_way
    assert ended.is_set()
