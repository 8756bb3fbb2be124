"""Recorded texts as the page Proof writes them; Markdown, made harmless."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from assent_dashboard.views import words

LONGEST_NOTE = 4000
"""Characters of a head that is asked with; the service takes no longer one."""


def when(text: str | None) -> str:
    """A recorded time as the other pages write times; what is none is shown as it is."""
    if not text:
        return words.NOTHING
    try:
        then = datetime.fromisoformat(text)
    except ValueError:
        return words.code(text)
    return words.moment(then if then.tzinfo is not None else then.replace(tzinfo=UTC))


def codes(texts: Iterable[str]) -> str:
    return ", ".join(words.code(text) for text in texts)


def code_of(text: str | None) -> str | None:
    return words.code(text) if text else None


def colon(text: str | None) -> str:
    return f": {words.plain(text)}" if text else "."


def pasted_head(text: str | None) -> str | None:
    """A pasted head as it was signed: it ends in one newline, and a browser may have given it others."""
    lines = (text or "").replace("\r\n", "\n").strip()
    return f"{lines}\n" if lines else None
