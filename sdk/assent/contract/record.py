"""The three shapes that everything on the wire has: requests, records and queries.

A request drops members that were left at their default, so that what an agent sends stays small. A record always
carries every member, since clients read them by name; it ignores members it does not know, so that an older client
survives a newer service. A record can also be read like a dictionary (`record["action_id"]`, `record.get(...)`),
because the published clients of this wire return dictionaries and agents move over with their code as it is.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request body; `None` and "absent" mean the same."""


class Query(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The query parameters of a request, one member for each."""


class Record(Struct, frozen=True, kw_only=True):
    """Something the service answers with."""

    def __getitem__(self, name: str) -> Any:
        if name not in self.__struct_fields__:
            known = ", ".join(self.__struct_fields__)
            raise KeyError(f"{type(self).__name__} has no member {name!r}; it has {known}")
        value = getattr(self, name)
        if value is msgspec.UNSET:
            raise KeyError(name)
        return value

    def __contains__(self, name: object) -> bool:
        return name in self.__struct_fields__ and getattr(self, str(name)) is not msgspec.UNSET

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self:
            return default
        return self[name]


# Ids travel in paths, headers of the evidence log and links: no space, no slash, nothing to escape, and nothing that
# begins like a way through folders.
Id = Annotated[str, Meta(min_length=1, max_length=128, pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.:\-]*(?!\n)$")]
ShortText = Annotated[str, Meta(max_length=128)]
Name = Annotated[str, Meta(min_length=1, max_length=256)]
Score = Annotated[float, Meta(ge=0, le=100)]
Limit = Annotated[int, Meta(ge=1, le=200)]
Offset = Annotated[int, Meta(ge=0, le=1_000_000_000)]
