"""The connection test: one action, made as any agent makes one, and followed from end to end.

1. guard: the action is created, and guard's decision with it.
2. log: its event is read back from the evidence log, and its leaf hash is recomputed from the header.
3. tables: a query finds it as it was answered.
4. stream: a reader of the live stream, subscribed before, hears of it.
5. outcome: `completed` is reported when all of that held, `failed` otherwise. It comes last so that what is recorded
   says how the test ended; the newest test is later read from there.

A policy may stop the action. Then the connection works and the action did not run: nothing is reported, and the last
step fails with what to do. An approval that it asked for is denied at once, in the name of whoever ran the test: it
would stand in everybody's inbox for a day, and approving it would have the tester overrule the policy. Where another
operator was quicker and allowed it, the action runs and ends as any other.

What goes wrong on the way is a failed step. Only when the action cannot be created at all, because nothing can be
recorded or the key may not, is there nothing to follow, and the request is refused as any creation would be.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable

import msgspec

from assent.contract.actions import Action, ActionStatus, CreateAction, UpdateOutcome
from assent.contract.approvals import ApproveAction, Verdict
from assent.contract.prepared import prepared
from assent.contract.problems import Code
from assent.contract.readiness import CheckConnection, ConnectionStep, ConnectionTest
from assent_service.actions import Actions
from assent_service.approvals import Approvals
from assent_service.core.clock import Clock
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal
from assent_service.events import Events
from assent_service.readiness.listener import Listener
from assent_service.readiness.queries import TRIGGER
from assent_service.readiness.trail import StepFailed, read_back, read_row
from assent_service.store.ledger import Ledger

AGENT = "assent-connection-test"
DENIAL = "The connection test asked for this approval and closes it; nobody has to decide on it."

log = logging.getLogger("assent.readiness")


class ConnectionCheck:
    """Runs connection tests."""

    def __init__(self, ledger: Ledger, clock: Clock, actions: Actions, approvals: Approvals, events: Events) -> None:
        self._ledger, self._clock = ledger, clock
        self._actions, self._approvals, self._events = actions, approvals, events

    async def test(self, principal: Principal, asked: CheckConnection) -> ConnectionTest:
        """Raises what creating an action raises, but for `action_blocked`."""
        steps = _Steps(self._clock)
        async with Listener(self._events, principal, _agent(principal)) as listener:
            action, reason = await self._create(principal, asked)
            await steps.take("guard", _verdict(action))
            await steps.take("log", read_back(self._ledger, action))
            await steps.take("tables", read_row(self._ledger, action))
            await steps.take("stream", listener.hear(action.action_id))
        failed = [step.name for step in steps.taken if step.status == "fail"]
        await steps.take("outcome", self._end(principal, action, reason, failed))
        return ConnectionTest(
            passed=all(step.status == "pass" for step in steps.taken),
            at=action.created_at,
            action=await self._actions.find(action.org_id, action.action_id) or action,
            steps=steps.taken,
        )

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
                "approval was denied so that nobody waits for it. Test with an action_type that no policy stops."
            )
        if failed:
            wrong = f"These steps of the connection test failed: {', '.join(failed)}."
            report = UpdateOutcome(status=ActionStatus.FAILED, error_message=wrong)
        else:
            report = UpdateOutcome(status=ActionStatus.COMPLETED, output_summary="Every step of the test passed.")
        ended = await self._actions.report(principal, action.action_id, report)
        return f"The outcome {ended.status} is recorded, after {ended.duration_ms} ms."

    async def _allowed(self, principal: Principal, action: Action) -> bool:
        """Deny the approval; whether another operator had allowed the action by then."""
        said = ApproveAction(decision=Verdict.DENY, reasoning=DENIAL)
        try:
            await self._approvals.decide(principal, action.action_id, said, None)
        except Refusal as refusal:
            if refusal.code is not Code.ALREADY_DECIDED:
                raise
            now = await self._actions.find(action.org_id, action.action_id)
            return now is not None and now.status is ActionStatus.RUNNING
        return False


class _Steps:
    """The steps so far, and how long each of them is after the beginning."""

    def __init__(self, clock: Clock) -> None:
        self.taken: list[ConnectionStep] = []
        self._clock, self._began = clock, clock()

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
        except Exception as error:
            log.exception("the connection test failed at %s", name)
            detail = f"It failed unexpectedly ({type(error).__name__}); the service's log says why."
        milliseconds = (self._clock() - self._began) / 1000
        self.taken.append(ConnectionStep(name=name, status=status, detail=detail, milliseconds=milliseconds))


async def _verdict(action: Action) -> str:
    return f"Guard decided {action.decision} (decision {action.decision_id}, risk {action.risk_score:g})."


def _agent(principal: Principal) -> str:
    return principal.agent_id or AGENT
