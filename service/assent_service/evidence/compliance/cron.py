"""When a schedule has its turns: five fields of crontab, in UTC. Pure.

1. The fields are minute, hour, day of the month, month and day of the week, as in POSIX.1-2017 (crontab): `*`, a
   number, a range `a-b`, and lists of these with commas. A step (`*/n`, `a-b/n`) takes each n-th, as crontab of Linux
   has it.
2. Sunday is 0 and 7.
3. Where both the day of the month and the day of the week are anything but `*`, either of them is enough (POSIX).
4. The minute is one number: a schedule has at most one turn in an hour.
5. An expression without any turn in the next nine years is none (30 February). Nine, because 29 February may be eight
   years away.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

NAMES = ("minute", "hour", "day of the month", "month", "day of the week")
BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
HORIZON = 9 * 366
"""Days."""
_PART = re.compile(r"(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:/(\d{1,2}))?", re.ASCII)


@dataclass(frozen=True)
class Cron:
    """`days` and `weekdays` are None where any day fits."""

    minute: int
    hours: tuple[int, ...]
    days: frozenset[int] | None
    months: frozenset[int]
    weekdays: frozenset[int] | None

    def has(self, at: datetime) -> bool:
        """Whether it has turns on this day."""
        if at.month not in self.months:
            return False
        of_month = self.days is not None and at.day in self.days
        of_week = self.weekdays is not None and at.isoweekday() % 7 in self.weekdays
        if self.days is None or self.weekdays is None:
            return (self.days is None or of_month) and (self.weekdays is None or of_week)
        return of_month or of_week


def read_cron(text: str) -> Cron:
    """Raises ValueError with a sentence that says what is wrong."""
    fields = text.split()
    if len(fields) != len(NAMES):
        raise ValueError(f"has {len(fields)} fields; give five: {', '.join(NAMES)}, such as 0 6 * * 1")
    read = [_values(field, name, *bounds) for field, name, bounds in zip(fields, NAMES, BOUNDS, strict=True)]
    minutes, hours, days, months, weekdays = read
    if len(minutes) != 1:
        raise ValueError("has several minutes; give one, a schedule has at most one turn in an hour")
    return Cron(
        minute=minutes[0],
        hours=tuple(hours),
        days=None if fields[2] == "*" else frozenset(days),
        months=frozenset(months),
        weekdays=None if fields[4] == "*" else frozenset(day % 7 for day in weekdays),
    )


def following(cron: Cron, after: datetime) -> datetime:
    """The first turn later than `after`. Raises ValueError where there is none within HORIZON."""
    midnight = after.replace(hour=0, minute=0, second=0, microsecond=0)
    for offset in range(HORIZON):
        day = midnight + timedelta(days=offset)
        if cron.has(day):
            for hour in cron.hours:
                turn = day.replace(hour=hour, minute=cron.minute)
                if turn > after:
                    return turn
    raise ValueError("has no turn in the next nine years; give days that there are")


def _values(field: str, name: str, low: int, high: int) -> list[int]:
    found: set[int] = set()
    for part in field.split(","):
        said = _PART.fullmatch(part)
        if said is None:
            raise ValueError(f"has {part[:20]!r} as {name}; give *, a number, a range or a step of numbers")
        star, first, last, step = said.groups()
        begin = low if star else int(first)
        end = high if star else int(last or first)
        if not low <= begin <= end <= high:
            raise ValueError(f"has {part[:20]!r} as {name}, which goes from {low} to {high}")
        if step is not None and (int(step) == 0 or not (star or last)):
            raise ValueError(f"has {part[:20]!r} as {name}; a step is of * or a range, and at least 1")
        found.update(range(begin, end + 1, int(step or 1)))
    return sorted(found)
