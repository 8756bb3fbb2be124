"""Handoffs: what one session of an agent leaves for the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.handoffs import (
    CREATE_HANDOFF,
    GET_HANDOFFS,
    CreatedHandoff,
    CreateHandoff,
    Handoffs,
    HandoffsQuery,
)


class HandoffFields(TypedDict, total=False):
    """What may be said besides the summary. `session_date` is a day, or its text such as 2026-11-20; the last four
    are texts or lists."""

    agent_id: str | None
    context: Mapping[str, Any] | None
    tags: Sequence[str] | None
    session_date: date | str | None
    key_decisions: str | Sequence[Any] | None
    open_tasks: str | Sequence[Any] | None
    mood_notes: str | Sequence[Any] | None
    next_priorities: str | Sequence[Any] | None


class HandoffFilters(TypedDict, total=False):
    """Filters of the list; days as in `HandoffFields`, `since` and `until` both included, `limit` is 1 to 200."""

    agent_id: str | None
    session_date: date | str | None
    since: date | str | None
    until: date | str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class HandoffOperations(Caller):
    @operation
    def create_handoff(
        self, handoff: Mapping[str, Any] | str | None = None, **fields: Unpack[HandoffFields]
    ) -> Flow[CreatedHandoff]:
        """Leave a handoff: its summary with what else there is to say, or a mapping that holds `summary` and the
        rest. It is of the client's agent unless another is named."""
        said = {"summary": handoff} if isinstance(handoff, str) else dict(handoff or {})
        body = {**said, **members(CreateHandoff, fields, "create_handoff")}
        if self.agent_id is not None and not {"agent_id", "agentId"} & set(body):
            body["agent_id"] = self.agent_id
        return (yield from send(CREATE_HANDOFF, body=body))

    @operation
    def get_handoffs(self, **filters: Unpack[HandoffFilters]) -> Flow[Handoffs]:
        """A page of handoffs, newest first, of every agent that the key may see unless one is named."""
        return (yield from send(GET_HANDOFFS, query=members(HandoffsQuery, filters, "get_handoffs")))

    @operation
    def get_latest_handoff(self, agent_id: str | None = None) -> Flow[Handoffs]:
        """The newest handoff of the client's agent, or of the one named: it is `handoff` of the answer, None when
        there is none."""
        given = {"agent_id": agent_id or self.agent_id, "latest": True}
        return (yield from send(GET_HANDOFFS, query=members(HandoffsQuery, given, "get_latest_handoff")))
