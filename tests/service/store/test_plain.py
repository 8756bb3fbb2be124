"""Values of plain rows: the database keeps them as it would have read the payload."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import Any

import duckdb
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assent_service.control.actions import ACTIONS
from assent_service.store.plain import PlainRow, plain_row
from assent_service.store.tables import Column, ColumnKind, boolean, integer, number, text, time
from assent_service.store.tables import json as json_column
from tests.service.control.actions.samples import an_action

COLUMNS = (
    text("name", "a text"),
    integer("size", "a whole number"),
    number("share", "a number"),
    boolean("good", "whether"),
    time("at", "when"),
    json_column("parts", "anything"),
)
ROW = PlainRow(COLUMNS)


def test_values_come_in_the_order_of_the_columns() -> None:
    payload = {
        "parts": {"b": [1, 2.5, None, True], "a": 'x "y" \\ \n z'},
        "at": "2026-01-02T03:04:05.000007Z",
        "good": False,
        "share": 3,
        "size": -(2**63),
        "name": "Zürich",
        "more": "stays in the log",
    }
    written = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
    assert ROW.values(written) == [
        "Zürich",
        -(2**63),
        3.0,
        False,
        datetime(2026, 1, 2, 3, 4, 5, 7),  # noqa: DTZ001 - as the tables keep it
        '{"b":[1,2.5,null,true],"a":"x \\"y\\" \\\\ \\n z"}',
    ]


def test_what_is_not_there_and_what_is_null_is_nothing() -> None:
    assert ROW.values(b'{"name":null,"parts":null,"at":null}') == [None] * 6


@pytest.mark.parametrize(
    "member",
    [
        '"name":7',
        '"size":"7"',
        '"size":1.5',
        '"size":9223372036854775808',
        '"share":"0.5"',
        '"good":1',
        '"at":"2026-01-02T03:04:05+01:00"',
        '"at":"2026-01-02T03:04:05.1234567Z"',
        '"at":"2026-02-30T03:04:05Z"',
        '"at":"2026-01-02T03:04:05Z\\n"',
        '"at":"soon"',
        '"parts":[1, 2]',
        '"parts":"\\u001f"',
        '"parts":"\\/"',
        '"parts":1.50',
        '"parts":[75.012531328320801]',
        '"parts":[0.1000000000000000055]',
        '"parts":[9007199254740993.5]',
        '"parts":"\\u001f,0.30000000000000004"',
        '"parts":1e3',
        '"parts":-0',
        '"parts":[12345678901234567890]',
    ],
)
def test_what_the_database_reads_in_a_way_of_its_own_is_left_to_it(member: str) -> None:
    assert ROW.values(f"{{{member}}}".encode()) is None


def test_a_mean_of_many_is_kept_as_it_is() -> None:
    written = '{"mean":75.0125313283208,"all":[0.30000000000000004,-0.0001234567890123456,"a,b"]}'
    assert ROW.values(f'{{"parts":{written}}}'.encode()) == [None] * 5 + [written]


def test_a_column_with_a_default_is_filled_in_by_the_database() -> None:
    filled = PlainRow([Column("stage", ColumnKind.TEXT, "how far it is", default="'first'")])
    assert filled.values(b'{"stage":"last"}') == ["last"]
    assert filled.values(b"{}") is None
    assert filled.values(b'{"stage":null}') is None


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with closing(duckdb.connect(":memory:", config={"threads": 1})) as connection:
        yield connection


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(anything, st.booleans())
@example([1 / 3, 2 / 3 * 10**9, -1e-4 / 3, 0.1 + 0.2, 123456789012345.67, 5e-324], True)
@example([0.0001, 123456789.1234, -0.0, 999999999999999, -1, 1e-5, 1e16], True)
@example({"\x7f": "\u2028 /", "": []}, False)
def test_json_that_passes_as_it_is_is_what_the_database_would_write(
    database: duckdb.DuckDBPyConnection, value: Any, ascii_only: bool
) -> None:
    written = json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only)
    try:
        values = ROW.values(f'{{"parts":{written}}}'.encode())
    except UnicodeEncodeError:
        return
    if values is not None and value is not None:
        assert database.execute("SELECT json(?::VARCHAR)", [written]).fetchall() == [(values[-1],)]


def test_most_actions_are_plain() -> None:
    action = an_action(declared_goal='Say "hello"\n', metadata={"customer": "mia", "amounts": [1, 2.5]})
    assert plain_row(ACTIONS).values(msgspec.json.encode(action)) is not None
