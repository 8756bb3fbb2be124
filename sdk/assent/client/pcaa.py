"""PCAA: how well actions passed the checkpoints, and one of them with its proof."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.pcaa import GET_PCAA_HEALTH, PcaaHealth, PcaaHealthQuery
from assent.contract.pcaa_actions import GET_PCAA_ACTION, PcaaAction
from assent.contract.pcaa_gaps import GET_PCAA_GAPS, PcaaGaps, PcaaGapsQuery


class PcaaOperations(Caller):
    @operation
    def get_pcaa_health(
        self, window: str = "30d", agent_id: str | None = None, *, action_type: str | None = None
    ) -> Flow[PcaaHealth]:
        """Checkpoint coverage, approval rate and evidence completion, 0 to 100 each with its n, of the actions that
        happened in the window (`<n>d`, 1d to 3650d back from now), of one agent or type or of all.

        Raises InvalidRequest for another window.
        """
        given = {"window": window, "agent_id": agent_id, "action_type": action_type}
        return (yield from send(GET_PCAA_HEALTH, query=members(PcaaHealthQuery, given, "get_pcaa_health")))

    @operation
    def get_pcaa_gaps(
        self, window: str = "30d", agent_id: str | None = None, action_type: str | None = None
    ) -> Flow[PcaaGaps]:
        """Who leaves which checkpoints unanswered: the numbers of `get_pcaa_health` with their 95% intervals, in all
        and by agent, action type and runtime, and what is missing most, each with the newest action that lacks it.

        Raises InvalidRequest for another window.
        """
        given = {"window": window, "agent_id": agent_id, "action_type": action_type}
        return (yield from send(GET_PCAA_GAPS, query=members(PcaaGapsQuery, given, "get_pcaa_gaps")))

    @operation
    def get_pcaa_action(self, action_id: str) -> Flow[PcaaAction]:
        """Replay, proof and export bundle of one action, with how it stands at each checkpoint, the receipts that it
        owes and left, and how far guard reaches into its runtime.

        `export` is what `assent verify` checks offline. Raises NotFound; Gone for an action that was erased, of
        which only the proof is left; Unavailable when nothing can be signed now.
        """
        return (yield from send(GET_PCAA_ACTION, path={"action_id": action_id}))
