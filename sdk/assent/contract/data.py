"""Tables as data: whole tables of a window, streamed in formats that notebooks and warehouses read."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.guard import Decision, Source
from assent.contract.problems import Code
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import ANYONE, READING
from assent.contract.window import WindowText


class DataTable(StrEnum):
    """The tables that are served."""

    ACTIONS = "actions"
    DECISIONS = "decisions"
    APPROVALS = "approvals"
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
    EVENTS = "events"
    TOKEN_USAGE = "token_usage"  # noqa: S105 - the name of a table
    ROUTING_TASKS = "routing_tasks"
    SIGNING_KEYS = "signing_keys"


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


StatusWord = Annotated[str, Meta(max_length=64, pattern=r"^[A-Za-z_]+(?!\n)$")]
"""A status of any table. Each table has words of its own for it, so that the wire knows only what such a word is."""


class DataQuery(Query, frozen=True, kw_only=True):
    """Which rows and columns. `window` counts back from now by the table's own time (the dictionary names it);
    `format` wins over the header Accept; `columns` is a comma-separated list, all of them without it. The others are
    row filters, of which a table takes those that the dictionary names. A `status` that no row has gives no rows; that
    of actions and outcomes has to be one that an action can have."""

    window: WindowText = "30d"
    format: Annotated[str, Meta(max_length=20)] | None = None
    columns: Annotated[str, Meta(max_length=4000)] | None = None
    agent_id: ShortText | None = None
    action_type: ShortText | None = None
    source: Source | None = None
    status: StatusWord | None = None
    decision: Decision | None = None


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
