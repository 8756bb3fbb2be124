"""The trace of an action: everything that explains how it came to be what it is."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import UNSET, UnsetType

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.assumptions import Assumption
from assent.contract.control.flows import FlowTrace
from assent.contract.control.guard import GuardResult
from assent.contract.control.loops import OpenLoop
from assent.contract.endpoint import Endpoint
from assent.contract.exchange.messages import Message
from assent.contract.problems import Code
from assent.contract.record import Record
from assent.contract.roles import ANYONE


class Change(Record, frozen=True, kw_only=True):
    """`kind` is outcome, correction, approval, denial or expiry; `replaced` holds the values before the change."""

    at: datetime
    kind: str
    by: str
    changed: dict[str, Any]
    replaced: dict[str, Any]


class RootCause(Record, frozen=True, kw_only=True):
    """A hint why an action went wrong. `severity` is low, medium or high; `detail` names the rows it stands on."""

    type: str
    severity: str
    count: int
    detail: list[dict[str, Any]]


class AssumptionTrace(Record, frozen=True, kw_only=True):
    total: int
    validated: int
    invalidated: int
    unvalidated: int
    items: list[Assumption]


class LoopTrace(Record, frozen=True, kw_only=True):
    total: int
    open: int
    resolved: int
    cancelled: int
    items: list[OpenLoop]


class MessageTrace(Record, frozen=True, kw_only=True):
    """Messages about the action that the caller may see: how many, and the first 200 of them, oldest first."""

    total: int
    items: list[Message]


class ProofTrace(Record, frozen=True, kw_only=True):
    """The first signed tree head that covers all that the action's proof is made of, as the action stands now: of
    `size` events, signed at `signed_at`. What is recorded about the action later needs a later head."""

    size: int
    signed_at: datetime


class Trace(Record, frozen=True, kw_only=True):
    """`parent_chain` starts with the parent; related actions are of the same agent within the hour. `proof` is null
    until a signed tree head covers the action."""

    assumptions: AssumptionTrace
    loops: LoopTrace
    parent_chain: list[Action]
    sub_actions: list[Action]
    related_actions: list[Action]
    changes: list[Change]
    root_cause_indicators: list[RootCause]
    messages: MessageTrace
    proof: ProofTrace | None


class ActionTrace(Record, frozen=True, kw_only=True):
    """`decision` is guard's, and `context` what guard looked at, as it was sent; both are absent once erased. `flow` is
    where its values came from, absent without a flow policy."""

    action: Action
    approval: Approval | None
    decision: GuardResult | UnsetType = UNSET
    context: dict[str, Any] | UnsetType = UNSET
    flow: FlowTrace | UnsetType = UNSET
    trace: Trace


GET_ACTION_TRACE = Endpoint(
    operation="get_action_trace",
    method="GET",
    path="/api/actions/{action_id}/trace",
    summary="Assumptions, loops, parents, related actions, corrections, and indicators of what went wrong.",
    roles=ANYONE,
    response=ActionTrace,
    problems=(Code.ACTION_NOT_FOUND,),
)
