"""Context threads: what an agent wants to remember about one matter, entry by entry."""

from assent_service.threads.routes import routes
from assent_service.threads.tables import THREAD_ENTRIES, THREADS
from assent_service.threads.threads import Threads

__all__ = ["THREADS", "THREAD_ENTRIES", "Threads", "routes"]
