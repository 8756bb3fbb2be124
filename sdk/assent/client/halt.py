"""The kill switch."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.halt import GET_HALT, HALT, RESUME, Halt, HaltRequest


class HaltOperations(Caller):
    @operation
    def halt(self, reason: str) -> Flow[Halt]:
        """Have guard block everything in the organization, at once. Needs an operator's key."""
        return (yield from send(HALT, body=HaltRequest(reason=reason)))

    @operation
    def resume(self) -> Flow[Halt]:
        """Let guard decide by policy again. Needs an operator's key."""
        return (yield from send(RESUME))

    @operation
    def get_halt(self) -> Flow[Halt]:
        """Whether everything is blocked, since when, by whom and why."""
        return (yield from send(GET_HALT))
