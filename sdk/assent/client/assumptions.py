"""Assumptions: what the agent believes while it acts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.client.request import members
from assent.contract.control.assumptions import (
    GET_ASSUMPTION,
    GET_ASSUMPTIONS,
    RECORD_ASSUMPTION,
    VALIDATE_ASSUMPTION,
    Assumption,
    AssumptionDetail,
    RecordAssumption,
    RecordedAssumption,
    ValidateAssumption,
)
from assent.contract.control.guard import Source


class BeliefFields(TypedDict, total=False):
    """What may be said about an assumption of a known action; each is as in `contract.assumptions`."""

    basis: str | None
    assumption_id: str | None
    validated: bool | None
    invalidated: bool | None
    invalidated_reason: str | None
    agent_id: str | None
    occurred_at: datetime | None
    source: Source | str | None


class AssumptionFields(BeliefFields, total=False):
    action_id: str | None


def recording(assumption: Mapping[str, Any] | str | None, fields: Mapping[str, Any]) -> Flow[RecordedAssumption]:
    """Record one assumption, given as its text or as a mapping with all of it."""
    said = {"assumption": assumption} if isinstance(assumption, str) else dict(assumption or {})
    body = {**said, **members(RecordAssumption, fields, "record_assumption")}
    return (yield from send(RECORD_ASSUMPTION, body=body))


class AssumptionOperations(Caller):
    @calls(RECORD_ASSUMPTION)
    def record_assumption(
        self, assumption: Mapping[str, Any] | str | None = None, **fields: Unpack[AssumptionFields]
    ) -> Flow[RecordedAssumption]:
        """Record what the agent believes while it acts: the text with `action_id=`, or a mapping that holds
        `action_id` and `assumption`. `basis` says what the belief rests on. Raises NotFound for an unknown action.
        """
        return (yield from recording(assumption, fields))

    @calls(RECORD_ASSUMPTION)
    def register_assumption(
        self, action_id: str, assumption: str, **fields: Unpack[BeliefFields]
    ) -> Flow[RecordedAssumption]:
        """The same as `record_assumption`, as older clients spell it."""
        return (yield from recording(assumption, {"action_id": action_id, **fields}))

    @sends(GET_ASSUMPTION)
    def get_assumption(self, assumption_id: str) -> Response:
        """One assumption. Raises NotFound."""

    @sends(GET_ASSUMPTIONS, without=("drift",))
    def get_assumptions(
        self,
        *,
        action_id: str | None = None,
        agent_id: str | None = None,
        validated: bool | None = None,
        invalidated: bool | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of assumptions, newest first; `drift_summary` says how many held. `limit` is 1 to 200."""

    iterate_assumptions = each(get_assumptions, Assumption, lambda page: page.assumptions)

    @calls(VALIDATE_ASSUMPTION)
    def validate_assumption(
        self, assumption_id: str, validated: bool, invalidated_reason: str | None = None
    ) -> Flow[AssumptionDetail]:
        """Say whether an assumption held. Raises ValueError without a reason why it did not."""
        if not validated and not invalidated_reason:
            raise ValueError("an assumption that did not hold needs invalidated_reason; say what was found instead")
        body = ValidateAssumption(validated=validated, invalidated_reason=invalidated_reason)
        return (yield from send(VALIDATE_ASSUMPTION, path={"assumption_id": assumption_id}, body=body))
