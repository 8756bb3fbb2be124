"""Times, days and windows in requests: which times may come in, and between which moments a window lies. Pure.

A time may come in that every reader of the evidence can say in UTC.

A time such as 0001-01-01T00:00:00+14:00 is valid RFC 3339 and lies in a year that neither Python nor the tables have
once it is in UTC; recorded, it would break every list that it is in. Nothing that an agent did happened before 1970.

Days are written as 2026-11-20, and are those of UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import get_args, get_type_hints

import msgspec
from msgspec.structs import fields, force_setattr

from assent.contract.problems import Code, FieldError
from assent.contract.window import start_of
from assent_service.base.clock import moment
from assent_service.base.problem import refuse

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 1, 1, tzinfo=UTC)


def put_in_utc(body: msgspec.Struct, code: Code = Code.INVALID_BODY) -> None:
    """The times of a request, which nobody else has seen yet, in UTC: what is created is answered as it is read later.

    Raises `code` for a time before 1970 or after 9998, and for one without its zone.
    """
    for name, published in _moments(type(body)):
        value = getattr(body, name)
        if value is None:
            continue
        if value.tzinfo is None:
            raise refuse(
                code,
                f"{published} is {value.isoformat()}, which has no zone; give one such as 2026-11-20T12:00:00Z.",
                FieldError(place=published, message="has no time zone"),
            )
        if not EARLIEST <= value < LATEST:
            raise refuse(
                code,
                f"{published} is {value.isoformat()}; give a time from 1970 to 9998.",
                FieldError(place=published, message="not a time from 1970 to 9998"),
            )
        if value.utcoffset():
            force_setattr(body, name, value.astimezone(UTC))


@cache
def _moments(shape: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """The members of a struct that hold a time, by attribute and by published name."""
    hints = get_type_hints(shape)
    kinds = {name: get_args(hint) or (hint,) for name, hint in hints.items()}
    return tuple((each.name, each.encode_name) for each in fields(shape) if datetime in kinds[each.name])


def day_of(said: str | None, place: str, now: int) -> str:
    """The day said, else today's at `now` (microseconds). Raises `invalid_body` for a day that no calendar has."""
    if said is None:
        return moment(now).date().isoformat()
    try:
        return date.fromisoformat(said).isoformat()
    except ValueError:
        raise refuse(
            Code.INVALID_BODY,
            f"{place} is {said!r}, which is no day; give one such as 2026-11-20.",
            FieldError(place=place, message="is no day of the calendar"),
        ) from None


# The window of a question, from how it is written to the moments it lies between.


@dataclass(frozen=True)
class Window:
    """Both moments are aware and belong to it."""

    text: str
    since: datetime
    until: datetime


def window_of(text: str, now: int) -> Window:
    """The window that ends `now`. Raises `invalid_query` for anything but whole days, as 1d to 3650d."""
    until = moment(now)
    try:
        return Window(text, start_of(text, until), until)
    except ValueError as error:
        raise refuse(Code.INVALID_QUERY, f"{error}.", FieldError(place="window", message="not a window")) from None
