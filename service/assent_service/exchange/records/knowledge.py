"""Searching what collections hold, and marking their items as taken in.

A search looks for words, whatever their case: an item's score is the share of the query's words that stand anywhere in
its title, its content or its address. Items without any of them are not found.
"""

from __future__ import annotations

from typing import Any

from assent.contract.exchange.knowledge import (
    COLLECTION,
    ITEM,
    SEARCH_KNOWLEDGE_COLLECTION,
    SYNC_KNOWLEDGE_COLLECTION,
    SearchKnowledge,
    SyncKnowledgeCollection,
)
from assent_service.base.clock import Clock, moment
from assent_service.core.call import Answer, Call
from assent_service.core.principal import Principal
from assent_service.core.route import RECORDS_NOTHING, Route, serves
from assent_service.core.rows import record, select
from assent_service.exchange.records import rules
from assent_service.exchange.records.records import RECORD_FENCE, Records, of_kind
from assent_service.exchange.records.rules import RECORDS, RecordRow
from assent_service.store.ledger import Ledger

MOST_WORDS = 20
PENDING, SYNCED = "pending", "synced"
_TEXT = "lower(" + " || ' ' || ".join(f"coalesce(data ->> '{name}', '')" for name in ITEM.searched) + ")"
_PENDING = "coalesce(data ->> 'status', 'pending') = 'pending'"


async def search(
    records: Records, ledger: Ledger, principal: Principal, collection_id: str, said: SearchKnowledge
) -> dict[str, Any]:
    """Raises `record_not_found`."""
    await records.visible(principal, COLLECTION, collection_id)
    words = list(dict.fromkeys(said.query.lower().split()))[:MOST_WORDS]
    chosen = of_kind(principal, ITEM)
    chosen.add("parent_id = ?", collection_id)
    found = " + ".join(["CASE WHEN position(lower(?) IN words) > 0 THEN 1 ELSE 0 END"] * len(words)) or "0"
    rows = await ledger.read(
        f"SELECT *, count(*) OVER () FROM (SELECT {select(RECORDS)}, {found} AS found FROM "
        f"(SELECT *, {_TEXT} AS words FROM records WHERE {chosen.where}) AS items) AS scored "
        "WHERE found > 0 ORDER BY found DESC, created_at DESC, record_id LIMIT ?",
        [*words, *chosen.parameters, said.limit],
    )
    results: list[dict[str, Any]] = []
    for row in rows:
        stored = record(RECORDS, row[:-2], RecordRow)
        score = int(str(row[-2])) / len(words)
        results.append({"item": rules.public(ITEM, stored), "item_id": stored.record_id, "score": score})
    return {"query": said.query, "results": results, "total": int(str(rows[0][-1])) if rows else 0}


async def sync(
    records: Records, ledger: Ledger, clock: Clock, principal: Principal, collection_id: str
) -> dict[str, Any]:
    """Mark what is pending; the collection says when. Raises `record_not_found`."""
    await records.visible(principal, COLLECTION, collection_id)
    rows = await ledger.read(
        f"SELECT record_id FROM records WHERE org_id = ? AND kind = ? AND parent_id = ? AND deleted_at IS NULL "
        f"AND {_PENDING} ORDER BY created_at, record_id",
        [principal.org_id, ITEM.name, collection_id],
    )
    for (item_id,) in rows:
        await records.change(principal, ITEM, str(item_id), lambda data: data | {"status": SYNCED})
    at = moment(clock()).isoformat()
    stored = await records.change(principal, COLLECTION, collection_id, lambda data: data | {"last_synced_at": at})
    return await records.answer(COLLECTION, stored) | {"synced": len(rows)}


def knowledge_routes(records: Records, ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @serves(SYNC_KNOWLEDGE_COLLECTION, holds=(RECORD_FENCE,))
    async def sync_collection(call: Call[SyncKnowledgeCollection, None], collection_id: str) -> Answer[dict[str, Any]]:
        return Answer(await sync(records, ledger, clock, call.principal, collection_id))

    @serves(SEARCH_KNOWLEDGE_COLLECTION, unfenced=RECORDS_NOTHING)
    async def search_collection(call: Call[SearchKnowledge, None], collection_id: str) -> Answer[dict[str, Any]]:
        found = await search(records, ledger, call.principal, collection_id, call.body)
        return Answer(found)

    return sync_collection, search_collection
