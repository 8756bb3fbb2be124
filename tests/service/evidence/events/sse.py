"""A reader of event streams by the letter of WHATWG HTML, written apart from what it checks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Heard:
    """`id` is what the event itself carried, None when it carried none."""

    id: int | None
    event: str
    data: dict[str, Any]


class Parser:
    """Takes bytes as they come; `comments` are the texts of comment lines."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.comments: list[str] = []
        self._rest = b""
        self._fields: dict[str, list[str]] = {}

    def feed(self, chunk: bytes) -> None:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._line(line.decode())

    def names(self) -> list[str]:
        return [each.event for each in self.heard]

    def ids(self) -> list[int]:
        return [each.id for each in self.heard if each.id is not None]

    def _line(self, line: str) -> None:
        if not line:
            if "data" in self._fields:
                data = json.loads("\n".join(self._fields["data"]))
                number = self._fields.get("id")
                name = self._fields.get("event", ["message"])[-1]
                self.heard.append(Heard(int(number[-1]) if number else None, name, data))
            self._fields = {}
        elif line.startswith(":"):
            self.comments.append(line[1:].strip())
        else:
            name, _, value = line.partition(":")
            self._fields.setdefault(name, []).append(value.removeprefix(" "))


def parse(stream: bytes) -> Parser:
    parser = Parser()
    parser.feed(stream)
    return parser
