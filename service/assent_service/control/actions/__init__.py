"""Actions: what agents do, from the declaration to the outcome. How one changes is there at once; what keeps and serves
them comes when somebody first asks for it (as in `control.guard`)."""

from __future__ import annotations

from datetime import timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assent_service.control.actions.change import CORRECTION, OUTCOME, changed, draft

if TYPE_CHECKING:
    from assent_service.control.actions.actions import Actions, ApprovalOf, AssumptionsOf, LoopsOf
    from assent_service.control.actions.create import CREATION_FENCES, AskedBack
    from assent_service.control.actions.lookup import ACTIONS
    from assent_service.control.approvals import ApprovalStore
    from assent_service.control.grants import Grants
    from assent_service.control.guard import Guard
    from assent_service.control.triage import Triages
    from assent_service.core.foundation import Foundation
    from assent_service.people.identities import Identities
    from assent_service.store.tables import Table

    TABLES: tuple[Table, ...]

__all__ = [
    "ACTIONS",
    "CORRECTION",
    "CREATION_FENCES",
    "OUTCOME",
    "TABLES",
    "Actions",
    "changed",
    "draft",
    "open_actions",
    "serve_actions",
]

_HOMES = {"ACTIONS": "lookup", "CREATION_FENCES": "create", "Actions": "actions"}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "TABLES":
            return (import_module(f"{__name__}.lookup").ACTIONS,)
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def open_actions(
    on: Foundation,
    guard: Guard,
    identities: Identities,
    waiting: ApprovalStore,
    questions: AskedBack,
    grants: Grants,
    triage: Triages,
) -> Actions:
    """Their routes need what belongs to an action: `serve_actions` brings them. `waiting` are the approvals,
    `questions` what operators have asked about them."""
    from assent_service.control.actions.actions import Actions

    actions = Actions(
        on.ledger,
        on.clock,
        on.locks,
        guard,
        timedelta(hours=on.settings.approval_hours),
        identities.state,
        require_signatures=on.settings.require_signatures,
        waiting=waiting,
        questions=questions,
        grants=grants,
        triage=triage,
        memory=on.memory,
    )
    on.bring(memory=actions.state)
    on.bring(memory=actions.erasures)
    return actions


def serve_actions(
    on: Foundation, actions: Actions, approval_of: ApprovalOf, assumptions_of: AssumptionsOf, open_loops_of: LoopsOf
) -> None:
    from assent_service.control.actions.actions import routes

    on.bring(routes=routes(actions, on.ledger, on.clock, approval_of, assumptions_of, open_loops_of))
