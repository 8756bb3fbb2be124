"""An answer is bound to its question: a request that brings an `x-request-id` gets it back, on every answer.

Done where everything passes, the framework's own refusals, streams, files, documentation and metrics included. A client
whose connection has come into other hands (a process that was forked has it too) finds out by it. An id that could be
more than an id (a line break, a separator, another header), is longer than 128 characters or holds a secret of the
settings is not repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from litestar.types import Message, Scope, Send

from assent.secrets import without_own

REQUEST_ID = b"x-request-id"

_plain = re.compile(rb"[A-Za-z0-9._-]{1,128}").fullmatch


def request_id(headers: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    """The caller's own id of its request; None where it brings none that is plain."""
    for name, value in headers:
        if name == REQUEST_ID and _plain(value):
            given = value.decode()
            return value if without_own(given) == given else None
    return None


def echoing(scope: Scope, send: Send) -> Send:
    """`send`, which names the request in the answer unless it is named there already; the very same where the request
    brings no id."""
    asked = request_id(scope["headers"])
    if asked is None:
        return send

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start":
            answered = message["headers"]
            if not any(name == REQUEST_ID for name, _ in answered):
                message["headers"] = [*answered, (REQUEST_ID, asked)]
        await send(message)

    return named
