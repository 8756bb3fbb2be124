"""What an operator should look at."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.signals import GET_SIGNALS, Signals


class SignalOperations(Caller):
    @operation
    def get_signals(self, agent_id: str | None = None) -> Flow[Signals]:
        """The signals that are on now, over all agents or of one, red ones first; at most ten of each type."""
        return (yield from send(GET_SIGNALS, query={"agent_id": agent_id}))
