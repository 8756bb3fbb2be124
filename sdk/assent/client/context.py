"""Working on one action: `action_context` tags calls with its id, `track` also reports how it ended.

`track` creates the action, waits for its approval if guard asks for one, runs the body and reports completed or
failed with `duration_ms` (the body alone) and, when it failed, the error's type and message, without what looks like a
secret. An outcome that the body reported itself stands; then only the duration is added, unless an error ends the
body. The body's own error is never hidden by a report that did not get through.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar, Unpack

from assent.client.actions import ActionFields, OutcomeFields, creation, reporting
from assent.client.assumptions import BeliefFields, recording
from assent.client.flow import Flow, Stream
from assent.client.messages import Attachments, MessageFields, sending
from assent.client.operation import AsyncRunner, Caller, Runner, operation
from assent.client.signature import managed
from assent.client.waiting import awaiting, settle
from assent.contract.actions import FINAL, ActionStatus, CreatedAction, UpdatedAction
from assent.contract.assumptions import RecordedAssumption
from assent.contract.messages import MessageType, SentMessage
from assent.errors import ActionOverError, AssentError
from assent.secrets import displayed

T = TypeVar("T")
LONGEST_MESSAGE = 4000
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

    @operation
    def record_assumption(
        self, assumption: Mapping[str, Any] | str, **fields: Unpack[BeliefFields]
    ) -> Flow[RecordedAssumption]:
        """Record what the agent believes while it does this."""
        return (yield from recording(assumption, {"action_id": self.action_id, **fields}))

    @operation
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

    @operation
    def update_outcome(
        self, status: ActionStatus | str | Mapping[str, Any] | None = None, **fields: Unpack[OutcomeFields]
    ) -> Flow[UpdatedAction]:
        """Record what came of this action."""
        updated = yield from reporting(self.action_id, status, fields)
        named = status.get("status") if isinstance(status, Mapping) else status
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


def beginning(
    caller: Caller,
    action_type: str,
    declared_goal: str | None,
    *,
    context: Mapping[str, Any] | None,
    approval_timeout: float,
    fields: Mapping[str, Any],
) -> Flow[CreatedAction]:
    """Create the action and wait until it may run. A repetition of a creation whose action is over may not."""
    created = yield from creation(caller, action_type, declared_goal, context, fields)
    check_open(created)
    if created.action.status is ActionStatus.PENDING_APPROVAL:
        yield from awaiting(created.action_id, approval_timeout, INTERVAL, caller.base_url, caller.ambient)
    return created


def closing(context: ContextOperations, seconds: float, error: BaseException | None) -> Flow[None]:
    """Report how the body ended."""
    if context.left:
        return
    fields: OutcomeFields = {"duration_ms": max(0, round(seconds * 1000))}
    if error is not None:
        fields["error_message"] = displayed(f"{type(error).__name__}: {error}")[:LONGEST_MESSAGE]
        status: ActionStatus | None = ActionStatus.FAILED
    else:
        status = None if context.reported else ActionStatus.COMPLETED
    try:
        yield from reporting(context.action_id, status, fields)
    except AssentError as trouble:
        if error is None:
            raise
        error.add_note(f"The failure of {context.action_id} could not be reported: {trouble}")


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
        **fields: Unpack[ActionFields],
    ) -> Generator[ActionContext]:
        """Govern a block of code: the action is created on entering, waits for its approval if it needs one (at most
        `approval_timeout` seconds), and is reported completed or failed on leaving.

        Raises what `create_action` and `wait_for_approval` raise; the body then does not run.
        """
        created = self.run(
            beginning(
                self, action_type, declared_goal, context=context, approval_timeout=approval_timeout, fields=fields
            )
        )
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
        **fields: Unpack[ActionFields],
    ) -> AsyncGenerator[AsyncActionContext]:
        """Govern a block of code: the action is created on entering, waits for its approval if it needs one (at most
        `approval_timeout` seconds), and is reported completed or failed on leaving.

        Raises what `create_action` and `wait_for_approval` raise; the body then does not run.
        """
        created = await self.run(
            beginning(
                self, action_type, declared_goal, context=context, approval_timeout=approval_timeout, fields=fields
            )
        )
        bound = AsyncActionContext(self, created.action_id, created, self.agent_id)
        started = self.ambient.clock()
        try:
            yield bound
        except BaseException as error:
            await self.run(closing(bound, self.ambient.clock() - started, error))
            raise
        await self.run(closing(bound, self.ambient.clock() - started, None))
