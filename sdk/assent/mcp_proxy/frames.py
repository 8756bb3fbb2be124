"""Frames of MCP: one JSON-RPC message in one line, read strictly. Pure.

A proxy that reads a message in another way than the server does lets through what it has not seen. So a message has one
reading or none: names that stand twice in an object are refused (RFC 8259 leaves open which one counts), and so are
names that a reader without regard to case takes for a member of the protocol (`Method`). What is read is passed on as
the bytes that came.

A line is held up to LARGEST bytes. What is longer is read to its end and dropped; its id is looked for at its edges,
where whoever writes JSON-RPC puts it, so that somebody can be told. A server's line that has no end after ENDLESS
bytes, or SECONDS, has none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from assent.contract.one_reading import Twice, once

LARGEST = 32_000_000
ENDLESS = 4 * LARGEST
SECONDS = 60.0
"""From the beginning of a message to its end; how long a server thinks before is up to its host."""
DEEPEST = 500
"""Levels of arrays and objects. Python's readers give up at a depth that differs from one version to the next, on 3.11
between here and a thousand; what is read must not."""
EDGE = 4096
MESSAGE = ("jsonrpc", "id", "method", "params", "result", "error")
CALL = ("name", "arguments")

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32602, -32603
"""The codes of JSON-RPC 2.0, section 5.1."""

_BRACKET = re.compile(r"[\[{\]}]")

Id = str | int
_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\\x00-\x1f]{0,200}")'
_AT_HEAD = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb"\s*[,}]")
_AT_TAIL = re.compile(rb",\s*" + _ID + rb"\s*(?:,\s*\"jsonrpc\"\s*:\s*\"2\.0\"\s*)?\}\s*\Z")


class Unreadable(ValueError):
    """What is wrong with a message. `code` is that of JSON-RPC."""

    def __init__(self, why: str, code: int = INVALID_REQUEST) -> None:
        super().__init__(why)
        self.code = code


@dataclass(frozen=True)
class LongLine:
    """A line that was too long to be held: how many bytes it had, and its edges."""

    size: int
    head: bytes
    tail: bytes

    @property
    def id(self) -> Id | None:
        """The id of the message, where it is the first member or the last one, but for the version."""
        found = _AT_HEAD.match(self.head) or _AT_TAIL.search(self.tail)
        try:
            return None if found is None else json.loads(found[1].decode())
        except ValueError:
            return None


Frame = bytes | LongLine


class Lines:
    """Feed it bytes as they come, split anywhere. Lines come out without their ends, blank ones not at all."""

    def __init__(self, largest: int = LARGEST) -> None:
        self._largest = largest
        self._begin()

    def _begin(self) -> None:
        self._parts: list[bytes] = []
        self._size, self._head, self._tail = 0, b"", b""

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield from self.end()
        self._add(rest)

    @property
    def begun(self) -> int:
        """Bytes of the line that has no end yet."""
        return self._size

    def end(self) -> Iterator[Frame]:
        """What has no line end yet, as a line."""
        if self._size > self._largest:
            yield LongLine(self._size, self._head, self._tail)
        else:
            line = b"".join(self._parts)
            if not line.isspace() and line:
                yield line
        self._begin()

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= self._largest:
            self._parts.append(piece)
            return
        if self._parts or not self._head:
            held = b"".join([*self._parts, piece])
            self._head, self._tail = held[:EDGE], held[-EDGE:]
            self._parts.clear()
        else:
            self._tail = (self._tail + piece)[-EDGE:]


def read(line: bytes) -> dict[str, Any] | list[Any]:
    """A message, or a batch of them. Raises Unreadable."""
    try:
        text = line.decode("utf-8")
        if is_too_deep(text):
            raise Unreadable(f"it is nested more than {DEEPEST} levels deep", PARSE_ERROR)
        found = json.loads(text, object_pairs_hook=once, parse_constant=_constant)
    except Twice as twice:
        raise Unreadable(f"the member {twice.name[:40]!r} stands twice in one object") from None
    except Unreadable:
        raise
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"this is no JSON in UTF-8: {type(error).__name__}", PARSE_ERROR) from None
    if not isinstance(found, dict | list):
        raise Unreadable("this is no JSON object")
    if isinstance(found, dict):
        refuse_lookalikes(found, MESSAGE)
    return found


def is_too_deep(text: str) -> bool:
    """Whether more than DEEPEST brackets are open at once, those within texts included."""
    if text.count("[") + text.count("{") <= DEEPEST:
        return False
    depth = 0
    for each in _BRACKET.finditer(text):
        depth += 1 if each[0] in "[{" else -1
        if depth > DEEPEST:
            return True
    return False


def refuse_lookalikes(members: Collection[str], names: Collection[str]) -> None:
    """Raises Unreadable for a member that is none of the names, and is one of them without regard to case."""
    for each in members:
        if each not in names and each.casefold() in names:
            raise Unreadable(f"the member {each[:40]!r} could be taken for {each.casefold()!r}")


def key_of(identifier: object) -> str | None:
    """What tells ids apart: `1` is not `"1"`. None for what is no id of MCP, a text or an integer."""
    if isinstance(identifier, bool) or not isinstance(identifier, str | int):
        return None
    return json.dumps(identifier)


def written(message: object) -> bytes:
    """A message of our own, in one line."""
    return json.dumps(message, separators=(",", ":")).encode()


def error_of(identifier: Id | None, code: int, words: str) -> bytes:
    """The answer that is an error of the protocol."""
    return written({"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": words}})


def told(identifier: Id, words: str) -> bytes:
    """The result of a tool that tells the model what went wrong."""
    result = {"content": [{"type": "text", "text": words}], "isError": True}
    return written({"jsonrpc": "2.0", "id": identifier, "result": result})


def progress_of(token: object, progress: float, words: str) -> bytes:
    params = {"progressToken": token, "progress": progress, "message": words}
    return written({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})


def _constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is no JSON", PARSE_ERROR)
