"""Insight: what a window's approvals and decisions add up to."""

from __future__ import annotations

from datetime import date, datetime

from assent.contract.endpoint import Endpoint
from assent.contract.record import Query, Record, ShortText
from assent.contract.roles import ANYONE, READING
from assent.contract.window import WindowText


class InsightQuery(Query, frozen=True, kw_only=True):
    window: WindowText = "30d"
    agent_id: ShortText | None = None


class OperatorInsight(Record, frozen=True, kw_only=True):
    """`p50_seconds` is the median time from asking to this operator's decision."""

    operator: str
    decided: int
    approved: int
    denied: int
    p50_seconds: float


class ApprovalInsight(Record, frozen=True, kw_only=True):
    """Approvals asked from `since` to `until`. `decided` = `approved` + `denied`; `asked` also counts those that
    expired or still wait. `approval_rate` is approved / decided, 0 to 100; it and the times are None when nobody has
    decided. Times are in seconds from asking to deciding, over the decided ones."""

    window: str
    since: datetime
    until: datetime
    asked: int
    awaiting: int
    approved: int
    denied: int
    expired: int
    decided: int
    approval_rate: float | None
    p50_seconds: float | None
    p95_seconds: float | None
    by_operator: list[OperatorInsight]
    simulated: int


class DecisionDay(Record, frozen=True, kw_only=True):
    """Guard's decisions on one day (UTC)."""

    day: date
    allow: int
    warn: int
    require_approval: int
    block: int


class DecisionMix(Record, frozen=True, kw_only=True):
    """Guard's decisions from `since` to `until`; `days` has every day of the window that has decisions, in order."""

    window: str
    since: datetime
    until: datetime
    n: int
    allow: int
    warn: int
    require_approval: int
    block: int
    days: list[DecisionDay]
    simulated: int


GET_APPROVAL_INSIGHT = Endpoint(
    operation="get_approval_insight",
    method="GET",
    path="/api/insight/approvals",
    summary="Approval rate, time to decide (p50, p95), expired ones, by operator.",
    roles=READING,
    query=InsightQuery,
    response=ApprovalInsight,
)
GET_DECISION_MIX = Endpoint(
    operation="get_decision_mix",
    method="GET",
    path="/api/insight/decisions",
    summary="How guard decided in a window, in all and by day.",
    roles=ANYONE,
    query=InsightQuery,
    response=DecisionMix,
)
