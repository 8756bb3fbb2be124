"""Connections of agents to providers: reading what agents report, keeping it, and listing it.

1. There is one connection for each agent and provider; reporting it again replaces it.
2. A report that says nothing new is recorded only when the last one is older than `interval`, so that an agent that
   reports with every heartbeat does not fill the log. What is answered is what is recorded.
3. Of the same provider twice in one report the last one counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.people.agents import (
    AgentConnection,
    AgentConnections,
    AuthType,
    ConnectionReport,
    ConnectionsQuery,
    ConnectionStatus,
    RefusedConnection,
    ReportConnections,
    ReportedConnections,
)
from assent.contract.prepared import prepared
from assent.contract.spelling import respell
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import Refusal
from assent_service.core.faithful import check_canonical
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.rows import Filters, list_rows, of_caller, record, select
from assent_service.people.agents.presence import MOST_BYTES
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_key
from assent_service.store.tables import Table

# Connections as agents report them: each is read by itself, so that a wrong one costs none of the others. Pure.


CONNECTIONS = Table.of(
    AgentConnection,
    name="agent_connections",
    meaning="providers that agents are connected to, one row for each agent and provider as it was last reported",
    key="connection_id",
    created=frozenset(),
    replaced=("connection.reported",),
    without=("id",),
)


def read_reports(items: Iterable[object]) -> tuple[list[ConnectionReport], list[RefusedConnection]]:
    """Those that can be kept, and what is wrong with the others; both in their order."""
    good: list[ConnectionReport] = []
    errors: list[RefusedConnection] = []
    for index, item in enumerate(items):
        try:
            good.append(_read(item))
        except (msgspec.ValidationError, Refusal) as error:
            errors.append(RefusedConnection(index=index, provider=_provider(item), error=str(error)))
    return good, errors


def _read(item: object) -> ConnectionReport:
    """Raises msgspec.ValidationError, and Refusal for metadata that cannot be kept."""
    members: object = respell(item) if isinstance(item, dict) else item
    report = msgspec.convert(members, prepared(ConnectionReport))
    check_canonical(report.metadata or {}, "metadata", MOST_BYTES)
    return report


def _provider(item: Any) -> str | None:
    provider = item.get("provider") if isinstance(item, dict) else None
    return provider[:128] if isinstance(provider, str) else None


CONNECTIONS_FENCE = Fence("connections", "agent_id")
FILTERS = Filters(CONNECTIONS, ConnectionsQuery)


class ProviderConnections:
    """The connections of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, *, interval: timedelta) -> None:
        self._ledger, self._clock, self._locks, self._interval = ledger, clock, locks, interval

    async def report(self, principal: Principal, said: ReportConnections) -> ReportedConnections:
        """Keep what can be kept, in one write, and say what was wrong with the rest. Raises `agent_mismatch`."""
        agent_id = principal.speaks_for(said.agent_id or None)
        good, errors = read_reports(said.connections)
        kept: list[AgentConnection] = []
        if good:
            async with self._locks.hold(CONNECTIONS_FENCE.of(principal.org_id, str(agent_id))):
                kept = await self._keep(principal, agent_id, good)
        return ReportedConnections(connections=kept, errors=errors, created=len(kept))

    async def page(self, principal: Principal, query: ConnectionsQuery) -> AgentConnections:
        chosen = of_caller(principal)
        FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, CONNECTIONS, AgentConnection, chosen, query)
        return AgentConnections(
            connections=page.rows,
            total=page.total,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )

    async def _keep(
        self, principal: Principal, agent_id: str | None, reports: list[ConnectionReport]
    ) -> list[AgentConnection]:
        before = await self._of(principal.org_id, agent_id)
        now = self._clock()
        kept: list[AgentConnection] = []
        changed: list[AgentConnection] = []
        for report in {each.provider: each for each in reports}.values():
            known = before.get(report.provider)
            after = reported(known, report, principal.org_id, agent_id, now)
            if known is not None and not self._news(known, after):
                after = known
            else:
                changed.append(after)
            kept.append(after)
        if changed:
            await self._ledger.append(*(_event(each, principal.key_id, now) for each in changed))
        return kept

    def _news(self, known: AgentConnection, after: AgentConnection) -> bool:
        same = replace(after, updated_at=known.updated_at) == known
        return not same or after.updated_at - known.updated_at >= self._interval

    async def _of(self, org_id: str, agent_id: str | None) -> dict[str, AgentConnection]:
        rows = await self._ledger.read(
            f"SELECT {select(CONNECTIONS)} FROM agent_connections "
            f"WHERE org_id = ? AND {name_key('agent_id')} IS NOT DISTINCT FROM ? ORDER BY created_at, connection_id",
            [org_id, None if agent_id is None else comparable(agent_id)],
        )
        found = [record(CONNECTIONS, row, AgentConnection) for row in rows]
        return {each.provider: each for each in found}


def reported(
    before: AgentConnection | None, report: ConnectionReport, org_id: str, agent_id: str | None, now: int
) -> AgentConnection:
    """The connection after a report. Pure but for the id of a new one."""
    at = moment(now)
    return AgentConnection(
        org_id=org_id,
        connection_id=before.connection_id if before else new_id("conn_", now),
        agent_id=agent_id,
        provider=report.provider,
        auth_type=report.auth_type or AuthType.API_KEY,
        plan_name=report.plan_name,
        status=report.status or ConnectionStatus.ACTIVE,
        metadata=report.metadata,
        created_at=before.created_at if before else at,
        updated_at=at,
    )


def _event(connection: AgentConnection, actor: str, now: int) -> Draft:
    return Draft(
        org=connection.org_id,
        type=EventName.CONNECTION_REPORTED.value,
        ts=now,
        subject=connection.connection_id,
        actor=actor,
        data=encode(connection),
    )
