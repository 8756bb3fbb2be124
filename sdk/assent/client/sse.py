"""Server-sent events, read as the WHATWG HTML standard says (section 9.2.6): bytes in, messages out.

A line ends with CRLF, LF or CR; a CR at the end of a chunk ends its line at once, and a LF that follows belongs to
it. A blank line dispatches what was collected, unless no `data` came. `data` lines are joined with LF. An `id`
without NUL stays until the next one; `retry` counts only when it is all digits. Lines that start with a colon are
comments. Bytes that are no UTF-8 become U+FFFD. What is not dispatched when the stream ends is dropped.
"""

from __future__ import annotations

import re

from msgspec import Struct

_END_OF_LINE = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAX_EVENT = 16_000_000


class StreamTooLargeError(ValueError):
    """One event is larger than `MAX_EVENT` bytes: this is no event stream of ours."""


class ServerSentEvent(Struct, frozen=True, kw_only=True):
    """One dispatched event. `id` is the last id seen ("" before any), `numbered`
    whether it came with this event, `retry` the reconnection time in ms."""

    event: str
    data: str
    id: str
    numbered: bool = False
    retry: int | None


class Parser:
    """Feed it chunks as they come, split anywhere."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._after_cr = False
        self._first = True
        self._event = ""
        self._data: list[str] = []
        self._size = 0
        self._id = ""
        self._numbered = False
        self._retry: int | None = None

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that this chunk completes. Raises StreamTooLargeError."""
        if not chunk:
            return []
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        self._after_cr = chunk.endswith(b"\r") if chunk else False
        messages: list[ServerSentEvent] = []
        *complete, rest = _END_OF_LINE.split(chunk)
        for piece in complete:
            self._line += piece
            message = self._end_line()
            if message is not None:
                messages.append(message)
        self._line += rest
        if self._size + len(self._line) > MAX_EVENT:
            raise StreamTooLargeError(f"an event of more than {MAX_EVENT} bytes")
        return messages

    @property
    def begun(self) -> bool:
        """Whether some of an event has come, and not its end."""
        return bool(self._line or self._data)

    def _end_line(self) -> ServerSentEvent | None:
        raw = bytes(self._line)
        self._line.clear()
        if self._first:
            self._first = False
            raw = raw.removeprefix(_BYTE_ORDER_MARK)
        if not raw:
            return self._dispatch()
        name, _, value = raw.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
            self._size += len(raw)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id, self._numbered = value, True
        elif name == "retry" and value.isascii() and value.isdigit() and len(value) < 10:
            self._retry = int(value)
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        event, data, numbered = self._event, self._data, self._numbered
        self._event, self._data, self._size, self._numbered = "", [], 0, False
        if not data:
            return None
        text = "\n".join(data)
        return ServerSentEvent(event=event or "message", data=text, id=self._id, numbered=numbered, retry=self._retry)
