"""Plain records from the tables: one by its key, and pages by filter, newest first."""

from __future__ import annotations

import msgspec

from assent.contract.kinds import Kind, KindQuery
from assent_service.core.page import Page, read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, record, select
from assent_service.records.rules import Stored
from assent_service.records.tables import RECORDS
from assent_service.store.ledger import Ledger

COMMON = frozenset(KindQuery.__struct_fields__)
MOST = 200


async def by_key(ledger: Ledger, org_id: str, kind: Kind, key: str) -> Stored | None:
    """The record that is the same one, None when it was not said before or is deleted."""
    rows = await ledger.read(
        f"SELECT {select(RECORDS)} FROM records WHERE org_id = ? AND kind = ? AND natural_key = ? "
        "AND deleted_at IS NULL ORDER BY created_at, record_id LIMIT 1",
        [org_id, kind.name, key],
    )
    return record(RECORDS, rows[0], Stored) if rows else None


async def named(ledger: Ledger, org_id: str, kind: Kind, name: str, *members: str) -> Stored | None:
    """The oldest record whose id, or one of these members, is `name`."""
    fits = " OR ".join(["record_id = ?", *(f"{_member(each)} = ?" for each in members)])
    rows = await ledger.read(
        f"SELECT {select(RECORDS)} FROM records WHERE org_id = ? AND kind = ? AND deleted_at IS NULL AND ({fits}) "
        "ORDER BY created_at, record_id LIMIT 1",
        [org_id, kind.name, *[name] * (len(members) + 1)],
    )
    return record(RECORDS, rows[0], Stored) if rows else None


async def children(ledger: Ledger, org_id: str, kind: Kind, parent_id: str) -> list[Stored]:
    """The newest 200 records of a kind that belong to one record."""
    rows = await ledger.read(
        f"SELECT {select(RECORDS)} FROM records WHERE org_id = ? AND kind = ? AND parent_id = ? "
        f"AND deleted_at IS NULL ORDER BY created_at DESC, record_id DESC LIMIT {MOST}",
        [org_id, kind.name, parent_id],
    )
    return [record(RECORDS, row, Stored) for row in rows]


def chosen(principal: Principal, kind: Kind, query: KindQuery, parent_id: str | None) -> Filter:
    """The rows that the caller may see and that fit the query."""
    found = of_kind(principal, kind)
    found.add("parent_id = ?", parent_id)
    found.add("agent_id = ?", query.agent_id)
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
        found.add("agent_id = ?", principal.agent_id)
    return found


async def count(ledger: Ledger, rows: Filter) -> int:
    ((n,),) = await ledger.read(f"SELECT count(*) FROM records WHERE {rows.where}", rows.parameters)
    return int(str(n))


async def page(ledger: Ledger, rows: Filter, query: KindQuery) -> Page[Stored]:
    return await read_page(ledger, RECORDS, Stored, rows, cursor=query.cursor, limit=query.limit, offset=query.offset)


def _member(name: str) -> str:
    """A member of the data as text; names come from the contract and never from a request."""
    return f"(data ->> '{name}')"
