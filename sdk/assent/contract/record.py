"""The three shapes that everything on the wire has: requests, records and queries.

A request drops members that were left at their default, so that what an agent sends stays small. A record always
carries every member, since clients read them by name; it ignores members it does not know, so that an older client
survives a newer service. A record can also be read like a dictionary (`record["action_id"]`, `record.get(...)`),
because the published clients of this wire return dictionaries and agents move over with their code as it is.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from types import NoneType
from typing import Annotated, Any, ClassVar, TypeAlias, get_args, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Struct
from msgspec.structs import fields


def meaning(text: str, *, unit: str | None = None, frozen: bool = False) -> Meta:
    """What a member of a row means, told where the member is declared:

        loop_id: Annotated[str, meaning("id of the loop", frozen=True)]

    The column of the table, the data dictionary, the API's document and the client's docstrings take it from there.
    `unit` is what its number counts or the range it is in. A `frozen` member keeps the value it was created with.
    """
    extra = {"unit": unit, "frozen": frozen} if unit is not None or frozen else None
    return Meta(description=text, extra=extra)


def metas_of(hint: Any) -> tuple[Meta, ...]:
    """What is told of a type hint itself, without what is told of the parts of a union."""
    return tuple(each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Meta))


Moment = Annotated[datetime, Meta(tz=True)]
"""A time that somebody says: with its zone. It is kept and answered in UTC, to the microsecond."""
Day = Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\n)$")]
"""A day, YYYY-MM-DD."""
Example: TypeAlias = dict[str, Any]
"""A body as it is sent, decoded from JSON."""


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request body; null and "absent" mean the same: the member's default (`null_for_default`).

    `example` is one that is right by its schema; that an id in it is there is beyond an example. The API's document
    shows it, and the tests of the contract begin with it.
    """

    example: ClassVar[Example]


@cache
def null_for_default(shape: type[Struct]) -> frozenset[str]:
    """The members of a request whose type has no null, by their names on the wire: one that is null has its default.
    Empty for any other struct."""
    if not issubclass(shape, Request) or issubclass(shape, Record):
        return frozenset()
    hints = get_type_hints(shape)
    return frozenset(
        each.encode_name
        for each in fields(shape)
        if not each.required and each.default not in (None, UNSET) and NoneType not in get_args(hints[each.name])
    )


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
AgentRisk = Annotated[float, Meta(ge=0, le=100, description="the agent's own estimate of the risk, 0 to 100")]
Limit = Annotated[int, Meta(ge=1, le=200, description="how many at most, 1 to 200")]
Offset = Annotated[int, Meta(ge=0, le=1_000_000_000, description="how many to pass over")]
Cursor = Annotated[str, Meta(max_length=400, description="`next_cursor` of the page before")]
OrganizationId = Annotated[str, meaning("the organization that the row belongs to", frozen=True)]
RecordedAt = Annotated[datetime, meaning("when it was recorded", frozen=True)]
