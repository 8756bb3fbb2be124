"""Running one call under governance, blocking or awaiting.

Enforcing: the action is created, and guard decides; where a person has to approve, the call waits. An approval is used
right before the call runs (`claim_action`), for exactly these arguments as they are then, so that it counts once, not
beyond its time, and not for arguments that were changed while the call waited. Whatever goes wrong before that, the
call does not run. What came of it is reported as `track` does; a call that ran gives its result even when that report
does not get through, since whoever sees an error would do it once more.

Observing: guard is asked and its decision recorded; nothing is stopped, and what fails is told once. It costs a call at
most 0.3 s, then the service is left alone for a while (`governing.observing`); how many calls nobody observed is said
in the metadata of the next one that is. What guard would have stopped gets no action, since an action that is blocked
is evidence that it did not run.

A call made while another one runs has that one's action as its parent.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar, cast, get_args

from assent.client.actions import ActionFields
from assent.client.client import AsyncClient, Client
from assent.client.context import check_open
from assent.contract.control.actions import Action, ActionStatus, CreatedAction
from assent.errors import AssentError
from assent.governing.call import Attempt, Ended, ToolCall
from assent.governing.clients import OF_PROCESS
from assent.governing.observing import (
    LeftAlone,
    ObservedCall,
    ObservingAsyncClient,
    ObservingClient,
    observing,
    observing_async,
)

T = TypeVar("T")
How = Literal["enforce", "observe"]
LOG = logging.getLogger("assent.governing")


class Governor:
    """`client` and `async_client` are made from the environment where they are None. `approval_timeout` is how many
    seconds a call waits for its approval; 0 does not wait. `fields` are further members of every action, as in
    `create_action`. Raises ValueError and TypeError for what is none of these."""

    def __init__(
        self,
        client: Client | None = None,
        async_client: AsyncClient | None = None,
        *,
        approval_timeout: float = 300.0,
        mode: How = "enforce",
        fields: ActionFields | None = None,
    ) -> None:
        if mode not in get_args(How):
            raise ValueError(f"mode is {mode!r}; give one of {', '.join(get_args(How))}")
        if not approval_timeout >= 0:
            raise ValueError(f"approval_timeout is {approval_timeout!r}; give seconds, 0 or more")
        _check("client", client, Client)
        _check("async_client", async_client, AsyncClient)
        self.approval_timeout = approval_timeout
        self.mode: How = mode
        self._client, self._async_client = client, async_client
        self._fields: ActionFields = fields or {}
        self._told: set[str] = set()

    def client(self) -> Client:
        """Raises NotConfigured."""
        return self._client or OF_PROCESS.blocking()

    async def async_client(self) -> AsyncClient:
        """Raises NotConfigured."""
        return self._async_client or await OF_PROCESS.awaiting()

    def run(self, call: ToolCall, body: Callable[[], T], refused: Callable[[AssentError], T] | None = None) -> T:
        """What `body` gives. A call that is refused raises what `track` and `claim_action` raise, or NotConfigured
        without a client; with `refused`, that gives the result instead. What the body raises passes through, except
        Ended, which tells how the call ended besides completing."""
        attempt: Attempt[T] | None = None
        observed: ObservingClient | None = None
        try:
            attempt = Attempt(call, self._fields)
            client = self.client()
            if self.mode == "observe":
                client = observed = observing(client)
                attempt.tells(observed.observation.times)
                attempt.judged(client.guard(attempt.creation(), raise_on_block=False))
                observed.observation.recorded()
            if attempt.opens:
                self._tracked(client, attempt, body)
        except Exception as error:
            if attempt is not None and attempt.failure not in (None, error):
                raise attempt.failure from None  # the outcome could not be reported, which is not what went wrong
            if not self._survived(attempt, error, None if observed is None else observed.observation):
                if refused is None or not isinstance(error, AssentError) or _began(attempt):
                    raise
                return refused(error)
        if attempt is not None and attempt.results:
            return attempt.results[0]
        try:
            return body()
        except Ended as ended:
            return cast(T, ended.result)

    async def run_async(
        self, call: ToolCall, body: Callable[[], Awaitable[T]], refused: Callable[[AssentError], T] | None = None
    ) -> T:
        """The same, awaiting."""
        attempt: Attempt[T] | None = None
        observed: ObservingAsyncClient | None = None
        try:
            attempt = Attempt(call, self._fields)
            client = await self.async_client()
            if self.mode == "observe":
                client = observed = observing_async(client)
                attempt.tells(observed.observation.times)
                attempt.judged(await client.guard(attempt.creation(), raise_on_block=False))
                observed.observation.recorded()
            if attempt.opens:
                await self._tracked_async(client, attempt, body)
        except Exception as error:
            if attempt is not None and attempt.failure not in (None, error):
                raise attempt.failure from None  # the outcome could not be reported, which is not what went wrong
            if not self._survived(attempt, error, None if observed is None else observed.observation):
                if refused is None or not isinstance(error, AssentError) or _began(attempt):
                    raise
                return refused(error)
        if attempt is not None and attempt.results:
            return attempt.results[0]
        try:
            return await body()
        except Ended as ended:
            return cast(T, ended.result)

    def asked(self, call: ToolCall) -> CreatedAction | None:
        """What creating the call's action gave, without waiting for anybody; None while observing. For who cannot wait,
        and comes back: give the call a `key`, by which this and `run` find the same action, whoever decided in between.
        Raises as `run` does."""
        if self.mode == "observe":
            return None
        attempt: Attempt[Any] = Attempt(call, self._fields)
        return _open(self.client().create_action(**attempt.creation()))

    async def asked_async(self, call: ToolCall) -> CreatedAction | None:
        """The same, awaiting."""
        if self.mode == "observe":
            return None
        attempt: Attempt[Any] = Attempt(call, self._fields)
        client = await self.async_client()
        return _open(await client.create_action(**attempt.creation()))

    def _tracked(self, client: Client, attempt: Attempt[T], body: Callable[[], T]) -> None:
        with client.track(approval_timeout=self.approval_timeout, **attempt.creation()) as action:
            claim = attempt.claim(action.created)
            if claim is not None:
                with attempt.claiming(action):
                    client.claim_action(**claim)
            with attempt.running(action.action_id):
                if isinstance(client, ObservingClient):
                    client.observation.ran = True
                try:
                    attempt.results.append(body())
                except Ended as ended:
                    attempt.results.append(ended.result)
                    action.reported = True
                    if ended.status is not None:
                        action.update_outcome(ended.status, error_message=ended.why)

    async def _tracked_async(self, client: AsyncClient, attempt: Attempt[T], body: Callable[[], Awaitable[T]]) -> None:
        async with client.track(approval_timeout=self.approval_timeout, **attempt.creation()) as action:
            claim = attempt.claim(action.created)
            if claim is not None:
                with attempt.claiming(action):
                    await client.claim_action(**claim)
            with attempt.running(action.action_id):
                if isinstance(client, ObservingAsyncClient):
                    client.observation.ran = True
                try:
                    attempt.results.append(await body())
                except Ended as ended:
                    attempt.results.append(ended.result)
                    action.reported = True
                    if ended.status is not None:
                        await action.update_outcome(ended.status, error_message=ended.why)

    def _survived(self, attempt: Attempt[Any] | None, error: Exception, observation: ObservedCall | None) -> bool:
        """Whether the call goes on or has its result in spite of this error. One that is not observed is counted."""
        if attempt is not None and attempt.results:
            LOG.warning("the call ran, but its outcome could not be reported: %s", error)
            return True
        if self.mode == "enforce" or _began(attempt):
            return False
        if isinstance(error, LeftAlone):
            error.breaker.missed()
            if self._told:
                return True  # why it is left alone was told
        elif observation is not None:
            observation.missed()
        if type(error).__name__ not in self._told:
            self._told.add(type(error).__name__)
            LOG.warning("calls are observed, but this one could not be recorded (told once): %s", error)
        return True


def waiting(created: CreatedAction | None) -> Action | None:
    """The action, while a person has to decide on it."""
    return created.action if created is not None and created.action.status is ActionStatus.PENDING_APPROVAL else None


def _open(created: CreatedAction) -> CreatedAction:
    check_open(created)
    return created


def _began(attempt: Attempt[Any] | None) -> bool:
    return attempt is not None and attempt.started


def _check(name: str, given: object, kind: type[Any]) -> None:
    if given is not None and not isinstance(given, kind):
        raise TypeError(f"{name} is a {type(given).__name__}; give {kind.__name__}, or None for one of its own")
