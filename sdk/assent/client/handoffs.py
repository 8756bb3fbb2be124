"""Handoffs: what one session of an agent leaves for the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.client.request import members
from assent.contract.exchange.handoffs import (
    CREATE_HANDOFF,
    GET_HANDOFFS,
    CreatedHandoff,
    CreateHandoff,
    Handoff,
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


class HandoffOperations(Caller):
    @calls(CREATE_HANDOFF, named={"summary": "handoff"})
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

    @sends(GET_HANDOFFS, without=("latest",))
    def get_handoffs(
        self,
        *,
        agent_id: str | None = None,
        session_date: date | str | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of handoffs, newest first, of every agent that the key may see unless one is named. `session_date`,
        `since` and `until` are days, or their text such as 2026-11-20, `since` and `until` both included; `limit` is 1
        to 200."""

    iterate_handoffs = each(get_handoffs, Handoff, lambda page: page.handoffs)

    @sends(GET_HANDOFFS, own=("agent_id",), fixed={"latest": True})
    def get_latest_handoff(self, agent_id: str | None = None) -> Response:
        """The newest handoff of the client's agent, or of the one named: it is `handoff` of the answer, None when
        there is none."""
