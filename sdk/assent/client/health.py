"""Whether the service lives, and whether it can do its work. Neither needs a key."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.health import HEALTH, READY, Health, Readiness


class HealthOperations(Caller):
    @operation
    def health(self) -> Flow[Health]:
        """The process answers."""
        return (yield from send(HEALTH))

    @operation
    def ready(self) -> Flow[Readiness]:
        """Each check with its finding. A service that is not ready is an answer too, with `ready` false."""
        return (yield from send(READY))
