"""Sync: an agent's whole state in one call, each item kept as the operation of its own noun would keep it.

1. An item that is wrong is named with its place, and the others of its section and all other sections are kept.
2. A failure of the service itself (the log cannot be written) ends the whole call with its own answer: what was kept
   until then stays, and repeating the call keeps the rest.
3. Where the call runs again because somebody else was faster with what an item rests on, those kept before are not kept
   again.
4. Actions are kept in their order, since one may name another as its parent; of the rest several at a time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from assent.contract.control.actions import CREATE_ACTION, Action, ActionStatus, CreateAction, UpdateOutcome
from assent.contract.exchange.handoffs import CREATE_HANDOFF, CreateHandoff
from assent.contract.exchange.key_points import CAPTURE_KEY_POINT, CaptureKeyPoint
from assent.contract.exchange.kinds import Kind
from assent.contract.exchange.preferences import PREFERENCES
from assent.contract.exchange.records import KINDS
from assent.contract.exchange.sync import LARGEST, SYNC_STATE, Section, SectionResult, SyncError, SyncResult, SyncState
from assent.contract.exchange.threads import CREATE_THREAD, CreateThread, ThreadStatus
from assent.contract.people.agents import REPORT_CONNECTIONS, ReportConnections
from assent.contract.problems import Code, FieldError
from assent_service.base.problem import Refusal, refuse
from assent_service.control.actions import CREATION_FENCES, Actions
from assent_service.core import body as bodies
from assent_service.core.call import Call
from assent_service.core.faithful import digest_of
from assent_service.core.foundation import Foundation
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.exchange.handoffs import HANDOFF_FENCE, Handoffs
from assent_service.exchange.key_points import KEY_POINT_FENCE, KeyPoints
from assent_service.exchange.records import RECORD_FENCES, Records
from assent_service.exchange.threads import THREAD_FENCES, ContextThreads
from assent_service.people.agents import CONNECTIONS_FENCE, ProviderConnections
from assent_service.store.conditions import Overtaken, once

__all__ = [
    "Sync",
    "SyncedNouns",
    "open_sync",
]


# How an item of each section is kept: by the noun that it belongs to, as its own operation would.
#
# An item without an id gets one made of what it says, so that the same item sent again is the same row. What an action
# says of its outcome is no part of that: it is what may have changed since the last call.


SYNC_FENCES = (
    *CREATION_FENCES,
    CONNECTIONS_FENCE,
    HANDOFF_FENCE,
    KEY_POINT_FENCE,
    *THREAD_FENCES,
    *RECORD_FENCES,
)
"""What the nouns of all sections hold."""

Keep = Callable[[Principal, dict[str, Any]], Awaitable[None]]

KIND_OF: dict[Section, str] = {
    Section.DECISIONS: "agent_decision",
    Section.LEARNING: "agent_decision",
    Section.GOALS: "goal",
    Section.MEMORY: "memory_health",
    Section.CONTENT: "content",
    Section.INSPIRATION: "idea",
    Section.SNIPPETS: "snippet",
    Section.RELATIONSHIPS: "interaction",
    Section.CAPABILITIES: "capability",
}
"""Sections of plain records, and the kind of record that each holds."""
PREFERENCE_OF = {kind.plural: kind.name for kind, _ in PREFERENCES.values()}
"""Lists of `preferences`, and the kind of record that each holds."""
SERVICE_ONLY = frozenset({ActionStatus.BLOCKED, ActionStatus.PENDING_APPROVAL})
REPORTED = frozenset(UpdateOutcome.__struct_fields__) - {"close_if_running", "occurred_at", "source"}


@dataclass(frozen=True)
class SyncedNouns:
    """Whose rows a sync keeps."""

    actions: Actions
    connections: ProviderConnections
    handoffs: Handoffs
    key_points: KeyPoints
    threads: ContextThreads
    records: Records

    def keeper(self, section: Section, part: str | None = None) -> Keep:
        """How an item of a section is kept; `part` tells which list of `preferences` it is of."""
        if section is Section.PREFERENCES:
            return self._recorder(KINDS[PREFERENCE_OF[str(part)]])
        if section in KIND_OF:
            return self._recorder(KINDS[KIND_OF[section]])
        return {
            Section.ACTIONS: self._action,
            Section.CONNECTIONS: self._connection,
            Section.HANDOFFS: self._handoff,
            Section.CONTEXT_POINTS: self._key_point,
            Section.CONTEXT_THREADS: self._thread,
        }[section]

    def _recorder(self, kind: Kind) -> Keep:
        async def keep(principal: Principal, item: dict[str, Any]) -> None:
            await self.records.keep(principal, kind, item)

        return keep

    async def _action(self, principal: Principal, item: dict[str, Any]) -> None:
        members = bodies.published(CREATE_ACTION, item)
        outcome = {name: value for name, value in members.items() if name in REPORTED and value is not None}
        said = {name: value for name, value in members.items() if name not in REPORTED}
        action_id = said.setdefault("action_id", None) or f"act_{_digest(said)}"
        said["action_id"] = action_id
        body = bodies.convert(CREATE_ACTION, CreateAction, said, strict=False)
        report = bodies.convert(CREATE_ACTION, UpdateOutcome, outcome, strict=False)
        if report.status in SERVICE_ONLY:
            raise refuse(Code.INVALID_BODY, f"status {report.status} is set by the service, not by an outcome.")
        found = await self._found_or_created(principal, body, said)
        if found.status is ActionStatus.BLOCKED:
            raise refuse(Code.ACTION_BLOCKED, f"Guard blocked action {action_id}: {found.error_message}.")
        if outcome:
            await self.actions.report(principal, action_id, report)

    async def _found_or_created(self, principal: Principal, body: CreateAction, said: dict[str, Any]) -> Action:
        action_id = str(body.action_id)
        if await self.actions.find(principal.org_id, action_id) is None:
            try:
                return (await self.actions.create(principal, body, said, None)).action
            except Refusal as refusal:
                # The same item in a call that goes on at the same time was faster: it is kept all the same.
                if refusal.code is not Code.ACTION_EXISTS:
                    raise
        return await self.actions.visible(principal, action_id)

    async def _connection(self, principal: Principal, item: dict[str, Any]) -> None:
        connection = dict(bodies.published(REPORT_CONNECTIONS, item))
        report = {"agent_id": connection.pop("agent_id", None), "connections": [connection]}
        said = bodies.convert(REPORT_CONNECTIONS, ReportConnections, report, strict=False)
        answer = await self.connections.report(principal, said)
        if answer.errors:
            raise refuse(Code.INVALID_BODY, answer.errors[0].error)

    async def _handoff(self, principal: Principal, item: dict[str, Any]) -> None:
        said = bodies.published(CREATE_HANDOFF, item)
        body = bodies.convert(CREATE_HANDOFF, CreateHandoff, said, strict=False)
        await self.handoffs.create(principal, body, f"ho_{_digest(said)}")

    async def _key_point(self, principal: Principal, item: dict[str, Any]) -> None:
        said = bodies.published(CAPTURE_KEY_POINT, item)
        body = bodies.convert(CAPTURE_KEY_POINT, CaptureKeyPoint, said, strict=False)
        await self.key_points.capture(principal, body, f"cp_{_digest(said)}")

    async def _thread(self, principal: Principal, item: dict[str, Any]) -> None:
        status = item.get("status") or ThreadStatus.ACTIVE
        if status not in list(ThreadStatus):
            raise refuse(
                Code.INVALID_BODY,
                f"status is {str(status)[:40]!r}; a thread is {' or '.join(ThreadStatus)}.",
                FieldError(place="status", message="is no status of a thread"),
            )
        said = bodies.published(CREATE_THREAD, item)
        body = bodies.convert(CREATE_THREAD, CreateThread, said, strict=False)
        await self.threads.create(principal, body, ThreadStatus(status))


def _digest(said: dict[str, Any]) -> str:
    """Raises `invalid_body` for what has no canonical form."""
    return digest_of({name: value for name, value in said.items() if value is not None})[-32:]


AT_ONCE = 16
NAMED = 100
"""How many errors of a section are named."""

Item = tuple[int, Any, Keep]


class Sync:
    def __init__(self, nouns: SyncedNouns) -> None:
        self._nouns = nouns

    async def state(self, principal: Principal, said: SyncState) -> SyncResult:
        """Raises `agent_mismatch` for a whole state that another agent's key sends, and what says that nothing can be
        recorded."""
        agent_id = principal.speaks_for(said.agent_id)
        began = time.monotonic()
        results: dict[str, SectionResult] = {}
        for section in Section:
            sent = getattr(said, section.value)
            if sent is not None:
                results[section.value] = await self._section(principal, section, sent, agent_id)
        return SyncResult(
            results=results,
            total_synced=sum(result.synced for result in results.values()),
            total_errors=sum(result.failed for result in results.values()),
            duration_ms=int((time.monotonic() - began) * 1000),
        )

    async def _section(self, principal: Principal, section: Section, sent: Any, agent_id: str | None) -> SectionResult:
        items = list(self._items(section, sent))
        slots = asyncio.Semaphore(1 if section is Section.ACTIONS else AT_ONCE)

        async def keep(index: int, item: Any, keeper: Keep) -> SyncError | Refusal | Overtaken | None:
            async with slots:
                record = partial(_record, principal, index, item, keeper, agent_id)
                try:
                    return await once((section, index), record)
                except Overtaken as overtaken:
                    return overtaken

        largest = LARGEST[section]
        found = await asyncio.gather(*(keep(*each) for each in items[:largest]))
        errors = []
        for outcome in found:
            if isinstance(outcome, (Refusal, Overtaken)):
                raise outcome
            errors += [outcome] if outcome is not None else []
        errors += [_too_many(section, index) for index, _, _ in items[largest:]]
        return SectionResult(synced=len(items) - len(errors), failed=len(errors), errors=errors[:NAMED])

    def _items(self, section: Section, sent: Any) -> Iterator[Item]:
        """Every item with its place; of preferences the lists one after the other, unknown ones as errors."""
        if section is Section.MEMORY:
            yield 0, sent, self._nouns.keeper(section)
        elif section is Section.PREFERENCES:
            index = 0
            for part, items in sent.items():
                for item in items:
                    yield index, item, self._nouns.keeper(section, part) if part in PREFERENCE_OF else _unknown(part)
                    index += 1
        else:
            keeper = self._nouns.keeper(section)
            for index, item in enumerate(sent):
                yield index, item, keeper


async def _record(
    principal: Principal, index: int, item: Any, keeper: Keep, agent_id: str | None
) -> SyncError | Refusal | None:
    """None when the item is kept; the refusal itself when nothing can be."""
    try:
        if not isinstance(item, dict):
            raise refuse(Code.INVALID_BODY, "An item is an object with the members of what it is.")
        named = item.get("agent_id") or item.get("agentId")
        if isinstance(named, str):
            # Before anything is looked up: what is there already is no answer for another agent's key.
            principal.speaks_for(named)
        await keeper(principal, item if named or agent_id is None else {**item, "agent_id": agent_id})
    except Refusal as refusal:
        if refusal.status >= 500:
            return refusal
        return SyncError(index=index, code=refusal.code.value, error=refusal.detail)
    return None


def _unknown(part: str) -> Keep:
    async def keep(principal: Principal, item: dict[str, Any]) -> None:
        raise refuse(Code.INVALID_BODY, f"preferences has no {part[:40]!r}; it has {', '.join(PREFERENCE_OF)}.")

    return keep


def _too_many(section: Section, index: int) -> SyncError:
    return SyncError(
        index=index,
        code=Code.PAYLOAD_TOO_LARGE.value,
        error=f"{section.value} takes {LARGEST[section]} items in one call; send this one in another.",
    )


def routes(sync: Sync) -> tuple[Route, ...]:
    @serves(SYNC_STATE, holds=SYNC_FENCES, effects="records item by item")
    async def state(call: Call[SyncState, None]) -> SyncResult:
        return await sync.state(call.principal, call.body)

    return (state,)


def open_sync(on: Foundation, nouns: SyncedNouns) -> None:
    on.bring(routes=routes(Sync(nouns)))
