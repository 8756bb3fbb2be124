"""How one generator becomes a method of both clients.

`@operation` on a generator method of a mixin gives `Callable[P, T]` where the instance runs flows at once, and
`Callable[P, Coroutine[Any, Any, T]]` where it awaits them. `@subscription` does the same for streams, which are
iterated over. Both put real functions in place, with name, docstring and signature of their own, so that help(),
completion and `inspect` see ordinary methods; `__wrapped__` is the generator. What they show is put together when
somebody first reaches for the method. A method that does nothing but send is declared with `method.sends`.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from inspect import Signature
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, overload

from assent.client.ambient import Ambient
from assent.client.flow import Emit, Flow, Stream
from assent.client.session import Session
from assent.client.signature import Look, dress, of_flow, of_stream, public_signature

if TYPE_CHECKING:
    from assent.proof.private_key import Signer

P = ParamSpec("P")
T = TypeVar("T")


class Caller:
    """What an operation knows of the client it was called on."""

    base_url: str
    agent_id: str | None
    agent_name: str | None
    ambient: Ambient
    signer: Signer | None

    @property
    def own_session(self) -> Session | None:
        """The session that the client was given, by `with_options` or by its environment."""
        raise NotImplementedError

    @property
    def retries(self) -> int:
        """Attempts after the first, for calls that carry no idempotency key."""
        raise NotImplementedError


class Runner(ABC):
    """Performs the steps of a flow and blocks until it is through."""

    @abstractmethod
    def run(self, flow: Flow[T]) -> T:
        """Run an operation's flow to its end; every method of the client does this."""

    @abstractmethod
    def iterate(self, stream: Stream[T]) -> Iterator[T]:
        """Run a stream, item by item."""


class AsyncRunner(ABC):
    """Performs the steps of a flow and awaits each."""

    @abstractmethod
    async def run(self, flow: Flow[T]) -> T:
        """Run an operation's flow to its end; every method of the client does this."""

    @abstractmethod
    def iterate(self, stream: Stream[T]) -> AsyncIterator[T]:
        """Run a stream, item by item."""


class operation(Generic[P, T]):  # noqa: N801 - a decorator
    """A method written as a flow. It shows `look`, or the flow's own name, docstring and signature."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[T]], look: Look | None = None) -> None:
        self._look = look or Look(flow, of_flow)

        @functools.wraps(self._look.function)
        def run(self: Runner, *args: P.args, **kwargs: P.kwargs) -> T:
            return self.run(flow(self, *args, **kwargs))

        @functools.wraps(self._look.function)
        async def run_async(self: AsyncRunner, *args: P.args, **kwargs: P.kwargs) -> T:
            return await self.run(flow(self, *args, **kwargs))

        self._run, self._run_async = run, run_async
        self.declared = self._look.function
        """The function that the method shows: its name, docstring and parameters."""
        self._dressed = False
        self.__doc__, self.__wrapped__ = self._look.function.__doc__, flow

    @overload
    def __get__(self, instance: Runner, owner: type[Any]) -> Callable[P, T]: ...
    @overload
    def __get__(self, instance: AsyncRunner, owner: type[Any]) -> Callable[P, Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Callable[Concatenate[Any, P], Any]: ...
    def __get__(self, instance: object, owner: type[Any]) -> Any:
        if not self._dressed:
            self._look.dress(self._run, self._run_async)
            self._dressed = True
        function = self._run_async if issubclass(owner, AsyncRunner) else self._run
        return function if instance is None else MethodType(function, instance)


class subscription(Generic[P, T]):  # noqa: N801 - a decorator
    """A method written as a stream. It shows its own name, docstring and signature; with `looks` what that gives."""

    def __init__(
        self, stream: Callable[Concatenate[Any, P], Stream[T]], looks: Callable[[], Signature] | None = None
    ) -> None:
        @functools.wraps(stream)
        def iterate(self: Runner, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
            return self.iterate(stream(self, *args, **kwargs))

        @functools.wraps(stream)
        def iterate_async(self: AsyncRunner, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
            return self.iterate(stream(self, *args, **kwargs))

        self._iterate, self._iterate_async = iterate, iterate_async
        self._looks = looks or (lambda: public_signature(stream, of_stream))
        self._dressed = False
        self.__doc__, self.__wrapped__ = stream.__doc__, stream

    @overload
    def __get__(self, instance: Runner, owner: type[Any]) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, instance: AsyncRunner, owner: type[Any]) -> Callable[P, AsyncIterator[T]]: ...
    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Callable[Concatenate[Any, P], Any]: ...
    def __get__(self, instance: object, owner: type[Any]) -> Any:
        if not self._dressed:
            self._dress()
        function = self._iterate_async if issubclass(owner, AsyncRunner) else self._iterate
        return function if instance is None else MethodType(function, instance)

    def _dress(self) -> None:
        shown = self._looks()
        item: Any = shown.return_annotation
        dress(self._iterate, shown.replace(return_annotation=Iterator[item]))
        dress(self._iterate_async, shown.replace(return_annotation=AsyncIterator[item]))
        self._dressed = True


class Page(Protocol):
    """An answer that holds some of many rows, and where the next ones begin."""

    @property
    def next_cursor(self) -> str | None: ...


OfPage = TypeVar("OfPage", bound=Page)


def each(page: operation[P, OfPage], item: type[T], items: Callable[[OfPage], Iterable[T]]) -> subscription[P, T]:
    """A method that gives the rows of `page`'s answers one by one, and asks for the next page when it is needed. It
    takes what `page` takes; `limit` is how many rows come with one request."""

    def stream(caller: Any, /, *args: P.args, **kwargs: P.kwargs) -> Stream[T]:
        given: dict[str, Any] = dict(kwargs)
        while True:
            found: OfPage = yield from page.__wrapped__(caller, *args, **given)
            for row in items(found):
                yield Emit(row)
            if found.next_cursor is None:
                return
            given["cursor"] = found.next_cursor

    declared = page.declared
    name = f"iterate_{declared.__name__.removeprefix('get_').removeprefix('list_')}"
    stream.__name__, stream.__module__ = name, declared.__module__
    stream.__qualname__ = f"{declared.__qualname__.rpartition('.')[0]}.{name}"
    stream.__doc__ = (
        f"Everything that `{declared.__name__}` pages through, one by one: the next page is asked for when it is "
        "needed. `limit` is how many come with one request, `cursor` where to begin."
    )
    return subscription(stream, lambda: public_signature(declared, lambda _: item))
