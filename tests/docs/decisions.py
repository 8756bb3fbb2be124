"""The decision records of docs/decisions as data, and their index, which `make golden` writes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TOP = Path(__file__).parents[2]
FOLDER = "docs/decisions"
INDEX = f"{FOLDER}/index.md"
PARTS = ("Context", "Decision", "Refused", "Consequence")
"""The sections of every record, in this order."""
THEMES = (
    "The log and its folds",
    "The service",
    "Guard and policies",
    "Sending again",
    "Approvals",
    "The contract and the clients",
    "Organizations and keys",
    "Tables and numbers",
    "The dashboard and the terminal",
    "The nouns around the loop",
    "Proof",
    "Learning, drift and backtests",
    "Coding assistants and frameworks",
    "Seen from outside",
    "The scan for prompt injections",
    "Secrets",
    "The suite",
)
NAME = re.compile(r"(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.md")
BEGINNING = """\
# Decisions

<!-- Generated from the records; `make golden` writes it anew. -->

Each record is one decision: why a choice was needed, what is chosen, what is refused and why, and what follows. Code
and documents name a record by its number, as in `decision 0003`. A decision that changes gets a new record; the old one
then says which one takes its place. To add one, take the next number, write the four parts, and run `make golden`.
"""


@dataclass(frozen=True)
class Decision:
    """One record."""

    number: str
    name: str
    title: str
    theme: str
    parts: dict[str, str]
    text: str


def read(name: str, text: str) -> Decision:
    """A record of this file name. Raises ValueError with what is wrong with it."""
    found = NAME.fullmatch(name)
    if not found:
        raise ValueError(f"{name}: a record is called NNNN-title-in-words.md")
    head = re.match(r"# (\S[^\n]*)\n\nTheme: ([^\n]+)\n\n(?=## )", text)
    if not head:
        raise ValueError(f"{name}: begins with '# title' and 'Theme: ...', then its parts")
    if head[2] not in THEMES:
        raise ValueError(f"{name}: no theme is called {head[2]!r}")
    pieces = re.split(r"^## (.+)\n", text[head.end() :], flags=re.MULTILINE)[1:]
    if tuple(pieces[::2]) != PARTS:
        raise ValueError(f"{name}: has the parts {pieces[::2]}, not {list(PARTS)}")
    parts = {part: body.strip() for part, body in zip(pieces[::2], pieces[1::2], strict=True)}
    for part, body in parts.items():
        if not body:
            raise ValueError(f"{name}: nothing stands under {part}")
    return Decision(found[1], name, head[1], head[2], parts, text)


@cache
def decisions() -> tuple[Decision, ...]:
    """All records, in the order of their numbers."""
    files = sorted((TOP / FOLDER).glob("*.md"))
    return tuple(read(file.name, file.read_text(encoding="utf-8")) for file in files if file.name != "index.md")


def decision_index() -> dict[str, str]:
    """The text of the index, by its path from the top of the repository."""
    lines = [BEGINNING]
    for theme in THEMES:
        records = [each for each in decisions() if each.theme == theme]
        if records:
            lines += [f"## {theme}", "", *(f"- {each.number} [{each.title}]({each.name})" for each in records), ""]
    return {INDEX: "\n".join(lines)}
