"""Asking before acting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.guard import (
    GET_GUARD_DECISIONS,
    GUARD,
    Decision,
    GuardDecisions,
    GuardDecisionsQuery,
    GuardResult,
    Source,
)
from assent.errors import GuardBlockedError


class GuardOperations(Caller):
    @operation
    def guard(
        self,
        /,
        context: Mapping[str, Any] | None = None,
        *,
        raise_on_block: bool = True,
        include_signals: bool = False,
        **more: Any,
    ) -> Flow[GuardResult]:
        """Ask whether an action may go ahead. The context holds at least `action_type`; every further member is kept
        and policies can look at it. Members may also be given by name, and then win over `context`.

        `decision` in the answer is allow, warn, require_approval or block; `require_approval` means: create the
        action and wait for the approval before acting. `risk_score` is 0 to 100.

        With `include_signals` the signals that are on for the agent are among the warnings.

        Raises GuardBlockedError on block, unless `raise_on_block` is false.
        """
        named = {name: value for name, value in more.items() if value is not None}
        body = {"agent_id": self.agent_id, **(context or {}), **named}
        if body["agent_id"] is None:
            del body["agent_id"]
        result = yield from send(GUARD, body=body, query={"include_signals": include_signals or None})
        if raise_on_block and result.decision is Decision.BLOCK:
            raise GuardBlockedError(result)
        return result

    @operation
    def get_guard_decisions(
        self,
        decision: Decision | str | None = None,
        limit: int = 20,
        offset: int = 0,
        agent_id: str | None = None,
        *,
        action_type: str | None = None,
        source: Source | str | None = None,
        days: int | None = None,
        cursor: str | None = None,
    ) -> Flow[GuardDecisions]:
        """Past decisions, newest first. `limit` is 1 to 1000, `days` counts back from now; for the next page pass
        `next_cursor` of the page before as `cursor`.
        """
        given = {
            "decision": decision,
            "limit": limit,
            "offset": offset or None,
            "agent_id": agent_id,
            "action_type": action_type,
            "source": source,
            "days": days,
            "cursor": cursor,
        }
        return (yield from send(GET_GUARD_DECISIONS, query=members(GuardDecisionsQuery, given, "get_guard_decisions")))
