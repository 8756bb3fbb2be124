"""The jumps of the machine's clock: looked for, recorded, and told.

`SteadyClock` keeps time going; here is what is made of what it has seen. A jump that has ended, taken back or believed,
is recorded in every organization, since each one's times may be off by it. For a day it is a warning in `/ready`, and
so in the workspace's readiness and in `assent doctor`. When time was turned back, windows that count what happened
lately are turned back with it: what seems still to come would hold agents up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Annotated

from msgspec import Struct

from assent.contract.events import EventName
from assent.contract.health import Check
from assent.contract.record import OrganizationId, RecordedAt, meaning
from assent_service.base.clock import DAY, SECOND, Clock, Jump, SteadyClock, elapsed, moment, new_id
from assent_service.core.payload import encode
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

LOOK_SECONDS = 1.0
TOLD = DAY
SYSTEM = "system"

log = logging.getLogger("assent.clock")


class ClockJump(Struct, frozen=True, kw_only=True):
    """The payload of `clock.jumped`."""

    org_id: OrganizationId
    jump_id: Annotated[str, meaning("id of the jump", frozen=True)]
    seconds: Annotated[float, meaning("how far the clock jumped; negative: back", unit="seconds")]
    lasted_seconds: Annotated[float, meaning("how long until it was taken back or believed", unit="seconds")]
    believed: Annotated[bool, meaning("whether the service's time followed it; what was taken back changed nothing")]
    occurred_at: Annotated[datetime, meaning("when it ended, by the service's time until then")]
    created_at: RecordedAt


CLOCK_JUMPS = Table.of(
    ClockJump,
    name="clock_jumps",
    meaning="jumps of the machine's clock by more than a minute, believed or taken back",
    key="jump_id",
    created=(EventName.CLOCK_JUMPED.value,),
)


class ClockWatch:
    """`steady` is the service's clock where it can jump. `turned_back(microseconds)` is called after time was."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        steady: SteadyClock | None,
        organizations: Callable[[], Iterable[str]],
        turned_back: Callable[[int], object],
    ) -> None:
        self._ledger, self._clock, self._steady = ledger, clock, steady
        self._organizations, self._turned_back = organizations, turned_back
        self._newest: tuple[Jump, int] | None = None
        self._unrecorded: list[Jump] = []
        self._task: asyncio.Task[None] | None = None

    def inspect(self) -> Check:
        """What is known of jumps, for the readiness."""
        suspected = None if self._steady is None else self._steady.suspected
        if suspected is not None:
            return _warning(
                f"The machine's clock has just jumped {_way(suspected)}. Time goes on as it passes; if the clock "
                "stays so for a minute, it is believed. Look at what sets it (NTP)."
            )
        if self._newest is None or elapsed() - self._newest[1] > TOLD:
            return Check(name="clock_jumps", status="pass", detail="The machine's clock has not jumped lately.")
        jump = self._newest[0]
        ended = (
            "and stayed so: what was recorded since carries the new time"
            if jump.believed
            else f"and was taken back after {jump.lasted:.0f} s: nothing expired by it"
        )
        return _warning(
            f"The machine's clock jumped {_way(jump.seconds)} at {moment(jump.at):%Y-%m-%d %H:%M:%S} UTC {ended}. "
            "Look at what sets it (NTP)."
        )

    async def start(self) -> None:
        self._task = asyncio.create_task(self._look())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def look(self) -> None:
        """Take in the jumps that have ended, and record them. What cannot be recorded now is tried at the next look."""
        if self._steady is None:
            return
        self._steady()
        for jump in self._steady.take_jumps():
            log.warning(
                "the machine's clock jumped %s, %s", _way(jump.seconds), "believed" if jump.believed else "taken back"
            )
            self._newest = (jump, elapsed())
            self._unrecorded.append(jump)
            if jump.believed and jump.seconds < 0:
                self._turned_back(round(-jump.seconds * SECOND))
        while self._unrecorded:
            drafts = [self._draft(org_id, self._unrecorded[0]) for org_id in self._organizations()]
            if drafts:
                await self._ledger.append(*drafts)
            self._unrecorded.pop(0)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next look tries again
                log.warning("a jump of the clock could not be recorded: %s", error)

    def _draft(self, org_id: str, jump: Jump) -> Draft:
        now = self._clock()
        recorded = ClockJump(
            org_id=org_id,
            jump_id=new_id("jump_", now),
            seconds=jump.seconds,
            lasted_seconds=jump.lasted,
            believed=jump.believed,
            occurred_at=moment(jump.at),
            created_at=moment(now),
        )
        return Draft(
            org=org_id,
            type=EventName.CLOCK_JUMPED.value,
            ts=now,
            subject=recorded.jump_id,
            actor=SYSTEM,
            data=encode(recorded),
        )


def _way(seconds: float) -> str:
    return f"{abs(seconds):.0f} s {'ahead' if seconds > 0 else 'back'}"


def _warning(detail: str) -> Check:
    return Check(name="clock_jumps", status="warn", detail=detail)
