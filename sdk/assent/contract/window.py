"""Windows: how far back a question reaches, as `<n>d`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta

LONGEST_DAYS = 3650

WindowText = Annotated[str, Meta(max_length=100, description="days back from now, as 1d to 3650d")]

_WINDOW = re.compile(r"([1-9][0-9]{0,3})d")


def days_of(window: str) -> int:
    """The number of days. Raises ValueError that says what a window looks like."""
    found = _WINDOW.fullmatch(window)
    if found is None or int(found[1]) > LONGEST_DAYS:
        raise ValueError(f"window is {window[:40]!r}; give whole days from 1d to {LONGEST_DAYS}d, such as 7d or 30d")
    return int(found[1])


def start_of(window: str, now: datetime) -> datetime:
    """The window's first moment; `now` is its last."""
    return now - timedelta(days=days_of(window))
