"""Agents: who is there, what they said of themselves last, and which providers they are connected to."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from msgspec import Meta
from msgspec.structs import force_setattr

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import (
    Cursor,
    Example,
    Limit,
    Offset,
    OrganizationId,
    Query,
    Record,
    RecordedAt,
    Request,
    ShortText,
    meaning,
)
from assent.contract.roles import ACTING, ANYONE

Said = Annotated[str, Meta(min_length=1, max_length=64)]
Provider = Annotated[str, Meta(min_length=1, max_length=128)]


class AgentPresence(StrEnum):
    """`online`: heard of within the time that the setting `agent_offline_minutes` gives, and not signed off since."""

    ONLINE = "online"
    OFFLINE = "offline"


class AuthType(StrEnum):
    """How an agent is let in by a provider."""

    API_KEY = "api_key"
    SUBSCRIPTION = "subscription"
    OAUTH = "oauth"
    PRE_CONFIGURED = "pre_configured"
    ENVIRONMENT = "environment"


class ConnectionStatus(StrEnum):
    ACTIVE = "active"
    INACTIVE = "inactive"
    ERROR = "error"


class Heartbeat(Request, frozen=True, kw_only=True):
    """What an agent says of itself. `status` is a word of its own, `online` without one; `offline` signs it off until
    it calls again. `agent_name` stays as it was when it is left out, the others are forgotten. `metadata` may have
    10,000 bytes."""

    example: ClassVar[Example] = {"agent_id": "release-bot", "status": "online"}

    agent_id: ShortText | None = None
    agent_name: ShortText | None = None
    status: Said | None = None
    current_task_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class HeartbeatReceived(Record, frozen=True, kw_only=True):
    """`timestamp` is the service's own time."""

    status: str
    timestamp: datetime


class AgentRow(Record, frozen=True, kw_only=True):
    """An agent as it is recorded."""

    org_id: OrganizationId
    presence_id: Annotated[str, meaning("id of the row", frozen=True)]
    agent_id: Annotated[str, meaning("the agent", frozen=True)]
    agent_name: Annotated[str | None, meaning("what it last called itself")]
    said: Annotated[str | None, meaning("how it last said that it was, none when it never did")]
    current_task_id: Annotated[str | None, meaning("what it last said that it was working on")]
    metadata: Annotated[dict[str, Any] | None, meaning("what else it last said of itself")]
    key_id: Annotated[str | None, meaning("id of the key that it last called with")]
    first_seen: Annotated[datetime, meaning("when it was first heard of")]
    last_seen: Annotated[datetime, meaning("when it was last heard of, to within the setting presence_minutes")]
    last_heartbeat: Annotated[datetime | None, meaning("when it last sent a heartbeat, none when it never did")]
    created_at: RecordedAt


class Agent(Record, frozen=True, kw_only=True):
    """`status` is what the service makes of it, `said` what the agent last said itself. `last_seen` counts every call,
    `last_heartbeat` only those that said so and is None when there never was one. `actions` is how many it has
    recorded, None unless asked for."""

    org_id: str
    agent_id: str
    agent_name: str | None
    status: AgentPresence
    said: str | None
    current_task_id: str | None
    metadata: dict[str, Any] | None
    first_seen: datetime
    last_seen: datetime
    last_heartbeat: datetime | None
    silent_seconds: float
    key_id: str | None
    actions: int | None


class AgentsQuery(Query, frozen=True, kw_only=True):
    """`with_actions` also counts each agent's actions."""

    agent_id: ShortText | None = None
    status: AgentPresence | None = None
    with_actions: bool = False
    limit: Limit = 100
    offset: Offset = 0


class Agents(Record, frozen=True, kw_only=True):
    """`total` counts those that fit, `online` and `offline` all that the caller may see."""

    agents: list[Agent]
    total: int
    online: int
    offline: int
    lastUpdated: datetime  # noqa: N815 - the published name


class ReportConnections(Request, frozen=True, kw_only=True):
    """Each connection is an object with `provider` (up to 128 characters), and may have `auth_type` (api_key),
    `plan_name`, `status` (active) and `metadata` (up to 10,000 bytes)."""

    example: ClassVar[Example] = {"connections": []}

    connections: Annotated[list[Any], Meta(max_length=1000)]
    agent_id: ShortText | None = None


class ConnectionReport(Request, frozen=True, kw_only=True):
    """One connection as an agent reports it."""

    provider: Provider
    auth_type: AuthType | None = None
    plan_name: ShortText | None = None
    status: ConnectionStatus | None = None
    metadata: dict[str, Any] | None = None


class AgentConnection(Record, frozen=True, kw_only=True):
    """There is one for each agent and provider; `updated_at` is when it was last reported. `id` is `connection_id`
    once more, as published clients know it."""

    org_id: OrganizationId
    id: str = ""
    connection_id: Annotated[str, meaning("id of the connection", frozen=True)]
    agent_id: Annotated[str | None, meaning("the agent", frozen=True)]
    provider: Annotated[str, meaning("the provider", frozen=True)]
    auth_type: Annotated[
        AuthType, meaning("how the provider lets it in: api_key, subscription, oauth, pre_configured, environment")
    ]
    plan_name: Annotated[str | None, meaning("the plan it is on")]
    status: Annotated[ConnectionStatus, meaning("active, inactive or error")]
    metadata: Annotated[dict[str, Any] | None, meaning("what else the agent said about it")]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it was last reported")]

    def __post_init__(self) -> None:
        force_setattr(self, "id", self.connection_id)


class RefusedConnection(Record, frozen=True, kw_only=True):
    """`index` counts the connections of the request from 0."""

    index: int
    provider: str | None
    error: str


class ReportedConnections(Record, frozen=True, kw_only=True):
    """`created` is how many were kept, new ones and those that were there; `errors` names the others."""

    connections: list[AgentConnection]
    errors: list[RefusedConnection]
    created: int


class ConnectionsQuery(Query, frozen=True, kw_only=True):
    agent_id: ShortText | None = None
    provider: Provider | None = None
    limit: Limit = 100
    offset: Offset = 0
    cursor: Cursor | None = None


class AgentConnections(Record, frozen=True, kw_only=True):
    connections: list[AgentConnection]
    total: int
    lastUpdated: datetime  # noqa: N815 - the published name
    next_cursor: str | None


HEARTBEAT = Endpoint(
    operation="heartbeat",
    method="POST",
    path="/api/agents/heartbeat",
    summary="Say that the agent is there and how it is.",
    roles=ACTING,
    request=Heartbeat,
    response=HeartbeatReceived,
    problems=(Code.AGENT_MISMATCH,),
)
GET_AGENTS = Endpoint(
    operation="get_agents",
    method="GET",
    path="/api/agents",
    summary="Agents that have called, those heard of last first: who is there, and since when the others are silent.",
    roles=ANYONE,
    query=AgentsQuery,
    response=Agents,
)
REPORT_CONNECTIONS = Endpoint(
    operation="report_connections",
    method="POST",
    path="/api/agents/connections",
    summary="Say which providers the agent is connected to; good ones are kept even where others are wrong.",
    roles=ACTING,
    request=ReportConnections,
    response=ReportedConnections,
    problems=(Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
)
GET_CONNECTIONS = Endpoint(
    operation="get_connections",
    method="GET",
    path="/api/agents/connections",
    summary="Which agent is connected to which provider.",
    roles=ANYONE,
    query=ConnectionsQuery,
    response=AgentConnections,
)
