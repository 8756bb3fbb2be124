"""Text for people and pipes: cells, aligned tables, tab-separated lines, moments and spans.

What agents write ends up on an operator's terminal, so characters that steer a terminal or turn the reading direction
are replaced before anything is printed: nobody repaints the inbox from inside a goal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from datetime import datetime

from assent.contract.visible import STEERING

GAP = "  "


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
        at = 0
        while at + len(head := _first(word, width, at) or word[at]) < len(word):
            lines.append(head)
            at += len(head)
        line = word[at:]
    return [*lines, line] if line or not lines else lines


def tab_separated(header: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """A header line and one line a row; cells hold no tab and no line end."""
    return ["\t".join(map(clean, row)) for row in (header, *rows)]


IDS = frozenset({"id", "kid", "agent"})
NARROWEST = 10


def table(
    header: Sequence[str], rows: Sequence[Sequence[object]], width: int, whole: Collection[str] = ()
) -> list[str]:
    """Columns side by side in at most `width` columns; the widest column gives way first, down to ten. Ids are never
    cut, so that they can be copied, nor is what is to be `whole`: where these leave too little room, each row is a
    paragraph with a line for each cell, in which an id may be longer than `width`."""
    cells = [[name.upper() for name in header], *([clean(cell) for cell in row] for row in rows)]
    widths = [max(width_of(row[at]) for row in cells) for at in range(len(header))]
    least = [
        natural if name.endswith("_id") or name in IDS or name in whole else min(natural, NARROWEST)
        for name, natural in zip(header, widths, strict=True)
    ]
    room = width - len(GAP) * (len(widths) - 1)
    if sum(least) > room:
        return _paragraphs(cells, [natural == low for natural, low in zip(widths, least, strict=True)], width)
    while sum(widths) > room:
        widest = max((at for at in range(len(widths)) if widths[at] > least[at]), key=widths.__getitem__)
        widths[widest] -= 1
    return [GAP.join(pad(fit(cell, widths[at]), widths[at]) for at, cell in enumerate(row)).rstrip() for row in cells]


def _paragraphs(cells: Sequence[Sequence[str]], whole: Sequence[bool], width: int) -> list[str]:
    """A line for each cell that is not empty, behind its column's name, and an empty line between rows."""
    header, *rows = cells
    names = max(map(width_of, header))
    room = max(width - names - len(GAP), NARROWEST)
    lines: list[str] = []
    for row in rows:
        said = zip(header, row, whole, strict=True)
        lines += [
            "",
            *(f"{pad(name, names)}{GAP}{cell if all_ else fit(cell, room)}" for name, cell, all_ in said if cell),
        ]
    return lines[1:]


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


def ago(seconds: float) -> str:
    """`2h ago`; `just now` in the first second."""
    return "just now" if seconds < 1 else f"{span(seconds)} ago"


def expiry(seconds: float) -> str:
    """`expires in 22h`; `expires now` in the last second, `has expired` after it."""
    if seconds <= 0:
        return "has expired"
    return "expires now" if seconds < 1 else f"expires in {span(seconds)}"


def _first(text: str, width: int, start: int = 0) -> str:
    """As much as fits into `width` columns."""
    end, used = start, 0
    while end < len(text) and (used := used + width_of(text[end])) <= width:
        end += 1
    return text[start:end]


def _steers(char: str) -> bool:
    return unicodedata.category(char) in STEERING


def _escaped(char: str) -> str:
    """As JSON escapes it: `\\u` and four digits for each UTF-16 code unit."""
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
