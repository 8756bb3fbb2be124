"""A request once it is through the door, and what a handler answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from assent.contract.endpoint import Body, Filters
from assent_service.core.principal import Principal
from assent_service.core.stream import ByteStream, EventStream
from assent_service.store.conditions import Condition
from assent_service.store.event import Draft

Content = TypeVar("Content", covariant=True)


@dataclass(slots=True)
class Sent:
    """A body as it came: `members` by their published names and without secrets, for what keeps more of it than its
    struct knows or tells a repeat by it; `raw` are its very bytes, for what is signed."""

    members: dict[str, Any] = field(default_factory=dict)
    raw: bytes = b""


@dataclass(slots=True)
class Call(Generic[Body, Filters]):
    """`body` and `query` are the endpoint's structs, checked; each is None where the endpoint has none. `raw_path` is
    the path as it was sent, for a route that serves what is below its own."""

    principal: Principal
    headers: Mapping[bytes, bytes]
    body: Body
    query: Filters
    sent: Sent
    raw_path: bytes = b""

    def header(self, name: str) -> str | None:
        value = self.headers.get(name.encode())
        return None if value is None else value.decode("latin-1")


AnyCall = Call[Any, Any]


@dataclass(slots=True)
class Answer(Generic[Content]):
    """An answer with another status than the endpoint's usual one, with headers, or a file of `media_type`."""

    content: Content
    status: int | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()
    media_type: str | None = None


class Recordable(NamedTuple):
    """What a request comes to that needs nothing awaited but its record: what is to be recorded, and what is answered
    then. `settled` is told, once, whether it was recorded, and lets go of what is held until that is known. It rests on
    `conditions`."""

    drafts: tuple[Draft, ...]
    answer: Any
    settled: Callable[[bool], None] | None = None
    conditions: tuple[Condition, ...] = ()


Encoded = Answer[bytes] | Answer[dict[str, Any]] | EventStream | ByteStream
"""What no struct describes: JSON that is made already, a file, a record with whatever members an agent gave it."""
