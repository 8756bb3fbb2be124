"""The service, which writes down what each operation holds and records: lines of JSON into the file that FENCES names,
for what it declares (`holds`, `unfenced`, `effects`), for every call of `EntityLocks.hold`, and of `Ledger.append` that
records, with the fences held, and what the log was told that it rests on and moves. What runs by itself is left out,
and what goes on after an operation has answered. With OVERTAKEN=1 whatever is recorded is overtaken once
(`tests.contested`).
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import pathlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from unittest.mock import patch

from assent_service import serve
from assent_service.app import build
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, FenceName
from assent_service.core.route import Route
from assent_service.core.router import Router
from assent_service.serve import run
from assent_service.store.conditions import HELD
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from tests.contested import EveryOther, contesting

FILE = "FENCES"


@dataclass
class Running:
    """A call of an operation."""

    operation: str
    number: int
    answered: bool = False


RUNNING: ContextVar[Running | None] = ContextVar("running", default=None)

_numbers = itertools.count(1)
_init, _hold, _submit = Router.__init__, EntityLocks.hold, Ledger._submit


def write(**members: Any) -> None:
    with pathlib.Path(os.environ[FILE]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(members) + "\n")


def named(route: Route) -> Route:
    operation = route.endpoint.operation
    holds = [fence.name for fence in route.holds]
    write(operation=operation, holds=holds, unfenced=route.unfenced, effects=route.effects)

    async def handler(call: Call[Any, Any], **path: str) -> Any:
        # Where it runs again it is the same call.
        started = RUNNING.get() or Running(operation, next(_numbers))
        RUNNING.set(started)
        started.answered = False
        try:
            return await route.handler(call, **path)
        finally:
            started.answered = True

    # What is held is seen where tasks hold it, and the quick way of a route has none.
    return replace(route, handler=handler, at_once=None)


def named_routes(router: Router, routes: Iterable[Route], *rest: Any) -> None:
    _init(router, map(named, routes), *rest)


def running() -> Running | None:
    found = RUNNING.get()
    return None if found is None or found.answered else found


def held() -> list[str]:
    return [kind(each.name) for each in HELD.get()]


def kind(name: str) -> str:
    return name.partition(":")[0]


@asynccontextmanager
async def hold(locks: EntityLocks, *names: FenceName) -> AsyncIterator[None]:
    async with _hold(locks, *names):
        if (found := running()) is not None:
            write(operation=found.operation, call=found.number, held=held(), types=[])
        yield


def submit(ledger: Ledger, drafts: tuple[Draft, ...], context: Any, *rest: Any) -> None:
    _submit(ledger, drafts, context, *rest)
    found, submission = running(), ledger._turn[-1]
    if found is None:
        return
    said = {
        "operation": found.operation,
        "call": found.number,
        "held": held(),
        "types": [draft.type for draft in drafts],
        "rests": [kind(each.name) for each in submission.conditions],
        "moves": [kind(name) for name in submission.moves],
    }

    def recorded(future: asyncio.Future[Any]) -> None:
        if not future.cancelled() and future.exception() is None:
            write(**said)

    context.add_done_callback(recorded)


if __name__ == "__main__":
    with (
        contesting(EveryOther() if os.environ.get("OVERTAKEN") else None) as open_log,
        patch.object(Router, "__init__", named_routes),
        patch.object(EntityLocks, "hold", hold),
        patch.object(Ledger, "_submit", submit),
        patch.object(serve, "build", partial(build, open_log=open_log)),
    ):
        run()
