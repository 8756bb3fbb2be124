"""What a tone looks like: styles of the screen's theme, so that light and dark are both readable.

Texts of strangers become Content from plain strings, never from markup, and were made harmless before.
"""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content
from textual.style import Style

from assent.cli.inbox.card import LABEL, Line
from assent.cli.inbox.rows import HIGH, LOW, MUTED, PLAIN, RAISED, STRONG, Tone
from assent.cli.text import pad

STYLES: dict[Tone, str] = {
    PLAIN: "",
    STRONG: "bold",
    MUTED: "$foreground-muted",
    HIGH: "bold $text-error",
    RAISED: "bold $text-warning",
    LOW: "$text-success",
}


def drawn(pieces: Iterable[tuple[str, Tone]]) -> Content:
    """One line of pieces."""
    return Content.assemble(*((text, STYLES[tone]) if STYLES[tone] else text for text, tone in pieces))


def drawn_lines(lines: Iterable[Line]) -> Content:
    """Lines with their labels; a link is one that terminals know (OSC 8), and its address is what is read."""
    return Content("\n").join(_line(line) for line in lines)


def _line(line: Line) -> Content:
    text = Content(line.text)
    if STYLES[line.tone]:
        text = text.stylize(STYLES[line.tone])
    if line.link is not None:
        text = text.stylize(Style(link=line.link, underline=True))
    if line.tone is STRONG and not line.label:
        return text
    return Content.assemble((pad(line.label, LABEL), STYLES[MUTED]), text)
