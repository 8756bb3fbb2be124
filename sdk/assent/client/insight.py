"""Insight: what approvals, decisions and signals add up to."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.analysis.asking import GET_ASKING_WORTH
from assent.contract.analysis.insight import (
    GET_APPROVAL_INSIGHT,
    GET_DECISION_MIX,
    GET_SIGNAL_HISTORY,
)
from assent.contract.analysis.weekly import GET_DIGEST
from assent.contract.control.guard import Source
from assent.contract.control.signals import GET_SIGNALS


class InsightOperations(Caller):
    @sends(GET_APPROVAL_INSIGHT)
    def get_approval_insight(self, window: str = "30d", agent_id: str | None = None) -> Response:
        """Approvals asked in the window (`<n>d`, 1d to 3650d back from now): how many were approved, denied, expired
        or still wait, and how long operators took, in seconds, in all and by operator.

        Raises InvalidRequest for another window, Forbidden for an agent's key.
        """

    @sends(GET_ASKING_WORTH)
    def get_asking_worth(
        self,
        window: str = "30d",
        agent_id: str | None = None,
        tolerated: float = 0.05,
        source: Source | str | None = None,
    ) -> Response:
        """What asking people takes and changes in the window (`<n>d`, 1d to 3650d back from now): minutes of agents and
        operators and the shares denied and failed by type and by policy, whether operators agree and tire, and where
        asking seems worth it or not, with at most `tolerated` (above 0, below 1) denied and failed.

        Raises InvalidRequest for another window or share, Forbidden for an agent's key.
        """

    @sends(GET_DECISION_MIX)
    def get_decision_mix(self, window: str = "30d", agent_id: str | None = None) -> Response:
        """How guard decided in the window (`<n>d`, 1d to 3650d back from now): the counts of allow, warn,
        require_approval and block, in all and by day (UTC).

        Raises InvalidRequest for another window.
        """

    @sends(GET_SIGNAL_HISTORY)
    def get_signal_history(self, window: str = "30d", agent_id: str | None = None) -> Response:
        """How often signals came on in the window (`<n>d`, 1d to 3650d back from now): by day, by type, by agent, and
        for a hundred live actions, with 95% intervals. An agent's key is told of its own.

        Raises InvalidRequest for another window.
        """

    @sends(GET_DIGEST)
    def get_digest(self, week: str | None = None, agent_id: str | None = None) -> Response:
        """A week beside the week before: an ISO week such as `2026-W47`, or the last seven whole days (UTC) without
        one. Counts with ratios, shares with differences, times, cost and risk, each with its n and 95% interval.

        Raises InvalidRequest for a week that is none or has not begun, Forbidden for an agent's key.
        """

    @sends(GET_SIGNALS)
    def get_signals(self, agent_id: str | None = None) -> Response:
        """The signals that are on now, over all agents or of one, red ones first; at most ten of each type."""
