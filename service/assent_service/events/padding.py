"""Filling up what is sent to readers that take it in blocks.

The published Python client reads the stream with `read(4096)`, which returns when 4096 bytes have come and not
before; an approval of 900 bytes would wait for the next three. So for a reader that calls itself urllib every write
is filled up with a comment to a whole number of blocks. What counts is the decoded body: the frames of the chunked
transfer encoding are not in it.
"""

from __future__ import annotations

BLOCK = 4096
"""Bytes that the published client asks for at once."""


def reads_in_blocks(user_agent: str) -> bool:
    """Whether the reader may be one of the published Python clients, all of which use the standard library."""
    return user_agent.startswith("Python-urllib")


def pad(chunk: bytes) -> bytes:
    """`chunk`, which must end with a line's end, followed by a comment up to a whole number of blocks.

    One missing byte is an empty line, which means nothing after a complete frame.
    """
    missing = -len(chunk) % BLOCK
    if missing == 0:
        return chunk
    if missing == 1:
        return chunk + b"\n"
    return chunk + b":" + b" " * (missing - 2) + b"\n"
