"""Telling sessions, and what guard is told of them.

The rules are those of `assent.contract.control.flows`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from assent.contract.control.actions import Action
from assent.contract.control.flows import (
    GET_FLOWS,
    REMOVE_FLOW_LABELS,
    TELL_FLOW,
    FlowAnswer,
    FlowSession,
    FlowsQuery,
    RemoveFlowLabels,
    TellFlow,
    flow_call,
)
from assent.contract.control.flows import Flows as FlowList
from assent.contract.events import EventName
from assent.contract.names import same_name
from assent.contract.problems import Code, FieldError
from assent.flows import (
    BOUNDS,
    Digester,
    FlowError,
    Folded,
    History,
    Pack,
    Session,
    UserText,
    check_label,
    digest_call,
)
from assent_service.base.clock import Clock, moment
from assent_service.base.memory import MemoryBudget
from assent_service.base.problem import Refusal, refuse
from assent_service.control.flows.rows import (
    FLOW_SESSIONS,
    FLOW_TOLD,
    FlowStatement,
    assembled,
    begun,
    digested,
    flow_id_of,
    key_check,
    moved,
    relieved,
    removal_row,
    told_row,
)
from assent_service.control.flows.state import CachedSession, FlowState
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


class _Place(NamedTuple):
    """Where a session's telling goes: the outermost session's flow, and what is known of it. `own` is the session's own
    row."""

    root_id: str
    root: CachedSession
    own: FlowSession | None


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
        root_id = own_id if own.head is None else own.head.root_id
        if own.head is None and asked.parent_session_id is not None:
            around = self.state.of(org_id, flow_id_of(org_id, asked.parent_session_id))
            if around is None:
                return None
            root_id = own_id if around.head is None else around.head.root_id
        root = own if root_id == own_id else self.state.of(org_id, root_id)
        if root is None:
            return None
        names = (own_id,) if root_id == own_id else (own_id, root_id)
        conditions = tuple([self._locks.unmoved(SESSION_FENCE.of(org_id, each), own=True) for each in names])
        moved_elsewhere = (
            own.head is not None
            and asked.parent_session_id is not None
            and own.head.parent_session_id != asked.parent_session_id
        )
        if root.head is None or moved_elsewhere or not _joins(asked.principal, root.head):
            return SessionView(None, conditions=conditions)
        known = self._keys.get(org_id)
        if known is None:
            return None
        key, check = known
        if root.check not in ("", check):
            # Made with a key that is not there any more.
            return SessionView(Session(complete=False), key, conditions, root.history)
        return SessionView(root.session, key, conditions, root.history)

    async def told(self, asked: SessionAsked) -> SessionView:
        """The same, looked up where memory does not hold it."""
        org_id = asked.principal.org_id
        for _ in range(RECALLS):
            found = self.told_at_once(asked)
            if found is not None:
                return found
            await self._key(org_id)
            named = [each for each in (asked.session_id, asked.parent_session_id) if each is not None]
            for flow_id in [flow_id_of(org_id, each) for each in named]:
                head = (await self._kept(org_id, flow_id)).head
                if head is not None and head.root_id != flow_id:
                    await self._kept(org_id, head.root_id)
        # It changes faster than it can be looked up, or there is no room for it.
        return self.told_at_once(asked) or SessionView(Session(complete=False))

    # Told

    async def tell(self, principal: Principal, said: TellFlow) -> FlowSession:
        """Raises `invalid_body`, `agent_mismatch`, `action_not_found`, `action_erased`, `busy` and
        `projection_behind`."""
        org_id, agent_id = principal.org_id, principal.speaks_for(said.agent_id)
        pack = self._pack_of(org_id)
        _check(said, pack)
        if said.action_id is not None:
            action = await self.actions.visible(principal, said.action_id)
            if action.session_id != said.session_id:
                where = "no session" if action.session_id is None else f"session {action.session_id!r}"
                raise _wrong(
                    "action_id",
                    f"is {said.action_id!r}, which is in {where} and not in {said.session_id!r}; leave it out",
                )
        key, check = await self._key(org_id)
        read = partial(digested, said, pack, key)
        told = await asyncio.to_thread(read) if _size(said) > READ_AT_ONCE else read()
        orders = await self._screen.holds_orders(org_id, *_scanned(said, pack))
        own_id = flow_id_of(org_id, said.session_id)
        parent_id = None if said.parent_session_id is None else flow_id_of(org_id, said.parent_session_id)
        names = {own_id} | ({parent_id} if parent_id is not None else set())
        while True:
            async with self._locks.hold(*(SESSION_FENCE.of(org_id, each) for each in sorted(names))):
                place = await self._place(principal, said, own_id, parent_id)
                if place.root_id not in names:
                    names.add(place.root_id)
                    continue
                return await self._record(principal, said, agent_id, pack, told, orders, check, place)

    async def _place(self, principal: Principal, said: TellFlow, own_id: str, parent_id: str | None) -> _Place:
        """Raises `invalid_body` for a session that was begun elsewhere, and `agent_mismatch` for another agent's."""
        org_id = principal.org_id
        own = (await self._kept(org_id, own_id)).head
        parent = None if parent_id is None else (await self._kept(org_id, parent_id)).head
        if own is not None and said.parent_session_id not in (None, own.parent_session_id):
            was = "in no other one" if own.parent_session_id is None else f"in {own.parent_session_id!r}"
            message = f"was begun {was}, which stays so"
            raise refuse(
                Code.INVALID_BODY,
                f"parent_session_id: session {said.session_id!r} {message}; say the same, or use another session.",
                FieldError(place="parent_session_id", message=message),
            )
        if parent_id == own_id:
            raise refuse(
                Code.INVALID_BODY,
                f"parent_session_id is {said.parent_session_id!r}, the session itself; leave it out.",
                FieldError(place="parent_session_id", message="is the session itself"),
            )
        if own is not None:
            root_id = own.root_id
        elif parent is not None:
            root_id = parent.root_id
        else:
            root_id = parent_id or own_id
        root = await self._kept(org_id, root_id)
        if root.head is not None and not _joins(principal, root.head):
            whose = "no agent" if root.head.agent_id is None else f"agent {root.head.agent_id!r}"
            raise refuse(
                Code.AGENT_MISMATCH,
                f"{_named(said.session_id, root.head)} was begun for {whose}, and key {principal.key_id} is bound to "
                f"agent {principal.agent_id!r}; use a session of the agent's own.",
            )
        return _Place(root_id, root, own)

    async def _record(
        self,
        principal: Principal,
        said: TellFlow,
        agent_id: str | None,
        pack: Pack,
        told: UserText | Folded,
        orders: bool,
        check: str,
        place: _Place,
    ) -> FlowSession:
        now, own_id = self._clock(), flow_id_of(principal.org_id, said.session_id)
        opened, head = list[FlowSession](), place.root.head
        if head is None:
            outermost = said.session_id if place.root_id == own_id else str(said.parent_session_id)
            head = begun(principal, outermost, None, place.root_id, agent_id, now)
            opened.append(head)
        if place.own is None and place.root_id != own_id:
            opened.append(begun(principal, said.session_id, said.parent_session_id, place.root_id, agent_id, now))
        row = told_row(principal, said, agent_id, pack, told, orders, check, head, place.root.session, now)
        after = moved(head, row, place.root.session, moment(now))
        drafts = [_draft(EventName.FLOW_SESSION_CREATED, principal, each, now) for each in opened]
        drafts.append(_draft(EventName.FLOW_SESSION_UPDATED, principal, after, now))
        drafts.append(_entry(EventName.FLOW_TOLD, row, now))
        await self._ledger.append(*drafts)
        return after

    async def remove_labels(self, principal: Principal, flow_id: str, said: RemoveFlowLabels) -> FlowSession:
        """Raises `flow_not_found`, `self_approval`, `invalid_body`, `flow_changed` and `projection_behind`."""
        if not said.reason.strip():
            raise _wrong("reason", "is blank; say why these labels need not hold any more")
        org_id = principal.org_id
        own = (await self._kept(org_id, flow_id)).head
        _, check = await self._key(org_id)
        root_id = flow_id if own is None else own.root_id
        async with self._locks.hold(SESSION_FENCE.of(org_id, root_id)):
            root = await self._kept(org_id, root_id)
            head = root.head
            if head is None:
                raise refuse(Code.FLOW_NOT_FOUND, f"No session {flow_id!r} of this organization was told anything.")
            named = _named(head.session_id if own is None else own.session_id, head)
            if principal.agent_id is not None and same_name(principal.agent_id, head.agent_id):
                raise refuse(
                    Code.SELF_APPROVAL,
                    f"{named} is of agent {head.agent_id!r}, and key {principal.key_id} is bound to that agent: it "
                    "never takes a label off the agent's own sessions. An operator does so with another key.",
                )
            _check_removal(said, named, head, root.session)
            labels = [each for each in dict.fromkeys(said.labels) if each in head.labels]
            if not labels:
                return head
            now = self._clock()
            row = removal_row(principal, said, labels, root.check or check, head, now)
            after = relieved(head, row)
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

    async def _key(self, org_id: str) -> tuple[bytes, str]:
        """What the organization's digests are made with, and what tells it from others. Raises
        `storage_unavailable`."""
        known = self._keys.get(org_id)
        if known is None:
            key = await asyncio.to_thread(self._master.derive, f"assent flows\0{org_id}")
            known = self._keys[org_id] = key, key_check(key)
        return known

    async def _kept(self, org_id: str, flow_id: str) -> CachedSession:
        """The session as it is in memory, or as the tables have it. Raises `projection_behind`."""
        kept = self.state.of(org_id, flow_id)
        if kept is not None:
            return kept
        key, _ = await self._key(org_id)
        kept = CachedSession(session=Session(complete=False), history=History(complete=False))
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
        kept.session.complete = kept.history.complete = False
        return kept

    async def _looked_up(self, org_id: str, flow_id: str, key: bytes) -> CachedSession:
        heads = await self._ledger.read(_HEAD, [org_id, flow_id])
        if not heads:
            return CachedSession()
        head = record(FLOW_SESSIONS, heads[0], FlowSession)
        if head.root_id != flow_id:
            return CachedSession(head)
        rows = await self._ledger.read(_TOLD, [org_id, flow_id])
        session, history, check = assembled(head, (record(FLOW_TOLD, row, FlowStatement) for row in rows))
        pack, digester = self._pack_of(org_id), Digester(key)
        for action_type, context in await self._ledger.read(_APPROVED, [org_id, org_id, flow_id]):
            call = flow_call(str(action_type), msgspec.json.decode(str(context)))
            if not call.gaps:
                digest = digest_call(call.tool, call.parameters, digester=digester, pack=pack)
                session.fold(digest.approved())
        return CachedSession(head, session, check, history)


def _joins(principal: Principal, head: FlowSession) -> bool:
    """A key that is bound to an agent joins that agent's sessions only."""
    return principal.agent_id is None or same_name(principal.agent_id, head.agent_id)


def _check(said: TellFlow, pack: Pack) -> None:
    """Raises `invalid_body`."""
    if (said.user_text is None) is (said.tool is None):
        message = "give either user_text or tool, the one that this is about"
        raise refuse(Code.INVALID_BODY, f"user_text: {message}.", FieldError(place="user_text", message=message))
    for place, label in enumerate(said.labels or ()):
        try:
            check_label(label, pack.labels)
        except FlowError as error:
            raise refuse(
                Code.INVALID_BODY,
                f"labels[{place}]: {error}.",
                FieldError(place=f"labels[{place}]", message="is declared by no flow policy"),
            ) from None


def _named(session_id: str, root: FlowSession) -> str:
    """How a refusal names a session, with the outermost one, which has what was told."""
    inside = "" if session_id == root.session_id else f", which is told into session {root.session_id!r},"
    return f"Session {session_id!r}{inside}"


def _check_removal(said: RemoveFlowLabels, named: str, head: FlowSession, session: Session) -> None:
    """`named` is how the session is named. Raises `invalid_body` for a label that the session never had and for more
    removals than it keeps, and `flow_changed` for a label that was put on after what the caller has read."""
    if said.if_told is not None and said.if_told > head.told:
        raise _wrong(
            "if_told", f"is {said.if_told}, and the session was told something {head.told} times; read it again"
        )
    for place, label in enumerate(said.labels):
        known = session.labels.get(label)
        if known is None and label not in head.labels:
            had = ", ".join(head.labels) or "none"
            raise _wrong(f"labels[{place}]", f"is {label!r}. {named} never had it; it has {had}")
        if said.if_told is not None and label in head.labels and known is not None and known.put > said.if_told:
            again = " again" if known.removed >= 0 else ""
            raise refuse(
                Code.FLOW_CHANGED,
                f"{named} got label {label!r}{again} with what it was told as number {known.put}, and if_told is "
                f"{said.if_told}; read the session again.",
            )
    if len(session.removals) + len(said.labels) > BOUNDS.removals:
        raise _wrong("labels", f"would be more than {BOUNDS.removals} removals, the most of one session")


def _wrong(place: str, message: str) -> Refusal:
    return refuse(Code.INVALID_BODY, f"{place} {message}.", FieldError(place=place, message=message))


def _scanned(said: TellFlow, pack: Pack) -> tuple[str, list[tuple[str, object]]]:
    """What is scanned for orders, and where it came from, which the scan counts: as much as is read of it, and nothing
    of a tool that the house trusts."""
    if said.user_text is not None:
        return "user_input", [("user_text", said.user_text[: BOUNDS.characters])]
    answers = pack.tool(str(said.tool), said.arguments or ()).answers
    if answers == "trusted":
        return "tool_output", []
    result = said.result[: BOUNDS.characters] if isinstance(said.result, str) else said.result
    return "web_page" if answers == "page" else "tool_output", [("result", result)]


def _size(said: TellFlow) -> int:
    if said.user_text is not None:
        return len(said.user_text)
    return len(said.result) if isinstance(said.result, str) else len(msgspec.json.encode(said.result))


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

    return tell, remove_labels, list_all
