"""Agents: who is there and when each was last heard of.

Signs of life are taken in memory, where lists look, and recorded now and then (`Recorder`).

A call costs one assignment to a dictionary here, whatever else it does. What the calls of a while amount to is worked
out when somebody asks or when it is recorded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from assent.contract.events import EventName
from assent.contract.names import comparable, same_name
from assent.contract.people.agents import (
    GET_AGENTS,
    GET_CONNECTIONS,
    HEARTBEAT,
    REPORT_CONNECTIONS,
    Agent,
    AgentConnections,
    AgentPresence,
    AgentRow,
    AgentsQuery,
    ConnectionsQuery,
    Heartbeat,
    HeartbeatReceived,
    ReportConnections,
    ReportedConnections,
)
from assent.contract.people.agents import Agents as AgentList
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.faithful import check_canonical
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import RECORDS_NOTHING, Route, serves
from assent_service.people.agents.connections import CONNECTIONS_FENCE, ProviderConnections
from assent_service.people.agents.presence import MOST_BYTES, as_answer, due, heard, new_agent, online, silent
from assent_service.people.agents.state import AgentState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_key

# What the tables know of agents.


async def count_actions(ledger: Ledger, org_id: str, agent_ids: Sequence[str]) -> dict[str, int]:
    """How many actions each of these agents has recorded; one without any is left out."""
    if not agent_ids:
        return {}
    names = {comparable(each): each for each in agent_ids}
    marks, name = ", ".join("?" * len(names)), name_key("agent_id")
    rows = await ledger.read(
        f"SELECT {name}, count(*) FROM actions WHERE org_id = ? AND {name} IN ({marks}) GROUP BY 1", [org_id, *names]
    )
    return {names[str(found)]: int(str(count)) for found, count in rows}


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

    def note_call(self, principal: Principal, agent_id: str) -> None:
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
        check_canonical(said.metadata or {}, "metadata", MOST_BYTES)
        self._take_in()
        now = self._clock()
        at = moment(now)
        known = self._known(principal.org_id, agent_id, now, principal.key_id)
        self.state.know(heard(known, said, at, principal.key_id))
        self._waiting[principal.org_id, comparable(agent_id)] = None
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
            counts = await count_actions(self._ledger, principal.org_id, [each.agent_id for each in page])
        return AgentList(
            agents=[
                as_answer(each, now, self._offline_after, None if counts is None else counts.get(each.agent_id, 0))
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
        return [as_answer(each, at, self._offline_after) for each in self.state.of(org_id) if silent(each, at, after)]

    def due(self, most: int, *, everything: bool = False) -> list[AgentRow]:
        """Up to `most` agents that are to be recorded; with `everything`, all of which memory knows more."""
        self._take_in()
        keys = self.state.everybody() if everything else self._waiting
        found: list[AgentRow] = []
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
        for (org_id, agent_id), (at, key_id) in calls.items():
            entry = self.state.call(org_id, agent_id, at, key_id)
            if entry is None:
                self.state.know(new_agent(org_id, agent_id, new_id("agt_", at), moment(at), key_id))
            if entry is None or entry.recorded_before(at - interval):
                self._waiting[org_id, comparable(agent_id)] = None

    def _known(self, org_id: str, agent_id: str, at: int, key_id: str) -> AgentRow:
        entry = self.state.find(org_id, agent_id)
        return entry.known if entry else new_agent(org_id, agent_id, new_id("agt_", at), moment(at), key_id)


def _fits(agent: AgentRow, query: AgentsQuery, is_online: bool) -> bool:
    if query.agent_id is not None and not same_name(query.agent_id, agent.agent_id):
        return False
    return query.status is None or (query.status is AgentPresence.ONLINE) == is_online


# Recording who is there, apart from the calls that showed it: at most one write in an interval, of so many agents.
#
# What could not be written is written with the next one. When the service stops, everything that memory knows better
# than the log is written; after a crash, times may be as old as the interval between two records of an agent.


SYSTEM = "system"
MOST_AT_ONCE = 1000

log = logging.getLogger("assent.agents")


class Recorder:
    """`seconds` is the shortest time between two writes."""

    def __init__(self, ledger: Ledger, clock: Clock, agents: Agents, *, seconds: float) -> None:
        self._ledger, self._clock, self._agents, self._seconds = ledger, clock, agents, seconds
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        try:
            while await self.record(everything=True) == MOST_AT_ONCE:
                pass
        except Exception as error:  # noqa: BLE001 - a full disk must not keep the service from stopping
            log.warning("who was there last is not recorded: %s", error)

    async def record(self, *, everything: bool = False) -> int:
        """Write what is due now, and say of how many agents; raises what `Ledger.append` does."""
        found = self._agents.due(MOST_AT_ONCE, everything=everything)
        if found:
            now = self._clock()
            await self._ledger.append(*(_event(each, now) for each in found))
        return len(found)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            try:
                await self.record()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next write tries again
                log.warning("who is there could not be recorded: %s", error)


def _event(agent: AgentRow, now: int) -> Draft:
    return Draft(
        org=agent.org_id,
        type=EventName.AGENT_SEEN.value,
        ts=now,
        subject=agent.presence_id,
        actor=agent.key_id or SYSTEM,
        data=encode(agent),
    )


def routes(agents: Agents, connections: ProviderConnections) -> tuple[Route, ...]:
    @serves(HEARTBEAT, unfenced=RECORDS_NOTHING)
    async def heartbeat(call: Call[Heartbeat, None]) -> HeartbeatReceived:
        return agents.heartbeat(call.principal, call.body)

    @serves(GET_AGENTS)
    async def list_all(call: Call[None, AgentsQuery]) -> AgentList:
        return await agents.page(call.principal, call.query)

    @serves(REPORT_CONNECTIONS, holds=(CONNECTIONS_FENCE,))
    async def report(call: Call[ReportConnections, None]) -> ReportedConnections:
        return await connections.report(call.principal, call.body)

    @serves(GET_CONNECTIONS)
    async def list_connections(call: Call[None, ConnectionsQuery]) -> AgentConnections:
        return await connections.page(call.principal, call.query)

    return heartbeat, list_all, report, list_connections
