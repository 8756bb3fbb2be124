"""The connection test: one action, made as any agent makes one, and followed from guard to the live stream and its
outcome.

1. guard: the action is created, and guard's decision with it.
2. log: its event is read back from the evidence log, and its leaf hash is recomputed from the header.
3. tables: a query finds it as it was answered.
4. stream: a reader of the live stream, subscribed before, hears of it.
5. outcome: `completed` is reported when all of that held, `failed` otherwise. It comes last so that what is recorded
   says how the test ended; the newest test is later read from there.

A policy may stop the action. Then the connection works and the action did not run: nothing is reported, and the last
step fails with what to do. An approval that it asked for is withdrawn at once, in the name of whoever ran the test: it
would stand in everybody's inbox for a day, and approving it would have the tester overrule the policy. Where an
operator was quicker and allowed it, the action runs and ends as any other.

What goes wrong on the way is a failed step. Only when the action cannot be created at all, because nothing can be
recorded or the key may not, is there nothing to follow, and the request is refused as any creation would be.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from types import TracebackType
from typing import NamedTuple

import msgspec

from assent.contract.analysis.readiness import CheckConnection, ConnectionStep, ConnectionTest
from assent.contract.control.actions import Action, ActionStatus, CreateAction, UpdateOutcome
from assent.contract.control.approvals import WithdrawAction
from assent.contract.events import EventName, StreamQuery
from assent.contract.prepared import prepared
from assent.contract.problems import Code
from assent.proof.canonical import leaf_hash
from assent_service.analysis.readiness.queries import TRIGGER
from assent_service.base.clock import Clock
from assent_service.base.problem import Refusal
from assent_service.control.actions import ACTIONS, Actions
from assent_service.control.approvals import Approvals
from assent_service.core.payload import decode
from assent_service.core.principal import Principal
from assent_service.core.rows import find_row
from assent_service.core.stream import EventStream
from assent_service.evidence.events import Events
from assent_service.store.conditions import Overtaken, once
from assent_service.store.ledger import Ledger

# What is looked up of the test's action once it was answered: its event in the log, and its row.


class StepFailed(Exception):
    """A step found something else than it should; the text says what, and what to do."""


async def read_back(ledger: Ledger, action: Action) -> str:
    """The event that recorded the action, from the log itself. Raises StepFailed."""
    found = await ledger.events_of(action.org_id, action.action_id, [EventName.ACTION_CREATED.value])
    if len(found) != 1:
        raise StepFailed(
            f"The log has {len(found)} events of this creation instead of one; stop the service and run "
            "`assent rebuild`, which makes the tables anew from the log."
        )
    (event,) = found
    leaf = leaf_hash(event.header)
    if leaf != event.leaf_hash or decode(event, Action) != action:
        raise StepFailed(f"Event {event.n} in the log is not what was answered; keep the data folder as it is and ask.")
    return f"Event {event.n} was read back from the log; its leaf hash, from its header, is {leaf.hex()}."


async def read_row(ledger: Ledger, action: Action) -> str:
    """The action's row, or what became of it since: an operator may decide on it the moment that it asks. Raises
    StepFailed."""
    row = await find_row(ledger, ACTIONS, Action, action.org_id, action.action_id)
    if row is None:
        raise StepFailed("The tables do not have the action; stop the service and run `assent rebuild`.")
    if row.revision > action.revision:
        return f"The tables have it with status {row.status}, changed since it was answered."
    if row != action:
        raise StepFailed("The tables have another action than was answered; stop the service and run `assent rebuild`.")
    return f"The tables have it with status {row.status}, as it was answered."


# A reader of the live stream that waits for one action.


PATIENCE = 5.0
"""Seconds. An event is handed over in the turn of the loop in which it becomes durable."""


class Listener:
    """Subscribed from its beginning to its end to the creations of one agent, as any reader is."""

    def __init__(self, events: Events, principal: Principal, agent_id: str) -> None:
        self._events, self._principal, self._agent_id = events, principal, agent_id
        self._stream: EventStream | None = None

    async def __aenter__(self) -> Listener:
        query = StreamQuery(types=EventName.ACTION_CREATED.value, agent_id=self._agent_id)
        self._stream = await self._events.open(self._principal, query, None, "")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            self._stream.stop()
            await self._stream.chunks.aclose()

    async def hear(self, action_id: str) -> str:
        """Raises StepFailed when the stream ends, or is silent for too long."""
        assert self._stream is not None, "the listener is not subscribed"
        wanted = action_id.encode()
        try:
            async with asyncio.timeout(PATIENCE):
                async for chunk in self._stream.chunks:
                    if wanted in chunk:
                        return "A reader of the live stream heard of it."
        except TimeoutError:
            raise StepFailed(
                f"The live stream did not bring it within {PATIENCE:.0f} s; restart the service."
            ) from None
        raise StepFailed("The live stream ended before it came: the service is stopping, or the key was revoked.")


AGENT = "assent-connection-test"
WITHDRAWAL = "The connection test asked for this approval and closes it; nobody has to decide on it."

log = logging.getLogger("assent.readiness")


class ConnectionCheck:
    """Runs connection tests."""

    def __init__(self, ledger: Ledger, clock: Clock, actions: Actions, approvals: Approvals, events: Events) -> None:
        self._ledger, self._clock = ledger, clock
        self._actions, self._approvals, self._events = actions, approvals, events

    async def test(self, principal: Principal, asked: CheckConnection) -> ConnectionTest:
        """Raises what creating an action raises, but for `action_blocked`."""
        followed = await once("followed", lambda: self._follow(principal, asked))
        action, reason, steps = followed.action, followed.reason, _Steps(self._clock, followed.began, followed.steps)
        failed = [step.name for step in steps.taken if step.status == "fail"]
        await steps.take("outcome", self._end(principal, action, reason, failed))
        return ConnectionTest(
            passed=all(step.status == "pass" for step in steps.taken),
            at=action.created_at,
            action=await self._actions.find(action.org_id, action.action_id) or action,
            steps=steps.taken,
        )

    async def _follow(self, principal: Principal, asked: CheckConnection) -> _Followed:
        began = self._clock()
        steps = _Steps(self._clock, began)
        async with Listener(self._events, principal, _agent(principal)) as listener:
            action, reason = await self._create(principal, asked)
            await steps.take("guard", _verdict(action))
            await steps.take("log", read_back(self._ledger, action))
            await steps.take("tables", read_row(self._ledger, action))
            await steps.take("stream", listener.hear(action.action_id))
        return _Followed(action, reason, began, tuple(steps.taken))

    async def _create(self, principal: Principal, asked: CheckConnection) -> tuple[Action, str | None]:
        """The action, and guard's reason."""
        body = CreateAction(
            action_type=asked.action_type,
            declared_goal=asked.declared_goal,
            agent_id=_agent(principal),
            trigger=TRIGGER,
        )
        try:
            created = await self._actions.create(principal, body, msgspec.to_builtins(body), None)
        except Refusal as refusal:
            if refusal.code is not Code.ACTION_BLOCKED:
                raise
            attempt = msgspec.convert(refusal.extras["action"], prepared(Action))
            return attempt, attempt.error_message
        return created.action, created.decision.reason

    async def _end(self, principal: Principal, action: Action, reason: str | None, failed: list[str]) -> str:
        if action.status is ActionStatus.BLOCKED:
            raise StepFailed(
                f"Guard blocked the action, so it has no outcome: {reason}. Test with an action_type that no policy "
                "blocks, or change what blocks it: a policy, or the kill switch."
            )
        if action.status is ActionStatus.PENDING_APPROVAL and not await self._allowed(principal, action):
            raise StepFailed(
                f"Guard asks an operator about {action.action_type!r}, so the action did not run: {reason}. Its "
                "approval was withdrawn so that nobody waits for it. Test with an action_type that no policy stops."
            )
        if failed:
            wrong = f"These steps of the connection test failed: {', '.join(failed)}."
            report = UpdateOutcome(status=ActionStatus.FAILED, error_message=wrong)
        else:
            report = UpdateOutcome(status=ActionStatus.COMPLETED, output_summary="Every step of the test passed.")
        ended = await self._actions.report(principal, action.action_id, report)
        return f"The outcome {ended.status} is recorded, after {ended.duration_ms} ms."

    async def _allowed(self, principal: Principal, action: Action) -> bool:
        """Withdraw the approval; whether an operator had allowed the action by then."""
        try:
            await self._approvals.withdraw(principal, action.action_id, WithdrawAction(reason=WITHDRAWAL))
        except Refusal as refusal:
            if refusal.code is not Code.ALREADY_DECIDED:
                raise
            now = await self._actions.find(action.org_id, action.action_id)
            return now is not None and now.status is ActionStatus.RUNNING
        return False


class _Followed(NamedTuple):
    """The test's action with guard's reason, and the steps up to its outcome, since `began` (microseconds)."""

    action: Action
    reason: str | None
    began: int
    steps: tuple[ConnectionStep, ...]


class _Steps:
    """The steps so far, and how long each of them is after the beginning."""

    def __init__(self, clock: Clock, began: int, taken: Iterable[ConnectionStep] = ()) -> None:
        self.taken = list(taken)
        self._clock, self._began = clock, began

    async def take(self, name: str, step: Awaitable[str]) -> None:
        """Wait for a step; it answers with its detail, or raises."""
        status = "fail"
        try:
            detail = await step
            status = "pass"
        except StepFailed as failure:
            detail = str(failure)
        except Refusal as refusal:
            detail = refusal.detail
        except Overtaken:
            raise
        except Exception as error:
            log.exception("the connection test failed at %s", name)
            detail = f"It failed unexpectedly ({type(error).__name__}); the service's log says why."
        milliseconds = (self._clock() - self._began) / 1000
        self.taken.append(ConnectionStep(name=name, status=status, detail=detail, milliseconds=milliseconds))


async def _verdict(action: Action) -> str:
    return f"Guard decided {action.decision} (decision {action.decision_id}, risk {action.risk_score:g})."


def _agent(principal: Principal) -> str:
    return principal.agent_id or AGENT
