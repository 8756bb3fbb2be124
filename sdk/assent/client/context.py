"""Working on one action: `action_context` tags calls with its id, `track` also reports how it ended.

`track` creates the action, waits for its approval if guard asks for one, runs the body and reports completed or
failed with `duration_ms` (the body alone) and, when it failed, the error's type and message, without what looks like a
secret. What cannot be reported but waits in the spool (`assent.spool`) is logged and raises nothing: it will be
recorded. An outcome that the body reported itself stands; then only the duration is added, unless an error ends the
body. The body's own error is never hidden by a report that did not get through.

A body that is stopped from outside (`stopping`) is reported cancelled, unless it reported its outcome itself; one that
is stopped while it waits for its approval withdraws it, or, where an operator was quicker and allowed it, reports that
it is cancelled. One whose creation was under way finds out by the creation's key what became of it, and does the same.
What a repeated creation found may be waited for by somebody else too, and is left as it is. Awaiting, the creation and
the report are carried out although the task is cancelled meanwhile.

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
from assent.client.signature import managed
from assent.client.stopping import LEAVING, LONGEST_WORDS, carried_out, stops, words_of
from assent.client.waiting import Replier, RequestChanged, awaiting, settle, withdrawing
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
from assent.contract.control.claims import CLAIM_ACTION, ClaimedAction
from assent.contract.control.guard import Decision
from assent.contract.exchange.messages import SEND_MESSAGE, MessageType, SentMessage
from assent.contract.problems import Code
from assent.errors import (
    ActionOverError,
    ApprovalTimeoutError,
    AssentError,
    Conflict,
    Gone,
    GuardBlockedError,
    OutcomeSpooled,
    UnboundAnswer,
)
from assent.secrets import displayed

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


def check_open(created: CreatedAction) -> None:
    """Raises what the approval ended with, or ActionOverError, where a creation was repeated whose action is over."""
    if created.idempotent_replay and created.action.status in FINAL:
        if created.approval is not None:
            settle(created.action, created.approval)
        raise ActionOverError(created.action)


def check_answer(created: CreatedAction, asked: Mapping[str, Any], base_url: str) -> None:
    """Raises UnboundAnswer where a creation was answered with something that was not asked, or that lets nothing run:
    whatever stands between answers so, and a service that this client does not know. Raises GuardBlockedError for a
    block that is no error: history is recorded so."""
    action, decision = created.action, created.decision
    if action.status is ActionStatus.BLOCKED and decision.decision is Decision.BLOCK:
        raise GuardBlockedError(decision, action.action_id)
    waits = action.status is ActionStatus.PENDING_APPROVAL
    wrong = None
    if not action.action_id or created.action_id != action.action_id:
        wrong = f"it names the actions {created.action_id[:80]!r} and {action.action_id[:80]!r}"
    elif not any(_is_named(asked["action_type"], each) for each in (action.action_type, decision.action_type_as_sent)):
        wrong = f"it is about {action.action_type[:80]!r}, and asked was about {asked['action_type'][:80]!r}"
    elif asked["agent_id"] is not None and not _is_named(asked["agent_id"], action.agent_id):
        wrong = f"it is about agent {action.agent_id!r}, and asked was for {asked['agent_id']!r}"
    elif asked.get("parameters_digest") not in (None, action.parameters_digest):
        wrong = "it is about other arguments"
    elif not waits and action.status not in (ActionStatus.RUNNING, asked.get("status")):
        wrong = f"its action is {action.status}, which does not run"
    elif not waits and created.approval is None and decision.decision not in _GOES_AHEAD:
        wrong = f"its action is {action.status}, and guard said {decision.decision}"
    wrong = wrong or _at_odds(created)
    if wrong is not None:
        url = f"{base_url}{CREATE_ACTION.path}"
        raise UnboundAnswer(url=url, answered=None, uncertain=True, reason=f"what came answers something else: {wrong}")


def _at_odds(created: CreatedAction) -> str | None:
    """Which of the answer's parts is about something else than its action."""
    action, decision, approval = created.action, created.decision, created.approval
    if action.decision != decision.decision or action.decision_id != decision.decision_id:
        return f"its action stands under {action.decision} ({action.decision_id}), and guard said {decision.decision}"
    if decision.action_id not in (decision.decision_id, action.action_id):
        return f"its decision is about {decision.action_id[:80]!r}"
    if not (_are_one(action.agent_id, decision.agent_id) and _are_one(action.action_type, decision.action_type)):
        return f"its decision is about {decision.action_type[:80]!r} of agent {decision.agent_id!r}"
    if approval is not None and approval.action_id != action.action_id:
        return f"its approval is of {approval.action_id[:80]!r}"
    return None


def check_same(action: Action, created: CreatedAction, base_url: str) -> None:
    """Raises UnboundAnswer where an action that may run, as a wait or a claim gave it, is not the one created."""
    asked = created.action
    differing = [name for name in _OF_ONE_ACTION if getattr(action, name) != getattr(asked, name)]
    if action.status is not ActionStatus.RUNNING:
        differing.append("status")
    if differing:
        reason = f"what came answers something else: {', '.join(differing)} of {asked.action_id} differ"
        raise UnboundAnswer(url=f"{base_url}{CREATE_ACTION.path}", answered=None, uncertain=True, reason=reason)


def check_claim(claimed: ClaimedAction, action_id: str, created: CreatedAction | None) -> None:
    """Raises UnboundAnswer where a claim's answer is not about this action, or about another approval or act than the
    one that was asked for."""
    approval, asked = claimed.approval, None if created is None else created.approval
    same = {claimed.action.action_id, approval.action_id} == {action_id}
    same = same and approval.agent_id == claimed.action.agent_id
    same = same and approval.state is ApprovalState.APPROVED
    same = same and approval.act_digest in (None, claimed.act_digest)
    if asked is not None:
        same = same and (approval.approval_id, approval.act_digest) == (asked.approval_id, asked.act_digest)
    if not same:
        reason = f"what came is no claim of {action_id}"
        raise UnboundAnswer(url=CLAIM_ACTION.path, answered=None, uncertain=True, reason=reason)
    if created is not None:
        check_same(claimed.action, created, "")


_OF_ONE_ACTION = ("action_id", "action_type", "agent_id", "session_id", "parameters_digest")
_GOES_AHEAD = (Decision.ALLOW, Decision.WARN)


def _are_one(name: str | None, other: str | None) -> bool:
    return other is None if name is None else _is_named(name, other)


def _is_named(asked: str, answered: object) -> bool:
    """Whether a name is the one that was asked about, or what is left of it without its secrets."""
    if not isinstance(answered, str) or asked.strip().casefold() == answered.strip().casefold():
        return isinstance(answered, str)
    from assent.contract.names import same_name

    return same_name(asked, answered) or same_name(displayed(asked), answered)


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
        self._under_way: Callable[..., Flow[CreatedAction]] | None = None
        self.changes: Mapping[str, Any] = {}

    def creation(self) -> Flow[CreatedAction]:
        return self._create(self._members, self._context)

    def _create(self, members: Mapping[str, Any], context: Mapping[str, Any]) -> Flow[CreatedAction]:
        key = self._caller.ambient.new_key()
        made = functools.partial(creation, self._caller, **_split(members), context=context, key=key)
        self._under_way = made
        try:
            self._newest = yield from made()
        except AssentError:
            self._under_way = None
            raise
        self._under_way = None
        return self._newest

    def leaving(self, error: BaseException) -> Flow[None]:
        """The body will not run, since `error` stopped its caller before."""
        ours = self._under_way is not None
        if self._under_way is not None:
            with suppress(AssentError):
                # The same creation again, by its key: the service may have carried it out.
                self._newest = yield from self._under_way(within=LEAVING)
        if self._newest is not None:
            yield from abandoning(self._newest, error, ours=ours and _KEY not in self._members)

    def _meant(self) -> Mapping[str, Any]:
        """What the newest creation said."""
        meant = _PARAMETERS if _PARAMETERS & self.changes.keys() else frozenset[str]()
        said = {**_without(self._context, meant), **_without(self._members, meant), **self.changes}
        return {"agent_id": self._caller.agent_id, **{name: value for name, value in said.items() if value is not None}}

    def admission(self, created: CreatedAction) -> Flow[Mapping[str, Any] | None]:
        """Wait until the action may run: None, or what to change of it. A repetition of a creation whose action is over
        may not run."""
        check_open(created)
        check_answer(created, self._meant(), self._caller.base_url)
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
            )
        except RequestChanged as changed:
            return changed.changes
        except ApprovalTimeoutError:
            raise ApprovalTimeoutError(created.action_id, self._timeout) from None
        if found.status in FINAL:
            raise ActionOverError(found)  # somebody who waited for it, too, was quicker
        check_same(found, created, self._caller.base_url)
        return None

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
    """The body will not run, since `error` stopped its caller before. A repetition that found the action leaves it as
    it is, unless it is known to be `ours`."""
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
                self.run(closing(bound, self.ambient.clock() - started, error))
            elif stops(error):
                with suppress(AssentError):
                    self.run(asked.leaving(error))
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
                await _close(self, bound, self.ambient.clock() - started, error)
            elif stops(error):
                leaving = functools.partial(asked.leaving, error)
                with suppress(AssentError):
                    await carried_out(lambda: self.run(leaving()), stopped=error, again=True)
            raise
        await _close(self, bound, self.ambient.clock() - started, None)


async def _created(runner: AsyncRunner, flow: Flow[CreatedAction]) -> CreatedAction:
    """The action, although the task may be cancelled meanwhile; then it ends."""
    created, stop = await carried_out(lambda: runner.run(flow))
    if stop is not None:
        raise stop
    return created


async def _close(runner: AsyncRunner, bound: AsyncActionContext, seconds: float, error: BaseException | None) -> None:
    """Report how the body ended, also in a task that is cancelled while it does."""
    before = error if error is not None and stops(error) else None
    _, stop = await carried_out(lambda: runner.run(closing(bound, seconds, error)), stopped=before, again=True)
    if stop is not None:
        raise stop
