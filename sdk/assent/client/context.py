"""Working on one action: `action_context` tags calls with its id, `track` also reports how it ended.

`track` creates the action, waits for its approval if guard asks for one, runs the body and reports completed or
failed with `duration_ms` (the body alone) and, when it failed, the error's type and message, without what looks like a
secret. What cannot be reported but waits in the spool (`assent.spool`) is logged and raises nothing: it will be
recorded. An outcome that the body reported itself stands; then only the duration is added, unless an error ends the
body. The body's own error is never hidden by a report that did not get through.

A body that is stopped from outside (`stopping`) is reported cancelled, unless it reported its outcome itself; one that
is stopped while it waits for its approval withdraws it, or, where an operator was quicker and allowed it, reports that
it is cancelled. What a repeated creation found may be waited for by somebody else too, and is left as it is. Awaiting,
the creation and the report are carried out although the task is cancelled meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar, Unpack

from assent.client.actions import ActionFields, OutcomeFields, creation, reporting
from assent.client.assumptions import BeliefFields, recording
from assent.client.flow import Flow, Leave, Stream
from assent.client.messages import Attachments, MessageFields, sending
from assent.client.method import calls
from assent.client.operation import AsyncRunner, Caller, Runner
from assent.client.signature import managed
from assent.client.stopping import LEAVING, LONGEST_WORDS, carried_out, stops, words_of
from assent.client.waiting import OnQuestion, awaiting, settle, withdrawing
from assent.contract.control.actions import FINAL, UPDATE_OUTCOME, ActionStatus, CreatedAction, UpdatedAction
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.assumptions import RECORD_ASSUMPTION, RecordedAssumption
from assent.contract.exchange.messages import SEND_MESSAGE, MessageType, SentMessage
from assent.contract.problems import Code
from assent.errors import ActionOverError, AssentError, Conflict, OutcomeSpooled

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


def check_open(created: CreatedAction) -> None:
    """Raises what the approval ended with, or ActionOverError, where a creation was repeated whose action is over."""
    if created.idempotent_replay and created.action.status in FINAL:
        if created.approval is not None:
            settle(created.action, created.approval)
        raise ActionOverError(created.action)


def admission(
    caller: Caller, created: CreatedAction, approval_timeout: float, on_question: OnQuestion | None = None
) -> Flow[None]:
    """Wait until the action may run. A repetition of a creation whose action is over may not."""
    check_open(created)
    if created.action.status is ActionStatus.PENDING_APPROVAL:
        yield Leave(lambda error: abandoning(created, error))
        yield from awaiting(
            created.action_id, approval_timeout, INTERVAL, caller.base_url, caller.ambient, on_question=on_question
        )


def abandoning(created: CreatedAction, error: BaseException) -> Flow[None]:
    """The body will not run, since `error` stopped its caller before."""
    if created.idempotent_replay:
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
    yield from reporting(created.action_id, ActionStatus.CANCELLED, {"error_message": why}, within=LEAVING)


def closing(context: ContextOperations, seconds: float, error: BaseException | None) -> Flow[None]:
    """Report how the body ended."""
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
        yield from reporting(context.action_id, status, fields, within=LEAVING if stopped else None)
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
        on_question: OnQuestion | None = None,
        **fields: Unpack[ActionFields],
    ) -> Generator[ActionContext]:
        """Govern a block of code: the action is created on entering, waits for its approval if it needs one (at most
        `approval_timeout` seconds), and is reported completed or failed on leaving, or cancelled where it is stopped
        from outside. `on_question` answers what an operator asks before deciding, as in `wait_for_approval`.

        Raises what `create_action` and `wait_for_approval` raise; the body then does not run.
        """
        created = self.run(creation(self, action_type, declared_goal, context, fields))
        self.run(admission(self, created, approval_timeout, on_question))
        bound = ActionContext(self, created.action_id, created, self.agent_id)
        started = self.ambient.clock()
        try:
            yield bound
        except BaseException as error:
            self.run(closing(bound, self.ambient.clock() - started, error))
            raise
        self.run(closing(bound, self.ambient.clock() - started, None))


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
        on_question: OnQuestion | None = None,
        **fields: Unpack[ActionFields],
    ) -> AsyncGenerator[AsyncActionContext]:
        """Govern a block of code: the action is created on entering, waits for its approval if it needs one (at most
        `approval_timeout` seconds), and is reported completed or failed on leaving, or cancelled where it is stopped
        from outside. `on_question` answers what an operator asks before deciding, as in `wait_for_approval`.

        Raises what `create_action` and `wait_for_approval` raise; the body then does not run.
        """
        flow = creation(self, action_type, declared_goal, context, fields)
        created, stop = await carried_out(lambda: self.run(flow))
        if stop is not None:
            with suppress(AssentError):
                await carried_out(lambda: self.run(abandoning(created, stop)), stopped=stop, again=True)
            raise stop
        await self.run(admission(self, created, approval_timeout, on_question))
        bound = AsyncActionContext(self, created.action_id, created, self.agent_id)
        started = self.ambient.clock()
        try:
            yield bound
        except BaseException as error:
            await _close(self, bound, self.ambient.clock() - started, error)
            raise
        await _close(self, bound, self.ambient.clock() - started, None)


async def _close(runner: AsyncRunner, bound: AsyncActionContext, seconds: float, error: BaseException | None) -> None:
    """Report how the body ended, also in a task that is cancelled while it does."""
    before = error if error is not None and stops(error) else None
    _, stop = await carried_out(lambda: runner.run(closing(bound, seconds, error)), stopped=before, again=True)
    if stop is not None:
        raise stop
