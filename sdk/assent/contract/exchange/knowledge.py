"""Knowledge collections: sources by name, with what is in them as far as it was handed over as text."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.exchange.kinds import (
    Document,
    Kind,
    KindQuery,
    Listing,
    Prose,
    Title,
    Word,
    Words,
    creates,
    gets,
    lists,
    updates,
)
from assent.contract.problems import Code
from assent.contract.record import Example, Limit, Record, Request, ShortText
from assent.contract.roles import ACTING


class CreateKnowledgeCollection(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"name": "runbooks"}

    name: Title
    description: Prose | None = None
    source_type: Word | None = None
    tags: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class UpdateKnowledgeCollection(Request, frozen=True, kw_only=True):
    """What is left out stays as it is."""

    example: ClassVar[Example] = {"tags": ["operations"]}

    name: Title | None = None
    description: Prose | None = None
    source_type: Word | None = None
    tags: Words | None = None
    metadata: dict[str, Any] | None = None


class KnowledgeCollection(CreateKnowledgeCollection, Record, frozen=True, kw_only=True, omit_defaults=False):
    """`doc_count` counts its items; `last_synced_at` is when they were last marked as taken in."""

    org_id: str
    collection_id: str
    doc_count: int = 0
    last_synced_at: datetime | None = None
    created_by: str
    created_at: datetime
    updated_at: datetime


class KnowledgeCollectionAnswer(Record, frozen=True, kw_only=True):
    collection: KnowledgeCollection
    collection_id: str


class KnowledgeCollections(Listing, frozen=True, kw_only=True):
    collections: list[KnowledgeCollection]


class KnowledgeQuery(KindQuery, frozen=True, kw_only=True):
    source_type: Word | None = None


class AddKnowledgeItem(Request, frozen=True, kw_only=True):
    """`source_uri` says where it comes from and is never fetched; `content` is what `search` looks into."""

    example: ClassVar[Example] = {"source_uri": "https://example.org/runbook"}

    source_uri: Annotated[str, Meta(min_length=1, max_length=2000)]
    title: Title | None = None
    content: Document | None = None
    mime_type: Word | None = None
    tags: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class KnowledgeItem(AddKnowledgeItem, Record, frozen=True, kw_only=True, omit_defaults=False):
    """`status` is pending until the collection is synced, then synced."""

    org_id: str
    item_id: str
    collection_id: str
    status: str = "pending"
    created_by: str
    created_at: datetime
    updated_at: datetime


class KnowledgeItemAnswer(Record, frozen=True, kw_only=True):
    item: KnowledgeItem
    item_id: str


class KnowledgeItems(Listing, frozen=True, kw_only=True):
    items: list[KnowledgeItem]


class SyncKnowledgeCollection(Request, frozen=True, kw_only=True):
    """Nothing to say."""

    example: ClassVar[Example] = {}


class SyncedKnowledge(Record, frozen=True, kw_only=True):
    """`synced` counts the items that were pending."""

    collection: KnowledgeCollection
    collection_id: str
    synced: int


class SearchKnowledge(Request, frozen=True, kw_only=True):
    example: ClassVar[Example] = {"query": "full disk"}

    query: Annotated[str, Meta(min_length=1, max_length=500)]
    limit: Limit = 5


class KnowledgeMatch(Record, frozen=True, kw_only=True):
    """`score` is the share of the words of the query that the item has, 0 to 1."""

    item: KnowledgeItem
    item_id: str
    score: float


class KnowledgeMatches(Record, frozen=True, kw_only=True):
    """`total` counts all items that have any of the words."""

    query: str
    results: list[KnowledgeMatch]
    total: int


COLLECTION = Kind(
    name="knowledge_collection",
    prefix="kc_",
    path="/api/knowledge/collections",
    singular="collection",
    plural="collections",
    row=KnowledgeCollection,
    named="name",
    key=("name",),
    shared=True,
)
ITEM = Kind(
    name="knowledge_item",
    prefix="ki_",
    path="/api/knowledge/collections/{collection_id}/items",
    singular="item",
    plural="items",
    row=KnowledgeItem,
    named="title",
    key=("source_uri",),
    upserts=True,
    shared=True,
    within=COLLECTION,
    counted="doc_count",
    searched=("title", "content", "source_uri"),
)

CREATE_KNOWLEDGE_COLLECTION = creates(
    COLLECTION, "create_knowledge_collection", CreateKnowledgeCollection, KnowledgeCollectionAnswer
)
LIST_KNOWLEDGE_COLLECTIONS = lists(COLLECTION, "list_knowledge_collections", KnowledgeQuery, KnowledgeCollections)
GET_KNOWLEDGE_COLLECTION = gets(COLLECTION, "get_knowledge_collection", KnowledgeCollectionAnswer)
UPDATE_KNOWLEDGE_COLLECTION = updates(
    COLLECTION, "update_knowledge_collection", UpdateKnowledgeCollection, KnowledgeCollectionAnswer
)
ADD_KNOWLEDGE_COLLECTION_ITEM = creates(ITEM, "add_knowledge_collection_item", AddKnowledgeItem, KnowledgeItemAnswer)
LIST_KNOWLEDGE_COLLECTION_ITEMS = lists(ITEM, "list_knowledge_collection_items", KindQuery, KnowledgeItems)
SYNC_KNOWLEDGE_COLLECTION = Endpoint(
    operation="sync_knowledge_collection",
    method="POST",
    path="/api/knowledge/collections/{collection_id}/sync",
    summary="Mark the pending items of a collection as taken in; nothing is fetched.",
    roles=ACTING,
    request=SyncKnowledgeCollection,
    response=SyncedKnowledge,
    problems=(Code.RECORD_NOT_FOUND, Code.PROJECTION_BEHIND),
)
SEARCH_KNOWLEDGE_COLLECTION = Endpoint(
    operation="search_knowledge_collection",
    method="POST",
    path="/api/knowledge/collections/{collection_id}/search",
    summary="Items of a collection that have the words of a query, the most of them first.",
    roles=ACTING,
    request=SearchKnowledge,
    response=KnowledgeMatches,
    problems=(Code.RECORD_NOT_FOUND, Code.PROJECTION_BEHIND),
)
