"""What a page shows, to take away: nothing is lost on the way, and nothing becomes a formula."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, date, datetime, timedelta, timezone

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from assent_dashboard.views.export import WRITERS, to_csv, to_parquet

AT = datetime(2026, 11, 20, 14, 2, 7, 123456, tzinfo=UTC)


def rows(content: bytes) -> list[dict[str, str]]:
    """By Python's own reader."""
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1", "＠x"])
def test_a_text_that_begins_a_formula_is_made_a_text(text: str) -> None:
    (row,) = rows(to_csv(pl.DataFrame({"goal": [text], "kind": pl.Series([text], dtype=pl.Categorical)})))
    assert row["goal"] == "'" + text
    assert row["kind"] == "'" + text


def test_so_is_the_name_of_a_column() -> None:
    assert list(rows(to_csv(pl.DataFrame({"=cmd|' /C calc'!A0": [1], "n": [2]})))[0]) == ["'=cmd|' /C calc'!A0", "n"]


def test_a_number_below_zero_stays_a_number() -> None:
    assert rows(to_csv(pl.DataFrame({"change": [-0.5], "n": [-3]}))) == [{"change": "-0.5", "n": "-3"}]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1), min_size=1))
def test_every_text_can_be_read_back(texts: list[str]) -> None:
    read = [row["text"] for row in rows(to_csv(pl.DataFrame({"text": texts})))]
    assert [each.removeprefix("'") for each in read] == [each.removeprefix("'") for each in texts]
    assert not any(each.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for each in read)


def test_what_is_nested_is_json() -> None:
    table = pl.DataFrame(
        {
            "systems": [["crm", "=1"], [], None],
            "scores": [{"name": "x", "parts": [1, 2]}, {"name": None, "parts": []}, None],
            "pairs": pl.Series([[1, 2], [3, 4], None], dtype=pl.Array(pl.Int64, 2)),
        }
    )
    first, second, third = rows(to_csv(table))
    assert json.loads(first["systems"]) == ["crm", "=1"]
    assert json.loads(first["scores"]) == {"name": "x", "parts": [1, 2]}
    assert json.loads(first["pairs"]) == [1, 2]
    assert json.loads(second["systems"]) == []
    assert json.loads(second["scores"]) == {"name": None, "parts": []}
    assert set(third.values()) == {""}


def test_times_are_utc_wherever_they_come_from() -> None:
    there = AT.astimezone(timezone(timedelta(hours=5, minutes=30)))
    table = pl.DataFrame(
        {
            "at": [AT],
            "there": pl.Series([there]).dt.convert_time_zone("Asia/Kolkata"),
            "day": [date(2026, 11, 20)],
            "took": [timedelta(seconds=1, milliseconds=250)],
            "hash": [b"\x01\xff"],
        }
    )
    (row,) = rows(to_csv(table))
    assert row["at"] == row["there"] == "2026-11-20T14:02:07.123456Z"
    assert datetime.fromisoformat(row["at"]) == AT
    assert (row["day"], row["took"], row["hash"]) == ("2026-11-20", "1.25", "01ff")


def test_a_table_without_rows_has_its_header() -> None:
    assert to_csv(pl.DataFrame(schema={"a": pl.String, "b": pl.List(pl.Int64)})) == b"a,b\n"


def test_parquet_keeps_kinds_and_values() -> None:
    table = pl.DataFrame(
        {
            "goal": ["=1+1", None],
            "at": [AT, None],
            "systems": [["crm"], []],
            "scores": [{"x": 0.5}, {"x": None}],
            "kind": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b"])),
        }
    )
    assert_frame_equal(pl.read_parquet(io.BytesIO(to_parquet(table))), table)


def test_every_format_is_written() -> None:
    assert {name: write(pl.DataFrame({"a": [1]}))[:4] for name, write in WRITERS.items()} == {
        "csv": b"a\n1\n",
        "parquet": b"PAR1",
    }
