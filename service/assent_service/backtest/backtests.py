"""Running a backtest: reading what it needs from the tables, and no more, and computing it beside the event loop.

The numbers are those of `assent_analytics.backtest`, which notebooks call with the same frames. Nothing is recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta

import polars as pl

from assent.contract.backtest import MOST_DECISIONS, Backtest, BacktestRequest
from assent.contract.policies import Policy, PolicyDraft
from assent.contract.problems import Code
from assent_analytics.backtest import PatternError, backtest, columns_needed
from assent_service.backtest.checks import beginning, check, too_many
from assent_service.core.clock import Clock, moment
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.core.rows import Filter, of_caller
from assent_service.guard import GUARD_DECISIONS
from assent_service.policies import Policies
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Kind

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
        ((n,),) = await self._ledger.read(f"SELECT count(*) FROM guard_decisions WHERE {rows.where}", rows.parameters)
        if int(str(n)) > MOST_DECISIONS:
            raise too_many(int(str(n)))
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

    def _chosen(self, org_id: str, request: BacktestRequest) -> tuple[Sequence[Policy | PolicyDraft], int | None]:
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
        listed = ", ".join(
            f'CAST("{name}" AS VARCHAR) AS "{name}"' if _KINDS[name] is Kind.JSON else f'"{name}"'
            for name in sorted(names)
        )
        return await self._ledger.frame(f"SELECT {listed} FROM guard_decisions WHERE {rows.where}", rows.parameters)

    async def _actions(self, principal: Principal, request: BacktestRequest, since: datetime) -> pl.DataFrame:
        chosen = of_caller(principal)
        if request.agent_id is not None:
            chosen.add("agent_id = ?", request.agent_id)
        early = (since - REACH).replace(tzinfo=None)
        return await self._ledger.frame(_ACTIONS.format(where=chosen.where), [*chosen.parameters, early, early])


def _rows(principal: Principal, request: BacktestRequest, since: datetime, until: datetime) -> Filter:
    chosen = of_caller(principal)
    if request.agent_id is not None:
        chosen.add("agent_id = ?", request.agent_id)
    if request.source is not None:
        chosen.add("source = ?", request.source.value)
    first, last = (at.replace(tzinfo=None) for at in (since, until))
    chosen.add_all("occurred_at >= ? AND occurred_at <= ?", [first, last])
    return chosen
