"""What is refused before an action is recorded, and how a blocked attempt is told. Pure."""

from __future__ import annotations

import msgspec

from assent.contract.control.actions import Action, ActionStatus, CreateAction
from assent.contract.control.guard import RecordedDecision, Source
from assent.contract.names import same_name
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import DAY, microseconds, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard import GuardQuestion, result_of


def not_found(action_id: str) -> Refusal:
    return refuse(Code.ACTION_NOT_FOUND, f"There is no action {action_id[:128]!r} in this organization.")


def exists(action_id: str) -> Refusal:
    return refuse(
        Code.ACTION_EXISTS,
        f"Action {action_id} exists already; leave action_id out, or send an Idempotency-Key to repeat safely.",
    )


def made_otherwise(action_id: str) -> Refusal:
    return refuse(
        Code.IDEMPOTENCY_MISMATCH,
        f"This idempotency key created action {action_id} with another body; use a new key.",
    )


def check_start(asked: GuardQuestion, body: CreateAction) -> None:
    """Raises `invalid_body` for a live action that is said to have begun a day or more away from now: it would stand
    where nobody looks for it. What happened before is history."""
    start = body.timestamp_start
    if start is None or asked.source is not Source.LIVE or abs(microseconds(start) - asked.now) <= DAY:
        return
    raise refuse(
        Code.INVALID_BODY,
        f"timestamp_start is {start.isoformat()}, more than a day from now ({moment(asked.now).isoformat()}). Leave it "
        "out or set the agent's clock right; what happened before is recorded as history: source import and "
        "occurred_at, with an admin key.",
        FieldError(place="timestamp_start", message="more than a day from now"),
    )


def check_replaces(asked: GuardQuestion) -> None:
    """Raises `invalid_body` for history that takes the place of another action."""
    if asked.source is not Source.LIVE:
        raise refuse(
            Code.INVALID_BODY,
            "replaces goes with a live action: history takes nobody's place.",
            FieldError(place="replaces", message="goes with a live action"),
        )


def check_same_agent(asked: GuardQuestion, replaced: Action) -> None:
    """Raises `agent_mismatch` where another agent's action would give way."""
    if not same_name(replaced.agent_id, asked.agent_id):
        raise refuse(
            Code.AGENT_MISMATCH,
            f"Action {replaced.action_id} is agent {replaced.agent_id!r}'s; {asked.agent_id!r} takes no other agent's "
            "place.",
            FieldError(place="replaces", message="is another agent's action"),
        )


def check_made(action: Action, decision: RecordedDecision, body: CreateAction) -> None:
    """Raises `action_blocked` for a live attempt that is recorded and must not run, unless the agent says so itself."""
    if action.status is ActionStatus.BLOCKED and action.source is Source.LIVE and body.status is not action.status:
        raise _blocked(action, decision)


def check_made_before(action: Action, decision: RecordedDecision) -> None:
    """The same for a repeated creation, whose action may have changed since."""
    if action.status is ActionStatus.BLOCKED and action.source is Source.LIVE and decision.decision == "block":
        raise _blocked(action, decision)


def _blocked(action: Action, decision: RecordedDecision) -> Refusal:
    return refuse(
        Code.ACTION_BLOCKED,
        f"Action blocked by policy: {decision.reason or 'no reason given'}",
        decision=msgspec.to_builtins(result_of(decision)),
        action=msgspec.to_builtins(action),
    )
