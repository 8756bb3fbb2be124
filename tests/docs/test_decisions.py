"""Decision records are whole, and what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.decisions import FOLDER, INDEX, TOP, Decision, decision_index, decisions, read

WORDS = range(60, 351)
"""How long a record is, with its title and without its comment."""
WHOLE = "# A\n\nTheme: Proof\n\n## Context\n\na\n\n## Decision\n\nb\n\n## Refused\n\nc\n\n## Consequence\n\nd\n"
ROOTS = ("sdk/", "service/", "analytics/", "dashboard/", "tests/", "docs/", "notebooks/")
PATH = re.compile(r"`([\w.-]+(?:/[\w.*-]+)+/?|[A-Z][A-Za-z]*\.md)`")
NAMED = re.compile(r"\b[Dd]ecisions? (\d{4})\b|decisions/(\d{4}(?:-[\w-]+\.md)?)")
TEXTS = (".py", ".md", ".toml", ".yml", ".yaml", ".sh", ".ipynb")


def places(text: str) -> set[str]:
    """The paths of this repository that a text names in backticks."""
    return {path for path in PATH.findall(text) if path.startswith(ROOTS) or "/" not in path}


def missing(text: str, top: Path) -> set[str]:
    return {path for path in places(text) if not (top / path).exists()}


def dead_links(each: Decision, folder: Path) -> set[str]:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", each.text)
    return {target for target in targets if "://" not in target and not (folder / target).exists()}


def unknown(text: str, numbers: set[str], names: set[str]) -> set[str]:
    """The records that a text names and that are not there."""
    named = {number or name for number, name in NAMED.findall(text)}
    return {each for each in named if each not in numbers and each not in names}


def sources() -> list[Path]:
    """Every text of the repository that may name a record."""
    inside = (file for root in ROOTS for file in (TOP / root).rglob("*") if file.suffix in TEXTS)
    return [
        file
        for file in (*inside, *TOP.glob("*.md"), *TOP.glob("*.toml"))
        if not {".venv", "node_modules"} & {*file.parts}
    ]


def test_numbers_have_no_gaps() -> None:
    assert [each.number for each in decisions()] == [f"{n:04}" for n in range(1, len(decisions()) + 1)]


def test_titles_are_one_line_each_and_told_apart() -> None:
    titles = [each.title for each in decisions()]
    assert len(set(titles)) == len(titles)
    assert not [title for title in titles if title.endswith(".") or len(title) > 100]


def test_a_record_is_neither_a_note_nor_an_essay() -> None:
    lengths = {each.name: len(re.sub(r"<!--.*?-->", "", each.text).split()) for each in decisions()}
    assert {name: words for name, words in lengths.items() if words not in WORDS} == {}


def test_what_a_record_names_is_there() -> None:
    assert {each.name: gone for each in decisions() if (gone := missing(each.text, TOP))} == {}


def test_every_consequence_names_where_it_stands() -> None:
    assert [each.name for each in decisions() if not places(each.parts["Consequence"])] == []


def test_links_of_records_lead_somewhere() -> None:
    assert {each.name: dead for each in decisions() if (dead := dead_links(each, TOP / FOLDER))} == {}


def test_records_that_are_named_anywhere_exist() -> None:
    numbers, names = {each.number for each in decisions()}, {each.name for each in decisions()}
    wrong = {
        str(file.relative_to(TOP)): gone
        for file in sources()
        if file != Path(__file__) and (gone := unknown(file.read_text(encoding="utf-8"), numbers, names))
    }
    assert wrong == {}


def test_the_index_is_generated_and_has_every_record_once() -> None:
    index = (TOP / INDEX).read_text(encoding="utf-8")
    assert decision_index() == {INDEX: index}, "run `make golden`"
    assert sorted(re.findall(r"\]\(([^)]+)\)", index)) == [each.name for each in decisions()]


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("1-a.md", WHOLE, "is called NNNN"),
        ("0001-A.md", WHOLE, "is called NNNN"),
        ("0001-a.md", WHOLE.replace("# A\n", ""), "begins with"),
        ("0001-a.md", WHOLE.replace("Theme: Proof", "Theme: Prof"), "no theme is called 'Prof'"),
        ("0001-a.md", WHOLE.replace("## Refused\n\nc\n\n", ""), "has the parts"),
        ("0001-a.md", WHOLE.replace("## Refused", "## Rejected"), "has the parts"),
        ("0001-a.md", WHOLE.replace("\nc\n", ""), "nothing stands under Refused"),
    ],
)
def test_a_record_that_lacks_something_is_refused(name: str, text: str, complaint: str) -> None:
    assert read("0001-a.md", WHOLE).parts["Consequence"] == "d"
    with pytest.raises(ValueError, match=complaint):
        read(name, text)


def test_what_is_gone_is_found(tmp_path: Path) -> None:
    (tmp_path / "sdk").mkdir()
    (tmp_path / "sdk" / "a.py").touch()
    assert missing("`sdk/a.py`, `sdk/b.py`, `README.md`, `n/a`", tmp_path) == {"sdk/b.py", "README.md"}
    each = read("0001-a.md", WHOLE.replace("\nd\n", "\n[a](sdk/a.py#x) [b](sdk/b.md) [c](https://c.invalid)\n"))
    assert dead_links(each, tmp_path) == {"sdk/b.md"}
    text = "# Decision 0002 and decision 0001; docs/decisions/0003-c.md, decisions/0001-a.md, decisions/0004"
    assert unknown(text, {"0001", "0002"}, {"0001-a.md"}) == {"0003-c.md", "0004"}
