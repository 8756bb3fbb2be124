"""Who is there: signs of life are taken in memory, where lists look, and recorded now and then (`recorder`).

A call costs one assignment to a dictionary here, whatever else it does. What the calls of a while amount to is worked
out when somebody asks or when it is recorded.
"""

from __future__ import annotations

from datetime import timedelta

from assent.contract.agents import Agent, AgentPresence, AgentsQuery, Heartbeat, HeartbeatReceived
from assent.contract.agents import Agents as AgentList
from assent.contract.problems import Code, FieldError
from assent_service.agents import queries
from assent_service.agents.presence import StoredAgent, due, first_seen, heard, online, shown, silent
from assent_service.agents.size import MOST_BYTES
from assent_service.agents.state import AgentState
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.faithful import check_kept
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.store.ledger import Ledger

MICROSECOND = timedelta(microseconds=1)


class Agents:
    """The agents of every organization. `offline_after` is how long one may be unheard of and count as online,
    `interval` how often one that just goes on is recorded."""

    def __init__(self, ledger: Ledger, clock: Clock, *, offline_after: timedelta, interval: timedelta) -> None:
        self._ledger, self._clock = ledger, clock
        self._offline_after, self._interval = offline_after, interval
        self._calls: dict[tuple[str, str], tuple[int, str]] = {}
        self._waiting: dict[tuple[str, str], None] = {}
        self.state = AgentState()

    def seen(self, principal: Principal, agent_id: str) -> None:
        """A call was made for this agent. Of every call, so it does next to nothing."""
        self._calls[principal.org_id, agent_id] = (self._clock(), principal.key_id)

    def heartbeat(self, principal: Principal, said: Heartbeat) -> HeartbeatReceived:
        """Raises `agent_mismatch`, and `invalid_body` where nobody says which agent, or metadata is too large."""
        agent_id = principal.speaks_for(said.agent_id or None)
        if not agent_id:
            raise refuse(
                Code.INVALID_BODY,
                "agent_id is missing: say which agent is there, or use a key that is bound to it.",
                FieldError(place="agent_id", message="is required where the key is bound to no agent"),
            )
        check_kept(said.metadata or {}, "metadata", MOST_BYTES)
        self._take_in()
        now = self._clock()
        at = moment(now)
        known = self._known(principal.org_id, agent_id, now, principal.key_id)
        self.state.know(heard(known, said, at, principal.key_id))
        self._waiting[principal.org_id, agent_id] = None
        return HeartbeatReceived(status="ok", timestamp=at)

    async def page(self, principal: Principal, query: AgentsQuery) -> AgentList:
        """Those heard of last first."""
        self._take_in()
        now = moment(self._clock())
        may_see = [agent for agent in self.state.of(principal.org_id) if principal.sees(agent.agent_id)]
        there = {agent.agent_id for agent in may_see if online(agent, now, self._offline_after)}
        fitting = [agent for agent in reversed(may_see) if _fits(agent, query, agent.agent_id in there)]
        page = fitting[query.offset : query.offset + query.limit]
        counts: dict[str, int] | None = None
        if query.with_actions:
            counts = await queries.count_actions(self._ledger, principal.org_id, [each.agent_id for each in page])
        return AgentList(
            agents=[
                shown(each, now, self._offline_after, None if counts is None else counts.get(each.agent_id, 0))
                for each in page
            ],
            total=len(fitting),
            online=len(there),
            offline=len(may_see) - len(there),
            lastUpdated=now,
        )

    def silent(self, org_id: str, now: int, after_microseconds: int) -> list[Agent]:
        """Those that sent heartbeats once and were not heard of for longer than that, the most silent first."""
        self._take_in()
        at, after = moment(now), timedelta(microseconds=after_microseconds)
        return [shown(each, at, self._offline_after) for each in self.state.of(org_id) if silent(each, at, after)]

    def due(self, most: int, *, everything: bool = False) -> list[StoredAgent]:
        """Up to `most` agents that are to be recorded; with `everything`, all of which memory knows more."""
        self._take_in()
        keys = self.state.everybody() if everything else self._waiting
        found: list[StoredAgent] = []
        done: list[tuple[str, str]] = []
        for key in keys:
            if len(found) == most:
                break
            entry = self.state.find(*key)
            wanted = entry is not None and (
                entry.known != entry.recorded if everything else due(entry.known, entry.recorded, self._interval)
            )
            if entry is not None and wanted:
                found.append(entry.known)
            else:
                done.append(key)
        for key in done:
            # What is due stays until it is recorded, in case that fails.
            self._waiting.pop(key, None)
        return found

    def _take_in(self) -> None:
        calls, self._calls = self._calls, {}
        interval = self._interval // MICROSECOND
        for key, (at, key_id) in calls.items():
            entry = self.state.call(*key, at, key_id)
            if entry is None:
                self.state.know(first_seen(*key, new_id("agt_", at), moment(at), key_id))
            if entry is None or entry.recorded_before(at - interval):
                self._waiting[key] = None

    def _known(self, org_id: str, agent_id: str, at: int, key_id: str) -> StoredAgent:
        entry = self.state.find(org_id, agent_id)
        return entry.known if entry else first_seen(org_id, agent_id, new_id("agt_", at), moment(at), key_id)


def _fits(agent: StoredAgent, query: AgentsQuery, is_online: bool) -> bool:
    if query.agent_id is not None and query.agent_id != agent.agent_id:
        return False
    return query.status is None or (query.status is AgentPresence.ONLINE) == is_online
