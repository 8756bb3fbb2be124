"""The members of a query become the conditions of its table, and values are never part of the SQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from enum import StrEnum
from typing import Annotated

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.record import Cursor, Limit, Offset, OrganizationId, Query, Record, RecordedAt, meaning
from assent_service.core.rows import Filter, Filters
from assent_service.store.schema import create
from assent_service.store.tables import Table


class Shape(StrEnum):
    ROUND = "round"
    SQUARE = "square"


class Crate(Record, frozen=True, kw_only=True):
    org_id: OrganizationId
    crate_id: Annotated[str, meaning("id of the crate")]
    label: Annotated[str | None, meaning("what is written on it")]
    shape: Annotated[Shape, meaning("round or square")]
    weight: Annotated[int | None, meaning("how heavy it is", unit="grams")]
    is_open: Annotated[bool, meaning("whether it is open")]
    parts: Annotated[list[str], meaning("what is in it")]
    created_at: RecordedAt


class CratesQuery(Query, frozen=True, kw_only=True):
    label: str | None = None
    shape: Shape | None = None
    weight: int | None = None
    is_open: bool | None = None
    weight_min: int | None = None
    begins: str | None = None
    before: datetime | None = None
    days: int | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


CRATES = Table.of(Crate, name="crates", meaning="crates", key="crate_id", created=("crate.created",))
CONDITIONS = {"weight_min": "weight >= ?", "begins": "starts_with(label, ?)", "before": "created_at < ?", "days": None}
CRATE_FILTERS = Filters(CRATES, CratesQuery, CONDITIONS)

LABELS = st.sampled_from(["", "a", "ab", "?", "' OR 1=1 --", "ä", '"'])
ZONES = st.integers(-12, 14).map(lambda hours: timezone(timedelta(hours=hours)))
AWARE = st.builds(
    lambda minutes, zone: (datetime(2024, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)).astimezone(zone),
    st.integers(0, 1000),
    ZONES,
)
ORGANIZATIONS = st.sampled_from(["org_a", "org_b"])
CRATES_OF_ALL = st.lists(
    st.builds(
        Crate,
        org_id=ORGANIZATIONS,
        crate_id=st.text(max_size=3),
        label=st.none() | LABELS,
        shape=st.sampled_from(Shape),
        weight=st.none() | st.integers(0, 3),
        is_open=st.booleans(),
        parts=st.just([]),
        created_at=AWARE,
    ),
    max_size=12,
)
QUERIES = st.builds(
    CratesQuery,
    label=st.none() | LABELS,
    shape=st.none() | st.sampled_from(Shape),
    weight=st.none() | st.integers(0, 3),
    is_open=st.none() | st.booleans(),
    weight_min=st.none() | st.integers(0, 3),
    begins=st.none() | LABELS,
    before=st.none() | AWARE,
    days=st.none() | st.integers(1, 9),
    limit=st.integers(1, 5),
)


def fits(crate: Crate, query: CratesQuery) -> bool:
    equal = all(
        getattr(query, name) in (None, getattr(crate, name)) for name in ("label", "shape", "weight", "is_open")
    )
    heavy = query.weight_min is None or (crate.weight is not None and crate.weight >= query.weight_min)
    begins = query.begins is None or (crate.label is not None and crate.label.startswith(query.begins))
    return equal and heavy and begins and (query.before is None or crate.created_at < query.before)


@given(crates=CRATES_OF_ALL, query=QUERIES, org=ORGANIZATIONS)
def test_the_rows_that_fit_are_those_of_every_member_that_is_said(
    crates: list[Crate], query: CratesQuery, org: str
) -> None:
    with duckdb.connect() as database:
        database.execute(create(CRATES))
        for at, crate in enumerate(crates):
            row = (crate.org_id, str(at), crate.label, crate.shape.value, crate.weight, crate.is_open, "[]")
            made = crate.created_at.astimezone(UTC).replace(tzinfo=None)
            database.execute("INSERT INTO crates VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, made))
        chosen = Filter(org)
        CRATE_FILTERS.narrow(chosen, query)
        found = database.execute(f"SELECT crate_id FROM crates WHERE {chosen.where}", chosen.parameters).fetchall()
    expected = {str(at) for at, crate in enumerate(crates) if crate.org_id == org and fits(crate, query)}
    assert {name for (name,) in found} == expected


@given(query=QUERIES)
def test_the_sql_has_a_mark_for_each_value_and_no_value(query: CratesQuery) -> None:
    chosen = Filter("org_a")
    CRATE_FILTERS.narrow(chosen, query)
    assert chosen.where.count("?") == len(chosen.parameters)
    said = [
        CONDITIONS.get(name, f"{name} = ?")
        for name in ("label", "shape", "weight", "is_open", "weight_min", "begins", "before")
        if getattr(query, name) is not None
    ]
    assert chosen.where == " AND ".join(["org_id = ?", *map(str, said)])


def test_a_member_of_the_query_is_a_column_or_has_its_condition() -> None:
    without = {name: each for name, each in CONDITIONS.items() if name not in ("weight_min", "days")}
    with pytest.raises(TypeError, match=r"CratesQuery has \['days', 'weight_min'\]: no column of 'crates'"):
        Filters(CRATES, CratesQuery, without)
    with pytest.raises(TypeError, match=r"CratesQuery has no \['height'\] to be a condition on 'crates'"):
        Filters(CRATES, CratesQuery, CONDITIONS | {"height": "height = ?"})
    with pytest.raises(TypeError, match=r"the conditions \['before', 'begins'\] of CratesQuery do not have one `\?`"):
        Filters(CRATES, CratesQuery, CONDITIONS | {"begins": "label = 'x'", "before": "created_at BETWEEN ? AND ?"})


def test_a_member_of_the_query_holds_what_its_column_holds() -> None:
    class WrongQuery(Query, frozen=True, kw_only=True):
        label: int | None = None
        parts: list[str] | None = None
        weight: int | None = None

    with pytest.raises(TypeError, match=r"WrongQuery has \['label', 'parts'\]: not of the kind of the columns"):
        Filters(CRATES, WrongQuery)
    chosen = Filter("org_a")
    Filters(CRATES, WrongQuery, {"label": None, "parts": None}).narrow(chosen, WrongQuery(label=1, weight=2))
    assert (chosen.where, chosen.parameters) == ("org_id = ? AND weight = ?", ["org_a", 2])
