"""A noun for the tests of the tables: things, with a column of every kind, and a log to record them in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from assent_service.store.database import Row, connect
from assent_service.store.event import Draft, Event
from assent_service.store.log import Submission
from assent_service.store.tables import (
    CREATED_AT,
    ORGANIZATION,
    Table,
    boolean,
    integer,
    json,
    number,
    text,
    time,
)
from tests.service.store.logbook import Book

THINGS = Table(
    name="things",
    meaning="things",
    key="thing_id",
    columns=(
        ORGANIZATION,
        text("thing_id", "id", frozen=True),
        text("origin", "said once", frozen=True),
        text("name", "what people call it"),
        integer("size", "how large"),
        number("share", "how much of all"),
        boolean("good", "whether"),
        time("seen_at", "when"),
        json("parts", "whatever"),
        CREATED_AT,
    ),
    created=frozenset({"thing.created"}),
    replaced=frozenset({"thing.updated"}),
)
NOTES = Table(
    name="notes",
    meaning="notes",
    key="note_id",
    columns=(ORGANIZATION, text("note_id", "id", frozen=True), text("words", "what it says"), CREATED_AT),
    created=frozenset({"note.created"}),
)
TABLES = (THINGS, NOTES)
AT = 1_750_000_000_123_456


def draft(kind: str, thing: str, org: str = "org_a", /, **members: Any) -> Draft:
    """An event about a thing (or note), whose payload has these members besides its id and time of creation."""
    key = "note_id" if kind.startswith("note") else "thing_id"
    payload = {"org_id": org, key: thing, "created_at": "2025-06-15T15:06:40.123456Z", **members}
    return Draft(org=org, type=kind, ts=AT, subject=thing, actor="key_1", data=msgspec.json.encode(payload))


def created(thing: str, org: str = "org_a", /, **members: Any) -> Draft:
    return draft("thing.created", thing, org, **members)


def updated(thing: str, org: str = "org_a", /, **members: Any) -> Draft:
    return draft("thing.updated", thing, org, **members)


def recorded(home: Path, drafts: Iterable[Draft]) -> list[Event]:
    """The drafts as the real log records them, one write each."""
    with Book(home) as book:
        outcomes = [book.write(Submission((each,))) for each in drafts]
    return [event for outcome in outcomes for events in outcome.events for event in events]


def opened(home: Path, tables: tuple[Table, ...] = TABLES) -> duckdb.DuckDBPyConnection:
    home.mkdir(exist_ok=True)
    return connect(home / "tables.duckdb", tables)


def rows(connection: duckdb.DuckDBPyConnection, columns: str = "thing_id", table: str = "things") -> list[Row]:
    return connection.execute(f"SELECT {columns} FROM {table} ORDER BY ALL").fetchall()
