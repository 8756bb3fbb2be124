"""What outcomes teach: to agents with every decision, and to people when they ask."""

from __future__ import annotations

from assent_service.analysis.drift import Drift
from assent_service.analysis.learning.keeper import Keeper
from assent_service.analysis.learning.lessons import lesson_routes
from assent_service.analysis.learning.memory import LearningMemory
from assent_service.analysis.learning.reading import Episodes
from assent_service.analysis.learning.recommendations import (
    RECOMMENDATION_EVENTS,
    RECOMMENDATION_SWITCHES,
    Advice,
    recommendation_routes,
)
from assent_service.analysis.learning.velocity import velocity_routes
from assent_service.core.foundation import Foundation

__all__ = [
    "RECOMMENDATION_EVENTS",
    "RECOMMENDATION_SWITCHES",
    "TABLES",
    "Advice",
    "Episodes",
    "Keeper",
    "LearningMemory",
    "open_learning",
]

TABLES = (
    RECOMMENDATION_SWITCHES,
    RECOMMENDATION_EVENTS,
)


def open_learning(on: Foundation, drift: Drift) -> tuple[LearningMemory, Keeper]:
    memory = LearningMemory(on.clock, on.settings.episodes, on.memory)
    memory.alerts = drift.state.about
    keeper = Keeper(on.ledger, on.clock, memory, on.pace)
    episodes = Episodes(on.ledger, on.clock, on.settings.episodes)
    on.bring(
        routes=(
            *velocity_routes(episodes),
            *lesson_routes(episodes, drift.state),
            *recommendation_routes(Advice(on.ledger, on.locks, episodes)),
        ),
        memory=memory,
        start=keeper.start,
        stop=keeper.stop,
    )
    return memory, keeper
