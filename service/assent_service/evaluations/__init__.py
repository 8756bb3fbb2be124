"""Evaluations: scorers that judge what agents did, the scores, and runs over history."""

from assent_service.evaluations.evaluations import Evaluations
from assent_service.evaluations.routes import routes
from assent_service.evaluations.tables import EVALUATION_RUNS, SCORERS, SCORES

__all__ = ["EVALUATION_RUNS", "SCORERS", "SCORES", "Evaluations", "routes"]
