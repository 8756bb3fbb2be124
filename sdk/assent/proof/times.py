"""Times as evidence has them: the one grammar by which a recorded time is read. Pure.

`2026-11-20T09:00:00.123456Z`: a date of the years 0001 to 9999, an upper-case T, a time of day from 00:00:00 to
23:59:59 with up to six digits of fraction, and Z or an offset from -23:59 to +23:59 (RFC 3339). In UTC it must still
lie in those years. Every reader of evidence, in whatever language and version, must see the same moment, or none;
`datetime.fromisoformat` takes more from one version of Python to the next. tests/vectors/evidence.json has cases.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

_FORM = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(text: object) -> datetime | None:
    """The moment of a recorded time, in UTC; None for anything that is not of the grammar."""
    form = _FORM.fullmatch(text) if isinstance(text, str) else None
    if form is None:
        return None
    sign, hours, minutes = form[8], int(form[9] or 0), int(form[10] or 0)
    offset = timedelta(hours=hours, minutes=minutes)
    year, month, day, hour, minute, second = (int(each) for each in form.groups()[:6])
    fraction = int((form[7] or "").ljust(6, "0"))
    zone = timezone(-offset if sign == "-" else offset)
    try:
        return datetime(year, month, day, hour, minute, second, fraction, zone).astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def microseconds_of(at: datetime) -> int:
    """A moment (aware) as microseconds since 1970, exact in any year."""
    return (at - _EPOCH) // timedelta(microseconds=1)
