"""Agents in memory: for each what is known now and what was last recorded, the longest unheard of first. Every spelling
of an agent's name is that agent, which goes by the one under which it was met first.

An organization has at most 50,000 of them here. One more puts out the one that was not heard of for the longest time;
its row stays in the tables, and should it come back, it is met as a new one, with a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.people.agents import AgentRow
from assent_service.base.clock import microseconds, moment
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.people.agents.presence import AGENTS, after_call
from assent_service.store.event import Event
from assent_service.store.ledger import Read

MOST = 50_000

# Of each organization the newest; an agent that came back has several rows, of which the last one read counts.
_NEWEST = f"""
    SELECT {select(AGENTS)} FROM (
        SELECT *, ROW_NUMBER() OVER (PARTITION BY org_id ORDER BY last_seen DESC, presence_id DESC) AS place
        FROM agents
    ) AS placed WHERE place <= ? ORDER BY last_seen, presence_id
"""


class PresenceEntry:
    """What is known of an agent, and what was recorded of it. A call only leaves its time and key here, since there
    may be thousands in a second; what it amounts to is worked out when somebody looks."""

    __slots__ = ("_at", "_key_id", "_known", "_recorded", "_recorded_at")

    def __init__(self, known: AgentRow, recorded: AgentRow | None) -> None:
        self._known, self._at, self._key_id = known, 0, ""
        self.recorded = recorded

    @property
    def known(self) -> AgentRow:
        if self._at:
            self._known, self._at = after_call(self._known, moment(self._at), self._key_id), 0
        return self._known

    @known.setter
    def known(self, agent: AgentRow) -> None:
        self._known, self._at = agent, 0

    @property
    def recorded(self) -> AgentRow | None:
        return self._recorded

    @recorded.setter
    def recorded(self, agent: AgentRow | None) -> None:
        self._recorded = agent
        self._recorded_at = None if agent is None else microseconds(agent.last_seen)

    def call(self, at: int, key_id: str) -> None:
        self._at, self._key_id = max(self._at, at), key_id

    def recorded_before(self, at: int) -> bool:
        """Whether the last record is no younger than that, or there is none."""
        return self._recorded_at is None or self._recorded_at <= at


class AgentState:
    """The agents of every organization."""

    types = frozenset({EventName.AGENT_SEEN.value})

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._entries: dict[str, dict[str, PresenceEntry]] = {}
        """By organization, and by the agent's name as it is compared."""

    def load(self, read: Read) -> None:
        for row in read(_NEWEST, [self._most]):
            found = record(AGENTS, row, AgentRow)
            self._put(found.org_id, found.agent_id, PresenceEntry(found, found))

    def fold(self, event: Event) -> None:
        row = decode(event, AgentRow)
        entry = self.find(row.org_id, row.agent_id)
        if entry is None:
            self._put(row.org_id, row.agent_id, PresenceEntry(row, row))
            return
        # What came in while the event was being written is newer than it.
        newer = entry.known != entry.recorded and entry.known.last_seen >= row.last_seen
        entry.recorded = row
        if not newer:
            entry.known = row
            self._put(row.org_id, row.agent_id, entry)

    def know(self, agent: AgentRow) -> None:
        """From now on this is what is known of the agent."""
        entry = self.find(agent.org_id, agent.agent_id) or PresenceEntry(agent, None)
        entry.known = agent
        self._put(agent.org_id, agent.agent_id, entry)

    def call(self, org_id: str, agent_id: str, at: int, key_id: str) -> PresenceEntry | None:
        """A known agent called at `at`; None for one that is not known."""
        agents = self._entries.get(org_id)
        name = comparable(agent_id)
        entry = agents.pop(name, None) if agents else None
        if agents is None or entry is None:
            return None
        entry.call(at, key_id)
        agents[name] = entry
        return entry

    def find(self, org_id: str, agent_id: str) -> PresenceEntry | None:
        return self._entries.get(org_id, {}).get(comparable(agent_id))

    def of(self, org_id: str) -> list[AgentRow]:
        """The organization's agents, the longest unheard of first."""
        return [entry.known for entry in self._entries.get(org_id, {}).values()]

    def everybody(self) -> Iterable[tuple[str, str]]:
        """Every agent by organization and name as it is compared."""
        return [(org_id, name) for org_id, agents in self._entries.items() for name in agents]

    def _put(self, org_id: str, agent_id: str, entry: PresenceEntry) -> None:
        agents = self._entries.setdefault(org_id, {})
        name = comparable(agent_id)
        agents.pop(name, None)
        agents[name] = entry
        if len(agents) > self._most:
            del agents[next(iter(agents))]
