"""What is known of an agent, what it amounts to, and what of it is worth recording. Pure.

1. Every call is a sign of life; only a heartbeat says how the agent is. What it says replaces what it said before,
   but for its name, which stays until it gives another.
2. Online is who was heard of within the time given, and has not signed off ("offline") since.
3. Silent is who has ever sent a heartbeat, has not signed off, and has not been heard of for longer than the time
   given. Any call counts, since an agent that works is not silent.
4. Recorded is who is new, who says that it is another way or at another task or calls itself otherwise, and else who
   was last recorded longer than the interval ago. What is between two records is in memory alone.
5. A clock that steps back makes nobody younger.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from assent.contract.agents import Agent, AgentPresence, Heartbeat
from assent.contract.record import Record

SIGNED_OFF = "offline"
ONLINE = "online"


class StoredAgent(Record, frozen=True, kw_only=True):
    """An agent as it is recorded."""

    org_id: str
    presence_id: str
    agent_id: str
    agent_name: str | None
    said: str | None
    current_task_id: str | None
    metadata: dict[str, Any] | None
    key_id: str | None
    first_seen: datetime
    last_seen: datetime
    last_heartbeat: datetime | None
    created_at: datetime


def first_seen(org_id: str, agent_id: str, presence_id: str, at: datetime, key_id: str) -> StoredAgent:
    return StoredAgent(
        org_id=org_id,
        presence_id=presence_id,
        agent_id=agent_id,
        agent_name=None,
        said=None,
        current_task_id=None,
        metadata=None,
        key_id=key_id,
        first_seen=at,
        last_seen=at,
        last_heartbeat=None,
        created_at=at,
    )


def seen(agent: StoredAgent, at: datetime, key_id: str) -> StoredAgent:
    return replace(agent, last_seen=max(agent.last_seen, at), key_id=key_id)


def heard(agent: StoredAgent, said: Heartbeat, at: datetime, key_id: str) -> StoredAgent:
    at = max(agent.last_seen, at)
    return replace(
        agent,
        agent_name=said.agent_name or agent.agent_name,
        said=said.status or ONLINE,
        current_task_id=said.current_task_id or None,
        metadata=said.metadata,
        key_id=key_id,
        last_seen=at,
        last_heartbeat=at,
    )


def signed_off(agent: StoredAgent) -> bool:
    """Whether the last thing that was heard of it is that it goes."""
    return agent.said == SIGNED_OFF and agent.last_heartbeat is not None and agent.last_seen <= agent.last_heartbeat


def online(agent: StoredAgent, now: datetime, within: timedelta) -> bool:
    return now - agent.last_seen <= within and not signed_off(agent)


def silent(agent: StoredAgent, now: datetime, after: timedelta) -> bool:
    return agent.last_heartbeat is not None and now - agent.last_seen > after and not signed_off(agent)


def due(agent: StoredAgent, recorded: StoredAgent | None, interval: timedelta) -> bool:
    """Whether `agent` is to be recorded, where `recorded` is what was last."""
    if recorded is None:
        return True
    before = (recorded.said, recorded.current_task_id, recorded.agent_name)
    if before != (agent.said, agent.current_task_id, agent.agent_name):
        return True
    return agent.last_seen - recorded.last_seen >= interval


def shown(agent: StoredAgent, now: datetime, within: timedelta, actions: int | None = None) -> Agent:
    """The agent as it is answered at `now`."""
    return Agent(
        org_id=agent.org_id,
        agent_id=agent.agent_id,
        agent_name=agent.agent_name,
        status=AgentPresence.ONLINE if online(agent, now, within) else AgentPresence.OFFLINE,
        said=agent.said,
        current_task_id=agent.current_task_id,
        metadata=agent.metadata,
        first_seen=agent.first_seen,
        last_seen=agent.last_seen,
        last_heartbeat=agent.last_heartbeat,
        silent_seconds=max(0.0, (now - agent.last_seen).total_seconds()),
        key_id=agent.key_id,
        actions=actions,
    )
