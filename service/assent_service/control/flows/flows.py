"""Telling sessions, and what guard is told of them.

The rules are those of `assent.contract.control.flows`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Protocol

import msgspec
from msgspec.structs import replace

from assent.contract.control.actions import Action
from assent.contract.control.flow_steps import GET_FLOW_STEPS, FlowSteps, FlowStepsQuery
from assent.contract.control.flows import (
    GET_FLOWS,
    REMOVE_FLOW_LABELS,
    TELL_FLOW,
    FlowAnswer,
    FlowSession,
    FlowsQuery,
    RemoveFlowLabels,
    TellFlow,
)
from assent.contract.control.flows import Flows as FlowList
from assent.contract.events import EventName
from assent.flows import Digester, History, Pack, Session
from assent_service.base.clock import Clock, moment
from assent_service.base.memory import MemoryBudget
from assent_service.control.flows.rows import (
    FlowStatement,
    assembled,
    digested,
    flow_id_of,
    key_check,
)
from assent_service.control.flows.state import FLOW_SESSIONS, FLOW_TOLD, FlowState
from assent_service.control.flows.steps import steps_of
from assent_service.control.flows.telling import (
    KnownSession,
    Place,
    Telling,
    approved,
    asked_in,
    check_action,
    check_joins,
    check_reason,
    check_said,
    not_seen,
    relieving,
    scanned,
    telling,
    told_in,
)
from assent_service.control.guard import SessionAsked, SessionView
from assent_service.control.injection import Screen
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.master_key import MasterKey
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filters, list_rows, of_caller, record, select
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

FILE = "flows.key"
SESSION_FENCE = Fence("session", "flow_id")
FILTERS = Filters(FLOW_SESSIONS, FlowsQuery)
READ_AT_ONCE = 8_192
"""Characters of what is told that are read within the call."""
RECALLS = 3
"""How often a session is looked up when it changes meanwhile."""
_HEAD = f"SELECT {select(FLOW_SESSIONS)} FROM flow_sessions WHERE org_id = ? AND flow_id = ?"
_TOLD = f"SELECT {select(FLOW_TOLD)} FROM flow_told WHERE org_id = ? AND flow_id = ? ORDER BY number"
_APPROVED = """
    SELECT d.action_type, d.context FROM approvals AS p
    JOIN actions AS a ON a.org_id = p.org_id AND a.action_id = p.action_id
    JOIN guard_decisions AS d ON d.org_id = a.org_id AND d.decision_id = a.decision_id
    WHERE p.org_id = ? AND p.state = 'approved' AND p.grant_id IS NULL
        AND CAST(json_extract(d.flow, '$.told') AS BOOLEAN)
        AND a.session_id IN (SELECT session_id FROM flow_sessions WHERE org_id = ? AND root_id = ?)
"""
"""Requests in the session that an operator approved, by whoever may join it."""


_KEPT = "SELECT flow_id, count(*) FROM flow_told WHERE org_id = ? AND flow_id IN ({}) GROUP BY flow_id"


class Actions(Protocol):
    """What what is told may belong to."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Flows:
    """The sessions of every organization. `pack_of(org)` is what an organization says of its tools, `screen` finds
    orders in what is told, and `actions` come once there are some."""

    actions: Actions

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        master: MasterKey,
        pack_of: Callable[[str], Pack],
        screen: Screen,
        memory: MemoryBudget,
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._master, self._pack_of, self._screen = master, pack_of, screen
        self._keys: dict[str, tuple[bytes, str]] = {}
        self.state = FlowState(memory)

    # Asked by guard

    def told_at_once(self, asked: SessionAsked) -> SessionView | None:
        """What is known of the session that a request is in; None where it has to be looked up."""
        org_id = asked.principal.org_id
        if asked.session_id is None:
            return SessionView(None)
        own_id = flow_id_of(org_id, asked.session_id)
        own = self.state.of(org_id, own_id)
        if own is None:
            return None
        around = None
        if own.head is None and asked.parent_session_id is not None:
            around = self.state.of(org_id, flow_id_of(org_id, asked.parent_session_id))
            if around is None:
                return None
        root_id = asked_in(own_id, own.head, None if around is None else around.head)
        root = own if root_id == own_id else self.state.of(org_id, root_id)
        if root is None:
            return None
        names = (own_id,) if root_id == own_id else (own_id, root_id)
        conditions = tuple([self._locks.unmoved(SESSION_FENCE.of(org_id, each), own=True) for each in names])
        hidden = not_seen(asked, own.head, root.head)
        if hidden is not None:
            return SessionView(None, conditions=conditions, hidden=hidden)
        known = self._keys.get(org_id)
        if known is None:
            return None
        key, check = known
        if root.check not in ("", check):
            # Made with a key that is not there any more.
            return SessionView(Session(complete=False, lost=frozenset(["key"])), key, conditions, root.history)
        return SessionView(root.session, key, conditions, root.history)

    async def told(self, asked: SessionAsked) -> SessionView:
        """The same, looked up where memory does not hold it."""
        org_id = asked.principal.org_id
        for _ in range(RECALLS):
            found = self.told_at_once(asked)
            if found is not None:
                return found
            await self.key_of(org_id)
            named = [each for each in (asked.session_id, asked.parent_session_id) if each is not None]
            for flow_id in [flow_id_of(org_id, each) for each in named]:
                head = (await self._kept(org_id, flow_id)).head
                if head is not None and head.root_id != flow_id:
                    await self._kept(org_id, head.root_id)
        # It changes faster than it can be looked up, or there is no room for it.
        return self.told_at_once(asked) or SessionView(Session(complete=False, lost=frozenset(["unread"])))

    # Told

    async def tell(self, principal: Principal, said: TellFlow) -> FlowSession:
        """Raises `invalid_body`, `agent_mismatch`, `action_not_found`, `action_erased`, `busy` and
        `projection_behind`."""
        org_id, agent_id = principal.org_id, principal.speaks_for(said.agent_id)
        pack = self._pack_of(org_id)
        check_said(said, pack)
        if said.action_id is not None:
            check_action(said, await self.actions.visible(principal, said.action_id))
        key, check = await self.key_of(org_id)
        read = partial(digested, said, pack, key)
        told = await asyncio.to_thread(read) if _size(said) > READ_AT_ONCE else read()
        orders = await self._screen.holds_orders(org_id, *scanned(said, pack))
        own_id = flow_id_of(org_id, said.session_id)
        parent_id = None if said.parent_session_id is None else flow_id_of(org_id, said.parent_session_id)
        names = {own_id} | ({parent_id} if parent_id is not None else set())
        while True:
            async with self._locks.hold(*(SESSION_FENCE.of(org_id, each) for each in sorted(names))):
                place = await self._place(principal, said, agent_id, own_id, parent_id)
                if place.root_id not in names:
                    names.add(place.root_id)
                    continue
                now = self._clock()
                made = telling(principal, said, agent_id, pack, told, orders, check, place, now)
                return await self._record(principal, made, now)

    async def _place(
        self, principal: Principal, said: TellFlow, agent_id: str | None, own_id: str, parent_id: str | None
    ) -> Place:
        """Raises `invalid_body` for a session that was begun elsewhere, and `agent_mismatch` for another agent's."""
        org_id = principal.org_id
        own = (await self._kept(org_id, own_id)).head
        parent = None if parent_id is None else (await self._kept(org_id, parent_id)).head
        root_id = told_in(said, own_id, own, parent_id, parent)
        root = await self._kept(org_id, root_id)
        check_joins(principal, said, agent_id, own, root.head)
        return Place(root_id, root, own)

    async def _record(self, principal: Principal, told: Telling, now: int) -> FlowSession:
        await self._ledger.append(*drafts_of(principal, told, now))
        return told.after

    async def remove_labels(self, principal: Principal, flow_id: str, said: RemoveFlowLabels) -> FlowSession:
        """Raises `flow_not_found`, `self_approval`, `invalid_body`, `flow_changed` and `projection_behind`."""
        check_reason(said)
        org_id = principal.org_id
        own = (await self._kept(org_id, flow_id)).head
        _, check = await self.key_of(org_id)
        root_id = flow_id if own is None else own.root_id
        async with self._locks.hold(SESSION_FENCE.of(org_id, root_id)):
            root = await self._kept(org_id, root_id)
            now = self._clock()
            after, row = relieving(principal, flow_id, said, own, root, check, now)
            if row is not None:
                await self._ledger.append(
                    _draft(EventName.FLOW_SESSION_UPDATED, principal, after, now),
                    _entry(EventName.FLOW_LABELS_REMOVED, row, now),
                )
            return after

    async def page(self, principal: Principal, query: FlowsQuery) -> FlowList:
        chosen = of_caller(principal)
        FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, FLOW_SESSIONS, FlowSession, chosen, query)
        names = [each.flow_id for each in page.rows]
        marks = ", ".join("?" * len(names))
        rows = await self._ledger.read(_KEPT.format(marks), [principal.org_id, *names]) if names else []
        kept = {str(flow_id): count for flow_id, count in rows}
        # What was erased is missing from the rows and not from the count.
        found = [replace(each, complete=each.complete and kept.get(each.flow_id, 0) == each.told) for each in page.rows]
        return FlowList(flows=found, total=page.total, lastUpdated=moment(self._clock()), next_cursor=page.next_cursor)

    async def steps(self, principal: Principal, flow_id: str, query: FlowStepsQuery) -> FlowSteps:
        """Raises `flow_not_found`."""
        return await steps_of(self._ledger, self._clock, principal, flow_id, query)

    async def key_of(self, org_id: str) -> tuple[bytes, str]:
        """What the organization's digests are made with, and what tells it from others. Raises
        `storage_unavailable`."""
        known = self._keys.get(org_id)
        if known is None:
            key = await asyncio.to_thread(self._master.derive, f"assent flows\0{org_id}")
            known = self._keys[org_id] = key, key_check(key)
        return known

    async def _kept(self, org_id: str, flow_id: str) -> KnownSession:
        """The session as it is in memory, or as the tables have it. Raises `projection_behind`."""
        kept = self.state.of(org_id, flow_id)
        if kept is not None:
            return kept
        key, _ = await self.key_of(org_id)
        kept = KnownSession(session=Session(complete=False), history=History(complete=False))
        for _ in range(RECALLS):
            recall = self.state.recall((org_id, flow_id))
            try:
                kept = await self._looked_up(org_id, flow_id, key)
            except BaseException:
                self.state.give_up(recall)
                raise
            if self.state.recalled(recall, kept):
                return self.state.of(org_id, flow_id) or kept
        # It changes faster than it can be looked up.
        kept.session.lose("unread")
        kept.history.complete = False
        return kept

    async def _looked_up(self, org_id: str, flow_id: str, key: bytes) -> KnownSession:
        heads = await self._ledger.read(_HEAD, [org_id, flow_id])
        if not heads:
            return KnownSession()
        head = record(FLOW_SESSIONS, heads[0], FlowSession)
        if head.root_id != flow_id:
            return KnownSession(head)
        rows = await self._ledger.read(_TOLD, [org_id, flow_id])
        session, history, check = assembled(head, (record(FLOW_TOLD, row, FlowStatement) for row in rows))
        pack, digester = self._pack_of(org_id), Digester(key)
        for action_type, context in await self._ledger.read(_APPROVED, [org_id, org_id, flow_id]):
            trusted = approved(str(action_type), msgspec.json.decode(str(context)), digester, pack)
            if trusted is not None:
                session.fold(trusted)
        return KnownSession(head, session, check, history)


def _size(said: TellFlow) -> int:
    if said.user_text is not None:
        return len(said.user_text)
    return len(said.result) if isinstance(said.result, str) else len(msgspec.json.encode(said.result))


def drafts_of(principal: Principal, told: Telling, now: int) -> list[Draft]:
    """The events of a telling."""
    drafts = [_draft(EventName.FLOW_SESSION_CREATED, principal, each, now) for each in told.opened]
    drafts.append(_draft(EventName.FLOW_SESSION_UPDATED, principal, told.after, now))
    drafts.append(_entry(EventName.FLOW_TOLD, told.row, now))
    return drafts


class RehearsedSession:
    """A session that is told by who records it alone, as a simulator does: nobody else tells it, and nothing is looked
    up. `key` is what the organization's digests are made with (`Flows.key_of`)."""

    def __init__(self, principal: Principal, agent_id: str | None, pack: Pack, key: bytes) -> None:
        self._principal, self._agent_id, self._pack, self._key = principal, agent_id, pack, key
        self._known = KnownSession()

    def tell(self, said: TellFlow, now: int) -> list[Draft]:
        """The events of what it is told, not scanned for orders. Raises `invalid_body`."""
        check_said(said, self._pack)
        told = digested(said, self._pack, self._key)
        place = Place(flow_id_of(self._principal.org_id, said.session_id), self._known, self._known.head)
        check = key_check(self._key)
        made = telling(self._principal, said, self._agent_id, self._pack, told, False, check, place, now)
        self._known.head = made.after
        self._known.tell(made.row)
        return drafts_of(self._principal, made, now)

    def view(self) -> SessionView:
        return SessionView(self._known.session, self._key, (), self._known.history)


def _draft(name: EventName, principal: Principal, head: FlowSession, now: int) -> Draft:
    return Draft(
        org=head.org_id,
        type=name.value,
        ts=now,
        subject=head.flow_id,
        actor=principal.key_id,
        data=encode(head),
    )


def _entry(name: EventName, row: FlowStatement, now: int) -> Draft:
    return Draft(
        org=row.org_id,
        type=name.value,
        ts=now,
        subject=row.told_id,
        actor=row.created_by,
        data=encode(row),
        action=row.action_id,
    )


def routes(flows: Flows) -> tuple[Route, ...]:
    @serves(TELL_FLOW, holds=(SESSION_FENCE,), effects="makes the key of digests")
    async def tell(call: Call[TellFlow, None]) -> FlowAnswer:
        return FlowAnswer(flow=await flows.tell(call.principal, call.body))

    @serves(REMOVE_FLOW_LABELS, holds=(SESSION_FENCE,))
    async def remove_labels(call: Call[RemoveFlowLabels, None], flow_id: str) -> FlowAnswer:
        return FlowAnswer(flow=await flows.remove_labels(call.principal, flow_id, call.body))

    @serves(GET_FLOWS)
    async def list_all(call: Call[None, FlowsQuery]) -> FlowList:
        return await flows.page(call.principal, call.query)

    @serves(GET_FLOW_STEPS)
    async def list_steps(call: Call[None, FlowStepsQuery], flow_id: str) -> FlowSteps:
        return await flows.steps(call.principal, flow_id, call.query)

    return tell, remove_labels, list_all, list_steps
