"""Evaluations: scorers that judge what agents did, the scores, and runs over history."""

from __future__ import annotations

from assent_service.analysis.evaluations.evaluations import Evaluations, routes
from assent_service.analysis.evaluations.runs import EVALUATION_RUNS
from assent_service.analysis.evaluations.scorers import SCORERS
from assent_service.analysis.evaluations.scores import SCORES
from assent_service.control.actions import Actions
from assent_service.core.foundation import Foundation

__all__ = [
    "EVALUATION_RUNS",
    "SCORERS",
    "SCORES",
    "TABLES",
    "Evaluations",
    "open_evaluations",
]

TABLES = (
    SCORERS,
    SCORES,
    EVALUATION_RUNS,
)


def open_evaluations(on: Foundation, actions: Actions) -> None:
    evaluations = Evaluations(on.ledger, on.clock, on.locks, actions, on.pace)
    on.bring(routes=routes(evaluations), start=evaluations.start, stop=evaluations.stop)
