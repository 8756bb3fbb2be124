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
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import MethodType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from assent.client.ambient import Ambient
from assent.client.flow import Flow, Stream
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
    """A method written as a stream."""

    def __init__(self, stream: Callable[Concatenate[Any, P], Stream[T]]) -> None:
        item = of_stream

        @functools.wraps(stream)
        def iterate(self: Runner, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
            return self.iterate(stream(self, *args, **kwargs))

        @functools.wraps(stream)
        def iterate_async(self: AsyncRunner, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
            return self.iterate(stream(self, *args, **kwargs))

        self._iterate, self._iterate_async = iterate, iterate_async
        dress(iterate, public_signature(stream, lambda annotation: Iterator[item(annotation)]))  # type: ignore[misc]
        dress(iterate_async, public_signature(stream, lambda annotation: AsyncIterator[item(annotation)]))  # type: ignore[misc]
        self.__doc__, self.__wrapped__ = stream.__doc__, stream

    @overload
    def __get__(self, instance: Runner, owner: type[Any]) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, instance: AsyncRunner, owner: type[Any]) -> Callable[P, AsyncIterator[T]]: ...
    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Callable[Concatenate[Any, P], Any]: ...
    def __get__(self, instance: object, owner: type[Any]) -> Any:
        function = self._iterate_async if issubclass(owner, AsyncRunner) else self._iterate
        return function if instance is None else MethodType(function, instance)
