"""What every noun stands on, and what the nouns bring as they are opened.

    on = Foundation(settings=settings, ledger=ledger, clock=clock, memory=budget)
    actions = open_actions(on, ...)     # makes the object, and brings its routes, memory and background work
    loops = open_loops(on, actions)
    ledger.remember(on.memories)        # folded from the tables, then kept by the events
    await on.start()                    # background work, in the order in which it was brought
    await on.stop()                     # in reverse

A noun takes the nouns it needs as arguments, so the order of opening is the order in which they stand on each other.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

from assent.contract.health import Check
from assent_service.base.clock import Clock
from assent_service.base.memory import MemoryBudget
from assent_service.base.pace import Pace
from assent_service.core.locks import EntityLocks
from assent_service.core.route import Route
from assent_service.core.settings import Settings
from assent_service.store.ledger import Ledger, Memory

Work = Callable[[], Awaitable[None] | None]
Inspect = Callable[[], Check]
"""A check of readiness, quick and without waiting."""


@dataclass
class Foundation:
    """Opened once for each service. `organizations` gives the ids of all, the one that the service started with first;
    the noun of that name says where from."""

    settings: Settings
    ledger: Ledger
    clock: Clock
    memory: MemoryBudget
    locks: EntityLocks = field(init=False)
    organizations: Callable[[], Sequence[str]] = tuple
    routes: list[Route] = field(default_factory=list[Route])
    memories: list[Memory] = field(default_factory=list[Memory])
    inspections: list[Inspect] = field(default_factory=list[Inspect])
    _work: list[tuple[Work | None, Work | None]] = field(default_factory=list[tuple[Work | None, Work | None]])

    def __post_init__(self) -> None:
        self.locks = EntityLocks(lambda: self.ledger.head)

    @cached_property
    def home(self) -> Path:
        """The data folder."""
        return Path(self.settings.home)

    @cached_property
    def pace(self) -> Callable[[Callable[[], int]], Pace]:
        """How background work gives way, for one that counts events in its own way."""
        return partial(Pace, lag=self.ledger.lag.seconds)

    @cached_property
    def shy_pace(self) -> Callable[[Callable[[], int]], Pace]:
        """The same for work for which nobody waits."""
        return partial(Pace, lag=self.ledger.lag.seconds, shy=True)

    def all_organizations(self) -> Sequence[str]:
        """As they are when it is called, for who is opened before them."""
        return self.organizations()

    def first_organization(self) -> str | None:
        return next(iter(self.organizations()), None)

    def bring(
        self,
        *,
        routes: Iterable[Route] = (),
        memory: Memory | None = None,
        start: Work | None = None,
        stop: Work | None = None,
        inspect: Inspect | None = None,
    ) -> None:
        """What a noun adds to the service. `start` runs once the ledger has, `stop` before it is closed."""
        self.routes += routes
        if memory is not None:
            self.memories.append(memory)
        if inspect is not None:
            self.inspections.append(inspect)
        if start is not None or stop is not None:
            self._work.append((start, stop))

    async def start(self) -> None:
        for start, _ in self._work:
            await _done(start)

    async def stop(self) -> None:
        for _, stop in reversed(self._work):
            await _done(stop)


async def _done(work: Work | None) -> None:
    ends = work() if work is not None else None
    if inspect.isawaitable(ends):
        await ends
