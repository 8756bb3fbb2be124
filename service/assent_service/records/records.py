"""Plain records of every organization: one way to keep, change, read and list them, whatever their kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from assent.contract.endpoint import Endpoint
from assent.contract.events import EventName
from assent.contract.kinds import Kind, KindQuery
from assent.contract.problems import Code
from assent.contract.purchases import PURCHASE
from assent.contract.record import Request
from assent.contract.records import KINDS, RECORD_ENDPOINTS, REQUESTS
from assent_service.core import body as bodies
from assent_service.core.clock import Clock, microseconds, moment, new_id
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode, extend
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.records import queries, rules
from assent_service.records.rules import Stored
from assent_service.records.tables import RECORDS
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

Change = Callable[[dict[str, Any]], dict[str, Any]]
GENERIC = frozenset({EventName.RECORD_CREATED, EventName.RECORD_UPDATED})
_ANY: Endpoint[Any] = RECORD_ENDPOINTS[0]


@dataclass(frozen=True)
class Outcome:
    """`new` when the record was not there before, `changed` when anything was recorded."""

    stored: Stored
    new: bool
    changed: bool


class Records:
    """Where every kind is kept alike."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def keep(
        self, principal: Principal, kind: Kind, members: dict[str, Any], parent_id: str | None = None
    ) -> Outcome:
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
    ) -> Outcome:
        """Keep a body; `once` decides whether a record said again is the same one, as its kind declares unless given.
        `more` are members that the service says itself. Raises as `keep` does."""
        agent_id = principal.speaks_for(getattr(body, "agent_id", None))
        data = rules.said(kind, body, members) | (more or {})
        for member, other in kind.refers.items():
            await self.visible(principal, KINDS[other], str(data[member]))
        upserts = kind.upserts if once is None else once
        key = rules.natural_key(kind, agent_id, parent_id, data)
        locks = [f"record_key:{principal.org_id}:{key}"] if upserts else []
        if kind.counted is not None:
            locks.append(_lock(principal.org_id, str(parent_id)))
        async with self._locks.hold(*locks):
            if kind.within is not None:
                await self.visible(principal, kind.within, str(parent_id))
            same = await queries.by_key(self._ledger, principal.org_id, kind, key) if upserts else None
            if same is not None:
                return await self._change(
                    principal, kind, same.record_id, lambda old: rules.again(kind, old, data, counting=once is None)
                )
            stored = self._new(principal, kind, agent_id, parent_id, key, rules.first(kind, data))
            drafts = [_event(kind, kind.created, stored, principal)]
            if kind.within is not None and kind.counted is not None:
                drafts.append(await self._count(principal, kind.within, kind.counted, str(parent_id), stored))
            await self._ledger.append(*drafts)
            return Outcome(stored, new=True, changed=True)

    async def update(
        self, principal: Principal, kind: Kind, record_id: str, body: Request, members: dict[str, Any]
    ) -> Stored:
        """Replace what `body` names. Raises `record_not_found`, and `invalid_body` for what the record would not be."""
        data = rules.said(kind, body, members)
        return await self.change(principal, kind, record_id, lambda old: rules.again(kind, old, data))

    async def change(self, principal: Principal, kind: Kind, record_id: str, to: Change) -> Stored:
        """Replace the members by what `to` makes of them, under the record's lock. Raises `record_not_found`."""
        return (await self._change(principal, kind, record_id, to)).stored

    async def delete(self, principal: Principal, kind: Kind, record_id: str) -> None:
        """Raises `record_not_found`, the second time too."""
        async with self._locks.hold(_lock(principal.org_id, record_id)):
            before = await self.visible(principal, kind, record_id)
            now = moment(self._clock())
            gone = msgspec.structs.replace(before, updated_at=now, deleted_at=now)
            await self._ledger.append(_event(kind, kind.updated, gone, principal))

    async def visible(self, principal: Principal, kind: Kind, record_id: str) -> Stored:
        """Raises `record_not_found` for a foreign, a deleted and another kind's record as for an unknown one."""
        found = await find_row(self._ledger, RECORDS, Stored, principal.org_id, record_id)
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
        rows = queries.chosen(principal, kind, query, parent_id)
        total = await queries.count(self._ledger, rows)
        page = await queries.page(self._ledger, rows, query)
        shown = [rules.public(kind, each) for each in page.rows]
        return {kind.plural: shown, "total": total, "next_cursor": page.next_cursor}

    async def answer(self, kind: Kind, stored: Stored) -> dict[str, Any]:
        """One record as it is answered, with what is shown inside it."""
        members: dict[str, Any] = {kind.singular: rules.public(kind, stored), kind.id_name: stored.record_id}
        if kind.embeds is not None:
            inner = KINDS[kind.embeds]
            found = await queries.children(self._ledger, stored.org_id, inner, stored.record_id)
            members[inner.plural] = [rules.public(inner, each) for each in found]
        return members

    async def _change(self, principal: Principal, kind: Kind, record_id: str, to: Change) -> Outcome:
        async with self._locks.hold(_lock(principal.org_id, record_id)):
            before = await self.visible(principal, kind, record_id)
            after = _changed(kind, before, to(before.data), moment(self._clock()))
            if after is not before:
                await self._ledger.append(_event(kind, kind.updated, after, principal))
            return Outcome(after, new=False, changed=after is not before)

    async def _count(self, principal: Principal, kind: Kind, member: str, record_id: str, one: Stored) -> Draft:
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
    ) -> Stored:
        now = self._clock()
        return Stored(
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


def _changed(kind: Kind, before: Stored, data: dict[str, Any], now: datetime) -> Stored:
    if data == before.data:
        return before
    return msgspec.structs.replace(
        before,
        data=data,
        name=rules.label(kind, data),
        status=rules.status(data),
        natural_key=rules.natural_key(kind, before.agent_id, before.parent_id, _told(kind, data)),
        updated_at=now,
    )


def _told(kind: Kind, data: dict[str, Any]) -> dict[str, Any]:
    """Without what the service says itself, which makes nothing another record."""
    known = REQUESTS[kind.name].__struct_fields__
    return {name: value for name, value in data.items() if name in known or name not in kind.row.__struct_fields__}


def _lock(org_id: str, record_id: str) -> str:
    return f"record:{org_id}:{record_id}"


def _event(kind: Kind, name: EventName, stored: Stored, principal: Principal) -> Draft:
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
