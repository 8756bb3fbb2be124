"""The live stream, followed by a thread of its own; it touches nothing of the screen and only tells."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

import msgspec

from assent.cli.connection import Connection, make_client
from assent.cli.vigil import keep_vigil
from assent.contract.approvals import Approval
from assent.contract.events import Event, EventName
from assent.contract.prepared import prepared

NAMES = (EventName.APPROVAL_REQUESTED, EventName.APPROVAL_DECIDED, EventName.APPROVAL_EXPIRED)


class Listener(Protocol):
    """What is told: an event, that the service is gone, that it is back, and what the stream ended with."""

    def heard(self, event: Event) -> None: ...
    def gone(self) -> None: ...
    def back(self) -> None: ...
    def ended(self, error: Exception) -> None: ...


Follow = Callable[[Listener], None]
"""How the stream is followed; blocks for as long as there is one."""


def follow_stream(connection: Connection) -> Follow:
    """The service's own stream, followed across its absences."""

    def follow(listener: Listener) -> None:
        vigil = keep_vigil(connection, gone=lambda _: listener.gone(), back=listener.back)
        with make_client(connection, sleep=vigil.pause) as client:
            for event in client.events(types=NAMES):
                listener.heard(event)

    return follow


def begin(follow: Follow, listener: Listener) -> None:
    """Follow in a thread that ends with the process. A stream that ends has a reason, which is told: a key that was
    revoked, or a service that went before it was heard once."""
    from assent.errors import AssentError

    def run() -> None:
        try:
            follow(listener)
        except AssentError as error:
            listener.ended(error)

    threading.Thread(target=run, daemon=True, name="inbox-feed").start()


def approval_of(event: Event) -> Approval | None:
    """The approval that an event is about; None when it cannot be read."""
    try:
        return msgspec.convert(event.data, prepared(Approval))
    except msgspec.ValidationError:
        return None
