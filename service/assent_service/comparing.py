"""Comparing all tables with the log: folding it anew beside them, and looking for any row that is not the same.

A data folder that nobody uses is needed, since the tables can be open only once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from assent.contract.proofs import CheckStatus
from assent_service.app import TABLES
from assent_service.rebuild import fold, remove
from assent_service.store.audit import Audit, AuditCheck
from assent_service.store.lock import FolderLock
from assent_service.store.side_by_side import TablesReport, compare_all


def extend(audit: Audit, home: Path, progress: Callable[[int, int], None] = lambda _done, _total: None) -> Audit:
    """`audit` with the check `tables`. Raises as `run` does."""
    found = check(run(home, progress))
    return msgspec.structs.replace(
        audit, ok=audit.ok and found.status is CheckStatus.PASS, checks=[*audit.checks, found]
    )


def check(report: TablesReport) -> AuditCheck:
    """What came out, in words."""
    if report.ok:
        detail = f"Every row of every table is what folding the {report.events} events anew gives."
        return AuditCheck("tables", CheckStatus.PASS, detail)
    if report.unread is not None:
        return AuditCheck("tables", CheckStatus.FAIL, f"The tables were not compared: {report.unread}.")
    named = "; ".join(
        f"{each.table}: {each.wrong} rows that the log does not give, {each.missing} that it gives are missing "
        f"({', '.join(each.keys)}{', ...' if max(each.wrong, each.missing) > len(each.keys) else ''})"
        for each in report.differences
    )
    return AuditCheck("tables", CheckStatus.FAIL, f"{named}. `assent rebuild` makes the tables anew from the log.")


def run(home: Path, progress: Callable[[int, int], None] = lambda _done, _total: None) -> TablesReport:
    """Compare the tables of a data folder that no service is using; `progress` gets events done and in all.

    Raises `FolderOwned`, and `LogDamaged`, also when there is no log.
    """
    target, fresh = home / "tables.duckdb", home / "tables.compare.duckdb"
    with FolderLock.take(home):
        remove(fresh)
        try:
            events = fold(fresh, home / "log", progress)
            return compare_all(fresh, target, TABLES, events)
        finally:
            remove(fresh)
