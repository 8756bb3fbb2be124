"""docs/reference/tables.md: the data dictionary of what is served as tables; and docs/reference/events.md."""

from __future__ import annotations

from collections.abc import Iterator

from assent.contract.analysis.facts import Censored, Fact
from assent.contract.events import AMONG_OPERATORS, CONNECTED, PRIVATE, RESET, EventName
from assent_service.analysis.data.datasets import DATASETS, KINDS, dictionary
from assent_service.app import TABLES
from assent_service.store.tables import EVENTS, Table, columns_of
from tests.docs.reference.markdown import code, page, prose, table


def tables_page() -> str:
    answered = dictionary()
    listed = [[f"[{each.name}](#{each.name})", each.meaning] for each in answered.tables]
    sections = [
        [
            f"## {each.name}",
            "",
            *prose(f"{each.meaning[:1].upper()}{each.meaning[1:]}."),
            "",
            *prose(
                f"A row is told from others by `{each.key}`; a window counts by `{each.time}`. "
                + (f"Filters: {', '.join(map(code, each.filters))}." if each.filters else "It takes no filter.")
            ),
            "",
            *table(
                ("column", "type", "unit", "meaning"),
                ([code(column.name), column.type, column.unit or "", column.meaning] for column in each.columns),
            ),
        ]
        for each in answered.tables
    ]
    formats = ", ".join(f"{code(name)} ({media})" for name, media in answered.formats.items())
    return page(
        "Tables",
        prose(
            "`GET /api/data/{table}` and `client.get_table(...)` give these tables, each with the rows of the caller's "
            f"organization. Formats: {formats}. `GET /api/data` answers this page as data. Times are UTC."
        ),
        table(("table", "what a row is"), listed),
        *sections,
        _facts(),
    )


def _facts() -> list[str]:
    """The table that is made of others where it is looked at."""
    return [
        "## facts",
        "",
        *prose(
            "One row for each action with what the tables know of it, joined where it is looked at: "
            "`client.facts(...)` is a lazy Polars frame, `facts` a view in the SQL of a workspace, and both give the "
            "same rows. With `attempts=True`, and as the view `attempts`, decisions that no action followed are "
            "rows as well. Functions of `assent_analytics` that take actions, decisions or approvals take it as it is."
        ),
        "",
        *table(
            ("column", "type", "unit", "meaning"),
            ([code(each.name), KINDS[each.kind], each.unit or "", each.meaning] for each in columns_of(Fact)),
        ),
        "",
        *prose(f"`censored` is one of {', '.join(code(each.value) for each in Censored)}."),
    ]


def events_page() -> str:
    makes: dict[str, list[Table]] = {}
    replaces: dict[str, list[Table]] = {}
    for each in TABLES:
        for name in each.created:
            makes.setdefault(name, []).append(each)
        for name in each.replaced:
            replaces.setdefault(name, []).append(each)
    sent = {**dict.fromkeys(PRIVATE, "no"), **dict.fromkeys(AMONG_OPERATORS, "yes, but not to agents")}
    rows = [[code(name), *_rows_of(name, makes, replaces), sent.get(name, "yes")] for name in EventName]
    return page(
        "Events",
        prose(
            "Every change is one event in the evidence log. The payload of an event is the whole row as it is after "
            "the change; its members have the names of the table's columns. `GET /api/stream` and `client.events()` "
            "send the events of the caller's organization as they are recorded, but for those that the last column "
            f"says no to. The stream begins with `{CONNECTED}`; `{RESET}` says that the reader was too slow, and where "
            "to resume."
        ),
        prose(
            f"The table `{EVENTS.name}` has a row for every event. It shows who, when and what kind, and no payload. A "
            "table with a link is served ([Tables](tables.md)); the others are the service's own, and an event without "
            "a table is in the log alone."
        ),
        table(("event", "makes a row of", "replaces a row of", "on the stream"), rows),
    )


def _rows_of(name: str, *tables: dict[str, list[Table]]) -> Iterator[str]:
    for each in tables:
        yield ", ".join(_linked(found) for found in each.get(name, []))


def _linked(of: Table) -> str:
    served = next((str(name) for name, dataset in DATASETS.items() if dataset.table is of), None)
    return f"[{served}](tables.md#{served})" if served else code(of.name)
