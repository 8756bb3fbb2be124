"""The data of the page on prompt injections: the scans with their tables, and the text that a scan was of."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import msgspec
import polars as pl

from assent import Client, EventName
from assent.contract.control.injection import AllowedText, InjectionScans, RecordedScan, ScanRecommendation, SubjectKind
from assent.contract.record import Record
from assent.errors import Forbidden, InvalidRequest, NotFound
from assent_dashboard.views.addresses import InjectionAddress
from assent_dashboard.views.export import Tables

PAGE, MOST = 200, 1000
"""Rows of one request, and of all: the newest are counted and listed."""
EVENTS = frozenset({EventName.INJECTION_FOUND, EventName.ALLOWED_TEXT_CREATED, EventName.ALLOWED_TEXT_UPDATED})
Columns = dict[str, pl.DataType | type[pl.DataType]]
SCAN_COLUMNS: Columns = {
    "scan_id": pl.String,
    "created_at": pl.Datetime("us", "UTC"),
    "subject_kind": pl.String,
    "subject_id": pl.String,
    "action_id": pl.String,
    "agent_id": pl.String,
    "field": pl.String,
    "source": pl.String,
    "text_digest": pl.String,
    "length": pl.Int64,
    "recommendation": pl.String,
    "risk_level": pl.String,
    "score": pl.Float64,
    "allowed": pl.Boolean,
    "unread": pl.Boolean,
    "version": pl.String,
    "findings_count": pl.Int64,
    "critical_count": pl.Int64,
    "categories": pl.List(pl.String),
}
FINDING_COLUMNS: Columns = {
    "scan_id": pl.String,
    "pattern": pl.String,
    "category": pl.String,
    "severity": pl.String,
    "says": pl.String,
    "matched": pl.String,
    "position": pl.Int64,
    "end": pl.Int64,
    "via": pl.List(pl.String),
    "weight": pl.Float64,
}
ALLOWED_COLUMNS: Columns = {
    "text_digest": pl.String,
    "reason": pl.String,
    "allowed_by": pl.String,
    "created_at": pl.Datetime("us", "UTC"),
}


@dataclass(frozen=True)
class InjectionData:
    """`scans` are the newest, `total` counts all that the service has; `texts` are those of an open subject, by
    `scan_id`, as far as they can be had."""

    scans: list[RecordedScan]
    total: int
    texts: dict[str, str]


def load(client: Client, address: InjectionAddress) -> InjectionData:
    if address.subject_id is not None:
        listed = client.get_injection_scans(subject_id=address.subject_id, limit=PAGE)
        texts = {scan.scan_id: text for scan in listed.scans if (text := text_of(client, scan)) is not None}
        return InjectionData(listed.scans, listed.total, texts)
    scans: list[RecordedScan] = []
    cursor: str | None = None
    while True:
        page = _page(client, address, cursor)
        scans += page.scans
        cursor = page.next_cursor
        if cursor is None or len(scans) >= MOST:
            return InjectionData(scans, page.total, {})


def of_category(found: InjectionData, category: str | None) -> list[RecordedScan]:
    return found.scans if category is None else [scan for scan in found.scans if category in scan.categories]


def by_day(scans: list[RecordedScan]) -> pl.DataFrame:
    """`day`, and a column for each recommendation with how many texts of that day have it."""
    counts: dict[date, dict[str, int]] = {}
    for scan in scans:
        day = counts.setdefault(scan.created_at.date(), dict.fromkeys(ScanRecommendation, 0))
        day[scan.recommendation] += 1
    schema = {"day": pl.Date} | {each.value: pl.Int64 for each in ScanRecommendation}
    return pl.DataFrame([{"day": day, **counts[day]} for day in sorted(counts)], schema=schema)


def by_category(scans: list[RecordedScan]) -> pl.DataFrame:
    """`category`, `recommendation` and `texts`: a text with findings of two categories counts in both."""
    counts: dict[tuple[str, str], int] = {}
    for scan in scans:
        for category in scan.categories:
            key = category, scan.recommendation.value
            counts[key] = counts.get(key, 0) + 1
    rows = [(category, recommendation, many) for (category, recommendation), many in sorted(counts.items())]
    schema = {"category": pl.String, "recommendation": pl.String, "texts": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def tables(found: InjectionData) -> Tables:
    scans = [msgspec.structs.asdict(scan) for scan in found.scans]
    findings = [
        {"scan_id": scan.scan_id, **msgspec.structs.asdict(finding)}
        for scan in found.scans
        for finding in scan.findings
    ]
    return {"injection_scans": _frame(scans, SCAN_COLUMNS), "injection_findings": _frame(findings, FINDING_COLUMNS)}


def allowed_table(texts: list[AllowedText]) -> pl.DataFrame:
    rows = [msgspec.structs.asdict(each) for each in texts]
    return _frame(rows, ALLOWED_COLUMNS)


def _frame(rows: list[dict[str, Any]], columns: Columns) -> pl.DataFrame:
    kept = [{name: _plain(row[name]) for name in columns} for row in rows]
    return pl.DataFrame(kept, schema=columns)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else value


def _page(client: Client, address: InjectionAddress, cursor: str | None) -> InjectionScans:
    return client.get_injection_scans(
        agent_id=address.agent_id,
        subject_kind=address.kind,
        recommendation=address.recommendation,
        days=address.days,
        limit=PAGE,
        cursor=cursor,
    )


# The text in which something was found, out of the record that it belongs to.
#
# A scan keeps no text. The record may hold another text than the scanned one: secrets are taken out before it is kept,
# and it may have been erased. So a text counts only if its digest is the scan's.


MOST_DECISIONS = 200
"""Handoffs of an agent that are looked through."""
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_\-]*)|\[([0-9]+)\]")
_NAME = re.compile(r"name ([0-9]+) of (.+)", re.DOTALL)


def text_of(client: Client, scan: RecordedScan) -> str | None:
    """The very text that was scanned; None where it is not to be had, or not for this key."""
    try:
        found = _at(_record(client, scan), scan.field)
    except (NotFound, InvalidRequest, Forbidden):
        return None
    return found if isinstance(found, str) and digest_of(found) == scan.text_digest else None


def digest_of(text: str) -> str:
    """As the service has it; a text that cannot be UTF-8 has none that anything equals."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _record(client: Client, scan: RecordedScan) -> dict[str, Any]:
    """The members of the subject."""
    match scan.subject_kind:
        case SubjectKind.MESSAGE:
            return _members(client.get_message(scan.subject_id).message)
        case SubjectKind.ASSUMPTION:
            return _members(client.get_assumption(scan.subject_id).assumption)
        case SubjectKind.HANDOFF:
            listed = client.get_handoffs(agent_id=scan.agent_id, limit=MOST_DECISIONS).handoffs
            found = next((each for each in listed if each.handoff_id == scan.subject_id), None)
            return {} if found is None else _members(found)
        case SubjectKind.GUARD_DECISION:
            return _context(client, scan)
        case SubjectKind.SCAN:
            return {}


def _members(record: Record) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.to_builtins(record)
    return found


def _context(client: Client, scan: RecordedScan) -> dict[str, Any]:
    """What guard was asked; only the days around it and the agent are read."""
    day = scan.created_at.date()
    frame = client.frame(
        "decisions",
        since=day - timedelta(days=1),
        until=day + timedelta(days=1),
        agent_id=scan.agent_id,
        columns=["decision_id", "context"],
    )
    for decision_id, context in frame.iter_rows():
        if decision_id == scan.subject_id and context:
            found = msgspec.json.decode(context)
            return found if isinstance(found, dict) else {}
    return {}


def _at(record: dict[str, Any], place: str) -> object:
    """What stands at a place such as `metadata.notes[0]`; None where nothing does."""
    named = _NAME.fullmatch(place)
    if named is not None:
        inside = _at(record, named[2])
        names = list(inside) if isinstance(inside, dict) else []
        return names[int(named[1])] if int(named[1]) < len(names) else None
    found: object = record
    for member, index in _STEP.findall("." + place):
        if isinstance(found, dict):
            values = list(found.values())
            found = found.get(member) if member else values[int(index)] if int(index) < len(values) else None
        elif isinstance(found, list) and index and int(index) < len(found):
            found = found[int(index)]
        else:
            return None
    return found
