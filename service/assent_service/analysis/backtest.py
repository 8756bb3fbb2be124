"""Backtests over HTTP: what other policies or risk templates would have decided on what is recorded.

A question is checked, its rows are read from the tables, and it is computed beside the event loop by
`assent_analytics.backtest`. Nothing is recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import polars as pl

from assent.contract.analysis.backtest import BACKTEST, MOST_DECISIONS, Backtest, BacktestRequest
from assent.contract.analysis.policy_value import EVALUATE_POLICY, EvaluatePolicy, PolicyEvaluation
from assent.contract.conditions import ConditionError
from assent.contract.control.exploration import check_explore
from assent.contract.control.policies import Policy, PolicyDraft
from assent.contract.control.risk_conditions import parse_template_rules
from assent.contract.control.risk_templates import CreateRiskTemplate
from assent.contract.control.rules import PolicyError, check_always_ask, parse_rules
from assent.contract.problems import Code, FieldError
from assent.contract.window import start_of
from assent_analytics.backtest import (
    PatternError,
    backtest,
    columns_needed,
    columns_to_evaluate,
    evaluate_policy,
)
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.guard import GUARD_DECISIONS, check_rules, compile_rules
from assent_service.control.policies import Policies
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.principal import Principal
from assent_service.core.route import RECORDS_NOTHING, Route, serves
from assent_service.core.rows import Filter, count_rows, of_caller
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is
from assent_service.store.tables import ColumnKind

__all__ = [
    "Backtests",
    "open_backtest",
]


# What is asked of a backtest's body beyond its form, by the rules of making a policy or a template. Pure.


def check(request: BacktestRequest) -> None:
    """Raises `invalid_policy` and `invalid_risk_template`, with a place such as `policies[3].rules.when.all[0].op`."""
    check_policies(request.policies or [])
    check_templates(request.templates or [])


def check_policies(drafts: Sequence[PolicyDraft]) -> None:
    for at, draft in enumerate(drafts):
        try:
            rules = parse_rules(draft.policy_type, draft.rules)
            check_rules(rules)
            check_explore(rules, draft.explore)
            check_always_ask(rules, draft.always_ask)
        except (PolicyError, ConditionError) as error:
            place = f"policies[{at}].{error.place}"
            raise refuse(
                Code.INVALID_POLICY,
                f"A policy cannot be used: {place}: {error.message}.",
                FieldError(place=place, message=error.message),
            ) from error


def check_templates(drafts: Sequence[CreateRiskTemplate]) -> None:
    for at, draft in enumerate(drafts):
        place = f"templates[{at}].rules"
        try:
            compile_rules(parse_template_rules(draft.rules or [], place), place)
        except ConditionError as error:
            raise refuse(
                Code.INVALID_RISK_TEMPLATE,
                f"A template cannot be used: {error.place}: {error.message}.",
                FieldError(place=error.place, message=error.message),
            ) from error


def beginning(window: str, until: datetime) -> datetime:
    """The window's first moment. Raises `invalid_body` for anything but whole days, as 1d to 3650d."""
    try:
        return start_of(window, until)
    except ValueError as error:
        raise refuse(Code.INVALID_BODY, f"{error}.", FieldError(place="window", message="not a window")) from None


def too_many(n: int) -> Refusal:
    return refuse(
        Code.INVALID_BODY,
        f"The window holds {n} decisions, and one answer replays at most {MOST_DECISIONS}. Ask for fewer days, one "
        "agent or one source; or take the frames of decisions and actions and call assent_analytics.backtest.backtest, "
        "which has no such bound.",
        FieldError(place="window", message=f"holds more than {MOST_DECISIONS} decisions"),
    )


# Running a backtest: reading what it needs from the tables, and no more, and computing it beside the event loop.
#
# The numbers are those of `assent_analytics.backtest`, which notebooks call with the same frames. Nothing is recorded.


REACH = timedelta(days=7)
"""The longest window of a rate limit: as far before the window actions may still count."""
_KINDS = {column.name: column.kind for column in GUARD_DECISIONS.columns}
_ACTIONS = """
    SELECT decision_id, agent_id, status, source, created_at, timestamp_start
    FROM actions WHERE {where} AND (created_at >= ? OR timestamp_start >= ?)
"""


class Backtests:
    """Asked by operators, auditors and admins, who see all agents of their organization. One at a time: each takes all
    decisions of its window into memory and every core there is."""

    def __init__(self, ledger: Ledger, clock: Clock, policies: Policies) -> None:
        self._ledger, self._clock, self._policies = ledger, clock, policies
        self._turn = asyncio.Lock()

    async def run(self, principal: Principal, request: BacktestRequest) -> Backtest:
        """Raises `invalid_policy`, `invalid_risk_template`, `invalid_body` and `projection_behind`."""
        until = moment(self._clock())
        since = beginning(request.window, until)
        await asyncio.to_thread(check, request)
        policies, version = self._chosen(principal.org_id, request)
        rows = _rows(principal, request, since, until)
        if (number := await count_rows(self._ledger, GUARD_DECISIONS, rows)) > MOST_DECISIONS:
            raise too_many(number)
        try:
            async with self._turn:
                decisions = await self._decisions(rows, policies, request)
                actions = await self._actions(principal, request, since)
                return await asyncio.to_thread(
                    backtest,
                    decisions,
                    actions,
                    policies,
                    templates=request.templates,
                    costs=request.costs,
                    since=since,
                    until=until,
                    include=request.include,
                    limit=request.limit,
                    history_as_live=request.history_as_live,
                    seed=request.seed,
                    policy_version=version,
                )
        except PatternError as error:
            # Guard's RE2 is younger than the one that searches columns.
            raise refuse(Code.INVALID_POLICY, f"A policy cannot be replayed: {error}") from error

    async def evaluate(self, principal: Principal, request: EvaluatePolicy) -> PolicyEvaluation:
        """Raises `invalid_policy`, `invalid_body` and `projection_behind`."""
        until = moment(self._clock())
        since = beginning(request.window, until)
        await asyncio.to_thread(check_policies, request.policies or [])
        policies = self._chosen(principal.org_id, request)[0]
        rows = _rows(principal, request, since, until)
        if (number := await count_rows(self._ledger, GUARD_DECISIONS, rows)) > MOST_DECISIONS:
            raise too_many(number)
        try:
            async with self._turn:
                decisions = await self._selected(rows, await asyncio.to_thread(columns_to_evaluate, policies))
                actions = await self._actions(principal, request, since)
                return await asyncio.to_thread(
                    evaluate_policy, decisions, actions, policies, costs=request.costs, since=since, until=until
                )
        except PatternError as error:
            raise refuse(Code.INVALID_POLICY, f"A policy cannot be replayed: {error}") from error

    def _chosen(
        self, org_id: str, request: BacktestRequest | EvaluatePolicy
    ) -> tuple[Sequence[Policy | PolicyDraft], int | None]:
        """What to decide by; with the version when it is what is in force."""
        if request.policies is not None:
            return request.policies, None
        return self._policies.state.list(org_id), self._policies.state.version(org_id)

    async def _decisions(
        self, rows: Filter, policies: Sequence[Policy | PolicyDraft], request: BacktestRequest
    ) -> pl.DataFrame:
        names = await asyncio.to_thread(
            columns_needed, policies, request.templates, in_force=request.policies is None, include=request.include
        )
        return await self._selected(rows, names)

    async def _selected(self, rows: Filter, names: Collection[str]) -> pl.DataFrame:
        listed = ", ".join(
            f'CAST("{name}" AS VARCHAR) AS "{name}"' if _KINDS[name] is ColumnKind.JSON else f'"{name}"'
            for name in sorted(names)
        )
        return await self._ledger.frame(f"SELECT {listed} FROM guard_decisions WHERE {rows.where}", rows.parameters)

    async def _actions(
        self, principal: Principal, request: BacktestRequest | EvaluatePolicy, since: datetime
    ) -> pl.DataFrame:
        chosen = of_caller(principal)
        if request.agent_id is not None:
            chosen.add(name_is("agent_id"), request.agent_id)
        early = (since - REACH).replace(tzinfo=None)
        return await self._ledger.frame(_ACTIONS.format(where=chosen.where), [*chosen.parameters, early, early])


def _rows(principal: Principal, request: BacktestRequest | EvaluatePolicy, since: datetime, until: datetime) -> Filter:
    chosen = of_caller(principal)
    if request.agent_id is not None:
        chosen.add(name_is("agent_id"), request.agent_id)
    if request.source is not None:
        chosen.add("source = ?", request.source.value)
    first, last = (at.replace(tzinfo=None) for at in (since, until))
    chosen.add_all("occurred_at >= ? AND occurred_at <= ?", [first, last])
    return chosen


def routes(backtests: Backtests) -> tuple[Route, ...]:
    @serves(BACKTEST, unfenced=RECORDS_NOTHING)
    async def backtest(call: Call[BacktestRequest, None]) -> Backtest:
        return await backtests.run(call.principal, call.body)

    @serves(EVALUATE_POLICY, unfenced=RECORDS_NOTHING)
    async def evaluate(call: Call[EvaluatePolicy, None]) -> PolicyEvaluation:
        return await backtests.evaluate(call.principal, call.body)

    return backtest, evaluate


def open_backtest(on: Foundation, policies: Policies) -> None:
    on.bring(routes=routes(Backtests(on.ledger, on.clock, policies)))
