"""Plain records: making, changing, reading, listing and deleting them, in one way for every kind, and their routes over
HTTP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from assent.contract.control.actions import ActionStatus
from assent.contract.endpoint import AnyEndpoint
from assent.contract.events import EventName
from assent.contract.exchange.kinds import Deleted, Kind, KindQuery, OfKind, Verb
from assent.contract.exchange.purchases import PURCHASE
from assent.contract.exchange.records import KINDS, RECORD_ENDPOINTS, REQUESTS
from assent.contract.exchange.snippets import SNIPPET, USE_SNIPPET, UseSnippet
from assent.contract.problems import Code, FieldError
from assent.contract.record import Request
from assent_service.base.clock import Clock, microseconds, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core import body as bodies
from assent_service.core.call import Answer, AnyCall, Call
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode, extend
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Handler, Route, serves
from assent_service.core.rows import Filter, find_row, list_rows, record, select
from assent_service.exchange.records import rules
from assent_service.exchange.records.rules import RECORDS, RecordRow
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is

# Plain records from the tables: one by its key, and pages by filter, newest first.


COMMON = frozenset(KindQuery.__struct_fields__)
MOST = 200


async def by_key(ledger: Ledger, org_id: str, kind: Kind, key: str) -> RecordRow | None:
    """The record that is the same one, None when it was not said before or is deleted."""
    rows = await ledger.read(
        f"SELECT {select(RECORDS)} FROM records WHERE org_id = ? AND kind = ? AND natural_key = ? "
        "AND deleted_at IS NULL ORDER BY created_at, record_id LIMIT 1",
        [org_id, kind.name, key],
    )
    return record(RECORDS, rows[0], RecordRow) if rows else None


async def named(ledger: Ledger, org_id: str, kind: Kind, name: str, *members: str) -> RecordRow | None:
    """The oldest record whose id, or one of these members, is `name`."""
    fits = " OR ".join(["record_id = ?", *(f"{_member(each)} = ?" for each in members)])
    rows = await ledger.read(
        f"SELECT {select(RECORDS)} FROM records WHERE org_id = ? AND kind = ? AND deleted_at IS NULL AND ({fits}) "
        "ORDER BY created_at, record_id LIMIT 1",
        [org_id, kind.name, *[name] * (len(members) + 1)],
    )
    return record(RECORDS, rows[0], RecordRow) if rows else None


async def children(ledger: Ledger, org_id: str, kind: Kind, parent_id: str) -> list[RecordRow]:
    """The newest 200 records of a kind that belong to one record."""
    rows = await ledger.read(
        f"SELECT {select(RECORDS)} FROM records WHERE org_id = ? AND kind = ? AND parent_id = ? "
        f"AND deleted_at IS NULL ORDER BY created_at DESC, record_id DESC LIMIT {MOST}",
        [org_id, kind.name, parent_id],
    )
    return [record(RECORDS, row, RecordRow) for row in rows]


def chosen(principal: Principal, kind: Kind, query: KindQuery, parent_id: str | None) -> Filter:
    """The rows that the caller may see and that fit the query."""
    found = of_kind(principal, kind)
    found.add("parent_id = ?", parent_id)
    found.add(name_is("agent_id"), query.agent_id)
    for name, value in msgspec.structs.asdict(query).items():
        if name in COMMON or value is None:
            continue
        if name == "search":
            looked = " OR ".join(f"position(lower(?) IN lower({_member(each)})) > 0" for each in kind.searched)
            found.add_all(f"({looked})", [value] * len(kind.searched))
        elif name == "tag":
            # A tag stands in its list as a JSON string, quotes and all.
            found.add(f"position(? IN {_member('tags')}) > 0", msgspec.json.encode(value).decode())
        else:
            found.add(f"{_member(name)} = ?", value)
    return found


def of_kind(principal: Principal, kind: Kind) -> Filter:
    """Every row of the kind that the caller may see."""
    found = Filter(principal.org_id)
    found.add("kind = ?", kind.name)
    found.add_all("deleted_at IS NULL", [])
    if not kind.shared and not principal.sees(None):
        found.add(name_is("agent_id"), principal.agent_id)
    return found


def _member(name: str) -> str:
    """A member of the data as text; names come from the contract and never from a request."""
    return f"(data ->> '{name}')"


RECORD_FENCE = Fence("record", "record_id")
RECORD_KEY_FENCE = Fence("record_key", "natural_key")
RECORD_FENCES = (RECORD_KEY_FENCE, RECORD_FENCE)
"""In the order in which a creation holds them."""
Change = Callable[[dict[str, Any]], dict[str, Any]]
GENERIC = frozenset({EventName.RECORD_CREATED, EventName.RECORD_UPDATED})
_ANY: AnyEndpoint[Any] = RECORD_ENDPOINTS[0]


def creation_fences(kind: Kind) -> tuple[Fence, ...]:
    """What a creation of this kind holds, where it is not said to be kept once."""
    if kind.upserts:
        return RECORD_FENCES
    return () if kind.counted is None else (RECORD_FENCE,)


@dataclass(frozen=True)
class RecordChange:
    """`new` when the record was not there before, `changed` when anything was recorded."""

    stored: RecordRow
    new: bool
    changed: bool


class Records:
    """Where every kind is kept alike."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def keep(
        self, principal: Principal, kind: Kind, members: dict[str, Any], parent_id: str | None = None
    ) -> RecordChange:
        """Keep what `members` say, as a POST would say it, once: a record said again is changed, or left as it is.

        Raises `invalid_body`, `agent_mismatch` and `record_not_found`.
        """
        given = bodies.published(_ANY, members)
        body = bodies.convert(_ANY, REQUESTS[kind.name], given, strict=False)
        return await self.create(principal, kind, body, given, parent_id, once=True)

    async def create(
        self,
        principal: Principal,
        kind: Kind,
        body: Request,
        members: dict[str, Any],
        parent_id: str | None = None,
        *,
        once: bool | None = None,
        more: dict[str, Any] | None = None,
    ) -> RecordChange:
        """Keep a body; `once` decides whether a record said again is the same one, as its kind declares unless given.
        `more` are members that the service says itself. Raises as `keep` does."""
        agent_id = principal.speaks_for(getattr(body, "agent_id", None))
        data = rules.members_of(kind, body, members) | (more or {})
        for member, other in kind.refers.items():
            await self.visible(principal, KINDS[other], str(data[member]))
        upserts = kind.upserts if once is None else once
        key = rules.natural_key(kind, agent_id, parent_id, data)
        locks = [RECORD_KEY_FENCE.of(principal.org_id, key)] if upserts else []
        if kind.counted is not None:
            locks.append(RECORD_FENCE.of(principal.org_id, str(parent_id)))
        async with self._locks.hold(*locks):
            if kind.within is not None:
                await self.visible(principal, kind.within, str(parent_id))
            same = await by_key(self._ledger, principal.org_id, kind, key) if upserts else None
            if same is not None:
                counting = once is None
                # What says nothing new takes nothing from anybody.
                new = rules.again(kind, same.data, data, counting=counting) != same.data
                return await self._change(
                    principal,
                    kind,
                    same.record_id,
                    lambda old: rules.again(kind, old, data, counting=counting),
                    by_owner=new,
                )
            stored = self._new(principal, kind, agent_id, parent_id, key, rules.first(kind, data))
            drafts = [_event(kind, kind.created, stored, principal)]
            if kind.within is not None and kind.counted is not None:
                drafts.append(await self._count(principal, kind.within, kind.counted, str(parent_id), stored))
            await self._ledger.append(*drafts)
            return RecordChange(stored, new=True, changed=True)

    async def update(
        self, principal: Principal, kind: Kind, record_id: str, body: Request, members: dict[str, Any]
    ) -> RecordRow:
        """Replace what `body` names. Raises `record_not_found`, `agent_mismatch` for another agent's, and
        `invalid_body` for what the record would not be."""
        data = rules.members_of(kind, body, members)
        changed = await self._change(
            principal, kind, record_id, lambda old: rules.again(kind, old, data), by_owner=True
        )
        return changed.stored

    async def change(self, principal: Principal, kind: Kind, record_id: str, to: Change) -> RecordRow:
        """Replace the members by what `to` makes of them, under the record's lock, whoever's it is: that it was used,
        and the like. Raises `record_not_found`."""
        return (await self._change(principal, kind, record_id, to)).stored

    async def delete(self, principal: Principal, kind: Kind, record_id: str) -> None:
        """Raises `record_not_found`, the second time too, and `agent_mismatch` for another agent's."""
        async with self._locks.hold(RECORD_FENCE.of(principal.org_id, record_id)):
            before = await self.visible(principal, kind, record_id)
            principal.check_owner(before.agent_id, f"This {kind.spoken}")
            now = moment(self._clock())
            gone = msgspec.structs.replace(before, updated_at=now, deleted_at=now)
            await self._ledger.append(_event(kind, kind.updated, gone, principal))

    async def visible(self, principal: Principal, kind: Kind, record_id: str) -> RecordRow:
        """Raises `record_not_found` for a foreign, a deleted and another kind's record as for an unknown one."""
        found = await find_row(self._ledger, RECORDS, RecordRow, principal.org_id, record_id)
        known = found is not None and found.kind == kind.name and found.deleted_at is None
        if found is None or not known or not (kind.shared or principal.sees(found.agent_id)):
            raise refuse(Code.RECORD_NOT_FOUND, f"There is no {kind.spoken} {record_id[:128]!r} in this organization.")
        return found

    async def page(
        self, principal: Principal, kind: Kind, query: KindQuery, parent_id: str | None = None
    ) -> dict[str, Any]:
        """A page of the kind as it is answered. Raises `record_not_found` for the record that all belong to."""
        if kind.within is not None:
            await self.visible(principal, kind.within, str(parent_id))
        rows = chosen(principal, kind, query, parent_id)
        page = await list_rows(self._ledger, RECORDS, RecordRow, rows, query)
        shown = [rules.public(kind, each) for each in page.rows]
        return {kind.plural: shown, "total": page.total, "next_cursor": page.next_cursor}

    async def answer(self, kind: Kind, stored: RecordRow) -> dict[str, Any]:
        """One record as it is answered, with what is shown inside it."""
        members: dict[str, Any] = {kind.singular: rules.public(kind, stored), kind.id_name: stored.record_id}
        if kind.embeds is not None:
            inner = KINDS[kind.embeds]
            found = await children(self._ledger, stored.org_id, inner, stored.record_id)
            members[inner.plural] = [rules.public(inner, each) for each in found]
        return members

    async def _change(
        self, principal: Principal, kind: Kind, record_id: str, to: Change, *, by_owner: bool = False
    ) -> RecordChange:
        async with self._locks.hold(RECORD_FENCE.of(principal.org_id, record_id)):
            before = await self.visible(principal, kind, record_id)
            if by_owner:
                principal.check_owner(before.agent_id, f"This {kind.spoken}")
            after = _changed(kind, before, to(before.data), moment(self._clock()))
            if after is not before:
                await self._ledger.append(_event(kind, kind.updated, after, principal))
            return RecordChange(after, new=False, changed=after is not before)

    async def _count(self, principal: Principal, kind: Kind, member: str, record_id: str, one: RecordRow) -> Draft:
        """The event that `one` more belongs to a record, whose lock is held."""
        before = await self.visible(principal, kind, record_id)
        data = before.data | {member: int(before.data.get(member, 0)) + 1}
        return _event(kind, kind.updated, _changed(kind, before, data, one.created_at), principal)

    def _new(
        self,
        principal: Principal,
        kind: Kind,
        agent_id: str | None,
        parent_id: str | None,
        key: str,
        data: dict[str, Any],
    ) -> RecordRow:
        now = self._clock()
        return RecordRow(
            org_id=principal.org_id,
            record_id=new_id(kind.prefix, now),
            kind=kind.name,
            parent_id=parent_id,
            agent_id=agent_id,
            name=rules.label(kind, data),
            status=rules.status(data),
            natural_key=key,
            data=data,
            created_by=principal.key_id,
            created_at=moment(now),
            updated_at=moment(now),
        )


def _changed(kind: Kind, before: RecordRow, data: dict[str, Any], now: datetime) -> RecordRow:
    if data == before.data:
        return before
    return msgspec.structs.replace(
        before,
        data=data,
        name=rules.label(kind, data),
        status=rules.status(data),
        natural_key=rules.natural_key(kind, before.agent_id, before.parent_id, _without_own(kind, data)),
        updated_at=now,
    )


def _without_own(kind: Kind, data: dict[str, Any]) -> dict[str, Any]:
    """Without what the service says itself, which makes nothing another record."""
    known = REQUESTS[kind.name].__struct_fields__
    return {name: value for name, value in data.items() if name in known or name not in kind.row.__struct_fields__}


def _event(kind: Kind, name: EventName, stored: RecordRow, principal: Principal) -> Draft:
    data = encode(stored)
    if name not in GENERIC:
        # Events with a name of their own say their members outright, as those who listen for them expect.
        own = {key: value for key, value in rules.public(kind, stored).items() if key not in stored}
        data = extend(data, own)
    return Draft(
        org=stored.org_id,
        type=name.value,
        ts=microseconds(stored.updated_at),
        subject=stored.record_id,
        actor=principal.key_id,
        data=data,
        # It repeats what its action says, so what becomes of the action becomes of it.
        action=str(stored.data["action_id"]) if kind is PURCHASE else None,
    )


# Plain records over HTTP: for each verb one handler that every kind is served by, and what a few kinds can besides.


def routes(records: Records, clock: Clock) -> tuple[Route, ...]:
    """Of every kind, and what snippets can besides."""
    return (*generated(records), *_snippets(records, clock))


def generated(records: Records) -> tuple[Route, ...]:
    """The routes of every endpoint that its kind declares."""
    return tuple(_generated(records, each) for each in RECORD_ENDPOINTS if isinstance(each, OfKind))


def _generated(records: Records, endpoint: OfKind[Any, Any, Any]) -> Route:
    holds = HOLDS[endpoint.verb](endpoint.kind)
    unfenced = NEW_ID if endpoint.verb is Verb.CREATE and not holds else ""
    return Route(endpoint, HANDLERS[endpoint.verb](records, endpoint), holds, unfenced)


def _creating(records: Records, endpoint: OfKind[Any, Any, Any]) -> Handler:
    async def create(call: AnyCall, **path: str) -> Answer[dict[str, Any]]:
        made = await records.create(
            call.principal, endpoint.kind, call.body, call.sent.members, _parent(endpoint, path)
        )
        return Answer(await records.answer(endpoint.kind, made.stored), 201 if made.new else 200)

    return create


def _listing(records: Records, endpoint: OfKind[Any, Any, Any]) -> Handler:
    async def list_all(call: AnyCall, **path: str) -> Answer[dict[str, Any]]:
        return Answer(await records.page(call.principal, endpoint.kind, call.query, _parent(endpoint, path)))

    return list_all


def _getting(records: Records, endpoint: OfKind[Any, Any, Any]) -> Handler:
    async def get(call: AnyCall, **path: str) -> Answer[dict[str, Any]]:
        found = await records.visible(call.principal, endpoint.kind, path[endpoint.kind.id_name])
        return Answer(await records.answer(endpoint.kind, found))

    return get


def _updating(records: Records, endpoint: OfKind[Any, Any, Any]) -> Handler:
    async def update(call: AnyCall, **path: str) -> Answer[dict[str, Any]]:
        record_id = path[endpoint.kind.id_name]
        after = await records.update(call.principal, endpoint.kind, record_id, call.body, call.sent.members)
        return Answer(await records.answer(endpoint.kind, after))

    return update


def _deleting(records: Records, endpoint: OfKind[Any, Any, Any]) -> Handler:
    async def delete(call: AnyCall, **path: str) -> Deleted:
        record_id = path.get(endpoint.kind.id_name) or call.query.id
        if not record_id:
            raise refuse(
                Code.INVALID_QUERY,
                f"Which {endpoint.kind.spoken}? Give its id in the path, or as ?id=.",
                FieldError(place="id", message="is required"),
            )
        await records.delete(call.principal, endpoint.kind, record_id)
        return Deleted(deleted=True, id=record_id)

    return delete


def _parent(endpoint: OfKind[Any, Any, Any], path: dict[str, str]) -> str | None:
    within = endpoint.kind.within
    return None if within is None else path[within.id_name]


HANDLERS: dict[Verb, Callable[[Records, OfKind[Any, Any, Any]], Handler]] = {
    Verb.CREATE: _creating,
    Verb.LIST: _listing,
    Verb.GET: _getting,
    Verb.UPDATE: _updating,
    Verb.DELETE: _deleting,
}


HOLDS: dict[Verb, Callable[[Kind], tuple[Fence, ...]]] = {
    Verb.CREATE: creation_fences,
    Verb.LIST: lambda _: (),
    Verb.GET: lambda _: (),
    Verb.UPDATE: lambda _: (RECORD_FENCE,),
    Verb.DELETE: lambda _: (RECORD_FENCE,),
}


def _snippets(records: Records, clock: Clock) -> tuple[Route, ...]:
    @serves(USE_SNIPPET, holds=(RECORD_FENCE,))
    async def use(call: Call[UseSnippet, None], snippet_id: str) -> Answer[dict[str, Any]]:
        at = moment(clock()).isoformat()

        def used(data: dict[str, Any]) -> dict[str, Any]:
            return data | {"use_count": int(data.get("use_count", 0)) + 1, "last_used_at": at}

        stored = await records.change(call.principal, SNIPPET, snippet_id, used)
        return Answer(await records.answer(SNIPPET, stored))

    return (use,)


def creation_status(status: ActionStatus) -> int:
    return 202 if status is ActionStatus.PENDING_APPROVAL else 201
