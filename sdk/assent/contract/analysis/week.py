"""Weeks: an ISO week as `2026-W47`, or the last seven whole days. Days are UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from msgspec import Meta

WEEK = timedelta(days=7)
WeekText = Annotated[str, Meta(max_length=100, description="an ISO week, as 2026-W47")]

_ISO_WEEK = re.compile(r"([0-9]{4})-W([0-9]{2})", re.ASCII)


@dataclass(frozen=True)
class Week:
    """From `since` up to `until`, which is outside. `text` is None for the last seven days. The week before is as long
    and begins seven days earlier."""

    text: str | None
    since: datetime
    until: datetime
    complete: bool

    @property
    def before(self) -> tuple[datetime, datetime]:
        return self.since - WEEK, self.until - WEEK


def week_of(text: str | None, now: datetime) -> Week:
    """Of the week that is under way, what has passed of it. Raises ValueError that says what a week looks like, and for
    one that has not begun."""
    if text is None:
        until = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
        return Week(None, until - WEEK, until, True)
    found = _ISO_WEEK.fullmatch(text)
    try:
        # Of the first year there is no week before the first.
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1) if found and int(found[1]) > 1 else None
        since = None if monday is None else datetime.combine(monday, time(), UTC)
        whole = None if since is None else since + WEEK
    except (ValueError, OverflowError):
        since = whole = None
    if since is None or whole is None:
        raise ValueError(f"week is {text[:40]!r}; give an ISO week of a year that has it, such as 2026-W47")
    if since >= now:
        raise ValueError(f"week is {text!r}, which has not begun; give one that has, or none for the last seven days")
    return Week(text, since, min(whole, now), whole <= now)
