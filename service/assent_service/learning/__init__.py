"""What outcomes teach: to agents with every decision, and to people when they ask."""

from assent_service.learning.keeper import Keeper
from assent_service.learning.memory import LearningMemory
from assent_service.learning.reading import Episodes
from assent_service.learning.recommendations import Advice
from assent_service.learning.routes import routes
from assent_service.learning.tables import RECOMMENDATION_EVENTS, RECOMMENDATION_SWITCHES

__all__ = [
    "RECOMMENDATION_EVENTS",
    "RECOMMENDATION_SWITCHES",
    "Advice",
    "Episodes",
    "Keeper",
    "LearningMemory",
    "routes",
]
