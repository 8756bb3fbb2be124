"""Insight: what a window's approvals and decisions add up to."""

from __future__ import annotations

from datetime import date, datetime

from assent.contract.control.signals import SignalType
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
    expired, were withdrawn or still wait. `approval_rate` is approved / decided, 0 to 100; it and the times are None
    when nobody has decided. Times are in seconds from asking to deciding, over the decided ones."""

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
    withdrawn: int = 0


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


class SignalRate(Record, frozen=True, kw_only=True):
    """How often signals came on: `n` in all, of `agents` different agents, last at `last_at`. `per_100` is for a
    hundred live actions (of the same agent, where there is one), which can bring about several signals each, with
    Garwood's 95% interval; the three are None where `status` is `insufficient_data` and not `ok`."""

    type: SignalType | None
    agent_id: str | None
    n: int
    red: int
    amber: int
    agents: int
    last_at: datetime | None
    actions: int
    per_100: float | None
    per_100_low: float | None
    per_100_high: float | None
    status: str


class SignalDay(Record, frozen=True, kw_only=True):
    """How often a type came on for an agent on one day (UTC)."""

    day: date
    type: SignalType
    agent_id: str | None
    n: int


class SignalHistory(Record, frozen=True, kw_only=True):
    """Signals that came on from `since` to `until`: in all, by type, by agent, by both, each with the most frequent
    first. `by_agent` and `by_type_and_agent` have 100 at most; `days` the latest 5,000, in order; `not_shown` says how
    many more there are of each. What a simulator made up and what was imported has no signals, and is not among the
    actions."""

    window: str
    since: datetime
    until: datetime
    all: SignalRate
    by_type: list[SignalRate]
    by_agent: list[SignalRate]
    by_type_and_agent: list[SignalRate]
    days: list[SignalDay]
    not_shown: dict[str, int]


GET_APPROVAL_INSIGHT = Endpoint(
    operation="get_approval_insight",
    method="GET",
    path="/api/insight/approvals",
    summary="Approval rate, time to decide (p50, p95), expired ones, by operator.",
    roles=READING,
    query=InsightQuery,
    response=ApprovalInsight,
    analyzes=True,
)
GET_DECISION_MIX = Endpoint(
    operation="get_decision_mix",
    method="GET",
    path="/api/insight/decisions",
    summary="How guard decided in a window, in all and by day.",
    roles=ANYONE,
    query=InsightQuery,
    response=DecisionMix,
    analyzes=True,
)
GET_SIGNAL_HISTORY = Endpoint(
    operation="get_signal_history",
    method="GET",
    path="/api/insight/signals",
    summary="How often signals came on in a window: by day, type and agent, and for a hundred actions.",
    roles=ANYONE,
    query=InsightQuery,
    response=SignalHistory,
    analyzes=True,
)
