"""Where a reader left off.

The header `Last-Event-ID` counts before the query's `lastEventId`: a browser keeps the first address when it
reconnects and tells the newer id in the header. A reader without either starts with what comes next.
"""

from __future__ import annotations

from assent.contract.problems import Code, FieldError
from assent_service.core.problem import Refusal, refuse


def resume_point(header: str | None, query: int | None, head: int) -> int | None:
    """The last id that the reader has, None when it has none. `head` is the organization's newest event.

    Raises `invalid_query` for what is no id of this organization's: not a number, or beyond the head.
    """
    after = _number(header) if header else query
    if after is not None and after > head:
        raise _refusal(str(after), f"is beyond the newest event, {head}, so it was not read here", "beyond the newest")
    return after


def _number(header: str) -> int:
    if not (header.isascii() and header.isdecimal() and len(header) < 19):
        raise _refusal(repr(header[:60]), "is not an event id, which is a whole number from 0", "not an event id")
    return int(header)


def _refusal(value: str, why: str, short: str) -> Refusal:
    return refuse(
        Code.INVALID_QUERY,
        f"Last-Event-ID {value} {why}. Use the last id of this stream, or leave it out to start with what comes next.",
        FieldError(place="Last-Event-ID", message=short),
    )
