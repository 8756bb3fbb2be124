"""Whether the service lives, and whether it can do its work."""

from __future__ import annotations

from datetime import datetime

from assent.contract.endpoint import Endpoint
from assent.contract.record import Record
from assent.contract.roles import OPEN


class Health(Record, frozen=True, kw_only=True):
    status: str
    version: str
    time: datetime


class Check(Record, frozen=True, kw_only=True):
    """`status` is pass, warn or fail; `detail` says what to do. `code` is that of the problem which requests meet while
    the check fails, where there is one."""

    name: str
    status: str
    detail: str
    code: str | None = None


class Readiness(Record, frozen=True, kw_only=True):
    """`ready` is false when one check fails; the answer is then a 503 with the same body."""

    ready: bool
    checks: list[Check]
    time: datetime


HEALTH = Endpoint(
    operation="health",
    method="GET",
    path="/health",
    also=("/api/health",),
    summary="The process answers.",
    roles=OPEN,
    response=Health,
)
READY = Endpoint(
    operation="ready",
    method="GET",
    path="/ready",
    summary="The log can be written and the tables follow it.",
    roles=OPEN,
    response=Readiness,
    statuses=(200, 503),
)
