"""Clients for who observes: all that one call asks of the service takes at most 0.3 s, whatever the service does.

A blocking client asks in a thread and stops waiting when the time is over: timeouts of sockets begin anew with each
address and each piece, and looking up a name has none. An awaiting client is cancelled. The first failure opens the
breaker (`assent.breaker`), and until it is half-open nobody asks.
"""

from __future__ import annotations

import contextvars
import logging
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Generic, TypeVar, cast

from assent.breaker import OBSERVE_SECONDS, Breaker
from assent.client.client import AsyncClient, Client
from assent.client.flow import Flow
from assent.client.on_demand import asyncio
from assent.errors import AssentError, ConnectionFailed, OutcomeLost, OutcomeSpooled, Unavailable
from assent.spool import SpoolRefused, folder_of
from assent.tally import Times

T = TypeVar("T")
LOG = logging.getLogger("assent.governing")
OUTCOME_SECONDS = 0.05
"""So much of the time is kept for the outcome, which goes on in the background, or waits in the spool, after it."""
UNANSWERED = (ConnectionFailed, Unavailable)

_ASKING: contextvars.ContextVar[bool] = contextvars.ContextVar("assent_observing", default=False)
"""Whether this is already inside a question whose time counts."""
_breakers: dict[tuple[str | None, str, str], Breaker] = {}


class LeftAlone(Exception):
    """The breaker is open: the service was not asked."""

    def __init__(self, base_url: str, breaker: Breaker) -> None:
        self.base_url, self.breaker = base_url, breaker
        super().__init__(f"{base_url} did not answer lately and is left alone for a while; the call is not observed")


class ObservedCall:
    """One observed call: the time that it may still take, and the breaker of its service. `times` are the calls before
    it that were not observed, for this one to tell; `ran` is set once its body begins. Raises LeftAlone while the
    breaker is open."""

    def __init__(self, base_url: str, breaker: Breaker) -> None:
        self.base_url, self.breaker = base_url, breaker
        self._spent, self.ran = 0.0, False
        if not breaker.allows():
            raise LeftAlone(base_url, breaker)
        self.times: Times | None = breaker.take_missed()

    def recorded(self) -> None:
        """The service knows of the calls before this one."""
        if self.times is not None:
            LOG.warning(
                "%s answers again: %d calls from %s to %s were not observed",
                self.base_url,
                self.times.count,
                self.times.first,
                self.times.last,
            )
            self.times.clear()
            self.times = None

    def missed(self) -> None:
        """This call was not observed, and what it was to tell is not told."""
        if self.times is not None:
            self.times.give_back()
            self.times = None
        self.breaker.missed()

    def left(self) -> float:
        """Seconds; what is kept for the outcome is had once the call `ran`. Raises ConnectionFailed for none."""
        left = OBSERVE_SECONDS - self._spent
        left = max(OUTCOME_SECONDS, left) if self.ran else left - OUTCOME_SECONDS
        if left <= 0:
            raise ConnectionFailed(url=self.base_url, reason=f"observing a call may take {OBSERVE_SECONDS:g} s")
        return left

    def spend(self, seconds: float) -> None:
        self._spent += seconds

    def out_of_time(self) -> ConnectionFailed:
        """Nobody answered in time: the error to raise."""
        self._spent = OBSERVE_SECONDS
        self.breaker.failed()
        return ConnectionFailed(url=self.base_url, reason=f"no answer within {OBSERVE_SECONDS:g} s", uncertain=True)


class ObservingClient(Client):
    """The same client on the same connections, in a hurry."""

    def __init__(self, client: Client, observation: ObservedCall) -> None:
        vars(self).update(vars(client.with_options(timeout=OBSERVE_SECONDS, retries=0, retry_seconds=0.0)))
        self.observation = observation

    def run(self, flow: Flow[T]) -> T:
        if _ASKING.get():
            with _judged(self.observation):
                return super().run(flow)
        seconds, began, answer = self.observation.left(), time.monotonic(), _Answer[T]()
        asking = super().run

        def ask() -> None:
            _ASKING.set(True)
            try:
                answer.result = asking(flow)
            except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits for it
                answer.error = error
            finally:
                answer.there.set()

        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(ask,), name="assent-observing", daemon=True).start()
        if not answer.there.wait(seconds):
            raise self.observation.out_of_time()
        self.observation.spend(time.monotonic() - began)
        return answer.value_or_raise()


class ObservingAsyncClient(AsyncClient):
    """The same client on the same connections, in a hurry."""

    def __init__(self, client: AsyncClient, observation: ObservedCall) -> None:
        vars(self).update(vars(client.with_options(timeout=OBSERVE_SECONDS, retries=0, retry_seconds=0.0)))
        self.observation = observation

    async def run(self, flow: Flow[T]) -> T:
        if _ASKING.get():
            with _judged(self.observation):
                return await super().run(flow)
        seconds, began = self.observation.left(), time.monotonic()
        inside = _ASKING.set(True)
        try:
            async with asyncio.timeout(seconds):
                result = await super().run(flow)
        except TimeoutError:
            raise self.observation.out_of_time() from None
        finally:
            _ASKING.reset(inside)
        self.observation.spend(time.monotonic() - began)
        return result


class _Answer(Generic[T]):
    """What a thread was given, once it is there."""

    def __init__(self) -> None:
        self.there = threading.Event()
        self.result: T | None = None
        self.error: BaseException | None = None

    def value_or_raise(self) -> T:
        if self.error is not None:
            raise self.error
        return cast("T", self.result)


@contextmanager
def _judged(observation: ObservedCall) -> Generator[None]:
    """Around one exchange: whether somebody answered is all that the breaker goes by."""
    try:
        yield
    except AssentError as error:
        # An outcome may wait because of an answer that was not the service's.
        waits = isinstance(error, OutcomeSpooled | OutcomeLost) and error.__cause__ is not None
        if isinstance(error.__cause__ if waits else error, UNANSWERED):
            observation.breaker.failed()
        else:
            observation.breaker.succeeded()
        raise
    observation.breaker.succeeded()


def observing(client: Client) -> ObservingClient:
    """For one call. Raises LeftAlone while the breaker is open."""
    return ObservingClient(client, _begun(client))


def observing_async(client: AsyncClient) -> ObservingAsyncClient:
    """For one call. Raises LeftAlone while the breaker is open."""
    return ObservingAsyncClient(client, _begun(client))


def _begun(client: Client | AsyncClient) -> ObservedCall:
    return ObservedCall(client.base_url, breaker_of(client))


def breaker_of(client: Client | AsyncClient) -> Breaker:
    """One for each service and key in this process; the state is shared with others through its file."""
    try:
        folder = folder_of(os.environ.get("ASSENT_SPOOL", "").strip(), os.environ)
    except SpoolRefused:
        folder = None
    kept = None if folder is None else str(folder / "observing")
    name = (kept, client.base_url, client.key_fingerprint)
    return _breakers.setdefault(name, Breaker(*name))
