"""What the page asks the service for, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import msgspec
import polars as pl

from assent import Client, EventName
from assent.contract.injection import AllowedText, InjectionScans, RecordedScan, ScanRecommendation
from assent_dashboard.views.export import Tables
from assent_dashboard.views.injection.asked import Asked
from assent_dashboard.views.injection.subject import text_of
from assent_dashboard.views.scope import Scope

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
class Found:
    """`scans` are the newest, `total` counts all that the service has; `texts` are those of an open subject, by
    `scan_id`, as far as they can be had."""

    scans: list[RecordedScan]
    total: int
    texts: dict[str, str]


def load(client: Client, scope: Scope, asked: Asked) -> Found:
    if asked.subject_id is not None:
        listed = client.get_injection_scans(subject_id=asked.subject_id, limit=PAGE)
        texts = {scan.scan_id: text for scan in listed.scans if (text := text_of(client, scan)) is not None}
        return Found(listed.scans, listed.total, texts)
    scans: list[RecordedScan] = []
    cursor: str | None = None
    while True:
        page = _page(client, scope, asked, cursor)
        scans += page.scans
        cursor = page.next_cursor
        if cursor is None or len(scans) >= MOST:
            return Found(scans, page.total, {})


def of_category(found: Found, category: str | None) -> list[RecordedScan]:
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


def tables(found: Found) -> Tables:
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


def _page(client: Client, scope: Scope, asked: Asked, cursor: str | None) -> InjectionScans:
    return client.get_injection_scans(
        agent_id=scope.agent_id,
        subject_kind=asked.kind,
        recommendation=asked.recommendation,
        days=scope.days,
        limit=PAGE,
        cursor=cursor,
    )
