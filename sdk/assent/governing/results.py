"""Whether what a call gave is its result, or work that is still to come.

An action is over once its call has given something. A coroutine, a generator, a future or a block that was not entered
would go on, or begin, after that, with whatever its arguments hold by then, and the record would say that it was
completed. Such a call has failed, and what it gave is stopped as far as that can be:

- what can be awaited: coroutines, tasks, futures. A future is refused although it may be done already, since whether it
  is would depend on how fast it was;
- what is made as somebody goes through it: generators, also awaited ones, `map`, `filter`, and all of `itertools`;
- what begins with a `with`: blocks of `contextlib.contextmanager`, and whatever else is a `ContextDecorator`. Files,
  locks, connections and exit stacks are none.

It is looked for in lists, tuples, sets, dictionaries, their views, deques and the fields of dataclasses too. What
another object holds, a thread and a process that run on are not seen.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Coroutine,
    Generator,
    ItemsView,
    Iterable,
    KeysView,
    Mapping,
    ValuesView,
)
from contextlib import AsyncContextDecorator, ContextDecorator, suppress
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from assent.client.on_demand import asyncio

T = TypeVar("T")

_AT_ONCE = frozenset({str, int, float, bool, bytes, type(None)})
_HOLDS = (dict, list, tuple, set, frozenset, deque, KeysView, ValuesView, ItemsView, MappingProxyType)
_TO_COME = (
    Awaitable,
    Generator,
    AsyncGenerator,
    ContextDecorator,
    AsyncContextDecorator,
    map,
    filter,
    zip,
    enumerate,
    type(iter(int, 1)),
)


def finished(result: T, name: str) -> T:
    """The result of a call of `name`. Raises TypeError where it is work that is still to come, which is stopped."""
    to_come = _to_come(result)
    if not to_come:
        return result
    stopped = [_stop(each) for each in to_come]
    kind = type(to_come[0]).__name__
    raise TypeError(
        f"{name} gave a{'n' if kind[0] in 'AEIOaeio' else ''} {kind}, which would run after its action was over; "
        f"{'nothing of it ran' if all(stopped) else 'it was stopped where it could be, but a part of it may be done'}. "
        "Finish it in the function (`await`, `list`, `with`) and give what comes of it, or govern the function that "
        "does"
    )


def begins_with(function: object) -> bool:
    """Whether calling it gives a block of `contextlib.contextmanager`, whose body runs where it is entered."""
    names = getattr(function, "__globals__", {})
    wrapped = getattr(function, "__wrapped__", None)
    makes = inspect.isgeneratorfunction(wrapped) or inspect.isasyncgenfunction(wrapped)
    return makes and names.get("__name__") == ContextDecorator.__module__


def _to_come(result: object) -> list[Any]:
    found: list[Any] = []
    groups: list[Iterable[object]] = [(result,)]
    seen: set[int] = set()
    while groups:
        for each in groups.pop():
            kind = type(each)
            if kind in _AT_ONCE:
                continue
            if issubclass(kind, _TO_COME) or kind.__module__ == "itertools" or _is_future(kind):
                found.append(each)
            elif id(each) not in seen and (held := _held(each)):
                seen.add(id(each))
                groups += held
    return found


def _held(value: Any) -> list[Iterable[object]]:
    """What a container holds; nothing of any other object."""
    if isinstance(value, _HOLDS):
        return [value, value.values()] if isinstance(value, Mapping) else [value]
    if is_dataclass(value) and not isinstance(value, type):
        return [[getattr(value, each.name, None) for each in fields(value)]]
    return []


def _is_future(kind: type[Any]) -> bool:
    """Also one of a pool, which cannot be awaited."""
    return all(callable(getattr(kind, each, None)) for each in ("add_done_callback", "cancel", "done"))


def _stop(work: Any) -> bool:
    """Whether it is known that nothing of it ran."""
    if inspect.iscoroutine(work):
        untouched = inspect.getcoroutinestate(work) == inspect.CORO_CREATED
    elif inspect.isgenerator(work):
        untouched = inspect.getgeneratorstate(work) == inspect.GEN_CREATED
    elif isinstance(inner := getattr(work, "gen", None), Generator | AsyncGenerator):
        return _stop(inner)
    else:
        untouched = False
    with suppress(Exception):  # it may have something to say to its end, which is not this call's
        if inspect.isasyncgen(work):
            work.aclose().send(None)
        elif _is_future(type(work)):
            _cancel(work)
        elif isinstance(work, Coroutine | Generator):
            work.close()
    return untouched


def _cancel(future: Any) -> None:
    """A future of a loop is cancelled by the thread of that loop alone."""
    loop = future.get_loop() if hasattr(future, "get_loop") else None
    if loop is not None and loop.is_running() and not _is_here(loop):
        loop.call_soon_threadsafe(future.cancel)
    else:
        future.cancel()


def _is_here(loop: Any) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
