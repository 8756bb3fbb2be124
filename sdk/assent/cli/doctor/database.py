"""The database that holds the log, as `assent_service` finds it."""

from __future__ import annotations

from assent.cli.doctor.finding import CheckResult, ResultStatus
from assent.cli.serve import extra_module
from assent.cli.text import clean

EXTRAS = "service,postgresql"


def check_database(dsn: str) -> list[CheckResult]:
    """Every finding. Raises MissingExtra without the driver."""
    module = extra_module("assent_service.store.postgresql.examination", "`assent doctor --log`", EXTRAS)
    return [
        CheckResult(
            name=each.name,
            status=ResultStatus(each.status),
            detail=clean(each.detail),
            todo=None if each.todo is None else clean(each.todo),
        )
        for each in module.examine(dsn)
    ]
