"""PCAA: how well actions passed the checkpoints, and one of them with its proof."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.evidence.pcaa import GET_PCAA_HEALTH
from assent.contract.evidence.pcaa_actions import GET_PCAA_ACTION
from assent.contract.evidence.pcaa_gaps import GET_PCAA_GAPS


class PcaaOperations(Caller):
    @sends(GET_PCAA_HEALTH)
    def get_pcaa_health(
        self, window: str = "30d", agent_id: str | None = None, *, action_type: str | None = None
    ) -> Response:
        """Checkpoint coverage, approval rate and evidence completion, 0 to 100 each with its n, of the actions that
        happened in the window (`<n>d`, 1d to 3650d back from now), of one agent or type or of all.

        Raises InvalidRequest for another window.
        """

    @sends(GET_PCAA_GAPS)
    def get_pcaa_gaps(
        self, window: str = "30d", agent_id: str | None = None, action_type: str | None = None
    ) -> Response:
        """Who leaves which checkpoints unanswered: the numbers of `get_pcaa_health` with their 95% intervals, in all
        and by agent, action type and runtime, and what is missing most, each with the newest action that lacks it.

        Raises InvalidRequest for another window.
        """

    @sends(GET_PCAA_ACTION)
    def get_pcaa_action(self, action_id: str) -> Response:
        """Replay, proof and export bundle of one action, with how it stands at each checkpoint, the receipts that it
        owes and left, and how far guard reaches into its runtime.

        `export` is what `assent verify` checks offline. Raises NotFound; Gone for an action that was erased, of
        which only the proof is left; Unavailable when nothing can be signed now.
        """
