"""Scoring: profiles that say what good work looks like in numbers, and the scores that they gave."""

from __future__ import annotations

from assent_service.analysis.scoring.change import PROFILE_SCORES, SCORING_DIMENSIONS, SCORING_PROFILES
from assent_service.analysis.scoring.profiles import Profiles
from assent_service.analysis.scoring.profiles import routes as profile_routes
from assent_service.analysis.scoring.scores import ProfileScoring
from assent_service.analysis.scoring.scores import routes as score_routes
from assent_service.core.foundation import Foundation

__all__ = [
    "PROFILE_SCORES",
    "SCORING_DIMENSIONS",
    "SCORING_PROFILES",
    "TABLES",
    "ProfileScoring",
    "Profiles",
    "open_scoring",
]

TABLES = (
    SCORING_PROFILES,
    SCORING_DIMENSIONS,
    PROFILE_SCORES,
)


def open_scoring(on: Foundation) -> None:
    profiles = Profiles(on.ledger, on.clock, on.locks)
    scores = ProfileScoring(on.ledger, on.clock, profiles)
    on.bring(routes=(*profile_routes(profiles), *score_routes(scores)))
