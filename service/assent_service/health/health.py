"""The health of the service: the state of the log, the tables and the disk, taken when somebody asks."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from assent.contract.health import HEALTH, READY, Check, Health, Readiness
from assent_service.base.clock import Clock, moment
from assent_service.base.release import release
from assent_service.base.trail import Behind
from assent_service.core.call import Answer, Call
from assent_service.core.foundation import Inspect
from assent_service.core.route import Route, serves
from assent_service.store.ledger import Ledger
from assent_service.store.log import Status

# What is looked at, and what is made of it.
#
# - log: fails when it is read-only, and while writes are refused for want of room; nothing can be governed then.
# - tables: fail while something keeps them from following the log. That they are some events behind is their nature.
# - disk: warns when less than 5 % of it is free, fails under 1 %.


WARN_FREE = 0.05
FAIL_FREE = 0.01
ROOM = 1_000_000


def check_log(status: Status, room: int) -> Check:
    """`room` is what is free where the log is, in bytes. A refused write is over once there is room again: whether the
    next one succeeds is known when it comes, and it may not come while nobody is told that the service is ready."""
    if status.state == "healthy":
        return _check("log", "pass", "Writes are taken.")
    if status.state == "refusing":
        verdict = "warn" if room >= ROOM else "fail"
        return _check("log", verdict, f"The last write was refused: {status.reason}. The next one is tried again.")
    return _check("log", "fail", f"Read-only: {status.reason}. Check the disk, then restart the service.")


def check_tables(trouble: str | None, behind: Behind) -> Check:
    """How far they are behind is all that is told: everybody may ask, and where the log stands counts what all
    organizations record."""
    if trouble is None:
        return _check("tables", "pass", f"They follow the log ({behind}).")
    return _check(
        "tables",
        "fail",
        f"They stopped {behind.events} events behind the log: {trouble}. Free space in the data folder; they catch up "
        "then.",
    )


def check_disk(free: int, total: int) -> Check:
    """`free` is what the service may still use of `total`, in bytes."""
    share = free / total if total else 0.0
    said = f"{share:.1%} of the data folder's disk is free ({free // 1_000_000} MB)."
    if share < FAIL_FREE:
        return _check("disk", "fail", f"{said} Free some: writes will soon be refused.")
    if share < WARN_FREE:
        return _check("disk", "warn", f"{said} Free some before it is full.")
    return _check("disk", "pass", said)


def _check(name: str, status: str, detail: str) -> Check:
    return Check(name=name, status=status, detail=detail)


class Vitals:
    """`home` is the data folder; `extra` are checks of others, called anew each time."""

    def __init__(self, ledger: Ledger, home: Path, clock: Clock, extra: Sequence[Inspect] = ()) -> None:
        self._ledger, self._home, self._clock, self._extra = ledger, home, clock, tuple(extra)

    def health(self) -> Health:
        return Health(status="ok", version=release(), time=moment(self._clock()))

    async def readiness(self) -> Readiness:
        disk, room = await asyncio.gather(asyncio.to_thread(self._disk), asyncio.to_thread(self._room))
        ledger = self._ledger
        checks = [
            check_log(ledger.log.status, room),
            check_tables(ledger.behind, ledger.tables_behind),
            disk,
            *(inspect() for inspect in self._extra),
        ]
        ready = all(check.status != "fail" for check in checks)
        return Readiness(ready=ready, checks=[self._discreet(check) for check in checks], time=moment(self._clock()))

    def _discreet(self, check: Check) -> Check:
        """Anybody may ask without a key, and errors of the disk like to name the place where the data is. A relative
        one tells nothing, and may be no more than a dot."""
        detail = check.detail.replace(str(self._home.absolute()), "(data folder)")
        return msgspec.structs.replace(check, detail=detail)

    def _room(self) -> int:
        try:
            return shutil.disk_usage(self._home / "log").free
        except OSError:
            return 0

    def _disk(self) -> Check:
        try:
            usage = shutil.disk_usage(self._home)
        except OSError as error:
            return Check(name="disk", status="fail", detail=f"The data folder cannot be looked at: {error.strerror}.")
        return check_disk(usage.free, usage.total)


def routes(vitals: Vitals) -> tuple[Route, ...]:
    @serves(HEALTH)
    async def health(call: Call[None, None]) -> Health:
        return vitals.health()

    @serves(READY)
    async def ready(call: Call[None, None]) -> Answer[Readiness]:
        readiness = await vitals.readiness()
        return Answer(readiness, 200 if readiness.ready else 503)

    return health, ready
