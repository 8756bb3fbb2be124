"""Agents and their connections as rows.

An event of either is the whole row, whether it is new or not: the tables put it in the place of the one that is there.
"""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, json, text, time

AGENTS = Table(
    name="agents",
    meaning="agents that have called, one row for each; written sparsely, so it may be some minutes behind",
    key="presence_id",
    columns=(
        ORGANIZATION,
        text("presence_id", "id of the row", frozen=True),
        text("agent_id", "the agent", frozen=True),
        text("agent_name", "what it last called itself"),
        text("said", "how it last said that it was, none when it never did"),
        text("current_task_id", "what it last said that it was working on"),
        json("metadata", "what else it last said of itself"),
        text("key_id", "id of the key that it last called with"),
        time("first_seen", "when it was first heard of"),
        time("last_seen", "when it was last heard of, to within the setting presence_minutes"),
        time("last_heartbeat", "when it last sent a heartbeat, none when it never did"),
        CREATED_AT,
    ),
    created=frozenset(),
    replaced=frozenset({"agent.heartbeat"}),
)
CONNECTIONS = Table(
    name="agent_connections",
    meaning="providers that agents are connected to, one row for each agent and provider as it was last reported",
    key="connection_id",
    columns=(
        ORGANIZATION,
        text("connection_id", "id of the connection", frozen=True),
        text("agent_id", "the agent", frozen=True),
        text("provider", "the provider", frozen=True),
        text("auth_type", "how the provider lets it in: api_key, subscription, oauth, pre_configured, environment"),
        text("plan_name", "the plan it is on"),
        text("status", "active, inactive or error"),
        json("metadata", "what else the agent said about it"),
        CREATED_AT,
        time("updated_at", "when it was last reported"),
    ),
    created=frozenset(),
    replaced=frozenset({"connection.reported"}),
)
