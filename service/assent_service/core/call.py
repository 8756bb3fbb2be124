"""A request once it is through the door, and what a handler answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assent_service.core.principal import Principal


@dataclass(slots=True)
class Call:
    """`body` and `query` are the endpoint's structs; `members` is the body as sent, with published names,
    and `raw` its very bytes."""

    principal: Principal
    path: Mapping[str, str]
    headers: Mapping[bytes, bytes]
    body: Any = None
    query: Any = None
    members: dict[str, Any] = field(default_factory=dict)
    raw: bytes = b""

    def header(self, name: str) -> str | None:
        value = self.headers.get(name.encode())
        return None if value is None else value.decode("latin-1")


@dataclass(slots=True)
class Answer:
    """`content` is a record, or bytes that are JSON already; where `media_type` is given, bytes of that type."""

    content: Any
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: str | None = None
