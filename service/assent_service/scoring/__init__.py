"""Scoring: profiles that say what good work looks like in numbers, and the scores that they gave."""

from assent_service.scoring.profiles import Profiles
from assent_service.scoring.routes import routes
from assent_service.scoring.scores import Scores
from assent_service.scoring.tables import PROFILE_SCORES, SCORING_DIMENSIONS, SCORING_PROFILES

__all__ = ["PROFILE_SCORES", "SCORING_DIMENSIONS", "SCORING_PROFILES", "Profiles", "Scores", "routes"]
