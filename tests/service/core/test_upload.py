"""Bodies in pieces: their own limit, the limit of all together, and the time that one may take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.core.upload import Disconnected, Uploads


def arriving(pieces: Iterable[bytes], *, ends: bool = True, gone: bool = False) -> Any:
    """What an ASGI server hands over: the pieces, then their end, or a client that is gone, or nothing more."""

    async def messages() -> AsyncIterator[dict[str, Any]]:
        given = list(pieces)
        for place, piece in enumerate(given):
            more = place < len(given) - 1 or not ends
            yield {"type": "http.request", "body": piece, "more_body": more}
        if gone:
            yield {"type": "http.disconnect"}
        await asyncio.Event().wait()

    source = messages()
    return source.__anext__


async def test_a_body_in_one_piece_or_in_many() -> None:
    uploads = Uploads()
    assert await uploads.read({}, arriving([b"whole"]), 100) == b"whole"
    assert await uploads.read({}, arriving([b"in ", b"", b"three"]), 100) == b"in three"
    assert uploads.held == 0


@pytest.mark.parametrize("pieces", [[b"x" * 11], [b"x" * 6, b"x" * 5], [b"x"] * 11], ids=["one", "two", "many"])
async def test_more_than_the_limit(pieces: list[bytes]) -> None:
    uploads = Uploads()
    with pytest.raises(Refusal) as refused:
        await uploads.read({}, arriving(pieces), 10)
    assert refused.value.code is Code.PAYLOAD_TOO_LARGE
    assert uploads.held == 0
    assert await uploads.read({}, arriving([b"x" * 6, b"x" * 4]), 10) == b"x" * 10


async def test_a_declared_length_is_refused_before_anything_is_read() -> None:
    with pytest.raises(Refusal) as refused:
        await Uploads().read({b"content-length": b"11"}, arriving([], ends=False), 10)
    assert refused.value.code is Code.PAYLOAD_TOO_LARGE


async def test_all_together_hold_no_more_than_there_is_room_for() -> None:
    uploads = Uploads(held=10)
    waiting = asyncio.create_task(uploads.read({}, arriving([b"x" * 4, b"x" * 4], ends=False), 100))
    for _ in range(10):
        await asyncio.sleep(0)
    assert uploads.held == 8
    with pytest.raises(Refusal) as refused:
        await uploads.read({}, arriving([b"y", b"yy"]), 100)
    assert refused.value.code is Code.BUSY
    assert uploads.held == 8, "what was refused is held no longer"
    assert await uploads.read({}, arriving([b"y" * 50]), 100) == b"y" * 50, "what comes in one piece waits for nobody"
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert uploads.held == 0
    assert await uploads.read({}, arriving([b"y", b"yy"]), 100) == b"yyy"


async def test_a_client_that_goes_away_leaves_nothing_behind() -> None:
    uploads = Uploads()
    with pytest.raises(Disconnected):
        await uploads.read({}, arriving([b"x", b"x"], ends=False, gone=True), 100)
    assert uploads.held == 0
