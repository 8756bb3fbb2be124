"""A table follows from the struct of its row: kinds from the types, meanings from the members."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct

from assent.contract.record import Id, OrganizationId, RecordedAt, meaning
from assent_service.store.tables import CREATED_AT, ORGANIZATION, Column, ColumnKind, Table, columns_of, text


class Colour(StrEnum):
    RED = "red"


class Row(Struct, frozen=True, kw_only=True):
    row_id: Annotated[Id, meaning("id of the row", frozen=True)]
    org_id: OrganizationId
    colour: Annotated[Colour | None, meaning("its colour")]
    weight: Annotated[int | float, meaning("how heavy it is", unit="kg")]
    count: Annotated[int | None, meaning("how many")] = None
    whole: Annotated[bool, meaning("whether nothing is missing")] = True
    parts: Annotated[list[str], meaning("what it is made of")]
    more: Annotated[Any, meaning("whatever else there is")]
    ended_at: Annotated[datetime | None, meaning("when it ended")]
    created_at: RecordedAt


class Silent(Struct):
    org_id: OrganizationId
    name: Annotated[str, Meta(max_length=3)]


def table(**given: Any) -> Table:
    return Table.of(Row, name="rows", meaning="rows", key="row_id", created=("row.created",), **given)


def test_the_columns_are_the_members() -> None:
    assert table().columns == (
        ORGANIZATION,
        Column("row_id", ColumnKind.TEXT, "id of the row", frozen=True),
        Column("colour", ColumnKind.TEXT, "its colour"),
        Column("weight", ColumnKind.NUMBER, "how heavy it is", "kg"),
        Column("count", ColumnKind.INTEGER, "how many"),
        Column("whole", ColumnKind.BOOLEAN, "whether nothing is missing", default="true"),
        Column("parts", ColumnKind.JSON, "what it is made of"),
        Column("more", ColumnKind.JSON, "whatever else there is"),
        Column("ended_at", ColumnKind.TIME, "when it ended", "UTC"),
        CREATED_AT,
    )


def test_an_order_of_its_own() -> None:
    made = table(
        without=("whole", "parts", "more", "count"),
        also=(text("digest", "its digest"),),
        first=("colour",),
        after={"digest": "row_id"},
    )
    names = [column.name for column in made.columns]
    assert names == ["org_id", "colour", "row_id", "digest", "weight", "ended_at", "created_at"]


@pytest.mark.parametrize("given", [{"first": ("size",)}, {"after": {"size": "row_id"}}, {"without": ("size",)}])
def test_a_name_that_is_no_member_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="size"):
        table(**given)


def test_a_member_without_a_meaning_is_no_column() -> None:
    with pytest.raises(ValueError, match=r"Silent\.name"):
        columns_of(Silent)
