"""Comparing all tables with the log: folding it anew beside them, and looking for any row that is not the same.

A data folder that nobody uses is needed, since the tables can be open only once.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from assent.contract.evidence.proofs import CheckStatus
from assent_service.app import TABLES
from assent_service.rebuild import fold, remove
from assent_service.store.audit import Audit, AuditCheck
from assent_service.store.comparison import TablesReport, TablesUnreadable, applied_in, compare_all
from assent_service.store.folder_version import CURRENT, check_version
from assent_service.store.lock import FolderLock
from assent_service.store.recovery import recover


def extend(audit: Audit, home: Path, progress: Callable[[int, int], None] = lambda _done, _total: None) -> Audit:
    """`audit` with the check `tables`. Raises as `run` does."""
    found = check(run(home, progress))
    return msgspec.structs.replace(
        audit, ok=audit.ok and found.status is not CheckStatus.FAIL, checks=[*audit.checks, found]
    )


def check(report: TablesReport) -> AuditCheck:
    """What came out, in words."""
    if report.ok:
        detail = f"Every row of every table is what folding the {report.events} events anew gives."
        if not report.behind:
            return AuditCheck("tables", CheckStatus.PASS, detail)
        # That is where a crash leaves them: what they hold is right, and the rest is in the log.
        behind = f"They are behind the log by {report.behind} events: start the service once, and it applies them."
        return AuditCheck("tables", CheckStatus.WARN, f"{detail} {behind}")
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
        if (version := check_version(home)) != CURRENT:
            why = f"the data folder is of version {version}; start the service once, which upgrades it to {CURRENT}"
            return TablesReport(events=0, unread=why, differences=[])
        try:
            applied = applied_in(target)
            head = recover(home / "log", 0).head
            if applied > head:
                why = f"they hold {applied} events and the log has {head}: part of the log is gone, or it is another's"
                return TablesReport(events=head, unread=why, differences=[])
            events = fold(fresh, home / "log", progress, up_to=applied)
            found = compare_all(fresh, target, TABLES)
            return TablesReport(events=events, behind=head - applied, unread=None, differences=found)
        except TablesUnreadable as error:
            return TablesReport(events=0, unread=str(error), differences=[])
        finally:
            remove(fresh)
