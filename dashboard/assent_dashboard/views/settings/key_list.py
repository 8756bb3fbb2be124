"""The keys of the organization, and what is said of each. Pure but for the asking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from assent import Agent, Key, Organization, Role
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.side_by_side import later

AGENTS = 200
"""Agents that are looked at for when a key was last heard of, those heard of last first."""
MEANS = {
    Role.AGENT: "asks, acts and reports; decides nothing",
    Role.OPERATOR: "also approves, denies, and uses the kill switch",
    Role.AUDITOR: "reads everything and changes nothing",
    Role.ADMIN: "does everything, keys and policies included",
}


@dataclass(frozen=True)
class KeyList:
    """`heard` has, by key, the agent that was last heard of with it."""

    organization: Organization
    keys: list[Key]
    heard: Mapping[str, Agent]

    @property
    def names(self) -> dict[str, str]:
        return {key.key_id: key.name for key in self.keys}


def load(session: Session, _: str | None) -> KeyList:
    client = session.client
    agents = later(lambda: client.get_agents(limit=AGENTS).agents)
    organization = later(lambda: client.get_org_by_id(session.key.org_id).organization)
    keys = client.get_keys().keys
    return KeyList(organization(), arranged(keys), heard_with(agents()))


def arranged(keys: Iterable[Key]) -> list[Key]:
    """Those that are valid first, the newest of each first."""
    newest = sorted(keys, key=lambda key: key.created_at, reverse=True)
    return sorted(newest, key=lambda key: key.revoked_at is not None)


def heard_with(agents: Iterable[Agent]) -> dict[str, Agent]:
    """By key, the agent that was last heard of with it. An agent is known with the last key that it used alone, so a
    key that is not here may have been used all the same."""
    found: dict[str, Agent] = {}
    for agent in sorted(agents, key=lambda agent: agent.last_seen):
        if agent.key_id is not None:
            found[agent.key_id] = agent
    return found


def may_do(key: Key) -> str:
    """`agent · only as bot`"""
    bound = "" if key.agent_id is None else f", only as {words.code(key.agent_id)}"
    return f"**{key.role}**{bound}: {MEANS.get(key.role, 'another role')}"


def made(key: Key, names: Mapping[str, str], now: datetime) -> str:
    """When it was made and by whom, and when it was revoked."""
    said = f"ends in {words.code(key.hint)} · made {words.ago(key.created_at, now)}{_by(key.created_by, names)}"
    if key.revoked_at is not None:
        said += f" · revoked {words.ago(key.revoked_at, now)}{_by(key.revoked_by, names)}"
    return said


def last_heard(key: Key, agent: Agent | None, now: datetime) -> str | None:
    """When it was last used, as far as that is known; None for a person's, of which nothing is."""
    if agent is None:
        return "no agent was last heard of with it" if key.role is Role.AGENT else None
    return f"agent {words.code(agent.agent_id)} was last heard of with it {words.ago(agent.last_seen, now)}"


def tables(found: KeyList) -> dict[str, pl.DataFrame]:
    heard = found.heard
    return {
        "keys": pl.DataFrame(
            [
                {
                    "key_id": key.key_id,
                    "name": key.name,
                    "role": key.role.value,
                    "agent_id": key.agent_id,
                    "hint": key.hint,
                    "created_at": key.created_at,
                    "created_by": key.created_by,
                    "revoked_at": key.revoked_at,
                    "revoked_by": key.revoked_by,
                    "agent_last_heard_at": heard[key.key_id].last_seen if key.key_id in heard else None,
                }
                for key in found.keys
            ],
            schema=SCHEMA,
        )
    }


SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "key_id": pl.String,
    "name": pl.String,
    "role": pl.String,
    "agent_id": pl.String,
    "hint": pl.String,
    "created_at": pl.Datetime("us", "UTC"),
    "created_by": pl.String,
    "revoked_at": pl.Datetime("us", "UTC"),
    "revoked_by": pl.String,
    "agent_last_heard_at": pl.Datetime("us", "UTC"),
}


def _by(key_id: str | None, names: Mapping[str, str]) -> str:
    if key_id is None or key_id == "system":
        return ""
    return f" by {words.plain(names.get(key_id, key_id))}"
