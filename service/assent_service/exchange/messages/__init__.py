"""Messages between agents, the threads they are in, and the files they carry."""

from __future__ import annotations

from assent_service.control.actions import Actions
from assent_service.control.injection import Screen
from assent_service.core.foundation import Foundation
from assent_service.exchange.messages.messages import Messages, routes
from assent_service.exchange.messages.queries import of_action
from assent_service.exchange.messages.rows import MESSAGE_MARKS, MESSAGE_THREADS, MESSAGES
from assent_service.exchange.messages.threads import Threads
from assent_service.store.blobs import Blobs

__all__ = [
    "MESSAGES",
    "MESSAGE_MARKS",
    "MESSAGE_THREADS",
    "TABLES",
    "Messages",
    "Threads",
    "of_action",
    "open_messages",
]

TABLES = (
    MESSAGES,
    MESSAGE_MARKS,
    MESSAGE_THREADS,
)


def open_messages(on: Foundation, actions: Actions, screen: Screen) -> None:
    threads = Threads(on.ledger, on.clock, on.locks)
    blobs = Blobs(on.home / "blobs", shared=on.ledger.shared)
    messages = Messages(on.ledger, on.clock, on.locks, actions, threads, blobs, screen)
    on.bring(routes=routes(messages, threads), start=messages.start)
