"""The database made, and met again after the program has changed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest

from assent.contract.record import Record, meaning
from assent_service.store.database import DEFAULTS
from assent_service.store.projection import Projection, read_applied
from assent_service.store.recovery import Applied
from assent_service.store.tables import EVENTS, Table, text
from tests.service.store.things import NOTES, THINGS, created, opened, recorded, rows, updated

WIDER = replace(THINGS, columns=(*THINGS.columns, text("colour", "what it looks like")))


def test_a_new_database_has_what_is_declared_and_stands_before_the_first_event(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as connection:
        for table in (EVENTS, THINGS, NOTES):
            described = connection.execute(f"DESCRIBE {table.name}").fetchall()
            assert [(name, kind) for name, kind, *_ in described] == [
                (column.name, column.kind.value) for column in table.columns
            ]
        assert read_applied(connection) == Applied(seq=0, segment=1, offset=0, counts={})


def test_opening_again_keeps_everything_and_migrates_nothing_twice(tmp_path: Path) -> None:
    events = recorded(tmp_path, [created("thg_1", name="one")])
    with closing(opened(tmp_path)) as connection:
        now = Projection((THINGS, NOTES)).apply(connection, events, read_applied(connection))
    with closing(opened(tmp_path)) as connection:
        assert read_applied(connection) == now
        assert rows(connection, "thing_id, name") == [("thg_1", "one")]
        assert rows(connection, "name", "migrations") == [("0001_applied.sql",), ("0002_defaults",)]


def test_a_column_that_was_added_later_comes_to_an_old_database(tmp_path: Path) -> None:
    drafts = [
        created("thg_1", name="old"),
        created("thg_2", name="old too"),
        created("thg_3", name="new", colour="green"),
        updated("thg_2", name="changed", colour="blue"),
    ]
    events = recorded(tmp_path, drafts)
    with closing(opened(tmp_path)) as connection:
        Projection((THINGS, NOTES)).apply(connection, events[:2], read_applied(connection))
    for _ in range(2):
        with closing(opened(tmp_path, (WIDER, NOTES))) as connection:
            assert rows(connection, "thing_id, colour")[:2] == [("thg_1", None), ("thg_2", None)]
    with closing(opened(tmp_path, (WIDER, NOTES))) as connection:
        Projection((WIDER, NOTES)).apply(connection, events[2:], read_applied(connection))
        assert rows(connection, "thing_id, name, colour") == [
            ("thg_1", "old", None),
            ("thg_2", "changed", "blue"),
            ("thg_3", "new", "green"),
        ]


class Kinds(Record, frozen=True, kw_only=True):
    """Members of every kind of column, each with a default that is something."""

    thing_id: Annotated[str, meaning("id", frozen=True)]
    created_at: Annotated[str, meaning("when", frozen=True)]
    colour: Annotated[str, meaning("what it looks like")] = "it's green"
    weight: Annotated[int, meaning("how heavy")] = 3
    part: Annotated[float, meaning("how much of all")] = 0.1
    sold: Annotated[bool, meaning("whether")] = False
    tags: Annotated[list[str], meaning("words")] = msgspec.field(default_factory=lambda: ["it's new"])
    place: Annotated[str | None, meaning("where")] = None


KINDS = Table.of(
    Kinds,
    name="things",
    meaning="things",
    key="thing_id",
    created=("thing.created",),
    replaced=("thing.updated",),
    also=tuple(column for column in THINGS.columns if column.name in ("org_id", "name")),
)
OLDER = replace(
    KINDS,
    columns=tuple(column for column in KINDS.columns if column.name in ("org_id", "thing_id", "created_at", "name")),
)
MEMBERS = "colour, weight, part, sold, tags, place"
DEFAULT = ("it's green", 3, 0.1, False, '["it\'s new"]', None)


@pytest.mark.parametrize("batches", [(3,), (1, 1, 1)])
def test_rows_of_older_events_hold_the_defaults_of_members_that_came_later(
    tmp_path: Path, batches: tuple[int, ...]
) -> None:
    """The same from tables that got the column later, from tables that had it empty, and from a rebuild."""
    members: dict[str, Any] = {"colour": "blue", "weight": 0, "part": 0.0, "sold": True, "tags": [], "place": "here"}
    events = recorded(
        tmp_path, [created("thg_1"), created("thg_2"), updated("thg_2", name="x"), created("thg_3", **members)]
    )
    expected = [("thg_1", *DEFAULT), ("thg_2", *DEFAULT), ("thg_3", "blue", 0, 0.0, True, "[]", "here")]
    emptied = ", ".join(f"{name} = NULL" for name in MEMBERS.split(", "))
    for home, tables in (("rebuilt", KINDS), ("older", OLDER), ("empty", KINDS)):
        with closing(opened(tmp_path / home, (tables,))) as connection:
            taken = iter(events)
            for count in batches:
                batch = [next(taken) for _ in range(count)]
                Projection((tables,)).apply(connection, batch, read_applied(connection))
            if home == "empty":
                connection.execute(f"UPDATE things SET {emptied}")
                connection.execute("DELETE FROM migrations WHERE name = $1", [DEFAULTS])
        with closing(opened(tmp_path / home, (KINDS,))) as connection:
            Projection((KINDS,)).apply(connection, events[3:], read_applied(connection))
            assert rows(connection, f"thing_id, {MEMBERS}") == expected, home


def test_a_member_that_may_be_none_has_no_other_default() -> None:
    class Unclear(Record, frozen=True, kw_only=True):
        place: Annotated[str | None, meaning("where")] = "here"

    with pytest.raises(ValueError, match=r"Unclear\.place may be None and has another default; make None its default"):
        Table.of(Unclear, name="unclear", meaning="unclear", key="place", created=("thing.created",))
