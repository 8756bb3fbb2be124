"""Actions: what agents do, from the declaration to the outcome."""

from __future__ import annotations

from datetime import timedelta

from assent_service.control.actions.actions import Actions, ApprovalOf, AssumptionsOf, LoopsOf, routes
from assent_service.control.actions.change import CORRECTION, OUTCOME, changed, draft
from assent_service.control.actions.create import CREATION_FENCES, AskedBack
from assent_service.control.actions.lookup import ACTIONS
from assent_service.control.approvals import ApprovalStore
from assent_service.control.grants import Grants
from assent_service.control.guard import Guard
from assent_service.core.foundation import Foundation
from assent_service.people.identities import Identities

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

TABLES = (ACTIONS,)


def open_actions(
    on: Foundation,
    guard: Guard,
    identities: Identities,
    waiting: ApprovalStore,
    questions: AskedBack,
    grants: Grants,
) -> Actions:
    """Their routes need what belongs to an action: `serve_actions` brings them. `waiting` are the approvals,
    `questions` what operators have asked about them."""
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
        memory=on.memory,
    )
    on.bring(memory=actions.state)
    on.bring(memory=actions.erasures)
    return actions


def serve_actions(
    on: Foundation, actions: Actions, approval_of: ApprovalOf, assumptions_of: AssumptionsOf, open_loops_of: LoopsOf
) -> None:
    on.bring(routes=routes(actions, on.ledger, on.clock, approval_of, assumptions_of, open_loops_of))
