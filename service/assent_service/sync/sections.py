"""How an item of each section is kept: by the noun that it belongs to, as its own operation would.

An item without an id gets one made of what it says, so that the same item sent again is the same row. What an action
says of its outcome is no part of that: it is what may have changed since the last call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from assent.contract.actions import CREATE_ACTION, Action, ActionStatus, CreateAction, UpdateOutcome
from assent.contract.agents import REPORT_CONNECTIONS, ReportConnections
from assent.contract.handoffs import CREATE_HANDOFF, CreateHandoff
from assent.contract.key_points import CAPTURE_KEY_POINT, CaptureKeyPoint
from assent.contract.kinds import Kind
from assent.contract.preferences import PREFERENCES
from assent.contract.problems import Code, FieldError
from assent.contract.records import KINDS
from assent.contract.sync import Section
from assent.contract.threads import CREATE_THREAD, CreateThread, ThreadStatus
from assent_service.actions import Actions
from assent_service.agents import Connections
from assent_service.core import body as bodies
from assent_service.core.faithful import digest_of
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.handoffs import Handoffs
from assent_service.key_points import KeyPoints
from assent_service.records import Records
from assent_service.threads import Threads

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
class Nouns:
    """Whose rows a sync keeps."""

    actions: Actions
    connections: Connections
    handoffs: Handoffs
    key_points: KeyPoints
    threads: Threads
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
