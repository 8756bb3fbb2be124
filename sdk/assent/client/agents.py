"""Agents: saying that one is there, and seeing who is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller
from assent.client.request import members
from assent.contract.people.agents import (
    GET_AGENTS,
    GET_CONNECTIONS,
    HEARTBEAT,
    REPORT_CONNECTIONS,
    AgentPresence,
    ConnectionReport,
    ReportConnections,
    ReportedConnections,
)


class AgentOperations(Caller):
    @sends(HEARTBEAT, own=("agent_id", "agent_name"), idempotent=True)
    def heartbeat(
        self,
        status: str | None = "online",
        metadata: Mapping[str, Any] | None = None,
        *,
        current_task_id: str | None = None,
        agent_id: str | None = None,
        agent_name: str | None = None,
    ) -> Response:
        """Say that the agent is there and how it is; `offline` signs it off until its next call. Any other call shows
        that it is there, too, but not how it is.

        Raises InvalidRequest where neither the client nor the key says which agent, and for metadata of more than
        10,000 bytes.
        """

    @sends(GET_AGENTS)
    def get_agents(
        self,
        *,
        agent_id: str | None = None,
        status: AgentPresence | str | None = None,
        with_actions: bool | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Response:
        """Who is there and since when the others are silent, those heard of last first. `with_actions` also counts each
        agent's actions, `limit` is 1 to 200."""

    @calls(REPORT_CONNECTIONS)
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

    @sends(GET_CONNECTIONS)
    def get_connections(
        self,
        *,
        agent_id: str | None = None,
        provider: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """Which agent is connected to which provider. `limit` is 1 to 200."""
