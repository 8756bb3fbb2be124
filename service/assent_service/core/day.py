"""Days as they are written: 2026-11-20, in UTC."""

from __future__ import annotations

from datetime import date

from assent.contract.problems import Code, FieldError
from assent_service.core.clock import moment
from assent_service.core.problem import refuse


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
