"""Insight: what approvals and decisions add up to."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.insight import (
    GET_APPROVAL_INSIGHT,
    GET_DECISION_MIX,
    GET_SIGNAL_HISTORY,
    ApprovalInsight,
    DecisionMix,
    InsightQuery,
    SignalHistory,
)
from assent.contract.weekly import GET_DIGEST, WeeklyDigest, WeekQuery


class InsightOperations(Caller):
    @operation
    def get_approval_insight(self, window: str = "30d", agent_id: str | None = None) -> Flow[ApprovalInsight]:
        """Approvals asked in the window (`<n>d`, 1d to 3650d back from now): how many were approved, denied, expired
        or still wait, and how long operators took, in seconds, in all and by operator.

        Raises InvalidRequest for another window, Forbidden for an agent's key.
        """
        given = {"window": window, "agent_id": agent_id}
        return (yield from send(GET_APPROVAL_INSIGHT, query=members(InsightQuery, given, "get_approval_insight")))

    @operation
    def get_decision_mix(self, window: str = "30d", agent_id: str | None = None) -> Flow[DecisionMix]:
        """How guard decided in the window (`<n>d`, 1d to 3650d back from now): the counts of allow, warn,
        require_approval and block, in all and by day (UTC).

        Raises InvalidRequest for another window.
        """
        given = {"window": window, "agent_id": agent_id}
        return (yield from send(GET_DECISION_MIX, query=members(InsightQuery, given, "get_decision_mix")))

    @operation
    def get_signal_history(self, window: str = "30d", agent_id: str | None = None) -> Flow[SignalHistory]:
        """How often signals came on in the window (`<n>d`, 1d to 3650d back from now): by day, by type, by agent, and
        for a hundred live actions, with 95% intervals. An agent's key is told of its own.

        Raises InvalidRequest for another window.
        """
        given = {"window": window, "agent_id": agent_id}
        return (yield from send(GET_SIGNAL_HISTORY, query=members(InsightQuery, given, "get_signal_history")))

    @operation
    def get_digest(self, week: str | None = None, agent_id: str | None = None) -> Flow[WeeklyDigest]:
        """A week beside the week before: an ISO week such as `2026-W47`, or the last seven whole days (UTC) without
        one. Counts with ratios, shares with differences, times, cost and risk, each with its n and 95% interval.

        Raises InvalidRequest for a week that is none or has not begun, Forbidden for an agent's key.
        """
        given = {"week": week, "agent_id": agent_id}
        return (yield from send(GET_DIGEST, query=members(WeekQuery, given, "get_digest")))
