"""Events become rows: exactly, whichever way they are cut into batches."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs

from assent_service.store import schema
from assent_service.store.bulk import AsColumns
from assent_service.store.event import Draft, Event, encode
from assent_service.store.projection import FEW, AsLists, Projection, Rows, read_applied, write
from assent_service.store.recovery import Applied
from assent_service.store.tables import Column, ColumnKind
from tests.service.store.things import TABLES, THINGS, created, draft, opened, recorded, rows, updated
from tests.tiers import examples

ALL = "thing_id, origin, name, size, share, good, seen_at, parts, created_at"


def naive(*members: int) -> datetime:
    """A time as the tables give it: UTC without saying so."""
    return datetime(*members, tzinfo=UTC).replace(tzinfo=None)  # type: ignore[arg-type,misc]  # year to microsecond


def apply(connection: duckdb.DuckDBPyConnection, *batches: Sequence[Event]) -> Applied:
    projection = Projection(TABLES)
    for batch in batches:
        projection.apply(connection, batch, read_applied(connection))
    return read_applied(connection)


def projected(home: Path, *batches: Sequence[Draft], columns: str = ALL) -> list[tuple[object, ...]]:
    events = recorded(home, [each for batch in batches for each in batch])
    with closing(opened(home)) as connection:
        for batch in batches:
            apply(connection, events[: len(batch)])
            events = events[len(batch) :]
        return rows(connection, columns)


def test_every_kind_of_column_is_exact(tmp_path: Path) -> None:
    members = {
        "origin": "Zürich → 東京 \U0001f6eb \" ' \\ \n \u0000 end",
        "name": "",
        "size": 2**63 - 1,
        "share": 0.1 + 0.2,
        "good": False,
        "seen_at": "2001-02-03T04:05:06.000007Z",
        "parts": {"b": [1, 2.50, None], "a": "ü\u2028", "n": 12345678901234567890},
    }
    (row,) = projected(tmp_path, [created("thg_1", **members)])
    assert row == (
        "thg_1",
        members["origin"],
        "",
        9223372036854775807,
        0.30000000000000004,
        False,
        naive(2001, 2, 3, 4, 5, 6, 7),
        '{"b":[1,2.5,null],"a":"ü\u2028","n":12345678901234567890}',
        naive(2025, 6, 15, 15, 6, 40, 123456),
    )


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2024-01-01T00:00:00Z", naive(2024, 1, 1)),
        ("2024-01-01T00:00:00+05:30", naive(2023, 12, 31, 18, 30)),
        ("2024-02-29T23:59:59.999999-08:00", naive(2024, 3, 1, 7, 59, 59, 999999)),
        ("1969-12-31T23:59:59.999999Z", naive(1969, 12, 31, 23, 59, 59, 999999)),
        ("0001-01-01T00:00:00Z", naive(1, 1, 1)),
        ("9999-12-31T23:59:59.999999Z", naive(9999, 12, 31, 23, 59, 59, 999999)),
    ],
)
def test_times_are_utc_to_the_microsecond_whatever_offset_they_are_written_with(
    tmp_path: Path, text: str, instant: datetime
) -> None:
    made, changed = created("thg_1", seen_at=text), updated("thg_2", seen_at=text)
    assert projected(tmp_path, [made, created("thg_2")], [changed], columns="seen_at") == [(instant,)] * 2


def test_what_is_missing_or_null_is_null(tmp_path: Path) -> None:
    nulls = dict.fromkeys(("origin", "name", "size", "share", "good", "seen_at", "parts"))
    for row in projected(tmp_path, [created("thg_1"), created("thg_2", **nulls)]):
        assert row[1:8] == (None,) * 7


def test_members_without_a_column_stay_in_the_log(tmp_path: Path) -> None:
    assert projected(tmp_path, [created("thg_1", name="x", secret={"deep": [1]})], columns="name") == [("x",)]


def test_a_row_that_is_made_and_changed_in_one_batch_keeps_its_frozen_columns(tmp_path: Path) -> None:
    drafts = [
        created("thg_1", origin="said once", name="first", size=1),
        updated("thg_1", name="second", size=2),
        updated("thg_1", name="third", origin="must not count"),
        created("thg_2", origin="untouched"),
    ]
    assert projected(tmp_path, drafts, columns="thing_id, origin, name, size") == [
        ("thg_1", "said once", "third", None),
        ("thg_2", "untouched", None, None),
    ]


def test_a_row_that_is_changed_in_later_batches_ends_the_same(tmp_path: Path) -> None:
    drafts = [
        created("thg_1", origin="said once", name="first", size=1),
        updated("thg_1", name="second", size=2),
        updated("thg_1", name="third", origin="must not count"),
    ]
    expected = [("thg_1", "said once", "third", None)]
    columns = "thing_id, origin, name, size"
    assert projected(tmp_path / "a", *([each] for each in drafts), columns=columns) == expected
    assert projected(tmp_path / "b", drafts[:1], drafts[1:], columns=columns) == expected


def test_the_same_id_in_two_organizations_is_two_rows(tmp_path: Path) -> None:
    first = [created("thg_1", "org_a", name="a"), created("thg_1", "org_b", name="b")]
    later = [updated("thg_1", "org_b", name="b2")]
    assert projected(tmp_path, first, later, columns="org_id, name") == [("org_a", "a"), ("org_b", "b2")]


def test_rows_far_back_in_a_large_table_are_replaced(tmp_path: Path) -> None:
    # More rows than DuckDB keeps in two row groups (122,880 each), so that the changed ones are in the oldest.
    with closing(opened(tmp_path)) as connection:
        connection.execute(
            "INSERT INTO things (org_id, thing_id, name, created_at) "
            "SELECT 'org_a', 'thg_' || i, 'old', TIMESTAMP '2025-01-01' + to_seconds(i) FROM range(260000) AS r(i)"
        )
        changes = [updated(f"thg_{i}", name="new", created_at=f"2025-01-01T00:00:0{i}Z") for i in (0, 7)]
        apply(connection, recorded(tmp_path, changes))
        assert rows(connection, "thing_id, name", "(FROM things WHERE name <> 'old')") == [
            ("thg_0", "new"),
            ("thg_7", "new"),
        ]
        assert connection.execute("SELECT count(*) FROM things").fetchone() == (260_000,)


def test_an_erased_event_is_counted_and_otherwise_skipped(tmp_path: Path) -> None:
    events = recorded(tmp_path, [created("thg_1", name="gone"), created("thg_2"), updated("thg_1", name="stays")])
    erased = msgspec.structs.replace(events[0], body=b" " * len(events[0].body))
    with closing(opened(tmp_path)) as connection:
        assert apply(connection, [erased, events[1]]).seq == 2
        assert rows(connection) == [("thg_2",)]
        assert rows(connection, "seq, subject", "events") == [(1, "thg_1"), (2, "thg_2")]
        # The row after a change says everything, so it does not need the event that made it.
        apply(connection, events[2:])
        assert rows(connection, "thing_id, name") == [("thg_1", "stays"), ("thg_2", None)]


def test_the_place_in_the_log_is_where_the_next_event_starts(tmp_path: Path) -> None:
    events = recorded(tmp_path, [created("thg_1"), created("thg_2", "org_b"), created("thg_3")])
    with closing(opened(tmp_path)) as connection:
        assert apply(connection, events[:2]) == Applied(2, 1, events[2].offset, {"org_a": 1, "org_b": 1})
        assert apply(connection, events[2:]).counts == {"org_a": 2, "org_b": 1}
        found = rows(connection, "org_id, n, seq, type, subject, actor, segment, position, length, leaf_hash", "events")
    assert found == sorted(
        (e.org, e.n, e.seq, "thing.created", e.subject, "key_1", 1, e.offset, e.length, e.leaf_hash.hex())
        for e in events
    )


def test_a_batch_that_does_not_follow_is_refused(tmp_path: Path) -> None:
    events = recorded(tmp_path, [created(f"thg_{i}") for i in range(3)])
    with closing(opened(tmp_path)) as connection:
        with pytest.raises(RuntimeError, match="event 1 should be applied next, not 2"):
            apply(connection, events[1:])
        apply(connection, events[:2])
        with pytest.raises(RuntimeError, match="event 3 should be applied next, not 1"):
            apply(connection, events)
        assert len(rows(connection)) == 2


@pytest.mark.parametrize("failing", ["INSERT", "UPDATE", "COMMIT"])
def test_a_batch_that_fails_leaves_nothing_and_can_be_applied_again(tmp_path: Path, failing: str) -> None:
    events = recorded(tmp_path, [created("thg_1", name="a"), created("thg_2"), updated("thg_1", name="b")])
    with closing(opened(tmp_path)) as connection:
        before = apply(connection, events[:1])
        broken: Any = Failing(connection, failing)
        with pytest.raises(duckdb.IOException):
            Projection(TABLES).apply(broken, events[1:], before)
        assert read_applied(connection) == before
        assert rows(connection, "thing_id, name") == [("thg_1", "a")]
        apply(connection, events[1:])
        assert rows(connection, "thing_id, name") == [("thg_1", "b"), ("thg_2", None)]


class Failing:
    """A connection on which statements that begin with `word` fail."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, word: str) -> None:
        self._connection, self._word = connection, word
        self.extract_statements = connection.extract_statements

    def execute(self, statement: str | duckdb.Statement, parameters: object = None) -> duckdb.DuckDBPyConnection:
        text = statement if isinstance(statement, str) else statement.query
        if text.startswith(self._word):
            raise duckdb.IOException("no space")
        return self._connection.execute(statement, parameters)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
members = st.fixed_dictionaries(
    {},
    optional={
        "origin": texts,
        "name": st.none() | texts,
        "size": st.none() | st.integers(-(2**63), 2**63 - 1),
        "share": st.none() | st.floats(allow_nan=False, allow_infinity=False),
        "good": st.none() | st.booleans(),
        "parts": st.none() | st.lists(st.integers(-5, 5), max_size=3) | st.dictionaries(texts, texts, max_size=2),
    },
)
changes = st.lists(st.tuples(st.integers(0, 3), members, st.booleans()), max_size=14)


@examples(0.25)
@given(changes)
def test_however_the_history_is_cut_into_batches_the_rows_are_those_of_a_plain_fold(
    history: list[tuple[int, dict[str, Any], bool]],
) -> None:
    model: dict[str, dict[str, Any]] = {}
    drafts: list[Draft] = []
    batches: list[int] = []
    for which, payload, cut in history:
        thing = f"thg_{which}"
        if thing in model:
            drafts.append(updated(thing, **payload))
            model[thing] = payload | {"origin": model[thing].get("origin")}
        else:
            drafts.append(created(thing, **payload))
            model[thing] = payload
        if cut:
            batches.append(len(drafts))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        edges = sorted({0, *batches, len(drafts)})
        cut_up = [drafts[start:end] for start, end in pairwise(edges)]
        found = projected(home, *cut_up, columns="thing_id, origin, name, size, share, good, parts")
    # As text, so that -0.0 is not 0.0, and JSON is compared by what it means.
    assert [repr((*row[:6], row[6] and msgspec.json.decode(str(row[6])))) for row in found] == [
        repr((thing, *(row.get(name) for name in ("origin", "name", "size")), _float(row.get("share")), row.get("good"),
              row.get("parts")))
        for thing, row in sorted(model.items())
    ]  # fmt: skip


WIDE = replace(THINGS, columns=(*THINGS.columns, Column("stage", ColumnKind.TEXT, "how far it is", default="'first'")))
moments = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001 - bounds
wide = st.fixed_dictionaries(
    {},
    optional={
        "origin": texts,
        "name": st.none() | texts | st.integers() | st.lists(texts, max_size=2),
        "size": st.none() | st.integers(-(2**63), 2**63 - 1) | st.sampled_from(["7", "x", ""]),
        "share": st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**60), 2**60),
        "good": st.none() | st.booleans(),
        "seen_at": st.none() | moments | st.sampled_from(["2024-01-01T00:00:00+05:30", "soon"]),
        "parts": st.none() | texts | st.floats(-5, 5) | st.lists(st.integers(-5, 5), max_size=3) | st.dictionaries(
            texts, texts | st.floats(-5, 5), max_size=2
        ),
        "stage": st.none() | texts,
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def tables() -> Iterator[duckdb.DuckDBPyConnection]:
    with closing(duckdb.connect(":memory:", config={"threads": 1})) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(schema.create(WIDE))
        yield connection


@given(first=wide, then=st.none() | wide, apart=st.booleans())
@example(first={"parts": "\x1f"}, then={"parts": ['\x00\x1a/\\\x1b\n"é\x7f\u2028', 1e-7, -0.0]}, apart=True)
def test_a_row_is_the_same_alone_and_among_many(
    tables: duckdb.DuckDBPyConnection, first: dict[str, Any], then: dict[str, Any] | None, apart: bool
) -> None:
    """A few rows are written with statements of their own, of one row each."""
    story = [created("thg_0", **first)] + ([] if then is None else [updated("thg_0", **then)])
    found = []
    for others in (0, 2 * FEW):
        among = [created(f"thg_{number + 1}", size=number) for number in range(others)]
        changed = [updated(each.subject) for each in among] if then is not None else []
        tables.execute("DELETE FROM things")
        for part in ([*story[:1], *among], [*story[1:], *changed]) if apart else ([*story, *among, *changed],):
            written = Rows(WIDE)
            for each in part:
                written.take(encode(each, 1, 1, 0, bytes(16), 1, 0)[0])
            written.write(tables)
        found.append(rows(tables, "COLUMNS(*)::VARCHAR", "(FROM things WHERE thing_id = 'thg_0')"))
    assert found[0] == found[1]
    assert len(found[0]) == 1


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def test_an_event_of_a_type_that_no_table_takes_is_only_counted(tmp_path: Path) -> None:
    events = recorded(tmp_path, [draft("thing.sung", "thg_1"), draft("note.created", "nte_1", words="la")])
    with closing(opened(tmp_path)) as connection:
        apply(connection, events)
        assert rows(connection) == []
        assert rows(connection, "words", "notes") == [("la",)]
        assert rows(connection, "seq", "events") == [(1,), (2,)]


def test_rows_that_come_as_columns_are_those_that_come_as_lists(tmp_path: Path) -> None:
    """New, changed at once and changed later, with every kind of column, an action and none, and text of any length."""
    odd = {
        "name": "Zürich → 東京 \U0001f6eb \" ' \\ \n end",
        "parts": {"b": [1, 2.5, None]},
        "seen_at": "2001-02-03T04:05:06Z",
    }
    first = [created(f"thg_{n}", origin="o" * n, size=n, share=n / 7, good=n % 2 == 0, **odd) for n in range(9)]
    changed = [updated(f"thg_{n}", name="", size=2**63 - 1) for n in range(4)]
    later = [updated(f"thg_{n}", name=f"later {n}", parts=None) for n in range(3, 12)]
    notes = [
        structs.replace(draft("note.created", f"nte_{n}", words="ü" * n), action=f"act_{n}" if n % 2 else None)
        for n in range(5)
    ]
    events = recorded(tmp_path / "log", [*first, *changed, *notes, *later])
    whole = len(first) + len(changed) + len(notes)
    found = []
    for carrier in (AsLists(), AsColumns()):
        home = tmp_path / type(carrier).__name__
        home.mkdir()
        with closing(opened(home)) as connection:
            for batch in (events[:whole], events[whole:]):
                write(connection, Projection(TABLES).prepare(batch, read_applied(connection)), carrier)
            tables = ("events", "things", "notes")
            found.append([connection.execute(f'SELECT * FROM "{name}" ORDER BY ALL').fetchall() for name in tables])
    assert found[0] == found[1]
    assert [len(each) for each in found[0]] == [len(events), 12, 5]
