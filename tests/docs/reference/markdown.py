"""The parts that generated pages are made of."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

NOTE = "<!-- Generated from the code; `make golden` writes it anew. -->"


def row(cells: Iterable[str]) -> str:
    """A row of a table; whatever a cell holds, it stays one cell."""
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [row(heads), "|" + "---|" * len(heads), *(row(each) for each in rows)]


def prose(text: str) -> list[str]:
    """Paragraphs, wrapped as the other pages are."""
    return [
        line
        for number, paragraph in enumerate(text.strip().split("\n\n"))
        for line in (*([""] if number else []), *textwrap.wrap(" ".join(paragraph.split()), 120))
    ]


def code(text: object) -> str:
    return f"`{text}`"


def page(title: str, *parts: Iterable[str]) -> str:
    """A page: its title, the note, and its parts with an empty line between them."""
    lines = [f"# {title}", "", NOTE]
    for part in parts:
        lines += ["", *part]
    return "\n".join(lines) + "\n"
