"""What a plain record is when it is said, and what becomes of it when it is said again or changed. Pure.

1. What is kept is what was said: the members that the kind knows, checked, and any others as they are. Members that
   the service counts or sets by itself cannot be said.
2. A record said again is the same one when its key is: the members that its kind declares, all of them where it
   declares none; together with its agent, unless the kind is shared, and with the record that it belongs to.
3. A change replaces the members it names and leaves the others; members of a `merged` one likewise.
4. `version` counts up when a `versioned` member becomes another.
5. An approach counts how often it worked and how often it did not, each time that somebody says so.
6. What changes nothing is no change.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from assent.contract.kinds import Kind
from assent.contract.prepared import prepared
from assent.contract.record import Record, Request
from assent_service.core.faithful import digest_of

APPROACH = "approach"
WORKED, FAILED = "success_count", "fail_count"


class Stored(Record, frozen=True, kw_only=True):
    """A record of any kind, as it is written down; `data` holds its members by their names on the wire."""

    org_id: str
    record_id: str
    kind: str
    parent_id: str | None
    agent_id: str | None
    name: str | None
    status: str | None
    natural_key: str
    data: dict[str, Any]
    created_by: str
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None


def said(kind: Kind, body: Request, members: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a body: its members without Nones, and those that its struct does not know.

    Raises `invalid_body` for what has no canonical form.
    """
    known = {name: value for name, value in _builtin(body).items() if value is not None}
    reserved = {*kind.row.__struct_fields__, *body.__struct_fields__}
    others = {name: value for name, value in members.items() if name not in reserved and value is not None}
    data = {**others, **known}
    data.pop("agent_id", None)
    digest_of(data)
    return data


def natural_key(kind: Kind, agent_id: str | None, parent_id: str | None, data: dict[str, Any]) -> str:
    """The digest by which a record said again is known."""
    told = {name: data.get(name) for name in kind.key} if kind.key else data
    return digest_of([kind.name, None if kind.shared else agent_id, parent_id, told])


def first(kind: Kind, data: dict[str, Any]) -> dict[str, Any]:
    """The members of a new record."""
    return data | _counted(kind, {}, data)


def again(kind: Kind, before: dict[str, Any], data: dict[str, Any], *, counting: bool = True) -> dict[str, Any]:
    """The members of a record after `data` was said about it; equal to `before` when nothing is new. Where a kind
    counts how often something was said, a snapshot of what is known says nothing once more: it is not `counting`."""
    after = before | data
    for name in kind.merged:
        old, new = before.get(name), data.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            after[name] = old | new
    if any(before.get(name) != after.get(name) for name in kind.versioned):
        after["version"] = before.get("version", 1) + 1
    return after | _counted(kind, before, data) if counting else after


def public(kind: Kind, stored: Stored) -> dict[str, Any]:
    """The record as it is answered: its members, and what every record has."""
    return stored.data | _builtin(typed(kind, stored))


def typed(kind: Kind, stored: Stored) -> Record:
    """The record as its kind's struct."""
    common = {
        "org_id": stored.org_id,
        kind.id_name: stored.record_id,
        "agent_id": stored.agent_id,
        "created_by": stored.created_by,
        "created_at": stored.created_at,
        "updated_at": stored.updated_at,
    }
    if kind.within is not None:
        common[kind.within.id_name] = stored.parent_id
    return msgspec.convert(stored.data | common, prepared(kind.row))


def label(kind: Kind, data: dict[str, Any]) -> str | None:
    """What the record is called."""
    name = None if kind.named is None else data.get(kind.named)
    return None if name is None else str(name)[:500]


def status(data: dict[str, Any]) -> str | None:
    """How the record stands, for kinds that say so; of others it may be anything that somebody said."""
    found = data.get("status")
    return found if isinstance(found, str) else None


def _counted(kind: Kind, before: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    success = data.get("success")
    if kind.name != APPROACH or not isinstance(success, bool):
        return {}
    counts = {name: int(before.get(name, 0)) for name in (WORKED, FAILED)}
    counts[WORKED if success else FAILED] += 1
    return counts


def _builtin(struct: msgspec.Struct) -> dict[str, Any]:
    """Every member as JSON has it, also those that the struct would leave out."""
    members: dict[str, Any] = msgspec.to_builtins(msgspec.structs.asdict(struct))
    return members
