"""Running one call under governance, blocking or awaiting.

Enforcing: the action is created, and guard decides; where a person has to approve, the call waits. An approval is used
right before the call runs (`claim_action`), for exactly these arguments as they are then, so that it counts once, not
beyond its time, and not for arguments that hold something else by then (`governing.snapshot`). Whatever goes wrong
before that, the call does not run. What came of it is reported as `track` does; a call that ran gives its result even
when that report does not get through, since whoever sees an error would do it once more.

Observing: guard is asked and its decision recorded; nothing is stopped, and what fails is told once. It costs a call at
most 0.3 s, then the service is left alone for a while (`governing.observing`); how many calls nobody observed is said
in the metadata of the next one that is. What guard would have stopped gets no action, since an action that is blocked
is evidence that it did not run.

A call made while another one runs has that one's action as its parent.

With ASSENT_TELL_SESSIONS=1 the arguments are given themselves, and what a call gives, or raises, is told to its session
before whoever called has it. Where the service refuses to hear it, it hears that there was an answer. One that could
not be told would be a gap that nobody sees, and so would what a call was stopped by: from then on arguments are kept
back in that session (`governing.gaps`).

An operator may ask something before deciding. `on_question` replies in words, or with other arguments: then the call is
asked about anew with these, in the place of the first (`replaces`), and runs with these and no others.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast, get_args

from assent.client.actions import ActionFields
from assent.client.client import AsyncClient, Client
from assent.client.permission import check_open
from assent.client.waiting import Replier, Reply
from assent.contract.control.actions import Action, ActionStatus, CreatedAction
from assent.contract.control.questions import ApprovalQuestion
from assent.errors import AssentError
from assent.governing.call import Attempt, Ended, ToolCall
from assent.governing.clients import OF_PROCESS
from assent.governing.gaps import sessions_of
from assent.governing.observing import (
    LeftAlone,
    ObservedCall,
    ObservingAsyncClient,
    ObservingClient,
    observing,
    observing_async,
)
from assent.governing.results import finished
from assent.governing.telling import Telling
from assent.settings import ClientSettings

T = TypeVar("T")
Body = TypeVar("Body")
Change: TypeAlias = Callable[[Mapping[str, Any]], tuple[ToolCall, Body]]
"""The call with these arguments instead of its own, and what runs it."""
How = Literal["enforce", "observe"]
LOG = logging.getLogger("assent.governing")


class Governor:
    """`client` and `async_client` are made from the environment where they are None. `approval_timeout` is how many
    seconds a call waits for its approval; 0 does not wait. `on_question` replies to what an operator asks meanwhile: in
    words, with other arguments by name, or not at all; with an `async_client` it may be a coroutine function. `fields`
    are further members of every action, as in `create_action`. Raises ValueError and TypeError for what is none of
    these."""

    def __init__(
        self,
        client: Client | None = None,
        async_client: AsyncClient | None = None,
        *,
        approval_timeout: float = 300.0,
        mode: How = "enforce",
        on_question: Replier | None = None,
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
        self._on_question = on_question
        self._fields: ActionFields = fields or {}
        self._told: set[str] = set()
        self._tells: bool | None = None

    @property
    def tells(self) -> bool:
        """Whether sessions are told. Raises ValueError for a setting that says neither yes nor no."""
        if self._tells is None:
            self._tells = ClientSettings.from_environment().tell_sessions
        return self._tells

    def _attempt(self, call: ToolCall, client: Client | AsyncClient, tells: bool) -> Attempt[Any]:
        return Attempt(call, self._fields, sessions_of(client, self._fields), tells=tells)

    def client(self) -> Client:
        """Raises NotConfigured."""
        return self._client or OF_PROCESS.blocking()

    async def async_client(self) -> AsyncClient:
        """Raises NotConfigured."""
        return self._async_client or await OF_PROCESS.awaiting()

    def run(
        self,
        call: ToolCall,
        body: Callable[[], T],
        refused: Callable[[AssentError], T] | None = None,
        *,
        change: Change[Callable[[], T]] | None = None,
    ) -> T:
        """What `body` gives, or, with other arguments, what `change` makes of them. A call that is refused raises what
        `track` and `claim_action` raise, or NotConfigured without a client; with `refused`, that gives the result
        instead. What the body raises passes through, except Ended, which tells how the call ended besides completing.
        TypeError for what it gives when that is work still to come (`governing.results`).
        """
        attempt: Attempt[T] | None = None
        observed: ObservingClient | None = None
        try:
            tells, client = self.tells, self.client()
            attempt = self._attempt(call, client, tells)
            if self.mode == "observe":
                client = observed = observing(client)
                attempt.tells(observed.observation.times)
                attempt.judged(client.guard(attempt.creation(), raise_on_block=False))
                observed.observation.recorded()
            if attempt.opens:
                self._tracked(client, attempt, _Replies(self._on_question, attempt, body, change))
        except Exception as error:
            if attempt is not None and attempt.failure not in (None, error):
                raise attempt.failure from None  # the outcome could not be reported, which is not what went wrong
            if not self._survived(attempt, error, None if observed is None else observed.observation):
                if refused is None or not isinstance(error, AssentError) or _began(attempt):
                    raise
                return refused(error)
        if attempt is not None and attempt.results:
            return attempt.results[0]
        telling = Telling(observed, attempt)
        try:
            result = finished(body(), call.name)
        except Ended as ended:
            telling.tell(ended.answer, failed=ended.failed)
            return cast(T, ended.result)
        except Exception as error:
            telling.tell(error)
            raise
        except BaseException as error:
            telling.stopped(error)
            raise
        telling.tell(result)
        return result

    async def run_async(
        self,
        call: ToolCall,
        body: Callable[[], Awaitable[T]],
        refused: Callable[[AssentError], T] | None = None,
        *,
        change: Change[Callable[[], Awaitable[T]]] | None = None,
        told: Callable[[], object] | None = None,
    ) -> T:
        """The same, awaiting. `told` is called once the call gave something and its session, if it is to be, was told:
        before the outcome is reported."""
        attempt: Attempt[T] | None = None
        observed: ObservingAsyncClient | None = None
        try:
            tells, client = self.tells, await self.async_client()
            attempt = self._attempt(call, client, tells)
            if self.mode == "observe":
                client = observed = observing_async(client)
                attempt.tells(observed.observation.times)
                attempt.judged(await client.guard(attempt.creation(), raise_on_block=False))
                observed.observation.recorded()
            if attempt.opens:
                await self._tracked_async(client, attempt, _Replies(self._on_question, attempt, body, change), told)
        except Exception as error:
            if attempt is not None and attempt.failure not in (None, error):
                raise attempt.failure from None  # the outcome could not be reported, which is not what went wrong
            if not self._survived(attempt, error, None if observed is None else observed.observation):
                if refused is None or not isinstance(error, AssentError) or _began(attempt):
                    raise
                return refused(error)
        if attempt is not None and attempt.results:
            return attempt.results[0]
        telling = Telling(observed, attempt)
        try:
            result = finished(await body(), call.name)
        except Ended as ended:
            await telling.tell_async(ended.answer, failed=ended.failed)
            return cast(T, ended.result)
        except Exception as error:
            await telling.tell_async(error)
            raise
        except BaseException as error:
            telling.stopped(error)
            raise
        await telling.tell_async(result)
        return result

    def asked(self, call: ToolCall) -> CreatedAction | None:
        """What creating the call's action gave, without waiting for anybody; None while observing. For who cannot wait,
        and comes back: give the call a `key`, by which this and `run` find the same action, whoever decided in between.
        Raises as `run` does."""
        if self.mode == "observe":
            return None
        tells, client = self.tells, self.client()
        return _open(client.create_action(**self._attempt(call, client, tells).creation()))

    async def asked_async(self, call: ToolCall) -> CreatedAction | None:
        """The same, awaiting."""
        if self.mode == "observe":
            return None
        tells, client = self.tells, await self.async_client()
        return _open(await client.create_action(**self._attempt(call, client, tells).creation()))

    def _tracked(self, client: Client, attempt: Attempt[T], replies: _Replies[Callable[[], T]]) -> None:
        with client.track(
            approval_timeout=self.approval_timeout, on_question=replies.on_question, **attempt.creation()
        ) as action:
            body = replies.settled(action.changes)
            claim, claimed = attempt.claim(action.created), None
            if claim is not None:
                with attempt.claiming(action):
                    claimed = client.claim_action(**claim)
            attempt.runs(claimed, action.created, action.action_id)
            with attempt.running(action.action_id):
                if isinstance(client, ObservingClient):
                    client.observation.ran = True
                end: Ended | None = None
                telling = Telling(client, attempt, action.created)
                try:
                    attempt.results.append(finished(body(), attempt.name))
                except Ended as ended:
                    attempt.results.append(ended.result)
                    action.reported, end = True, ended
                except Exception as error:
                    telling.tell(error)
                    raise
                except BaseException as error:
                    telling.stopped(error)
                    raise
                given, failed = (attempt.results[0], False) if end is None else (end.answer, end.failed)
                telling.tell(given, failed=failed)
                if end is not None and end.status is not None:
                    action.update_outcome(end.status, error_message=end.why)

    async def _tracked_async(
        self,
        client: AsyncClient,
        attempt: Attempt[T],
        replies: _Replies[Callable[[], Awaitable[T]]],
        told: Callable[[], object] | None,
    ) -> None:
        async with client.track(
            approval_timeout=self.approval_timeout, on_question=replies.on_question, **attempt.creation()
        ) as action:
            body = replies.settled(action.changes)
            claim, claimed = attempt.claim(action.created), None
            if claim is not None:
                with attempt.claiming(action):
                    claimed = await client.claim_action(**claim)
            attempt.runs(claimed, action.created, action.action_id)
            with attempt.running(action.action_id):
                if isinstance(client, ObservingAsyncClient):
                    client.observation.ran = True
                end: Ended | None = None
                telling = Telling(client, attempt, action.created)
                try:
                    attempt.results.append(finished(await body(), attempt.name))
                except Ended as ended:
                    attempt.results.append(ended.result)
                    action.reported, end = True, ended
                except Exception as error:
                    await telling.tell_async(error)
                    raise
                except BaseException as error:
                    telling.stopped(error)
                    raise
                given, failed = (attempt.results[0], False) if end is None else (end.answer, end.failed)
                await telling.tell_async(given, failed=failed)
                if told is not None:
                    told()
                if end is not None and end.status is not None:
                    await action.update_outcome(end.status, error_message=end.why)

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


class _Replies(Generic[Body]):
    """What `on_question` says to the questions about one attempt: words as they are, other arguments as the members of
    the action that they make."""

    def __init__(
        self, on_question: Replier | None, attempt: Attempt[Any], body: Body, change: Change[Body] | None
    ) -> None:
        self.on_question = None if on_question is None else self._reply
        self._asked, self._attempt, self._change = on_question, attempt, change
        self._body: Body = body
        self._changes: Mapping[str, Any] = {}
        self._instead: list[tuple[Mapping[str, Any], Attempt[Any], Body]] = []

    def settled(self, changes: Mapping[str, Any]) -> Body:
        """What runs the call that may run: its own, or the newest one whose members are among these. IndexError, and so
        nothing runs, where none is."""
        if not changes:
            return self._body
        made = [(other, body) for members, other, body in self._instead if members.items() <= changes.items()]
        other, body = made[-1]
        self._attempt.becomes(other)
        return body

    def _reply(self, question: ApprovalQuestion) -> Reply | Awaitable[Reply]:
        assert self._asked is not None, "it is handed on only where somebody replies"
        said = self._asked(question)
        return self._awaited(said) if inspect.isawaitable(said) else self._members(said)

    async def _awaited(self, said: Awaitable[Reply]) -> Reply:
        return self._members(await said)

    def _members(self, said: Reply) -> Reply:
        if not isinstance(said, Mapping) or not said:
            return said
        if self._change is None:
            raise TypeError("on_question answered with other arguments, which this call cannot take; give a text")
        self._changes = {**self._changes, **said}
        call, body = self._change(self._changes)
        other = self._attempt.instead(call)
        members = other.creation()
        self._instead.append((members, other, body))
        return members


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
