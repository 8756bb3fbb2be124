"""Downloads of a table's rows: the request checked, and the SQL of its answer.

What a request asks for, checked: which table, which columns, which rows, in which format.

- A table and columns are taken by their exact names; columns come in the order they are asked for, each once.
- `format` wins over the header Accept. Of that header, the type of ours with the highest weight counts; one that names
  none of ours gives Arrow, as does `*/*`.
- A window reaches from now so many days back and has no end: what is recorded with a time ahead of the service's clock
  is in it, so that an answer holds everything that was recorded.
- `since` and `until` are whole days in UTC, both inside. They stand in place of a window; beside one, somebody would
  wonder which of the two counts.
- A filter must be a column of the table: a filter that silently did nothing would answer another question.
- Of actions, whose statuses are known, a status has to be one of them. Other tables have words of their own, and one
  that no row has gives no rows.
- A key that sees one agent's rows only is answered as if it had asked for that agent's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from assent.contract.analysis.data import FORMULA, MEDIA_TYPES, WINDOW, DataFormat, DataQuery, DataTable
from assent.contract.control.actions import ActionStatus
from assent.contract.problems import Code, FieldError
from assent.contract.window import days_of
from assent_service.analysis.data.datasets import DATASETS, FILTERS, Dataset
from assent_service.base.clock import moment
from assent_service.base.problem import Refusal, refuse
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter
from assent_service.store.tables import Column, ColumnKind

_FORMATS = {media_type: each for each, media_type in MEDIA_TYPES.items()}
_OF_ACTIONS = frozenset({DataTable.ACTIONS, DataTable.OUTCOMES})
"""Those whose `status` is an action's."""


@dataclass(frozen=True)
class DataSelection:
    """`rows` holds the conditions and their parameters, `window` what of the time was asked for."""

    dataset: Dataset
    columns: tuple[Column, ...]
    format: DataFormat
    spreadsheet: bool
    window: str
    rows: Filter


def choose(principal: Principal, table: str, query: DataQuery, accept: str | None, now: int) -> DataSelection:
    """Raises `table_not_found`, and `invalid_query` that names the parameter and what it may be."""
    dataset = _dataset(table)
    wanted = _format(query.format, accept)
    if query.spreadsheet and wanted is not DataFormat.CSV:
        raise _invalid(
            "spreadsheet", f"spreadsheet is for csv, and {wanted} was asked for; ask for csv or leave it out."
        )
    return DataSelection(
        dataset=dataset,
        columns=_columns(dataset, query.columns),
        format=wanted,
        spreadsheet=query.spreadsheet,
        window=_asked(query),
        rows=_rows(principal, dataset, query, now),
    )


def _dataset(name: str) -> Dataset:
    if name not in DataTable.__members__.values():
        raise refuse(
            Code.TABLE_NOT_FOUND,
            f"There is no table {name[:80]!r} to be had as data; there are: {', '.join(DATASETS)}.",
        )
    return DATASETS[DataTable(name)]


def _columns(dataset: Dataset, listed: str | None) -> tuple[Column, ...]:
    if listed is None:
        return dataset.columns
    by_name = {column.name: column for column in dataset.columns}
    names = [name.strip() for name in listed.split(",")]
    if "" in names:
        raise _invalid("columns", "columns has an empty name; give names with one comma between two, or leave it out.")
    unknown = sorted({name for name in names if name not in by_name})
    if unknown:
        raise _invalid(
            "columns",
            f"{dataset.name} has no column {', '.join(unknown)[:200]}; it has: {', '.join(by_name)}.",
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise _invalid("columns", f"columns names {', '.join(twice)[:200]} more than once; name each column once.")
    return tuple(by_name[name] for name in names)


def _format(named: str | None, accept: str | None) -> DataFormat:
    if named is None:
        return _accepted(accept or "")
    if named not in DataFormat.__members__.values():
        raise _invalid("format", f"format is {named[:40]!r}; give one of {', '.join(DataFormat)}.")
    return DataFormat(named)


def _accepted(accept: str) -> DataFormat:
    """The heaviest of ours; of two alike the first (RFC 9110, 12.5.1)."""
    best, weight = DataFormat.ARROW, 0.0
    for each in accept.split(","):
        media_type, *parameters = (part.strip().lower() for part in each.split(";"))
        quality = next((part[2:] for part in parameters if part.startswith("q=")), "1")
        try:
            own = float(quality)
        except ValueError:
            own = 0.0
        if media_type in _FORMATS and own > weight:
            best, weight = _FORMATS[media_type], own
    return best


def _rows(principal: Principal, dataset: Dataset, query: DataQuery, now: int) -> Filter:
    chosen = Filter(principal.org_id)
    if dataset.only is not None:
        chosen.add_all(dataset.only, [])
    start, end = _span(query, now)
    chosen.add(f'"{dataset.time}" >= ?', start)
    chosen.add(f'"{dataset.time}" < ?', end)
    for name, value in _filters(dataset, query).items():
        chosen.add(f'"{name}" = ?', value)
    if not principal.sees(None):
        if "agent_id" not in dataset.filters:
            raise refuse(
                Code.FORBIDDEN,
                f"This key sees the rows of agent {principal.agent_id!r} only, and {dataset.name} are not told apart "
                "by agent; use a key that is not bound to one.",
            )
        chosen.add('"agent_id" = ?', principal.agent_id)
    return chosen


def _span(query: DataQuery, now: int) -> tuple[datetime | None, datetime | None]:
    """From the first moment up to the last, which is outside; None where there is none. In UTC, as the tables are."""
    if query.since is None and query.until is None:
        try:
            days = days_of(query.window)
        except ValueError as error:
            raise _invalid("window", f"{error}.") from error
        return (moment(now) - timedelta(days=days)).replace(tzinfo=None), None
    if query.window != WINDOW:
        place = "since" if query.since is not None else "until"
        raise _invalid("window", f"window and {place} were both given; give a window, or the days since and until.")
    since, until = _day("since", query.since), _day("until", query.until)
    if since is not None and until is not None and until < since:
        raise _invalid("until", f"until is {query.until}, before since, {query.since}; give the later day as until.")
    end = None if until is None or until == date.max else _midnight(until + timedelta(days=1))
    # A row without a time belongs to no day.
    return _midnight(since or date.min), end


def _day(name: str, text: str | None) -> date | None:
    if text is None:
        return None
    try:
        # Of ISO 8601 also 20261121 and 2026-W47-6 would be days; one way to write them is enough.
        if len(text) != len("YYYY-MM-DD") or "W" in text:
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise _invalid(name, f"{name} is {text[:40]!r}; give a day in UTC as YYYY-MM-DD.") from None


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001 - the tables' times are UTC and do not say so


def _asked(query: DataQuery) -> str:
    if query.since is None and query.until is None:
        return query.window
    return f"{query.since or ''}_{query.until or ''}"


def _filters(dataset: Dataset, query: DataQuery) -> dict[str, str]:
    given = {name: getattr(query, name) for name in FILTERS}
    asked = {name: str(value) for name, value in given.items() if value is not None}
    foreign = [name for name in asked if name not in dataset.filters]
    if foreign:
        known = ", ".join(dataset.filters) or "none, so leave it out"
        raise _invalid(foreign[0], f"{dataset.name} cannot be filtered by {foreign[0]}; its filters are: {known}.")
    status = asked.get("status")
    if status is not None and dataset.name in _OF_ACTIONS and status not in ActionStatus.__members__.values():
        raise _invalid("status", f"status is {status!r}; give one of {', '.join(ActionStatus)}.")
    return asked


def _invalid(place: str, why: str) -> Refusal:
    return refuse(Code.INVALID_QUERY, why, FieldError(place=place, message="not valid for this table"))


# The SQL of an answer.
#
# Rows come in the order in which they were recorded, because sorting them would mean holding them all. JSON columns
# come out as text, times as they are for the formats that have a type for them. For the text formats times are
# written here, in RFC 3339 with `Z`, and for NDJSON the whole line is, so that a million rows never become objects of
# Python.


LINE = "line"
"""The one column of an NDJSON query."""


def rows_of(choice: DataSelection) -> str:
    """The query of the answer; its parameters are `choice.rows.parameters`."""
    inner = f"SELECT {_listed(choice)} FROM {choice.dataset.table.name} WHERE {choice.rows.where}"
    if choice.format is not DataFormat.NDJSON:
        return inner
    return f"SELECT CAST(row_to_json(entry) AS VARCHAR) || chr(10) AS {LINE} FROM ({inner}) AS entry"


def state_of(choice: DataSelection) -> str:
    """One row: the first moment that any row of the answer has, and whether simulated rows are among them (1, 0, or
    NULL where nothing tells). With the number of recorded events, the first moment says which rows an answer holds:
    events only ever add rows or change them, and time only takes away those that a window has passed."""
    simulated = "NULL"
    if "source" in choice.dataset.filters:
        simulated = "max(CASE WHEN source = 'simulated' THEN 1 ELSE 0 END)"
    return (
        f'SELECT min("{choice.dataset.time}"), {simulated} FROM {choice.dataset.table.name} WHERE {choice.rows.where}'
    )


def _listed(choice: DataSelection) -> str:
    return ", ".join(f'{_cell(column, choice)} AS "{column.name}"' for column in choice.columns)


def _cell(column: Column, choice: DataSelection) -> str:
    value = _value(column, choice.format)
    if not choice.spreadsheet or column.kind is not ColumnKind.TEXT:
        return value
    return f"CASE WHEN regexp_matches({value}, '{FORMULA}') THEN chr(39) || {value} ELSE {value} END"


def _value(column: Column, wanted: DataFormat) -> str:
    name = f'"{column.name}"'
    if column.kind is ColumnKind.TIME and wanted in (DataFormat.NDJSON, DataFormat.CSV):
        return f"replace(CAST({name} AS VARCHAR), ' ', 'T') || 'Z'"
    if column.kind is ColumnKind.JSON and wanted is not DataFormat.NDJSON:
        return f"CAST({name} AS VARCHAR)"
    return name
