"""Durable outcomes, how an execution ended, said once; and erasing what was said about an action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller
from assent.client.request import members
from assent.contract.control.erasure import ERASE_ACTION
from assent.contract.control.outcomes import GET_OUTCOME, REPORT_OUTCOME, ReportedOutcome, ReportOutcome


def concluding(action_id: str, **said: Any) -> Flow[ReportedOutcome]:
    """Report an outcome; the words are those of `ReportOutcome`."""
    body = members(ReportOutcome, said, "report_action_outcome")
    return (yield from send(REPORT_OUTCOME, path={"action_id": action_id}, body=body, outcome_of=action_id))


class OutcomeOperations(Caller):
    @calls(REPORT_OUTCOME)
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
        Raises OutcomeSpooled and OutcomeLost as `update_outcome` does.
        """
        said = {"status": status, "summary": summary, "error_message": error_message, "progress": progress}
        return (yield from concluding(action_id, **said))

    @calls(REPORT_OUTCOME)
    def report_action_success(self, action_id: str, summary: str | None = None) -> Flow[ReportedOutcome]:
        """The action is completed. Raises Conflict when there is an outcome already."""
        return (yield from concluding(action_id, status="completed", summary=summary))

    @calls(REPORT_OUTCOME)
    def report_action_failure(
        self, action_id: str, error_message: str, summary: str | None = None
    ) -> Flow[ReportedOutcome]:
        """The action failed. Raises Conflict when there is an outcome already."""
        return (yield from concluding(action_id, status="failed", error_message=error_message, summary=summary))

    @calls(REPORT_OUTCOME)
    def report_action_partial(
        self, action_id: str, progress: Mapping[str, Any], summary: str | None = None
    ) -> Flow[ReportedOutcome]:
        """Some of the action is done; it stays running. Raises Conflict when there is an outcome already."""
        return (yield from concluding(action_id, status="partial", progress=progress, summary=summary))

    @sends(GET_OUTCOME)
    def get_action_outcome(self, action_id: str) -> Response:
        """Whether an action has ended, and how: ask before doing it again. Raises NotFound."""

    @sends(ERASE_ACTION)
    def erase_action(self, action_id: str, reason: str) -> Response:
        """Erase for good what was said about an action that has ended; its proof stays valid and tells by whom and
        when. `reason` is recorded and cannot be erased, so it must not repeat the content. Needs an admin's key.

        Raises NotFound, Conflict while the action goes on, and Gone when it was erased before.
        """
