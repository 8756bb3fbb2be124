"""The texts in what an agent says, and where they stand."""

from __future__ import annotations

from typing import Any

import pytest

from assent_service.control.injection.texts import LONGEST_PLACE, texts_in


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("hello", [("metadata", "hello")]),
        ("", []),
        (" \n\t", []),
        (None, []),
        (7, []),
        ({"a": "x", "b": ["y", 1, {"c": "z"}], "d": True}, [("a", "x"), ("b[0]", "y"), ("b[2].c", "z")]),
        ({"two words": "x"}, [("name 0 of metadata", "two words"), ("[0]", "x")]),
        ({"a": 1, "\u00e9": ["x"]}, [("name 1 of metadata", "\u00e9"), ("[1][0]", "x")]),
        ({"a" * 65: 1}, [("name 0 of metadata", "a" * 65)]),
        ([["x"], []], [("[0][0]", "x")]),
    ],
    ids=["text", "empty", "blank", "nothing", "number", "nested", "a name", "a letter", "a long name", "lists"],
)
def test_every_text_with_its_place(value: Any, found: list[tuple[str, str]]) -> None:
    def whole(place: str) -> str:
        plain = place.startswith(("[", "name", "metadata"))
        return place if place.startswith(("name", "metadata")) else f"metadata{'' if plain else '.'}{place}"

    assert [tuple(each) for each in texts_in("metadata", value)] == [(whole(place), text) for place, text in found]


def test_depth_and_length_are_no_matter() -> None:
    value: Any = "the bottom"
    for _ in range(400):
        value = {"deep": [value]}
    (only,) = texts_in("metadata", value)
    assert (only.text, len(only.place)) == ("the bottom", LONGEST_PLACE)
