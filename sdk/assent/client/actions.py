"""Actions: saying what the agent does and what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import msgspec

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.client.request import members
from assent.client.session import in_session
from assent.contract.control.actions import (
    CREATE_ACTION,
    GET_ACTION,
    GET_ACTIONS,
    UPDATE_OUTCOME,
    Action,
    ActionStatus,
    CreateAction,
    CreatedAction,
    UpdatedAction,
    UpdateOutcome,
)
from assent.contract.control.externality import Externality
from assent.contract.control.guard import Decision, Runtime, Source
from assent.contract.evidence.graphs import GET_ACTION_GRAPH
from assent.contract.evidence.traces import GET_ACTION_TRACE

if TYPE_CHECKING:
    from assent.proof.private_key import Signer

SIGNATURE = "_signature"


class ActionFields(TypedDict, total=False):
    """What may be said about an action besides its type and goal; each is as in `contract.actions.CreateAction`."""

    agent_id: str | None
    agent_name: str | None
    swarm_id: str | None
    action_id: str | None
    parent_action_id: str | None
    replaces: str | None
    decision_id: str | None
    session_id: str | None
    parent_session_id: str | None
    reasoning: str | None
    authorization_scope: str | None
    trigger: str | None
    systems_touched: Sequence[str] | None
    parameters: Mapping[str, Any] | None
    parameters_digest: str | None
    externality: Externality | Mapping[str, Any] | None
    input_summary: str | None
    status: ActionStatus | str | None
    reversible: bool | None
    risk_score: float | None
    confidence: int | None
    model: str | None
    tokens_in: int | None
    tokens_out: int | None
    cost_estimate: float | None
    metadata: Mapping[str, Any] | None
    runtime: Runtime | str | None
    idempotency_key: str | None
    timestamp_start: datetime | None
    occurred_at: datetime | None
    source: Source | str | None
    signature: str | None


class OutcomeFields(TypedDict, total=False):
    """What may be said about an outcome besides its status; each is as in `contract.actions.UpdateOutcome`."""

    output_summary: str | None
    side_effects: Sequence[str] | None
    artifacts_created: Sequence[str] | None
    error_message: str | None
    timestamp_end: datetime | None
    duration_ms: int | None
    cost_estimate: float | None
    tokens_in: int | None
    tokens_out: int | None
    model: str | None
    metadata: Mapping[str, Any] | None
    close_if_running: bool | None
    occurred_at: datetime | None
    source: Source | str | None


def creation(
    caller: Caller,
    action_type: str,
    declared_goal: str | None,
    context: Mapping[str, Any] | None,
    fields: Mapping[str, Any],
    *,
    key: str | None = None,
    within: float | None = None,
) -> Flow[CreatedAction]:
    """Create an action; a repetition of the same call, after a lost answer, finds the first one. So does a creation
    with the same `key`, which is made up unless given. `within` bounds it, in seconds."""
    key = key or caller.ambient.new_key()
    own = {"agent_id": caller.agent_id, "agent_name": caller.agent_name}
    given = {**own, **{name: value for name, value in fields.items() if value is not None}}
    named = members(
        CreateAction, {"action_type": action_type, "declared_goal": declared_goal, **given}, "create_action"
    )
    body: Mapping[str, Any] = {**(context or {}), **named}
    if caller.signer is not None and SIGNATURE not in named:
        # The session is part of what is signed.
        signed = _signed(caller.signer, in_session(CREATE_ACTION, body, caller.own_session), key)
        return (yield from send(CREATE_ACTION, body=signed, idempotent=True, signed=True, within=within))
    headers = {} if "idempotency_key" in named else {"idempotency-key": key}
    return (yield from send(CREATE_ACTION, body=body, headers=headers, idempotent=True, within=within))


def _signed(signer: Signer, body: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The body with its signature over its RFC 8785 form. The key that makes it repeatable is in it, so that the same
    thing done twice is not taken for a replay."""
    plain: dict[str, Any] = msgspec.to_builtins({"idempotency_key": key, **body})
    return {**plain, SIGNATURE: signer.sign(plain)}


def reporting(
    action_id: str,
    status: ActionStatus | str | Mapping[str, Any] | None,
    fields: Mapping[str, Any],
    *,
    within: float | None = None,
) -> Flow[UpdatedAction]:
    """Record what came of an action, in `within` seconds if given; `status` may be a mapping with all of it."""
    said = dict(status) if isinstance(status, Mapping) else {} if status is None else {"status": status}
    body = {**said, **members(UpdateOutcome, fields, "update_outcome")}
    return (
        yield from send(UPDATE_OUTCOME, path={"action_id": action_id}, body=body, within=within, outcome_of=action_id)
    )


class ActionOperations(Caller):
    @calls(CREATE_ACTION)
    def create_action(
        self,
        action_type: str,
        declared_goal: str | None = None,
        *,
        context: Mapping[str, Any] | None = None,
        **fields: Unpack[ActionFields],
    ) -> Flow[CreatedAction]:
        """Say what the agent is doing, before it does it; guard is applied. `context` holds further members for
        policies to look at. When guard asks for an approval, `action.status` is pending_approval: call
        `wait_for_approval` before acting.

        Every creation carries an idempotency key, made up unless `idempotency_key` is given, so that a retry after
        a lost answer does not make a second action.

        Raises GuardBlockedError when guard blocks; the attempt is kept as evidence, its id is in the error.
        """
        return (yield from creation(self, action_type, declared_goal, context, fields))

    @sends(GET_ACTION)
    def get_action(self, action_id: str) -> Response:
        """One action with its approval and assumptions. Raises NotFound."""

    @sends(GET_ACTIONS)
    def get_actions(
        self,
        *,
        agent_id: str | None = None,
        swarm_id: str | None = None,
        status: ActionStatus | str | None = None,
        exclude_status: ActionStatus | str | None = None,
        action_type: str | None = None,
        decision: Decision | str | None = None,
        decision_id: str | None = None,
        session_id: str | None = None,
        source: Source | str | None = None,
        risk_min: float | None = None,
        days: int | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of actions, newest first; `stats` covers everything that fits the filters. For the next page pass
        `next_cursor` of the page before as `cursor`. `risk_min` is 0 to 100, `days` counts back from now, `limit` is 1
        to 200. `decision_id` finds the action that came of a decision."""

    iterate_actions = each(get_actions, Action, lambda page: page.actions)

    @calls(UPDATE_OUTCOME)
    def update_outcome(
        self,
        action_id: str,
        status: ActionStatus | str | Mapping[str, Any] | None = None,
        **fields: Unpack[OutcomeFields],
    ) -> Flow[UpdatedAction]:
        """Record what came of an action: completed, failed or cancelled, with a summary, times (`duration_ms`), cost
        (US dollars). `status` may be a mapping that holds all of it. A changed final status is kept as a correction
        beside what it replaced.

        Raises Conflict while the action awaits an approval; OutcomeSpooled where the service could not be told, and the
        outcome waits on this machine's disk until it can; OutcomeLost where it could not even be kept there.
        """
        return (yield from reporting(action_id, status, fields))

    @sends(GET_ACTION_GRAPH)
    def get_action_graph(self, action_id: str) -> Response:
        """What led to an action, what it stands on and what came of it, as nodes and edges. Raises NotFound."""

    @sends(GET_ACTION_TRACE)
    def get_action_trace(self, action_id: str) -> Response:
        """What explains an action: assumptions, open loops, parents, related actions, corrections and indicators of
        what went wrong. Raises NotFound.
        """
