"""How many methods of each published client work: exact numbers, held against what answered in this very run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.published.document import PLACE, page
from tests.stories.published.tally import WORKS, counted, names, specified
from tests.stories.published.versions import VERSIONS, installed

TOP = Path(__file__).parents[3]
EXPECTED = {
    "2.1.0": {"works": 183},
    "2.9.0": {"works": 142, "swapped": 48},
    "4.8.0": {"works": 211, "elsewhere": 14},
}
SPECIFICATION = {
    "2.1.0": {"works": 54, "absent": 9},
    "2.9.0": {"works": 35, "swapped": 20, "absent": 8},
    "4.8.0": {"works": 50, "absent": 13},
}
"""Of its 63 operations."""


def test_the_count(version: str) -> None:
    assert counted(version) == EXPECTED[version]


def test_the_count_of_the_specification(version: str) -> None:
    assert specified(version) == SPECIFICATION[version]


def test_what_works_has_answered_in_this_run(version: str, answered: set[tuple[str, str]]) -> None:
    """Nothing else has, and each was looked at; without the other tests of this folder this one is not run."""
    found, working = {name for answering, name in answered if answering == version}, set(names(version, WORKS))
    assert (sorted(working - found), sorted(found - working)) == ([], [])


def test_the_document_says_so() -> None:
    if not all(installed(each) for each in VERSIONS):
        pytest.skip("some versions are missing; `make published` installs them")
    found = (TOP / PLACE).read_text(encoding="utf-8")
    assert found == page(), f"`python -m {page.__module__}` writes {PLACE} anew"
