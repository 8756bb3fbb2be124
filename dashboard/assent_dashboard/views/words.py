"""Words for people: moments, spans, amounts, shares; and what strangers wrote, made harmless.

Agents write goals, types and names, and Streamlit reads most texts as Markdown: an image in a goal would make the
operator's browser ask another machine, a coloured word would look like ours. So what is not ours goes through `plain`
(Markdown that shows the very characters) or `code` (the same as inline code, where nothing is ever turned into a link
or an icon). Longer texts are better shown with `st.text(clean(...))`, which knows no Markdown at all.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime

from assent.contract.visible import HIDDEN
from assent_analytics import spans

NOTHING = "–"
# Addresses become links, and `:tada:` a picture, wherever they stand in a Markdown text; a joiner that nobody sees
# keeps them words. Between the colons of a time of day it is not needed.
_ADDRESS = re.compile(r"(?<=//)(?=\S)|(?<=@)(?=\S)|(?<=www)(?=\.)|(?<=:)(?!\d\d:)(?=[\w+-]+:)", re.IGNORECASE)
_JOINER = "\N{WORD JOINER}"
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&=^\"'/@%])")


def ago(then: datetime, now: datetime) -> str:
    """How long ago: `just now`, `12 s ago`, `3 min ago`, `2 h 5 min ago`, `4 d ago`."""
    seconds = (now - then).total_seconds()
    return "just now" if seconds < 2 else f"{_age(seconds)} ago"


def left(end: datetime, now: datetime) -> str:
    """How long still: `in 3 min`; `now` in the last second and after it."""
    seconds = (end - now).total_seconds()
    return "now" if seconds < 1 else f"in {_age(seconds)}"


def span(seconds: float) -> str:
    """How long, as `assent_analytics.spans` writes it: `12 s`, `3.3 min`, `2 h 5 min`, `4 d 3 h`."""
    return spans.span(seconds)


def exact(seconds: float) -> str:
    """A measured time: `0.42 s` below ten seconds, `4.2 ms` below a tenth, a span above."""
    return spans.measured(seconds)


def _age(seconds: float) -> str:
    """A span that still grows or shrinks, in units that are full: `3 min` until it is 4."""
    for unit in (spans.DAY, spans.HOUR, spans.MINUTE):
        if seconds >= unit:
            fine = unit if unit == spans.MINUTE else unit // 60 if unit == spans.HOUR else spans.HOUR
            return spans.span(seconds // fine * fine)
    return spans.span(int(seconds))


def clock(moment: datetime) -> str:
    """`14:02:07 UTC`."""
    return f"{moment.astimezone(UTC):%H:%M:%S} UTC"


def moment(then: datetime) -> str:
    """`20 Nov 2026, 14:02:07 UTC`."""
    then = then.astimezone(UTC)
    return f"{then.day} {then:%b %Y}, {clock(then)}"


def amount(number: int) -> str:
    """`12 345`, with a narrow space that does not break."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def several(number: int, one: str, many: str | None = None) -> str:
    """`1 approval`, `2 approvals`."""
    return f"{amount(number)} {one if number == 1 else many or one + 's'}"


def percent(value: float | None) -> str:
    """A share of 0 to 100 as `97.3 %`. Nothing is rounded to all or to none that is not: 99.97 is `99.9 %`, and 0.03 is
    `below 0.1 %`."""
    if value is None:
        return NOTHING
    if 0 < value < 0.05:
        return "below 0.1 %"
    shown = f"{min(value, 100):.1f}"
    return "99.9 %" if shown == "100.0" and value < 100 else f"{shown.removesuffix('.0')} %"


def clean(text: object) -> str:
    """One line without characters that steer: what is unseen or turns the reading direction becomes a mark."""
    line = " ".join(("" if text is None else str(text)).split())
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(char) in HIDDEN else char for char in line)


def plain(text: object) -> str:
    """Markdown that shows the text as it is, on one line; what looks like an address is no link."""
    return _MARKUP.sub(r"\\\1", _ADDRESS.sub(_JOINER, clean(text)))


def code(text: object) -> str:
    """Inline code that shows the text as it is, on one line; a dash when there is none."""
    line = clean(text)
    if not line:
        return NOTHING
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{room}{line}{room}{fence}"


def shorten(text: str, length: int) -> str:
    """At most `length` characters, an ellipsis at the end of what was cut."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
