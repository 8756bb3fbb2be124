"""Bodies as they arrive, within limits that hold for one of them and for all together.

Nearly every body comes in one piece and costs nothing here. One that comes in many is held in memory until it is
complete, so there is a bound on what is held for all of them at once. One that does not come to its end is let go by
the server (`assent_service.protocol`): otherwise a few clients that never finish would fill the memory of everybody.
"""

from __future__ import annotations

from collections.abc import Mapping

from litestar.types import Receive

from assent.contract.problems import Code
from assent_service.base.problem import Refusal, refuse

HELD = 128_000_000
"""Bytes of unfinished bodies, all together."""


class Disconnected(Exception):
    """The client went away before its body was complete."""


class Uploads:
    """The unfinished bodies of all requests; at most `held` bytes of them."""

    def __init__(self, held: int = HELD) -> None:
        self._most = held
        self.held = 0

    async def read(self, headers: Mapping[bytes, bytes], receive: Receive, limit: int) -> bytes:
        """The whole body. Raises `payload_too_large` for more than `limit` bytes, `busy`, and Disconnected."""
        declared = headers.get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > limit:
            raise _too_large(limit)
        body, more = await _piece(receive)
        if len(body) > limit:
            raise _too_large(limit)
        return await self._rest(body, receive, limit) if more else body

    async def _rest(self, first: bytes, receive: Receive, limit: int) -> bytes:
        pieces, size = [first], len(first)
        self.held += size
        try:
            more = True
            while more:
                piece, more = await _piece(receive)
                size += len(piece)
                self.held += len(piece)
                if size > limit:
                    raise _too_large(limit)
                if self.held > self._most:
                    raise refuse(
                        Code.BUSY, "Too many large bodies are on their way at once; send this one again in a moment."
                    )
                pieces.append(piece)
        finally:
            self.held -= size
        return b"".join(pieces)


async def _piece(receive: Receive) -> tuple[bytes, bool]:
    message = await receive()
    if message["type"] != "http.request":
        raise Disconnected
    return message["body"], message["more_body"]


def _too_large(limit: int) -> Refusal:
    return refuse(Code.PAYLOAD_TOO_LARGE, f"The body is larger than {limit} bytes, which is the limit here; send less.")
