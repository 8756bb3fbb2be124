"""Tables as data: whole tables of a window, streamed in formats that notebooks and warehouses read."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from assent.contract.control.guard import Decision, Source
from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import ANYONE, READING
from assent.contract.window import WindowText


class DataTable(StrEnum):
    """The tables that are served."""

    ACTIONS = "actions"
    DECISIONS = "decisions"
    APPROVALS = "approvals"
    APPROVAL_QUESTIONS = "approval_questions"
    GRANTS = "grants"
    ASSUMPTIONS = "assumptions"
    LOOPS = "loops"
    SIGNALS = "signals"
    MESSAGES = "messages"
    MESSAGE_MARKS = "message_marks"
    MESSAGE_THREADS = "message_threads"
    AGENTS = "agents"
    AGENT_CONNECTIONS = "agent_connections"
    HANDOFFS = "handoffs"
    THREADS = "threads"
    THREAD_ENTRIES = "thread_entries"
    KEY_POINTS = "key_points"
    PAIRINGS = "pairings"
    IDENTITIES = "identities"
    WEBHOOKS = "webhooks"
    WEBHOOK_DELIVERIES = "webhook_deliveries"
    ERASURES = "erasures"
    OUTCOMES = "outcomes"
    FEEDBACK = "feedback"
    PROMPT_RUNS = "prompt_runs"
    SCORES = "scores"
    PROFILE_SCORES = "profile_scores"
    DRIFT_ALERTS = "drift_alerts"
    EVENTS = "events"
    TOKEN_USAGE = "token_usage"  # noqa: S105 - the name of a table
    ROUTING_TASKS = "routing_tasks"
    SIGNING_KEYS = "signing_keys"
    INJECTION_SCANS = "injection_scans"
    INJECTION_FINDINGS = "injection_findings"
    AUTH_FAILURES = "auth_failures"


class DataFormat(StrEnum):
    """Arrow is the IPC stream format with zstd; CSV follows RFC 4180."""

    ARROW = "arrow"
    PARQUET = "parquet"
    NDJSON = "ndjson"
    CSV = "csv"


MEDIA_TYPES: dict[DataFormat, str] = {
    DataFormat.ARROW: "application/vnd.apache.arrow.stream",
    DataFormat.PARQUET: "application/vnd.apache.parquet",
    DataFormat.NDJSON: "application/x-ndjson",
    DataFormat.CSV: "text/csv",
}


FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"
"""What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection); the wide signs too, where they are
typed."""
StatusWord = Annotated[str, Meta(max_length=64, pattern=r"^[A-Za-z_]+(?!\n)$")]
"""A status of any table. Each table has words of its own for it, so that the wire knows only what such a word is."""


WINDOW = "30d"
"""Where nothing of the time is asked for."""
DayText = Annotated[str, Meta(max_length=100, description="a day in UTC, YYYY-MM-DD")]
"""Checked by the service, which says what is wrong with it."""


class DataQuery(Query, frozen=True, kw_only=True):
    """Which rows and columns. `window` counts back from now by the table's own time (the dictionary names it), 30d
    without it; `since` and `until`, whole days in UTC that both belong to it, stand in place of a window and may be
    given alone. `format` wins over the header Accept; `columns` is a comma-separated list, all of them without it. The
    others are row filters, of which a table takes those that the dictionary names. A `status` that no row has gives no
    rows; that of actions and outcomes has to be one that an action can have. `spreadsheet`, for CSV alone, puts an
    apostrophe before each text that a spreadsheet would take for a formula."""

    window: WindowText = WINDOW
    since: DayText | None = None
    until: DayText | None = None
    format: Annotated[str, Meta(max_length=20)] | None = None
    columns: Annotated[str, Meta(max_length=4000)] | None = None
    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    source: Source | None = None
    status: StatusWord | None = None
    decision: Decision | None = None
    spreadsheet: bool = False


class DataColumn(Record, frozen=True, kw_only=True):
    """`type` is text, integer, number, boolean, time or json (as text); `unit` is None where there is none."""

    name: str
    type: str
    unit: str | None
    meaning: str


class DataDescription(Record, frozen=True, kw_only=True):
    """`key` names the column that tells rows apart, `time` the one that a window counts by, `filters` the row filters
    that the table takes."""

    name: str
    meaning: str
    key: str
    time: str
    filters: list[str]
    columns: list[DataColumn]


class DataDictionary(Record, frozen=True, kw_only=True):
    """Every table that is served, with the meaning of each column, from the same declaration that fills it."""

    tables: list[DataDescription]
    formats: dict[str, str]


class TableDaysQuery(Query, frozen=True, kw_only=True):
    """`window` reaches back to the beginning of its first day. `unless` is the `state` of an earlier answer."""

    window: WindowText = "30d"
    unless: ShortText | None = None


class TableDay(Record, frozen=True, kw_only=True):
    """A day (UTC) of a table by its own time. `version` is another one as soon as any row of the day was added,
    changed or taken away."""

    date: date
    rows: int
    version: str


class TableDays(Record, frozen=True, kw_only=True):
    """The days of a table that have rows, in order, right at `as_of` or later. `state` stands for all that was recorded
    when they were looked at, and `unchanged` says that it is still the one given as `unless`; `days` is empty then.
    `layout` is another one when the same rows come to look otherwise; `columns` are names and types, as the dictionary
    has them."""

    table: str
    window: str
    as_of: datetime
    time: str
    key: str
    layout: str
    columns: dict[str, str]
    state: str
    unchanged: bool
    days: list[TableDay]


GET_DATA_DICTIONARY = Endpoint(
    operation="get_data_dictionary",
    method="GET",
    path="/api/data",
    summary="The data dictionary: tables, columns, types, units, meanings.",
    roles=ANYONE,
    response=DataDictionary,
)
GET_TABLE = Endpoint(
    operation="get_table",
    method="GET",
    path="/api/data/{table}",
    summary="A window of a table, streamed as Arrow IPC (zstd), Parquet, NDJSON or CSV, with an ETag.",
    roles=READING,
    query=DataQuery,
    closed_query=True,
    response=bytes,
    content=MEDIA_TYPES[DataFormat.ARROW],
    contents=tuple(MEDIA_TYPES.values()),
    statuses=(200, 304),
    problems=(Code.TABLE_NOT_FOUND, Code.BUSY),
)
GET_TABLE_DAYS = Endpoint(
    operation="get_table_days",
    method="GET",
    path="/api/data/{table}/days",
    summary="The days of a table, each with a version that changes with its rows, for copies kept elsewhere.",
    roles=READING,
    query=TableDaysQuery,
    closed_query=True,
    response=TableDays,
    problems=(Code.TABLE_NOT_FOUND,),
)
