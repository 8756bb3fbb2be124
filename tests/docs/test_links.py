"""Links and anchors of every Markdown file of the project lead somewhere. Pure."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.architecture.sources import TOP, written_files
from tests.docs.links import anchors, links
from tests.docs.site import DOCS
from tests.every import every


def pages() -> list[Path]:
    return [file for file in written_files() if file.suffix == ".md"]


def place(file: Path) -> str:
    return str(file.relative_to(TOP))


@cache
def anchors_of(file: Path) -> set[str]:
    return anchors(file.read_text(encoding="utf-8"))


def broken(file: Path, text: str) -> list[str]:
    """The links of a page that lead nowhere, to a machine of somebody, or out of the site."""
    wrong = []
    for link in links(text):
        if link.startswith(("https://", "http://127.0.0.1:")):
            continue  # nobody is asked
        if "://" in link or link.startswith(("/", "mailto:")):
            wrong.append(f"{link}: neither a file of the project nor https")
            continue
        name, _, anchor = link.partition("#")
        target = (file.parent / unquote(name)).resolve() if name else file
        if not target.exists():
            wrong.append(f"{link}: there is no such file")
        elif DOCS in file.parents and DOCS not in target.parents:
            wrong.append(f"{link}: leads out of docs, where the site has nothing; name the file in code instead")
        elif anchor and unquote(anchor) not in anchors_of(target):
            wrong.append(f"{link}: {place(target)} has no heading for it")
    return wrong


@every("file", pages, ids=place)
def test_every_link_leads_somewhere(file: Path) -> None:
    assert broken(file, file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[a](measurements.md)", False),
        ("[a](nothing.md)", True),
        ("[a](index.md#assent)", False),
        ("[a](index.md#nowhere)", True),
        ("[a](#nowhere)", True),
        ("[a](../README.md)", True),
        ("![a](pictures/nothing.png)", True),
        ('<img src="pictures/nothing.png">', True),
        ("[a]: nothing.md", True),
        ("[a](/etc/passwd)", True),
        ("[a](ftp://example.invalid/a)", True),
        ("[a](https://example.invalid/a)", False),
        ("`[a](nothing.md)`", False),
        ("```text\n[a](nothing.md)\n```\n", False),
    ],
)
def test_a_broken_link_is_told_from_others(text: str, wrong: bool) -> None:
    assert bool(broken(DOCS / "index.md", text)) is wrong


def test_anchors_are_those_of_headings() -> None:
    text = "# One `thing`, and\n\n## Two\n\n### Two\n\n```\n# no heading\n```\n\n## [Linked](a.md): 3 of 4\n"
    assert anchors(text) == {"one-thing-and", "two", "two-1", "linked-3-of-4"}
