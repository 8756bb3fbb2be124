"""Agents: saying that one is there, and seeing who is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.agents import (
    GET_AGENTS,
    GET_CONNECTIONS,
    HEARTBEAT,
    REPORT_CONNECTIONS,
    AgentConnections,
    AgentPresence,
    Agents,
    AgentsQuery,
    ConnectionReport,
    ConnectionsQuery,
    Heartbeat,
    HeartbeatReceived,
    ReportConnections,
    ReportedConnections,
)


class AgentFilters(TypedDict, total=False):
    """Filters of the list; `with_actions` also counts each agent's actions, `limit` is 1 to 200."""

    agent_id: str | None
    status: AgentPresence | str | None
    with_actions: bool | None
    limit: int | None
    offset: int | None


class ConnectionFilters(TypedDict, total=False):
    """Filters of the list; `limit` is 1 to 200."""

    agent_id: str | None
    provider: str | None
    limit: int | None
    offset: int | None
    cursor: str | None


class AgentOperations(Caller):
    @operation
    def heartbeat(
        self,
        status: str | None = "online",
        metadata: Mapping[str, Any] | None = None,
        *,
        current_task_id: str | None = None,
        agent_id: str | None = None,
        agent_name: str | None = None,
    ) -> Flow[HeartbeatReceived]:
        """Say that the agent is there and how it is; `offline` signs it off until its next call. Any other call shows
        that it is there, too, but not how it is.

        Raises InvalidRequest where neither the client nor the key says which agent, and for metadata of more than
        10,000 bytes.
        """
        given = {
            "agent_id": agent_id or self.agent_id,
            "agent_name": agent_name or self.agent_name,
            "status": status,
            "current_task_id": current_task_id,
            "metadata": metadata,
        }
        return (yield from send(HEARTBEAT, body=members(Heartbeat, given, "heartbeat"), idempotent=True))

    @operation
    def get_agents(self, **filters: Unpack[AgentFilters]) -> Flow[Agents]:
        """Who is there and since when the others are silent, those heard of last first."""
        return (yield from send(GET_AGENTS, query=members(AgentsQuery, filters, "get_agents")))

    @operation
    def report_connections(
        self, connections: Iterable[ConnectionReport | Mapping[str, Any]], agent_id: str | None = None
    ) -> Flow[ReportedConnections]:
        """Say which providers the agent is connected to: for each a mapping with `provider`, and `auth_type`,
        `plan_name`, `status` and `metadata` where they are known. Those that are wrong are in `errors` of the answer,
        and the others are kept.
        """
        given = {"agent_id": agent_id or self.agent_id, "connections": list(connections)}
        body = members(ReportConnections, given, "report_connections")
        return (yield from send(REPORT_CONNECTIONS, body=body, idempotent=True))

    @operation
    def get_connections(self, **filters: Unpack[ConnectionFilters]) -> Flow[AgentConnections]:
        """Which agent is connected to which provider."""
        return (yield from send(GET_CONNECTIONS, query=members(ConnectionsQuery, filters, "get_connections")))
