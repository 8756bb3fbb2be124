"""Approvals: an operator, or time, decides on an action that waits. Their rules are there at once; what keeps and
serves them comes when somebody first asks for it (as in `control.guard`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assent_service.control.approvals.transition import (
    DENIED_WITHOUT_WORDS,
    check_waiting,
    granted,
    never_asked,
    replaced,
    request,
)

if TYPE_CHECKING:
    from assent_service.control.approvals.approvals import (
        Actions,
        Approvals,
        Expiring,
        OpenQuestions,
        approval_event,
        approved_in_advance,
        requested,
    )
    from assent_service.control.approvals.state import APPROVALS, ApprovalStore
    from assent_service.control.grants import Grants
    from assent_service.core.foundation import Foundation
    from assent_service.store.tables import Table

    TABLES: tuple[Table, ...]

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
    "replaced",
    "request",
    "requested",
]

_HOMES = {
    "APPROVALS": "state",
    "ApprovalStore": "state",
    "Approvals": "approvals",
    "Expiring": "approvals",
    "approval_event": "approvals",
    "approved_in_advance": "approvals",
    "requested": "approvals",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "TABLES":
            return (import_module(f"{__name__}.state").APPROVALS,)
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def open_approvals(
    on: Foundation,
    actions: Actions,
    store: ApprovalStore,
    halted: Callable[[str], str | None],
    questions: OpenQuestions,
    grants: Grants,
) -> Approvals:
    from assent_service.control.approvals.approvals import Approvals, routes

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
