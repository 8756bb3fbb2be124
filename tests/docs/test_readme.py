"""The README is short, leads to what is there, and claims what was measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
README = (TOP / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
LINKS = [target for _, target in LINK.findall(README)]
CLAIM = re.compile(r"^\| (?P<claim>.+) \| \[[\w ]+\]\((?P<file>docs/measurements\.md)#(?P<section>[\w-]+)\) \|$", re.M)
MOST_WORDS = 1200
FROM_AN_INDEX = re.compile(r"\bpip install (?:-\S+ )*['\"]?assent\b")
FIGURE = re.compile(r"\d[\d,.]*\d|\d")


def slug(heading: str) -> str:
    """A heading's anchor: lower case, signs left out, spaces as hyphens."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def sections(text: str) -> dict[str, str]:
    """What stands under each heading of a page, by its anchor."""
    parts = re.split(r"^#+ (.+)$", text, flags=re.M)
    return {slug(heading): body for heading, body in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.mark.parametrize("target", sorted({link for link in LINKS if "://" not in link}))
def test_a_link_leads_somewhere(target: str) -> None:
    name, _, anchor = target.partition("#")
    file = TOP / name
    assert file.exists(), f"README.md links to {name}, which is not there"
    if anchor:
        assert anchor in sections(file.read_text(encoding="utf-8")), f"{name} has no heading for #{anchor}"


def test_it_is_one_page() -> None:
    assert len(README.split()) <= MOST_WORDS


def test_no_page_sends_a_reader_to_the_package_of_another_project() -> None:
    texts = [
        *TOP.glob("*.md"),
        *(TOP / "docs").rglob("*.md"),
        *(TOP / "sdk").rglob("*.md"),
        *TOP.glob("sdk/examples/*.py"),
    ]
    texts = [file for file in texts if file.parent.name != "decisions"]
    found = [f"{file.relative_to(TOP)}: {hit[0]}" for file in texts for hit in FROM_AN_INDEX.finditer(file.read_text())]
    assert found == [], "the public index has another project of this name: install from the clone, or a wheel"


def test_a_picture_is_above_the_fold() -> None:
    above = README.partition("\n## ")[0]
    assert [target for picture, target in LINK.findall(above) if picture]


def test_each_of_the_four_users_has_a_picture() -> None:
    told = README.partition("\n## Who gets what\n")[2].partition("\n## ")[0]
    who = re.split(r"^\*\*(?=You )", told, flags=re.M)[1:]
    assert len(who) == 4
    for one in who:
        assert [target for picture, target in LINK.findall(one) if picture], one.partition("\n")[0]


def test_what_is_claimed_was_measured() -> None:
    claims = list(CLAIM.finditer(README))
    assert len(claims) == len(LINK.findall(README.partition("\n## Measured\n")[2].partition("\n## ")[0])) - 1
    for claim in claims:
        section = sections((TOP / claim["file"]).read_text(encoding="utf-8"))[claim["section"]]
        told = {figure.replace(",", "") for figure in FIGURE.findall(claim["claim"])}
        measured = {figure.replace(",", "") for figure in FIGURE.findall(section)}
        assert told, claim["claim"]
        assert told <= measured, f"{claim['section']} does not have {sorted(told - measured)}"
