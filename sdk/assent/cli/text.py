"""Text for people and pipes: cells, aligned tables, tab-separated lines, moments and spans.

What agents write ends up on an operator's terminal, so characters that steer a terminal or turn the reading direction
are replaced before anything is printed: nobody repaints the inbox from inside a goal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime

GAP = "  "
# Cc steers terminals; Cf holds the marks that turn the reading direction and those that nobody sees.
STEERING = frozenset({"Cc", "Cf", "Cs"})


def clean(value: object) -> str:
    """One line of harmless text; tabs and line ends become spaces, steering characters a replacement mark."""
    text = "" if value is None else str(value)
    if text.isascii() and text.isprintable():
        return text
    text = " ".join(text.split())
    return "".join("\N{REPLACEMENT CHARACTER}" if _steers(char) else char for char in text)


def harmless_json(text: str) -> str:
    """JSON of the same value, its steering characters escaped: JSON itself leaves those from U+007F on as they are."""
    if text.isascii() and text.isprintable():
        return text
    # Those before U+0020 are escaped already, or stand between values.
    return "".join(_escaped(char) if char > "~" and _steers(char) else char for char in text)


def width_of(text: str) -> int:
    """Columns on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def fit(text: str, width: int) -> str:
    """At most `width` columns, an ellipsis at the end of what was cut."""
    if width_of(text) <= width:
        return text
    return _first(text, width - 1) + "…"


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns, broken between words where one fits, and inside a word that does not."""
    lines, line = [], ""
    for word in text.split():
        tried = f"{line} {word}" if line else word
        if width_of(tried) <= width:
            line = tried
            continue
        if line:
            lines.append(line)
        while width_of(word) > width:
            head = _first(word, width) or word[:1]
            lines.append(head)
            word = word[len(head) :]
        line = word
    return [*lines, line] if line or not lines else lines


def tab_separated(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A header line and one line a row; cells hold no tab and no line end."""
    return ["\t".join(map(clean, row)) for row in (header, *rows)]


def table(header: Sequence[str], rows: Sequence[Sequence[object]], width: int) -> list[str]:
    """Columns side by side in at most `width` columns; the widest column gives way first, down to ten."""
    cells = [[name.upper() for name in header], *([clean(cell) for cell in row] for row in rows)]
    widths = [max(width_of(row[at]) for row in cells) for at in range(len(header))]
    while sum(widths) + len(GAP) * (len(widths) - 1) > width and max(widths) > 10:
        widths[widths.index(max(widths))] -= 1
    return [GAP.join(pad(fit(cell, widths[at]), widths[at]) for at, cell in enumerate(row)).rstrip() for row in cells]


def pad(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))


def moment(value: datetime | None) -> str:
    """UTC to the second, as it also goes over the wire; empty when there is none."""
    return "" if value is None else value.strftime("%Y-%m-%dT%H:%M:%SZ")


def span(seconds: float) -> str:
    """How long, in the largest unit that fits: `23h`, `5m`, `12s`; `now` when nothing is left."""
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        if seconds >= length:
            return f"{int(seconds // length)}{unit}"
    return "now"


def _first(text: str, width: int) -> str:
    """As much as fits into `width` columns."""
    kept, used = "", 0
    for char in text:
        used += width_of(char)
        if used > width:
            break
        kept += char
    return kept


def _steers(char: str) -> bool:
    return unicodedata.category(char) in STEERING


def _escaped(char: str) -> str:
    """As JSON escapes it: `\\u` and four digits for each UTF-16 code unit."""
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
