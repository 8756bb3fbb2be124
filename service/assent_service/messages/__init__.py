"""Messages between agents, the threads they are in, and the files they carry."""

from assent_service.messages.messages import Messages
from assent_service.messages.queries import of_action
from assent_service.messages.routes import routes
from assent_service.messages.tables import MESSAGE_MARKS, MESSAGE_THREADS, MESSAGES
from assent_service.messages.threads import Threads

__all__ = ["MESSAGES", "MESSAGE_MARKS", "MESSAGE_THREADS", "Messages", "Threads", "of_action", "routes"]
