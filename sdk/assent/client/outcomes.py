"""Durable outcomes: how an execution ended, said once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.outcomes import GET_OUTCOME, REPORT_OUTCOME, Outcome, ReportedOutcome, ReportOutcome


def concluding(action_id: str, **said: Any) -> Flow[ReportedOutcome]:
    """Report an outcome; the words are those of `ReportOutcome`."""
    body = members(ReportOutcome, said, "report_action_outcome")
    return (yield from send(REPORT_OUTCOME, path={"action_id": action_id}, body=body))


class OutcomeOperations(Caller):
    @operation
    def report_action_outcome(
        self,
        action_id: str,
        status: str,
        summary: str | None = None,
        error_message: str | None = None,
        progress: Mapping[str, Any] | None = None,
    ) -> Flow[ReportedOutcome]:
        """Say once and for all how an action ended: `completed`, `failed` with its `error_message`, or `partial` with
        its `progress`, which leaves it running. Raises Conflict when there is an outcome already: the first stands.
        """
        said = {"status": status, "summary": summary, "error_message": error_message, "progress": progress}
        return (yield from concluding(action_id, **said))

    @operation
    def report_action_success(self, action_id: str, summary: str | None = None) -> Flow[ReportedOutcome]:
        """The action is completed. Raises Conflict when there is an outcome already."""
        return (yield from concluding(action_id, status="completed", summary=summary))

    @operation
    def report_action_failure(
        self, action_id: str, error_message: str, summary: str | None = None
    ) -> Flow[ReportedOutcome]:
        """The action failed. Raises Conflict when there is an outcome already."""
        return (yield from concluding(action_id, status="failed", error_message=error_message, summary=summary))

    @operation
    def report_action_partial(
        self, action_id: str, progress: Mapping[str, Any], summary: str | None = None
    ) -> Flow[ReportedOutcome]:
        """Some of the action is done; it stays running. Raises Conflict when there is an outcome already."""
        return (yield from concluding(action_id, status="partial", progress=progress, summary=summary))

    @operation
    def get_action_outcome(self, action_id: str) -> Flow[Outcome]:
        """Whether an action has ended, and how: ask before doing it again. Raises NotFound."""
        return (yield from send(GET_OUTCOME, path={"action_id": action_id}))
