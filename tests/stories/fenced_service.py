"""The service, which writes down what each operation holds and records: lines of JSON into the file that FENCES names,
for what it declares (`holds`, `unfenced`, `effects`), and for every call of `EntityLocks.hold` and `Ledger.append` with
the fences held. What runs by itself is left out, and what goes on after an operation has answered.
"""

from __future__ import annotations

import itertools
import json
import os
import pathlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, FenceName, fence_of
from assent_service.core.route import Route
from assent_service.core.router import Router
from assent_service.serve import run
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger

FILE = "FENCES"


@dataclass
class Running:
    """A call of an operation."""

    operation: str
    number: int
    answered: bool = False


RUNNING: ContextVar[Running | None] = ContextVar("running", default=None)
HELD: ContextVar[tuple[FenceName, ...]] = ContextVar("held", default=())

_numbers = itertools.count(1)
_init, _hold, _append = Router.__init__, EntityLocks.hold, Ledger.append


def write(**members: Any) -> None:
    with pathlib.Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(members) + "\n")


def named(route: Route) -> Route:
    operation = route.endpoint.operation
    holds = [fence.name for fence in route.holds]
    write(operation=operation, holds=holds, unfenced=route.unfenced, effects=route.effects)

    async def handler(call: Call[Any, Any], **path: str) -> Any:
        running = Running(operation, next(_numbers))
        RUNNING.set(running)
        try:
            return await route.handler(call, **path)
        finally:
            running.answered = True

    # What is held is seen where tasks hold it, and the quick way of a route has none.
    return replace(route, handler=handler, at_once=None)


def named_routes(router: Router, routes: Iterable[Route], *rest: Any) -> None:
    _init(router, map(named, routes), *rest)


def happened(types: Iterable[str] = ()) -> None:
    running = RUNNING.get()
    if running is not None and not running.answered:
        held = [fence_of(name).name for name in HELD.get()]
        write(operation=running.operation, call=running.number, held=held, types=[*types])


@asynccontextmanager
async def hold(locks: EntityLocks, *names: FenceName) -> AsyncIterator[None]:
    async with _hold(locks, *names):
        token = HELD.set((*HELD.get(), *names))
        happened()
        try:
            yield
        finally:
            HELD.reset(token)


async def append(ledger: Ledger, *drafts: Draft) -> list[Event]:
    happened([draft.type for draft in drafts])
    return await _append(ledger, *drafts)


if __name__ == "__main__":
    with (
        patch.object(Router, "__init__", named_routes),
        patch.object(EntityLocks, "hold", hold),
        patch.object(Ledger, "append", append),
    ):
        run()
