"""Leases: who works, so that not all of the services on one log do.

A lease may be held twice for a moment; what is recorded under it is decided by fences, as everything is.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final, NamedTuple, Protocol

from assent_service.store.failures import LogError

LEASE_SECONDS: Final = 10.0
KINDS: Final = ("approvals", "compliance", "heads", "pairings", "prune", "run", "webhooks")
"""What is done under leases. The name of one is its kind, or begins with it and a colon."""

log = logging.getLogger("assent.replica")


class Lease(NamedTuple):
    """Who holds it, and for how many seconds more. It saves work and never proves anything: fences do."""

    granted: bool
    holder: str
    seconds: float


class Leases(Protocol):
    """Blocks, may be called from any thread, and raises LogAway while the database is away."""

    def lease(self, name: str, holder: str, seconds: float) -> Lease:
        """Take or renew it for so many seconds."""
        ...

    def left(self, name: str) -> float | None:
        """Seconds until it runs out, 0 or less where it has, None where nobody has one."""
        ...


def kind_of(name: str) -> str:
    return name.partition(":")[0]


class Turn:
    """Whether it is this service's turn to do a piece of background work. Alone it always is. `lost` says whether
    another one has taken it since it was this one's."""

    def __init__(self, name: str, leases: Leases | None, holder: str) -> None:
        if kind_of(name) not in KINDS:
            raise ValueError(f"{name!r} is of no kind of lease that is known")
        self._name, self._leases, self._holder = name, leases, holder
        self._ours, self._asks_again = False, 0.0
        self._had = self.lost = False

    async def is_ours(self) -> bool:
        """Takes the lease, or renews it, for LEASE_SECONDS; nobody's turn while the database is away."""
        if self._leases is None or (self._ours and time.monotonic() < self._asks_again):
            return True
        asked = time.monotonic()
        try:
            lease = await asyncio.to_thread(self._leases.lease, self._name, self._holder, LEASE_SECONDS)
        except LogError as error:
            log.debug("nobody can be asked whose turn %s is: %s", self._name, error)
            self._ours = False
        else:
            self._ours, self._asks_again = lease.granted, asked + LEASE_SECONDS / 3
            self._had |= lease.granted
            self.lost |= self._had and not lease.granted
        return self._ours

    async def left(self) -> float | None:
        """Seconds until it runs out, 0 or less where it has, None where nobody has one. Raises LogError."""
        return None if self._leases is None else await asyncio.to_thread(self._leases.left, self._name)

    async def keep(self) -> None:
        """Renew it until cancelled, for work that goes on for longer."""
        while True:
            await self.is_ours()
            await asyncio.sleep(LEASE_SECONDS / 3)
