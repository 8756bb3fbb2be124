"""`@governed` over a function or method, sync or async: it asks before it runs.

@governed
def look_up(customer: str) -> Account: ...

@governed("refund", declared_goal="Refund {amount} to {customer}", reversible=False)
async def pay_back(customer: str, amount: float) -> None: ...
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar, Unpack, overload

from assent.client.actions import ActionFields
from assent.client.client import AsyncClient, Client
from assent.client.waiting import Replier
from assent.governing.arguments import Parameters
from assent.governing.call import LONGEST_TYPE, ToolCall
from assent.governing.governor import Change, Governor, How
from assent.governing.results import begins_with

F = TypeVar("F", bound=Callable[..., Any])
Goal = str | Callable[[Mapping[str, Any]], str]


class Decorator(Protocol):
    def __call__(self, function: F, /) -> F: ...


@overload
def governed(function: F, /) -> F: ...
@overload
def governed(
    action_type: str | None = None,
    /,
    *,
    declared_goal: Goal | None = None,
    client: Client | AsyncClient | None = None,
    approval_timeout: float = 300.0,
    mode: How = "enforce",
    on_question: Replier | None = None,
    **fields: Unpack[ActionFields],
) -> Decorator: ...
def governed(
    what: Callable[..., Any] | str | None = None,
    /,
    *,
    declared_goal: Goal | None = None,
    client: Client | AsyncClient | None = None,
    approval_timeout: float = 300.0,
    mode: How = "enforce",
    on_question: Replier | None = None,
    **fields: Unpack[ActionFields],
) -> Any:
    """Govern a callable: each call creates an action, waits for its approval if guard asks for one (at most
    `approval_timeout` seconds), runs, and is reported completed or failed with its duration.

    The action's type is the function's name unless one is given. `declared_goal` is a text with `{argument}` places, or
    is given the arguments by name and makes one; otherwise it is the call as it would be written, shortened. Obvious
    secrets are taken out of it. Approvals hold for exactly these arguments. `client` is an AsyncClient for an async
    function, else a Client; one is made from ASSENT_BASE_URL, ASSENT_API_KEY and ASSENT_AGENT_ID when none is given.
    `fields` are further members of the action, as in `create_action`.

    `on_question` is called with what an operator asks before deciding (an ApprovalQuestion). A text that it returns is
    the answer. With a mapping of arguments to other values the call is asked about anew, in the place of the first
    request, and the function runs with these. For an async function it may be a coroutine function. Without it a call
    waits until somebody decides.

    In the mode `enforce`, a call that is blocked, denied or not approved in time, and one that cannot be asked about,
    raises (GuardBlockedError, ApprovalError, ConnectionFailed, NotConfigured...) and does not run. In `observe`,
    nothing is stopped. What the function raises passes through unchanged.

    A call is over once the function has given its result. Work that is still to come (a coroutine, a generator, a
    future, a block to be entered) is none: the call raises TypeError and is recorded as failed, and what can be stopped
    of it is.

    Raises TypeError for what cannot be governed (a class, a generator function, one of `contextlib.contextmanager`),
    ValueError for a type or goal that cannot be.
    """
    if what is not None and not isinstance(what, str):
        return _governed(what, None, None, Governor())

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        blocking = client if not isinstance(client, AsyncClient) else None
        awaiting = client if isinstance(client, AsyncClient) else None
        _check_client(function, client)
        _check_reply(function, on_question)
        governor = Governor(
            blocking, awaiting, approval_timeout=approval_timeout, mode=mode, on_question=on_question, fields=fields
        )
        return _governed(function, what, declared_goal, governor)

    return decorate


def _governed(
    function: Callable[..., Any], action_type: str | None, goal: Goal | None, governor: Governor
) -> Callable[..., Any]:
    _check(function)
    name = action_type if action_type is not None else _name(function)
    if not 1 <= len(name) <= LONGEST_TYPE:
        raise ValueError(f"action_type is {name!r}; give 1 to {LONGEST_TYPE} signs")
    parameters = Parameters(function)
    said = parameters.goal(goal) if isinstance(goal, str) else goal

    def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCall:
        return ToolCall(name=name, arguments=parameters.bound(args, kwargs), goal=said)

    def change(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Change[Callable[[], Any]]:
        def changed(changes: Mapping[str, Any]) -> tuple[ToolCall, Callable[[], Any]]:
            given, named = parameters.changed(args, kwargs, changes)
            return call(given, named), lambda: function(*given, **named)

        return changed

    if is_async(function):

        @functools.wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            changed = change(args, kwargs)
            return await governor.run_async(call(args, kwargs), lambda: function(*args, **kwargs), change=changed)

        return run_async

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        changed = change(args, kwargs)
        return governor.run(call(args, kwargs), lambda: function(*args, **kwargs), change=changed)

    return run


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine: `async def`, also behind `functools.partial` and as `__call__`."""
    inner = _inner(function)
    return inspect.iscoroutinefunction(inner) or inspect.iscoroutinefunction(type(inner).__call__)


def _check(function: object) -> None:
    if isinstance(function, staticmethod | classmethod):
        raise TypeError(f"put @governed below @{type(function).__name__}, next to the function")
    if inspect.isclass(function) or not callable(function):
        raise TypeError(f"{function!r} cannot be governed; give a function, a method or another callable")
    inner = _inner(function)
    if inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner):
        raise TypeError(
            f"{_name(inner)} is a generator function: it would run after its action was over. Govern the function that "
            "goes through it, or use client.track around that"
        )
    if begins_with(inner):
        raise TypeError(
            f"{_name(inner)} is made by contextlib: its body would run where it is entered, after its action was over. "
            "Govern the function that enters it, or use client.track inside of it"
        )


def _check_client(function: Callable[..., Any], client: object) -> None:
    awaits = is_async(function)
    if isinstance(client, Client if awaits else AsyncClient):
        kind, needed = ("an async", AsyncClient) if awaits else ("a sync", Client)
        raise TypeError(
            f"{_name(function)} is {kind} function, and client a {type(client).__name__}; give {needed.__name__}"
        )


def _check_reply(function: Callable[..., Any], on_question: Replier | None) -> None:
    if on_question is not None and is_async(on_question) and not is_async(function):
        raise TypeError(f"{_name(function)} is a sync function; give an on_question that answers without `await`")


def _inner(function: Any) -> Any:
    """What `functools.partial` was made of."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _name(function: Any) -> str:
    function = _inner(function)
    return str(getattr(function, "__name__", None) or type(function).__name__)
