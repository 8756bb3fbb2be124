"""Insight into a window: approvals, decisions, signals and the weekly digest, computed by `assent_analytics` from the
tables.

Rows that are alike in what is asked come from the database once, with their number.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.insight import (
    GET_APPROVAL_INSIGHT,
    GET_DECISION_MIX,
    GET_SIGNAL_HISTORY,
    ApprovalInsight,
    DecisionDay,
    DecisionMix,
    InsightQuery,
    OperatorInsight,
    SignalDay,
    SignalHistory,
    SignalRate,
)
from assent.contract.analysis.week import Week, week_of
from assent.contract.analysis.weekly import GET_DIGEST, WeeklyDigest, WeekQuery
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_analytics import approvals, decisions, signals
from assent_analytics.digest import Tables, digest
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.moments import Window, window_of
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filter, of_caller, rows_within
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is

__all__ = [
    "open_insight",
]


# Approvals of a window, by the rules of `assent_analytics.approvals`.


# Whether an approval is simulated stands with the action that it is about.
_APPROVALS = """
    SELECT p.state, p.requested_at, p.decided_at, p.decided_by, p.grant_id, a.source
    FROM (SELECT * FROM approvals WHERE {chosen}) AS p
    LEFT JOIN (SELECT approval_id, source FROM actions WHERE org_id = ? AND approval_id IS NOT NULL) AS a
        ON a.approval_id = p.approval_id
"""


async def approval_insight(ledger: Ledger, principal: Principal, query: InsightQuery, now: int) -> ApprovalInsight:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "requested_at", principal, query.agent_id)
    frame = await ledger.frame(_APPROVALS.format(chosen=chosen.where), [*chosen.parameters, principal.org_id])
    numbers, operators = await asyncio.to_thread(_approval_insight, frame)
    return ApprovalInsight(
        window=window.text,
        since=window.since,
        until=window.until,
        by_operator=msgspec.convert(operators, prepared(list[OperatorInsight])),
        **numbers,
    )


def _approval_insight(frame: pl.DataFrame) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    numbers, operators = pl.collect_all([approvals.insight(frame), approvals.by_operator(frame)])
    return numbers.row(0, named=True), operators.to_dicts()


# Decisions of a window, by the rules of `assent_analytics.decisions`.
#
# The database gives each day's decisions of a kind once, with their number.


_DECISIONS = """
    SELECT CAST(CAST(occurred_at AS DATE) AS TIMESTAMP) AS occurred_at, decision, source, count(*) AS n
    FROM guard_decisions WHERE {chosen} GROUP BY 1, 2, 3
"""


async def decision_mix(ledger: Ledger, principal: Principal, query: InsightQuery, now: int) -> DecisionMix:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "occurred_at", principal, query.agent_id)
    frame = await ledger.frame(_DECISIONS.format(chosen=chosen.where), chosen.parameters)
    numbers, days = await asyncio.to_thread(_decision_mix, frame)
    return DecisionMix(
        window=window.text,
        since=window.since,
        until=window.until,
        days=msgspec.convert(days, prepared(list[DecisionDay])),
        **numbers,
    )


def _decision_mix(frame: pl.DataFrame) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    numbers, days = pl.collect_all([decisions.mix(frame), decisions.mix_by_day(frame)])
    return numbers.row(0, named=True), days.to_dicts()


# Signals of a window, by the rules of `assent_analytics.signals`. Actions come from the database counted by agent.


MOST_GROUPS = 100
MOST_DAYS = 5000

_OF_WINDOW = "SELECT type, severity, agent_id, created_at FROM signals WHERE {chosen}"
_ACTIONS_BY_AGENT = "SELECT agent_id, source, count(*) AS n FROM actions WHERE {chosen} GROUP BY 1, 2"


async def signal_history(ledger: Ledger, principal: Principal, query: InsightQuery, now: int) -> SignalHistory:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "created_at", principal, query.agent_id)
    detected = await ledger.frame(_OF_WINDOW.format(chosen=chosen.where), chosen.parameters)
    chosen = rows_within(window, "timestamp_start", principal, query.agent_id)
    acted = await ledger.frame(_ACTIONS_BY_AGENT.format(chosen=chosen.where), chosen.parameters)
    return await asyncio.to_thread(_signal_history, window, detected, acted)


def _signal_history(window: Window, detected: pl.DataFrame, acted: pl.DataFrame) -> SignalHistory:
    kinds = ((), ("type",), ("agent_id",), ("type", "agent_id"))
    wanted = [signals.rates(detected, acted, by) for by in kinds]
    *rates, days = pl.collect_all([*wanted, signals.by_day(detected)])
    whole, by_type, by_agent, by_both = (_rates(each) for each in rates)
    lists = {"by_agent": by_agent, "by_type_and_agent": by_both}
    not_shown = {name: len(each) - MOST_GROUPS for name, each in lists.items() if len(each) > MOST_GROUPS}
    if days.height > MOST_DAYS:
        not_shown["days"] = days.height - MOST_DAYS
    return SignalHistory(
        window=window.text,
        since=window.since,
        until=window.until,
        all=whole[0],
        by_type=by_type,
        by_agent=by_agent[:MOST_GROUPS],
        by_type_and_agent=by_both[:MOST_GROUPS],
        days=msgspec.convert(days.tail(MOST_DAYS).to_dicts(), prepared(list[SignalDay])),
        not_shown=not_shown,
    )


def _rates(frame: pl.DataFrame) -> list[SignalRate]:
    nobody = {"type": None, "agent_id": None}
    return msgspec.convert([nobody | row for row in frame.to_dicts()], prepared(list[SignalRate]))


# The digest of a week, by the rules of `assent_analytics.digest`.
#
# The database gives what is alike in everything that the digest asks of it once, with its number; never of both weeks
# together, and the time of such rows is one of theirs.


_WEEK_ACTIONS = """
    SELECT timestamp_start >= ? AS recent, min(timestamp_start) AS timestamp_start, agent_id, action_type, status,
        risk_score, cost_estimate, source, session_id,
        CASE WHEN session_id IS NULL THEN date_trunc('hour', timestamp_start) END AS hour, count(*) AS n
    FROM actions WHERE {chosen} GROUP BY ALL
"""
_WEEK_DECISIONS = """
    SELECT occurred_at >= ? AS recent, min(occurred_at) AS occurred_at, decision, source, session_id,
        CASE WHEN session_id IS NULL THEN date_trunc('hour', occurred_at) END AS hour,
        CASE WHEN session_id IS NULL THEN agent_id END AS agent_id, count(*) AS n
    FROM guard_decisions WHERE {chosen} GROUP BY ALL
"""
# Whether an approval is simulated stands with the action that it is about.
_WEEK_APPROVALS = """
    SELECT p.state, p.requested_at, p.decided_at, p.grant_id, a.source
    FROM (SELECT * FROM approvals WHERE {chosen}) AS p
    LEFT JOIN (SELECT approval_id, source FROM actions WHERE org_id = ? AND approval_id IS NOT NULL) AS a
        ON a.approval_id = p.approval_id
"""
_WEEK_SIGNALS = "SELECT type, severity, agent_id, created_at FROM signals WHERE {chosen}"
_ALERTS = "SELECT severity, metric, acknowledged, detected_at, deleted_at, source FROM drift_alerts WHERE {chosen}"
_FIRSTS = """
    SELECT '{kind}' AS kind, {kind} AS name, min(timestamp_start) AS first_seen
    FROM actions WHERE {chosen} AND {kind} IS NOT NULL GROUP BY {kind}
"""


async def weekly_digest(ledger: Ledger, principal: Principal, query: WeekQuery, now: int) -> WeeklyDigest:
    """Raises `invalid_query` for a week that is none or has not begun, and `projection_behind`."""
    try:
        week = week_of(query.week, moment(now))
    except ValueError as error:
        raise refuse(Code.INVALID_QUERY, f"{error}.", FieldError(place="week", message="not a week")) from None
    start = week.since.replace(tzinfo=None)

    def of(time: str) -> Filter:
        return _within_either(week, time, principal, query.agent_id)

    acted, decided, asked, detected, raised = (
        of(name) for name in ("timestamp_start", "occurred_at", "requested_at", "created_at", "detected_at")
    )
    ever = of_caller(principal)
    ever.add(name_is("agent_id"), query.agent_id)
    firsts = " UNION ALL ".join(_FIRSTS.format(kind=kind, chosen=ever.where) for kind in ("agent_id", "action_type"))
    tables = Tables(
        actions=await ledger.frame(_WEEK_ACTIONS.format(chosen=acted.where), [start, *acted.parameters]),
        decisions=await ledger.frame(_WEEK_DECISIONS.format(chosen=decided.where), [start, *decided.parameters]),
        approvals=await ledger.frame(_WEEK_APPROVALS.format(chosen=asked.where), [*asked.parameters, principal.org_id]),
        signals=await ledger.frame(_WEEK_SIGNALS.format(chosen=detected.where), detected.parameters),
        drift_alerts=await ledger.frame(_ALERTS.format(chosen=raised.where), raised.parameters),
        first_seen=await ledger.frame(firsts, [*ever.parameters, *ever.parameters]),
    )
    return await asyncio.to_thread(digest, week, tables, query.agent_id)


def _within_either(week: Week, time: str, principal: Principal, agent_id: str | None) -> Filter:
    chosen = of_caller(principal)
    chosen.add(name_is("agent_id"), agent_id)
    moments = [at.replace(tzinfo=None) for at in (week.since, week.until, *week.before)]
    chosen.add_all(f"(({time} >= ? AND {time} < ?) OR ({time} >= ? AND {time} < ?))", moments)
    return chosen


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @serves(GET_APPROVAL_INSIGHT)
    async def approvals(call: Call[None, InsightQuery]) -> ApprovalInsight:
        return await approval_insight(ledger, call.principal, call.query, clock())

    @serves(GET_DECISION_MIX)
    async def decisions(call: Call[None, InsightQuery]) -> DecisionMix:
        return await decision_mix(ledger, call.principal, call.query, clock())

    @serves(GET_SIGNAL_HISTORY)
    async def signals(call: Call[None, InsightQuery]) -> SignalHistory:
        return await signal_history(ledger, call.principal, call.query, clock())

    @serves(GET_DIGEST)
    async def digest(call: Call[None, WeekQuery]) -> WeeklyDigest:
        return await weekly_digest(ledger, call.principal, call.query, clock())

    return approvals, decisions, signals, digest


def open_insight(on: Foundation) -> None:
    on.bring(routes=routes(on.ledger, on.clock))
