"""Open loops: what actions have left open."""

from assent_service.loops.loops import Loops
from assent_service.loops.routes import routes
from assent_service.loops.tables import LOOPS

__all__ = ["LOOPS", "Loops", "routes"]
