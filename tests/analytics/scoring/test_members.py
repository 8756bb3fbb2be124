"""What stands at a path of JSON objects, with its kind: as a JSON reader of Python finds it."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.scoring import members
from tests.analytics.scoring.oracle import reached

names = st.sampled_from(["a", "b", 'q"', "ü", "\\", "a b", ""])
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(names, values, max_size=4)
paths = st.lists(st.sampled_from(["a", "b", 'q"', "ü", "\\", "a b"]), min_size=1, max_size=3).map(".".join)


def tagged(value: Any) -> str | None:
    if value is None:
        return None
    return '"' + value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


@given(st.lists(objects, max_size=6), paths, st.booleans(), st.booleans())
def test_as_a_json_reader_finds_it(rows: list[dict[str, Any]], path: str, escaped: bool, spaced: bool) -> None:
    separators = None if spaced else (",", ":")
    texts = pl.Series([json.dumps(row, ensure_ascii=escaped, separators=separators) for row in rows], dtype=pl.String)
    found = members.found(texts, path).to_list()
    for text, value in zip(found, (reached(row, path) for row in rows), strict=True):
        if isinstance(value, str) or value is None:
            assert text == tagged(value)
        else:
            assert text is not None
            assert json.loads(text) == value


@pytest.mark.parametrize(
    "text", [None, "", "no json", "[1]", "7", '"a"', "null", '{"a":', '{"a": null}', '{"b": 1}', '{"a": 1} {"a": 2}']
)
def test_what_cannot_be_reached_is_null(text: str | None) -> None:
    assert members.found(pl.Series([text, '{"a": 7}'], dtype=pl.String), "a").to_list() == [None, "7"]


def test_kinds_stay_apart() -> None:
    texts = ['{"v": "7"}', '{"v": 7}', '{"v": true}', '{"v": "true"}', '{"v": ["7", 7]}', '{"v": {}}', '{"v": 1e999}']
    frame = pl.DataFrame({"m": texts}).select(v=members.at(pl.col("m"), "v"))
    value = pl.col("v")
    kinds = frame.select(
        text=members.text(value),
        number=members.number(value),
        flag=members.flag(value),
        listed=members.lists(value, "7"),
        plain=members.plain(value),
    )
    assert kinds["text"].to_list() == ["7", None, None, "true", None, None, None]
    assert kinds["number"].to_list() == [None, 7, None, None, None, None, None]
    assert kinds["flag"].to_list() == [None, None, True, None, None, None, None]
    assert kinds["listed"].to_list() == [False, False, False, False, True, False, False]
    assert kinds["plain"].to_list() == ["7", "7", "true", "true", '["7", 7]', None, None]
