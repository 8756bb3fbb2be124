"""Approvals: an operator, or time, decides on an action that waits."""

from __future__ import annotations

from collections.abc import Callable

from assent_service.control.approvals.approvals import (
    Actions,
    Approvals,
    Expiring,
    OpenQuestions,
    approval_event,
    approved_in_advance,
    requested,
    routes,
)
from assent_service.control.approvals.state import APPROVALS, ApprovalStore
from assent_service.control.approvals.transition import (
    DENIED_WITHOUT_WORDS,
    check_waiting,
    granted,
    never_asked,
    request,
    withdraw,
)
from assent_service.control.grants import Grants
from assent_service.core.foundation import Foundation

__all__ = [
    "APPROVALS",
    "DENIED_WITHOUT_WORDS",
    "TABLES",
    "ApprovalStore",
    "Approvals",
    "Expiring",
    "approval_event",
    "approved_in_advance",
    "check_waiting",
    "granted",
    "never_asked",
    "open_approvals",
    "request",
    "requested",
    "withdraw",
]

TABLES = (APPROVALS,)


def open_approvals(
    on: Foundation,
    actions: Actions,
    store: ApprovalStore,
    halted: Callable[[str], str | None],
    questions: OpenQuestions,
    grants: Grants,
) -> Approvals:
    approvals = Approvals(
        on.ledger,
        on.clock,
        on.locks,
        actions,
        store,
        halted,
        questions,
        grants,
        refuses_own=on.settings.self_decisions == "refuse",
        warning_minutes=on.settings.approval_warning_minutes,
    )
    on.bring(routes=routes(approvals), memory=store, start=approvals.start, stop=approvals.stop)
    return approvals
