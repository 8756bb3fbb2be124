"""A route is an endpoint of the contract and the handler that carries it out.

    @serves(RESOLVE_OPEN_LOOP, holds=(LOOP_FENCE,))
    async def resolve(call: Call[ResolveOpenLoop, None], loop_id: str) -> LoopDetail: ...

The type checker holds a handler's request, query and answer against its endpoint, and its parameters are held against
the endpoint's path when the service starts. The service has no other routes. Each is served by the same small ASGI
application (`core.door`), because the framework's own handlers cost as much as everything else that guard does; what
they would have declared, the contract declares already.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import CO_VARKEYWORDS
from typing import Any, Concatenate

from assent.contract.endpoint import AnyEndpoint, Body, Endpoint, Filters, Response
from assent_service.core.call import Answer, AnyCall, Call, Encoded, Recordable
from assent_service.core.locks import Fence

Handler = Callable[..., Awaitable[Any]]
"""Of one `Call`, and the path's parameters by name; it answers the endpoint's record, an `Answer` or a stream."""
AtOnce = Callable[[AnyCall], Recordable | None]


RECORDS_NOTHING = "records nothing"
NEW_ID = "what it records has an id that is new"


@dataclass(frozen=True)
class Route:
    """`holds` are the fences that may be held around what the handler decides and records; `unfenced` says why it needs
    none. `effects` is what it does before it records, and would do again if it were run again; empty for nothing.
    `at_once` decides as the handler does, where nothing has to be awaited, and answers None where it would: then the
    handler is asked. It raises what the handler raises. With `bearer` the key may also come as `Authorization: Bearer`,
    as other protocols have it. With `below` it serves whatever is below its path, too, and `Call.raw_path` says what.

    Raises TypeError where an endpoint that is no GET says neither which fences it holds nor why it needs none.
    """

    endpoint: AnyEndpoint[Any]
    handler: Handler
    holds: tuple[Fence, ...] = ()
    unfenced: str = ""
    effects: str = ""
    at_once: AtOnce | None = None
    bearer: bool = False
    below: bool = False

    def __post_init__(self) -> None:
        if self.holds and self.unfenced:
            raise TypeError(f"{self.endpoint.operation} holds fences and says that it needs none")
        if self.endpoint.method != "GET" and not (self.holds or self.unfenced):
            raise TypeError(f"{self.endpoint.operation} says neither which fences it `holds` nor why it is `unfenced`")


def serves(
    endpoint: Endpoint[Body, Filters, Response],
    *,
    holds: tuple[Fence, ...] = (),
    unfenced: str = "",
    effects: str = "",
    at_once: AtOnce | None = None,
    bearer: bool = False,
    below: bool = False,
) -> Callable[
    [
        Callable[
            Concatenate[Call[Body, Filters], ...],
            Awaitable[Response | Answer[Response] | Encoded],
        ]
    ],
    Route,
]:
    """`@serves(GUARD)` over an async function makes it the route of that endpoint; the rest is as `Route` has it.

    Raises TypeError where the function's parameters are not those of the endpoint's paths: one that a path lacks, such
    as a further path with the id in the query, has a default.
    """

    def bind(handler: Handler) -> Route:
        _check_parameters(endpoint, handler)
        return Route(endpoint, handler, holds, unfenced, effects, at_once, bearer, below)

    return bind


def _check_parameters(endpoint: AnyEndpoint[Any], handler: Any) -> None:
    code = handler.__code__
    if code.co_flags & CO_VARKEYWORDS:
        return
    named = code.co_varnames[1 : code.co_argcount]
    needed = set(named[: len(named) - len(handler.__defaults__ or ())])
    for parameters in endpoint.parameters():
        if not needed <= parameters <= set(named):
            raise TypeError(
                f"{handler.__qualname__} in {handler.__module__} takes {', '.join(named) or 'nothing'} of the path, "
                f"and {endpoint.operation} has {', '.join(sorted(parameters)) or 'nothing'} in one of its paths"
            )
