"""Which times may come in: those that every reader of the evidence can say in UTC.

A time such as 0001-01-01T00:00:00+14:00 is valid RFC 3339 and lies in a year that neither Python nor the tables have
once it is in UTC; recorded, it would break every list that it is in. Nothing that an agent did happened before 1970.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache

import msgspec
from msgspec.inspect import DateTimeType, StructType, UnionType, type_info

from assent.contract.problems import Code, FieldError
from assent_service.core.problem import refuse

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 1, 1, tzinfo=UTC)


def check_moments(body: msgspec.Struct, code: Code = Code.INVALID_BODY) -> None:
    """Raises `code` for a time before 1970 or after 9998."""
    for name, published in _moments(type(body)):
        value = getattr(body, name)
        if value is not None and not EARLIEST <= value < LATEST:
            raise refuse(
                code,
                f"{published} is {value.isoformat()}; give a time from 1970 to 9998.",
                FieldError(place=published, message="not a time from 1970 to 9998"),
            )


@cache
def _moments(shape: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """The members of a struct that hold a time, by attribute and by published name."""
    described = type_info(shape)
    assert isinstance(described, StructType)
    found = []
    for field in described.fields:
        kinds = field.type.types if isinstance(field.type, UnionType) else (field.type,)
        if any(isinstance(kind, DateTimeType) for kind in kinds):
            found.append((field.name, field.encode_name))
    return tuple(found)
