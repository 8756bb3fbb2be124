"""Insight: what approvals and decisions add up to."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.insight import (
    GET_APPROVAL_INSIGHT,
    GET_DECISION_MIX,
    ApprovalInsight,
    DecisionMix,
    InsightQuery,
)


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
