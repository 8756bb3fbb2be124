"""Recording requests with keys that are not valid, in sums: one event for each minute and address at most.

The sums are of `core.failed_keys`, which bounds them. They are recorded in the service's first organization, whose
operators run it. What could not be written is written with the next minute; what a crash loses is at most a minute.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Annotated

import msgspec

from assent.contract.events import EventName
from assent.contract.record import OrganizationId, RecordedAt, meaning
from assent_service.base.clock import DAY, HOUR, Clock, moment, naive, new_id
from assent_service.core.failed_keys import FailedKeys, FailureSum
from assent_service.core.payload import encode
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

SYSTEM = "system"
SECONDS = 60.0

log = logging.getLogger("assent.keys")

_COUNTS = """
    SELECT coalesce(sum(failures), 0), coalesce(sum(refused) FILTER (WHERE last_at >= ?), 0),
           list(DISTINCT address), arg_max(address, failures)
    FROM auth_failures WHERE org_id = ? AND last_at >= ? AND created_at >= ?
"""


class AuthFailure(msgspec.Struct, frozen=True, kw_only=True):
    """The payload of `auth.failed` and a row of the table."""

    org_id: OrganizationId
    auth_failure_id: Annotated[str, meaning("id of the row", frozen=True)]
    address: Annotated[
        str, meaning("where they came from: an IPv4 address, an IPv6 network, or others, for those beyond 32 addresses")
    ]
    failures: Annotated[int, meaning("how many there were")]
    refused: Annotated[int, meaning("how many of them were too many, and answered 429")]
    first_at: Annotated[datetime, meaning("when the first one came")]
    last_at: Annotated[datetime, meaning("when the last one came")]
    created_at: RecordedAt


AUTH_FAILURES = Table.of(
    AuthFailure,
    name="auth_failures",
    meaning="requests with a key that is not valid, one row for each address and minute that had any; of the service's "
    "first organization, since such a key is nobody's",
    key="auth_failure_id",
    created=("auth.failed",),
)


class FailureCounts(msgspec.Struct, frozen=True):
    """Of the last 24 hours: how many failures from how many addresses, and `worst`, where most came from at once.
    `refused` is how many of the last hour were answered 429."""

    failures: int
    refused: int
    addresses: int
    worst: str | None


class AuthFailures:
    """`first` gives the id of the service's first organization."""

    def __init__(self, ledger: Ledger, clock: Clock, failed: FailedKeys, first: Callable[[], str | None]) -> None:
        self._ledger, self._clock, self._failed, self._first = ledger, clock, failed, first
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Record what is left. A ledger that cannot be written to must not keep the service from ending."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self._try()

    async def record(self) -> None:
        """Write the sums, and begin anew; raises what `Ledger.append` does, with the sums still there."""
        org_id, taken = self._first(), self._failed.take()
        if org_id is None or not taken:
            return
        now = self._clock()
        try:
            await self._ledger.append(*(_event(org_id, address, each, now) for address, each in taken.items()))
        except BaseException:
            self._failed.put_back(taken)
            raise

    async def counts(self, org_id: str, now: int) -> FailureCounts | None:
        """Recorded ones and those that are not yet; None for any organization but the first. Raises
        `projection_behind`."""
        if org_id != self._first():
            return None
        ((failures, refused, addresses, worst),) = await self._ledger.read(
            _COUNTS, [naive(now - HOUR), org_id, naive(now - DAY), naive(now - DAY)]
        )
        waiting = self._failed.sums()
        known = set(addresses) if isinstance(addresses, list) else set()
        newest = max(waiting, key=lambda address: waiting[address].failures, default=None)
        return FailureCounts(
            failures=int(str(failures)) + sum(each.failures for each in waiting.values()),
            refused=int(str(refused)) + sum(each.refused for each in waiting.values()),
            addresses=len(known | set(waiting)),
            worst=newest if worst is None else str(worst),
        )

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(SECONDS)
            await self._try()

    async def _try(self) -> None:
        try:
            await self.record()
        except Exception as error:  # noqa: BLE001 - whatever it is, the next minute tries again
            log.warning("failed keys could not be recorded: %s", error)


def _event(org_id: str, address: str, failed: FailureSum, now: int) -> Draft:
    failure = AuthFailure(
        org_id=org_id,
        auth_failure_id=new_id("auf_", now),
        address=address,
        failures=failed.failures,
        refused=failed.refused,
        first_at=moment(failed.first),
        last_at=moment(failed.last),
        created_at=moment(now),
    )
    return Draft(
        org=org_id,
        type=EventName.AUTH_FAILED.value,
        ts=now,
        subject=failure.auth_failure_id,
        actor=SYSTEM,
        data=encode(failure),
    )
