"""Working on one action: `action_context` tags calls with its id, `track` also reports how it ended.

`track` creates the action, waits for its approval if guard asks for one, runs the body and reports completed or
failed with `duration_ms` (the body alone) and, when it failed, the error's type and message, without what looks like a
secret. What cannot be reported but waits in the spool (`assent.spool`) is logged and raises nothing: it will be
recorded. An outcome that the body reported itself stands; then only the duration is added, unless an error ends the
body. The body's own error is never hidden by a report that did not get through.

A body that is stopped from outside (`stopping`) is reported cancelled, unless it reported its outcome itself; one that
is stopped while it waits for its approval withdraws it, or, where an operator was quicker and allowed it, reports that
it is cancelled. One whose creation was under way finds out by the creation's key what became of it, and does the same.
Whatever else ends the wait (what a signal handler or `on_question` raises, an answer to another question) ends the
action in the same way, as failed where it runs already. A
wait that runs out takes the question back, since nobody comes back for it; an operator who was quicker counts, and an
action with a key or an id of the caller's is left, to be found again. What else the service says, and its silence,
leave the action as it is. What a repeated creation found may be waited for by somebody else too, and is left as it is.
Awaiting, the creation and the report are carried out although the task is cancelled meanwhile; blocking, a report that
an exception cuts off is made once more.

Where `on_question` answers an operator by what to change, the changed action takes the place of the one that waits
(`replaces`), and is waited for in the time that is left. Where an operator was quicker and has decided on the first
one, that decision stands. A change that guard blocks raises, and nothing waits any more.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar, Unpack

from assent.client.actions import ActionFields, OutcomeFields, creation, reporting
from assent.client.assumptions import BeliefFields, recording
from assent.client.flow import Flow, Stream
from assent.client.messages import Attachments, MessageFields, sending
from assent.client.method import calls
from assent.client.operation import AsyncRunner, Caller, Runner
from assent.client.permission import check_answer, check_open, check_same, of_another
from assent.client.session import in_session
from assent.client.signature import managed
from assent.client.stopping import LEAVING, LONGEST_WORDS, carried_out, from_outside, stops, words_of
from assent.client.waiting import Replier, RequestChanged, awaiting, withdrawing
from assent.contract.control.actions import (
    CREATE_ACTION,
    FINAL,
    UPDATE_OUTCOME,
    Action,
    ActionStatus,
    CreatedAction,
    UpdatedAction,
)
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.assumptions import RECORD_ASSUMPTION, RecordedAssumption
from assent.contract.exchange.messages import SEND_MESSAGE, MessageType, SentMessage
from assent.contract.problems import Code
from assent.errors import (
    ActionOverError,
    ApprovalTimeoutError,
    AssentError,
    Conflict,
    Gone,
    GuardBlockedError,
    NotAwaitingApprovalError,
    OutcomeSpooled,
    UnboundAnswer,
)

T = TypeVar("T")
LOG = logging.getLogger("assent.client")
LONGEST_MESSAGE = LONGEST_WORDS
INTERVAL = 5.0


class ContextOperations:
    """What can be said about one action."""

    def __init__(self, action_id: str, created: CreatedAction | None = None, agent_id: str | None = None) -> None:
        self.action_id = action_id
        self.agent_id = agent_id
        self.created = created
        self.reported = False
        self.left = False
        """The action is somebody else's to report; `track` then says nothing of it."""
        self.changes: Mapping[str, Any] = {}
        """What `on_question` changed of the request that `track` was given, by name."""

    @calls(RECORD_ASSUMPTION, without=("action_id",))
    def record_assumption(
        self, assumption: Mapping[str, Any] | str, **fields: Unpack[BeliefFields]
    ) -> Flow[RecordedAssumption]:
        """Record what the agent believes while it does this."""
        return (yield from recording(assumption, {"action_id": self.action_id, **fields}))

    @calls(SEND_MESSAGE, named={"to_agent_id": "to"}, without=("action_id",))
    def send_message(
        self,
        body: str | Mapping[str, Any] | None = None,
        to: str | None = None,
        message_type: MessageType | str | None = None,
        attachments: Attachments | None = None,
        **fields: Unpack[MessageFields],
    ) -> Flow[SentMessage]:
        """Send a message about this action, which its timeline then shows; otherwise as the client's own."""
        about = {**fields, "action_id": self.action_id}
        return (yield from sending(self.agent_id, body, to, message_type, attachments, about))

    @calls(UPDATE_OUTCOME, without=("action_id",))
    def update_outcome(
        self, status: ActionStatus | str | Mapping[str, Any] | None = None, **fields: Unpack[OutcomeFields]
    ) -> Flow[UpdatedAction]:
        """Record what came of this action."""
        named = status.get("status") if isinstance(status, Mapping) else status
        try:
            updated = yield from reporting(self.action_id, status, fields)
        except OutcomeSpooled:
            self.reported = self.reported or named is not None
            raise
        self.reported = self.reported or named is not None
        return updated


class ActionContext(ContextOperations, Runner):
    """Bound to one action; `created` is the answer to its creation where `track` made it."""

    def __init__(
        self, runner: Runner, action_id: str, created: CreatedAction | None = None, agent_id: str | None = None
    ) -> None:
        super().__init__(action_id, created, agent_id)
        self._runner = runner

    def run(self, flow: Flow[T]) -> T:
        return self._runner.run(flow)

    def iterate(self, stream: Stream[T]) -> Iterator[T]:
        return self._runner.iterate(stream)

    def __enter__(self) -> ActionContext:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class AsyncActionContext(ContextOperations, AsyncRunner):
    """Bound to one action; `created` is the answer to its creation where `track` made it."""

    def __init__(
        self, runner: AsyncRunner, action_id: str, created: CreatedAction | None = None, agent_id: str | None = None
    ) -> None:
        super().__init__(action_id, created, agent_id)
        self._runner = runner

    async def run(self, flow: Flow[T]) -> T:
        return await self._runner.run(flow)

    def iterate(self, stream: Stream[T]) -> AsyncIterator[T]:
        return self._runner.iterate(stream)

    async def __aenter__(self) -> AsyncActionContext:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class _Asked:
    """What `track` asks for, and what became of it: `changes` are those that count."""

    def __init__(
        self,
        caller: Caller,
        members: Mapping[str, Any],
        context: Mapping[str, Any] | None,
        approval_timeout: float,
        on_question: Replier | None,
    ) -> None:
        self._caller, self._members, self._context = caller, members, context or {}
        self._timeout, self._on_question = approval_timeout, on_question
        self._until: float | None = None
        self._newest: CreatedAction | None = None
        self._made: Callable[..., Flow[CreatedAction]] | None = None
        """The creation that was begun last, to be made once more by its key."""
        self._said: Mapping[str, Any] = {}
        """What it said."""
        self._answered = False
        """Whether its answer is known, and the one to it."""
        self.changes: Mapping[str, Any] = {}

    def creation(self) -> Flow[CreatedAction]:
        return self._create(self._members, self._context)

    def _create(self, members: Mapping[str, Any], context: Mapping[str, Any]) -> Flow[CreatedAction]:
        key = self._caller.ambient.new_key()
        made = functools.partial(creation, self._caller, **_split(members), context=context, key=key)
        before = self._made, self._said, self._answered
        self._made, self._said, self._answered = made, self._meant(members, context, key), False
        try:
            self._newest = yield from made()
        except UnboundAnswer:
            raise
        except AssentError:
            self._made, self._said, self._answered = before
            raise
        self._answered = True
        return self._newest

    def leaving(self, error: BaseException) -> Flow[None]:
        """The body will not run, since `error` ended its caller's wait before."""
        ours = self._made is not None and not self._answered
        if self._made is not None and not self._answered:
            with suppress(Exception):
                # The same creation again, by its key: the service may have carried it out.
                found = yield from self._made(within=LEAVING)
                self._newest = found if of_another(found, self._said) is None else None
        if self._newest is not None:
            yield from abandoning(self._newest, error, ours=ours and _KEY not in self._members)

    def _meant(self, members: Mapping[str, Any], context: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        """What a creation says."""
        given = {name: value for name, value in {**context, **members}.items() if value is not None}
        said = {"agent_id": self._caller.agent_id, _KEY: key, **given}
        if self._caller.signer is None and members.get(_KEY) is None:
            said[_KEY] = key  # the header's, which counts before that of the context
        return in_session(CREATE_ACTION, said, self._caller.own_session)

    def admission(self, created: CreatedAction) -> Flow[Mapping[str, Any] | None]:
        """Wait until the action may run: None, or what to change of it. A repetition of a creation whose action is over
        may not run."""
        check_open(created)
        try:
            check_answer(created, self._said, self._caller.base_url)
        except UnboundAnswer:
            self._answered = False
            raise
        except (GuardBlockedError, NotAwaitingApprovalError) as refused:
            with suppress(AssentError):  # history that will not happen
                yield from abandoning(created, refused, ours=False)
            raise
        if created.action.status is not ActionStatus.PENDING_APPROVAL:
            return None
        now = self._caller.ambient.clock()
        self._until = now + self._timeout if self._until is None else self._until
        try:
            found = yield from awaiting(
                created.action_id,
                min(self._timeout, max(0.0, self._until - now)),
                INTERVAL,
                self._caller.base_url,
                self._caller.ambient,
                on_question=self._on_question,
                changeable=True,
                created=created,
            )
        except RequestChanged as changed:
            return changed.changes
        except ApprovalTimeoutError:
            found = yield from self._ran_out(created)
        if found.status in FINAL:
            raise ActionOverError(found)  # somebody who waited for it, too, was quicker
        check_same(found, created, self._caller.base_url)
        return None

    def _ran_out(self, created: CreatedAction) -> Flow[Action]:
        """The action, where an operator was quicker than the end of the wait; else nobody could go on with it any more,
        and its question is taken back. Raises ApprovalTimeoutError, or what the approval ended with. What its caller
        can find again, by a key or an id of theirs, still waits."""
        late = ApprovalTimeoutError(created.action_id, self._timeout)
        if any({**self._context, **self._members}.get(name) is not None for name in (_KEY, "action_id")):
            raise late
        taken_back = ApprovalTimeoutError(created.action_id, self._timeout, withdrawn=True)
        try:
            yield from withdrawing(created.action_id, words_of(taken_back), within=LEAVING)
        except (Conflict, Gone):
            caller = self._caller
            return (
                yield from awaiting(created.action_id, 0.0, INTERVAL, caller.base_url, caller.ambient, created=created)
            )
        except AssentError as error:
            late.add_note(f"It could not be taken back: {error}")
            raise late from error
        raise taken_back

    def change(self, waits: CreatedAction, changes: Mapping[str, Any]) -> Flow[CreatedAction]:
        """The changed action, in the place of the one that waits; that one, where somebody has decided on it. Raises
        GuardBlockedError."""
        meant = _PARAMETERS if _PARAMETERS & changes.keys() else frozenset[str]()
        changed = {**_without(self.changes, meant), **changes}
        members = {**_without(self._members, meant | _OF_ONE_REQUEST), **changed, "replaces": waits.action_id}
        context = _without(self._context, meant | _OF_ONE_REQUEST)
        try:
            made = yield from self._create(members, context)
        except GuardBlockedError as blocked:
            with suppress(AssentError):
                yield from withdrawing(waits.action_id, words_of(blocked), within=LEAVING)
            raise
        except (Conflict, Gone) as error:
            if error.code not in _OVER:
                raise
            return waits
        self.changes = changed
        return made


_KEY = "idempotency_key"
_OF_ONE_REQUEST = frozenset({"action_id", "decision_id", _KEY, "replaces", "signature"})
"""Members that belong to one creation, and not to another one in its place."""
_PARAMETERS = frozenset({"parameters", "parameters_digest"})
"""Two ways to say one thing: who changes one of them does not mean the other any more."""
_OVER = frozenset({Code.ALREADY_DECIDED, Code.APPROVAL_EXPIRED, Code.APPROVAL_WITHDRAWN, Code.NOT_AWAITING_APPROVAL})
"""What is answered where the action that is to be replaced waits no longer; its state says how that ended."""


def _without(members: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name not in names}


def _split(members: Mapping[str, Any]) -> dict[str, Any]:
    """As the arguments of `creation`."""
    named = ("action_type", "declared_goal")
    return {**{name: members[name] for name in named}, "fields": _without(members, frozenset(named))}


def abandoning(created: CreatedAction, error: BaseException, *, ours: bool) -> Flow[None]:
    """The body will not run, since `error` ended its caller's wait before. A repetition that found the action leaves it
    as it is, unless it is known to be `ours`."""
    if (created.idempotent_replay and not ours) or created.action.status in FINAL:
        return
    why = words_of(error)
    if created.action.status is ActionStatus.PENDING_APPROVAL:
        try:
            yield from withdrawing(created.action_id, why, within=LEAVING)
        except Conflict as refused:
            standing = refused.problem.get("approval") or {}
            if refused.code != Code.ALREADY_DECIDED or standing.get("state") != ApprovalState.APPROVED:
                return
        else:
            return
    status = ActionStatus.CANCELLED if stops(error) else ActionStatus.FAILED
    yield from reporting(created.action_id, status, {"error_message": why}, within=LEAVING)


def _leaves(error: BaseException) -> bool:
    """Whether an error before the body leaves an action behind that nobody goes on with."""
    return isinstance(error, UnboundAnswer) or from_outside(error)


def closing(
    context: ContextOperations, seconds: float, error: BaseException | None, *, within: float | None = None
) -> Flow[None]:
    """Report how the body ended, in `within` seconds if given."""
    if context.left:
        return
    fields: OutcomeFields = {"duration_ms": max(0, round(seconds * 1000))}
    stopped = error is not None and stops(error)
    status: ActionStatus | None
    if error is None or (stopped and context.reported):
        status = None if context.reported else ActionStatus.COMPLETED
    else:
        fields["error_message"] = words_of(error)
        status = ActionStatus.CANCELLED if stopped else ActionStatus.FAILED
    try:
        yield from reporting(context.action_id, status, fields, within=LEAVING if stopped else within)
    except OutcomeSpooled as spooled:
        LOG.warning("%s", spooled)
    except AssentError as trouble:
        if error is None:
            raise
        error.add_note(f"The end of {context.action_id} could not be reported: {trouble}")


class Contexts(Caller, Runner):
    def action_context(self, action_id: str) -> ActionContext:
        """A context whose calls carry this action's id."""
        return ActionContext(self, action_id, agent_id=self.agent_id)

    @managed
    @contextmanager
    def track(
        self,
        action_type: str,
        declared_goal: str | None = None,
        *,
        context: Mapping[str, Any] | None = None,
        approval_timeout: float = 300.0,
        on_question: Replier | None = None,
        **fields: Unpack[ActionFields],
    ) -> Generator[ActionContext]:
        """Govern a block of code: the action is created on entering, waits for its approval if it needs one (at most
        `approval_timeout` seconds), and is reported completed or failed on leaving, or cancelled where it is stopped
        from outside. `on_question` answers what an operator asks before deciding, as in `wait_for_approval`; or it
        returns what to change, by the names of `create_action`: the changed action takes the place of the one that
        waits, and the body finds it in `changes`.

        Raises what `create_action` and `wait_for_approval` raise; the body then does not run.
        """
        members = {"action_type": action_type, "declared_goal": declared_goal, **fields}
        asked = _Asked(self, members, context, approval_timeout, on_question)
        bound: ActionContext | None = None
        started = 0.0
        try:  # one block, so that there is no moment between two in which an interrupt would be overlooked
            created = self.run(asked.creation())
            while (changes := self.run(asked.admission(created))) is not None:
                created = self.run(asked.change(created, changes))
            made = ActionContext(self, created.action_id, created, self.agent_id)
            made.changes = asked.changes
            started = self.ambient.clock()
            bound = made
            yield made
        except BaseException as error:
            if bound is not None:
                _close(self, bound, self.ambient.clock() - started, error)
            elif _leaves(error):
                with suppress(AssentError):
                    self.run(asked.leaving(error))
            raise
        _close(self, bound, self.ambient.clock() - started, None)


class AsyncContexts(Caller, AsyncRunner):
    def action_context(self, action_id: str) -> AsyncActionContext:
        """A context whose calls carry this action's id."""
        return AsyncActionContext(self, action_id, agent_id=self.agent_id)

    @managed
    @asynccontextmanager
    async def track(
        self,
        action_type: str,
        declared_goal: str | None = None,
        *,
        context: Mapping[str, Any] | None = None,
        approval_timeout: float = 300.0,
        on_question: Replier | None = None,
        **fields: Unpack[ActionFields],
    ) -> AsyncGenerator[AsyncActionContext]:
        """Govern a block of code: the action is created on entering, waits for its approval if it needs one (at most
        `approval_timeout` seconds), and is reported completed or failed on leaving, or cancelled where it is stopped
        from outside. `on_question` answers what an operator asks before deciding, as in `wait_for_approval`; or it
        returns what to change, by the names of `create_action`: the changed action takes the place of the one that
        waits, and the body finds it in `changes`.

        Raises what `create_action` and `wait_for_approval` raise; the body then does not run.
        """
        members = {"action_type": action_type, "declared_goal": declared_goal, **fields}
        asked = _Asked(self, members, context, approval_timeout, on_question)
        bound: AsyncActionContext | None = None
        started = 0.0
        try:
            created = await _created(self, asked.creation())
            while (changes := await self.run(asked.admission(created))) is not None:
                created = await _created(self, asked.change(created, changes))
            made = AsyncActionContext(self, created.action_id, created, self.agent_id)
            made.changes = asked.changes
            started = self.ambient.clock()
            bound = made
            yield made
        except BaseException as error:
            if bound is not None:
                await _close_async(self, bound, self.ambient.clock() - started, error)
            elif _leaves(error):
                leaving = functools.partial(asked.leaving, error)
                with suppress(AssentError):
                    await carried_out(lambda: self.run(leaving()), stopped=error, again=True)
            raise
        await _close_async(self, bound, self.ambient.clock() - started, None)


async def _created(runner: AsyncRunner, flow: Flow[CreatedAction]) -> CreatedAction:
    """The action, although the task may be cancelled meanwhile; then it ends."""
    created, stop = await carried_out(lambda: runner.run(flow))
    if stop is not None:
        raise stop
    return created


def _close(runner: Runner, bound: ActionContext, seconds: float, error: BaseException | None) -> None:
    """Report how the body ended; once more where something besides the service's answer cut that off."""
    try:
        runner.run(closing(bound, seconds, error))
    except AssentError:
        raise
    except BaseException:
        with suppress(Exception):
            runner.run(closing(bound, seconds, error, within=LEAVING))
        raise


async def _close_async(
    runner: AsyncRunner, bound: AsyncActionContext, seconds: float, error: BaseException | None
) -> None:
    """Report how the body ended, also in a task that is cancelled while it does."""
    before = error if error is not None and stops(error) else None
    _, stop = await carried_out(lambda: runner.run(closing(bound, seconds, error)), stopped=before, again=True)
    if stop is not None:
        raise stop
