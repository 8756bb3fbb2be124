"""The database made, and met again after the program has changed."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from assent_service.store.projection import Projection, read_applied
from assent_service.store.recovery import Applied
from assent_service.store.tables import EVENTS, text
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
        assert rows(connection, "name", "migrations") == [("0001_applied.sql",)]


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
