"""Plain records as rows of one table, and the rules by which one is made, said again or changed. Pure.

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
from typing import Annotated, Any

import msgspec

from assent.contract.exchange.kinds import Kind
from assent.contract.exchange.tokens import TokenUsage
from assent.contract.prepared import prepared
from assent.contract.record import OrganizationId, Record, RecordedAt, Request, meaning
from assent_service.core.faithful import digest_of
from assent_service.store.tables import Table

APPROACH = "approach"
WORKED, FAILED = "success_count", "fail_count"


class RecordRow(Record, frozen=True, kw_only=True):
    """A record of any kind, as it is written down; `data` holds its members by their names on the wire."""

    org_id: OrganizationId
    record_id: Annotated[str, meaning("id of the record", frozen=True)]
    kind: Annotated[str, meaning("what it is", frozen=True)]
    parent_id: Annotated[str | None, meaning("the record that it belongs to, if any", frozen=True)]
    agent_id: Annotated[str | None, meaning("who said it, or whom it is about", frozen=True)]
    name: Annotated[str | None, meaning("its title or name, where its kind has one")]
    status: Annotated[str | None, meaning("how it stands, where its kind says so")]
    natural_key: Annotated[str, meaning("digest of what makes it the same record when it is said again")]
    data: Annotated[dict[str, Any], meaning("its members, by their names on the wire")]
    created_by: Annotated[str, meaning("id of the key that recorded it", frozen=True)]
    created_at: RecordedAt
    updated_at: Annotated[datetime, meaning("when it last changed")]
    deleted_at: Annotated[datetime | None, meaning("when it was taken out of every list")] = None


def members_of(kind: Kind, body: Request, members: dict[str, Any]) -> dict[str, Any]:
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


def public(kind: Kind, stored: RecordRow) -> dict[str, Any]:
    """The record as it is answered: its members, and what every record has."""
    return stored.data | _builtin(typed(kind, stored))


def typed(kind: Kind, stored: RecordRow) -> Record:
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


# Plain records as rows: one table for all kinds, and the numbers of token usage once more as columns.


CREATED = frozenset({"record.created", "goal.created", "token.usage"})
REPLACED = frozenset({"record.updated", "goal.updated"})

RECORDS = Table.of(
    RecordRow,
    name="records",
    meaning="plain records of every kind, one row for each as it is now",
    key="record_id",
    created=CREATED,
    replaced=REPLACED,
)
TOKEN_USAGE = Table.of(
    TokenUsage,
    name="token_usage",
    meaning="what the calls of language models took, one row for each report",
    key="usage_id",
    created=("token.usage",),
    without=(
        "metadata",
        "created_by",
        "updated_at",
    ),
    first=(
        "usage_id",
        "agent_id",
        "model",
        "provider",
    ),
)
