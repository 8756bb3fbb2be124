"""A route is an endpoint of the contract and the handler that carries it out.

The service has no other routes. Each is served by the same small ASGI application (`core.door`), because the
framework's own handlers cost as much as everything else that guard does; what they would have declared, the contract
declares already.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from assent.contract.endpoint import Endpoint
from assent_service.core.call import Answer, Call
from assent_service.core.stream import ByteStream, EventStream

Handler = Callable[[Call], Awaitable[Answer | EventStream | ByteStream]]


@dataclass(frozen=True)
class Route:
    endpoint: Endpoint[Any]
    handler: Handler


def route(endpoint: Endpoint[Any]) -> Callable[[Handler], Route]:
    """`@route(GUARD)` over an async function of one `Call` makes it the route of that endpoint."""

    def bind(handler: Handler) -> Route:
        return Route(endpoint, handler)

    return bind
