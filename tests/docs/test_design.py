"""DESIGN.md is a map of the code as it is: short, with the tables that the architecture tests enforce."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from tests.architecture.layers import CLIENT_STACK, PARTS, SHARED, WINGS, nouns
from tests.docs.design_map import PAGE, PICTURE, STACK, TOP, design_map

TEXT = (TOP / PAGE).read_text(encoding="utf-8")
MOST_WORDS = 900


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading of DESIGN.md, without its head."""
    section = TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def names(cell: str) -> set[str]:
    """What a cell lists, the client's stack as what it is made of."""
    listed = {name.strip() for name in cell.split(",")} - {""}
    return listed - {STACK} | ({said(name) for name in CLIENT_STACK} if STACK in listed else set())


def said(name: str) -> str:
    return name.removeprefix("assent.")


def test_it_is_two_pages() -> None:
    assert len(TEXT.split()) <= MOST_WORDS


def test_the_table_of_the_parts_is_the_one_that_is_enforced() -> None:
    told = {part.strip("`"): (names(always), names(lazily)) for part, always, lazily in rows("Who may import whom")}
    for part in PARTS:
        own = {said(part.name)}
        always, lazily = told.pop(said(part.name))
        assert always - own == {*map(said, part.allowed), *part.door} - own, part.name
        if part.lazily == (part.name,):
            assert lazily == {"all of it"}
        else:
            assert lazily == set(map(said, part.lazily)), part.name
    assert not told, "these are told and not enforced"
    stack = re.search(rf"^\*{STACK}\*: (.+)\.$", TEXT, re.MULTILINE)
    assert stack is not None
    assert names(stack[1]) == set(map(said, CLIENT_STACK))


def test_the_table_of_the_wings_is_the_one_that_is_enforced() -> None:
    told = {wing.strip("`"): names(below) - {"no other"} for wing, _, below in rows("The wings")}
    assert told == {wing: set(below) for wing, below in WINGS.items()}
    assert list(told) == list(WINGS)


def test_what_nouns_stand_on_is_told_in_its_order() -> None:
    said_of = re.search(r"nouns stand on (`\w+`(?:, | and |`\w+`)+)", TEXT)
    assert said_of is not None
    assert re.findall(r"`(\w+)`", said_of[1]) == [name.rpartition(".")[2] for name in SHARED]


def test_the_picture_is_drawn_from_the_code_as_it_is() -> None:
    drawn = (TOP / PICTURE).read_text(encoding="utf-8")
    assert drawn == design_map(), "make golden draws it anew"
    words = " ".join(ElementTree.fromstring(drawn).itertext())
    for noun in nouns():
        _, _, name = noun.rpartition(".")
        if noun.split(".")[1] in WINGS:
            assert re.search(rf"\b{name.replace('_', ' ')}\b", words), f"{noun} is not in {PICTURE}"


def test_every_place_that_it_names_is_there() -> None:
    named = {place for place in re.findall(r"`([\w./]+/[\w./]+)`", TEXT) if place != "core/locks.py"}
    assert named
    assert {place for place in named if not (TOP / place).exists()} == set()
