"""PCAA: how well actions passed the checkpoints."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.pcaa import GET_PCAA_HEALTH, PcaaHealth, PcaaHealthQuery


class PcaaOperations(Caller):
    @operation
    def get_pcaa_health(self, window: str = "30d", agent_id: str | None = None) -> Flow[PcaaHealth]:
        """Checkpoint coverage, approval rate and evidence completion, 0 to 100 each with its n, of the actions that
        happened in the window (`<n>d`, 1d to 3650d back from now), of one agent or of all.

        Raises InvalidRequest for another window.
        """
        given = {"window": window, "agent_id": agent_id}
        return (yield from send(GET_PCAA_HEALTH, query=members(PcaaHealthQuery, given, "get_pcaa_health")))
