"""One answer: checked, compared with what the caller has already, and begun.

The tag of an answer names everything that it depends on: the organization, the table, columns, rows and format asked
for, the program that writes it, how many events the organization has recorded, and the first moment that any of its
rows has. The count is taken before the tables are read, so an answer is never older than its tag; when it is newer,
the next question finds a higher count and gets the table anew. A tag is weak: two answers of the same rows may be cut
into batches differently.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import NamedTuple

import msgspec

from assent.contract.analysis.data import (
    GET_DATA_DICTIONARY,
    GET_TABLE,
    GET_TABLE_DAYS,
    DataDictionary,
    DataFormat,
    DataQuery,
    TableDays,
    TableDaysQuery,
)
from assent_service.analysis.data.choice import DataSelection, choose, state_of
from assent_service.analysis.data.datasets import dictionary
from assent_service.analysis.data.days import DailyTables
from assent_service.analysis.data.exports import PATIENCE, Exports
from assent_service.base.clock import Clock, moment
from assent_service.core.call import Call
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.stream import ByteStream
from assent_service.store.ledger import Ledger

LAYOUT = "1"
"""Of what is served; raised when the same rows come to look otherwise."""
EXTENSIONS: dict[DataFormat, str] = {
    DataFormat.ARROW: "arrows",
    DataFormat.PARQUET: "parquet",
    DataFormat.NDJSON: "ndjson",
    DataFormat.CSV: "csv",
}

Headers = tuple[tuple[bytes, bytes], ...]


class Wanted(NamedTuple):
    """What the headers of a request say."""

    accept: str | None
    if_none_match: str | None


class Data:
    """Answers with tables. `patience` is in seconds, for readers that stop reading."""

    def __init__(self, ledger: Ledger, clock: Clock, *, patience: float = PATIENCE) -> None:
        self._ledger, self._clock = ledger, clock
        self.exports = Exports(ledger, patience=patience)
        self._program = f"{version('assent')}/{LAYOUT}"
        self.days = DailyTables(ledger, clock, self._program)

    async def table(self, principal: Principal, name: str, query: DataQuery, wanted: Wanted) -> ByteStream:
        """The answer, or 304 when the caller has it. Raises as `choose` and `Exports.open` do."""
        now = self._clock()
        choice = choose(principal, name, query, wanted.accept, now)
        count = self._ledger.count(principal.org_id)
        ((first, simulated),) = await self._ledger.read(state_of(choice), choice.rows.parameters)
        tag = entity_tag(self._program, principal.org_id, choice, count, first)
        headers: Headers = (
            (b"etag", tag.encode()),
            (b"cache-control", b"private, no-cache"),
            (b"vary", b"accept, x-api-key"),
        )
        if matches(wanted.if_none_match, tag):
            return _unchanged(headers)
        name = file_name(choice, moment(now))
        headers += ((b"content-disposition", f'attachment; filename="{name}"'.encode()),)
        return await self.exports.open(choice, self._facts(choice, simulated), headers)

    def _facts(self, choice: DataSelection, simulated: object) -> dict[str, str]:
        facts = {
            "assent.table": choice.dataset.name.value,
            "assent.window": choice.window,
            "assent.version": self._program,
        }
        if simulated is not None:
            facts["assent.simulated"] = "yes" if simulated else "no"
        return facts


def entity_tag(program: str, org_id: str, choice: DataSelection, count: int, first: object) -> str:
    """A weak entity tag (RFC 9110, 8.8.3)."""
    columns = [column.name for column in choice.columns]
    # The start of the window moves with every question; what it leaves out shows in `first`.
    where = [str(each) for each in choice.rows.parameters if not isinstance(each, datetime)]
    form = f"{choice.format.value} {choice.spreadsheet}"
    asked = [choice.dataset.name.value, form, choice.window, choice.rows.where, where, columns]
    state = [program, org_id, count, str(first)]
    return f'W/"{hashlib.sha256(msgspec.json.encode([asked, state])).hexdigest()[:32]}"'


def matches(if_none_match: str | None, tag: str) -> bool:
    """Whether the caller has this one already (RFC 9110, 13.1.2: compared weakly)."""
    given = [each.strip().removeprefix("W/") for each in (if_none_match or "").split(",")]
    return "*" in given or tag.removeprefix("W/") in given


def file_name(choice: DataSelection, now: datetime) -> str:
    at = now.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"assent-{choice.dataset.name}-{choice.window}-{at}.{EXTENSIONS[choice.format]}"


def _unchanged(headers: Headers) -> ByteStream:
    async def nothing() -> AsyncGenerator[bytes, None]:
        return
        yield

    return ByteStream(
        chunks=nothing(),
        stop=lambda: None,
        stopped=asyncio.Event(),
        headers=headers,
        patience=PATIENCE,
        status=304,
    )


def routes(data: Data) -> tuple[Route, ...]:
    @serves(GET_DATA_DICTIONARY)
    async def get_dictionary(call: Call[None, None]) -> DataDictionary:
        return dictionary()

    @serves(GET_TABLE)
    async def get_table(call: Call[None, DataQuery], table: str) -> ByteStream:
        wanted = Wanted(call.header("accept"), call.header("if-none-match"))
        return await data.table(call.principal, table, call.query, wanted)

    @serves(GET_TABLE_DAYS)
    async def get_table_days(call: Call[None, TableDaysQuery], table: str) -> TableDays:
        return await data.days.of(call.principal, table, call.query)

    return get_dictionary, get_table, get_table_days
