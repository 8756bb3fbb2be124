"""Asking before acting, and the kill switch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.contract.control.guard import (
    GET_GUARD_DECISIONS,
    GUARD,
    Decision,
    GuardDecision,
    GuardResult,
    Source,
)
from assent.contract.control.halt import GET_HALT, HALT, RESUME
from assent.errors import GuardBlockedError


class GuardOperations(Caller):
    @calls(GUARD)
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

        With `include_signals` the signals that are on for the agent are among the warnings. A question whose answer
        was lost is asked again under its idempotency key, and gets the decision that was recorded.

        Raises GuardBlockedError on block, unless `raise_on_block` is false.
        """
        named = {name: value for name, value in more.items() if value is not None}
        body = {"agent_id": self.agent_id, **(context or {}), **named}
        if body["agent_id"] is None:
            del body["agent_id"]
        result = yield from send(
            GUARD,
            body=body,
            query={"include_signals": include_signals or None},
            headers={"idempotency-key": self.ambient.new_key()},
            idempotent=True,
        )
        if raise_on_block and result.decision is Decision.BLOCK:
            raise GuardBlockedError(result)
        return result

    @sends(GET_GUARD_DECISIONS, unless_default=("offset",))
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
    ) -> Response:
        """Past decisions, newest first. `limit` is 1 to 1000, `days` counts back from now; for the next page pass
        `next_cursor` of the page before as `cursor`.
        """

    iterate_guard_decisions = each(get_guard_decisions, GuardDecision, lambda page: page.decisions)

    @sends(HALT)
    def halt(self, reason: str) -> Response:
        """Have guard block everything in the organization, at once. Needs an operator's key."""

    @sends(RESUME)
    def resume(self) -> Response:
        """Let guard decide by policy again. Needs an operator's key."""

    @sends(GET_HALT)
    def get_halt(self) -> Response:
        """Whether everything is blocked, since when, by whom and why."""
