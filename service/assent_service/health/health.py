"""The service's state, taken when somebody asks."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from assent.contract.health import Check, Health, Readiness
from assent_service.core.clock import Clock, moment
from assent_service.health.checks import check_disk, check_log, check_tables
from assent_service.store.ledger import Ledger

Inspect = Callable[[], Check]
"""A further check, quick and without waiting."""


class Vitals:
    """`home` is the data folder; `extra` are checks of others, called anew each time."""

    def __init__(self, ledger: Ledger, home: Path, clock: Clock, extra: Sequence[Inspect] = ()) -> None:
        self._ledger, self._home, self._clock, self._extra = ledger, home, clock, tuple(extra)
        self._version = version("assent")

    def health(self) -> Health:
        return Health(status="ok", version=self._version, time=moment(self._clock()))

    async def readiness(self) -> Readiness:
        disk, room = await asyncio.gather(asyncio.to_thread(self._disk), asyncio.to_thread(self._room))
        ledger = self._ledger
        checks = [
            check_log(ledger.log.status, room),
            check_tables(ledger.behind, ledger.applied, ledger.head),
            disk,
            *(inspect() for inspect in self._extra),
        ]
        ready = all(check.status != "fail" for check in checks)
        return Readiness(ready=ready, checks=[self._discreet(check) for check in checks], time=moment(self._clock()))

    def _discreet(self, check: Check) -> Check:
        """Anybody may ask without a key, and errors of the disk like to name the place where the data is. A relative
        one tells nothing, and may be no more than a dot."""
        detail = check.detail.replace(str(self._home.absolute()), "(data folder)")
        return Check(name=check.name, status=check.status, detail=detail)

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
