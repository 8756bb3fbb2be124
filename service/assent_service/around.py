"""The nouns around the governed loop, put together: each stands on the ledger and, where it must, on actions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from assent_service.actions import Actions
from assent_service.core.clock import Clock
from assent_service.core.locks import EntityLocks
from assent_service.core.route import Route
from assent_service.settings import Settings
from assent_service.store.ledger import Ledger, Memory
from assent_service.store.tables import Table

TABLES: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Foundation:
    """What every noun here may stand on."""

    settings: Settings
    ledger: Ledger
    clock: Clock
    locks: EntityLocks
    actions: Actions


@dataclass(frozen=True)
class Around:
    """`starts` run once the ledger is started, `stops` before it is closed, in reverse."""

    routes: tuple[Route, ...]
    memories: tuple[Memory, ...]
    starts: tuple[Callable[[], Awaitable[None]], ...]
    stops: tuple[Callable[[], Awaitable[None]], ...]


def build(on: Foundation) -> Around:
    """Every noun, its routes and what it keeps in memory."""
    routes: tuple[Route, ...] = ()
    memories: tuple[Memory, ...] = ()
    return Around(routes=routes, memories=memories, starts=(), stops=())
