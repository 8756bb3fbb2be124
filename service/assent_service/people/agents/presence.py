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

from msgspec.structs import replace

from assent.contract.people.agents import Agent, AgentPresence, AgentRow, Heartbeat
from assent_service.core.carry import carry
from assent_service.store.tables import Table

MOST_BYTES = 10_000
"""Of metadata, as JSON: how much an agent may say beside what is asked."""

SIGNED_OFF = "offline"
ONLINE = "online"


def new_agent(org_id: str, agent_id: str, presence_id: str, at: datetime, key_id: str) -> AgentRow:
    return AgentRow(
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


def after_call(agent: AgentRow, at: datetime, key_id: str) -> AgentRow:
    return replace(agent, last_seen=max(agent.last_seen, at), key_id=key_id)


def heard(agent: AgentRow, said: Heartbeat, at: datetime, key_id: str) -> AgentRow:
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


def signed_off(agent: AgentRow) -> bool:
    """Whether the last thing that was heard of it is that it goes."""
    return agent.said == SIGNED_OFF and agent.last_heartbeat is not None and agent.last_seen <= agent.last_heartbeat


def online(agent: AgentRow, now: datetime, within: timedelta) -> bool:
    return now - agent.last_seen <= within and not signed_off(agent)


def silent(agent: AgentRow, now: datetime, after: timedelta) -> bool:
    return agent.last_heartbeat is not None and now - agent.last_seen > after and not signed_off(agent)


def due(agent: AgentRow, recorded: AgentRow | None, interval: timedelta) -> bool:
    """Whether `agent` is to be recorded, where `recorded` is what was last."""
    if recorded is None:
        return True
    before = (recorded.said, recorded.current_task_id, recorded.agent_name)
    if before != (agent.said, agent.current_task_id, agent.agent_name):
        return True
    return agent.last_seen - recorded.last_seen >= interval


def as_answer(agent: AgentRow, now: datetime, within: timedelta, actions: int | None = None) -> Agent:
    """The agent as it is answered at `now`."""
    return carry(
        Agent,
        agent,
        status=AgentPresence.ONLINE if online(agent, now, within) else AgentPresence.OFFLINE,
        silent_seconds=max(0.0, (now - agent.last_seen).total_seconds()),
        actions=actions,
    )


AGENTS = Table.of(
    AgentRow,
    name="agents",
    meaning="agents that have called, one row for each; written sparsely, so it may be some minutes behind",
    key="presence_id",
    created=frozenset(),
    replaced=("agent.heartbeat",),
)
