"""Snippets: code that agents keep to use it again, by name."""

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
    deletes,
    gets,
    lists,
)
from assent.contract.problems import Code
from assent.contract.record import Example, Record, Request, ShortText
from assent.contract.roles import ACTING


class SaveSnippet(Request, frozen=True, kw_only=True):
    """A name that is there already gets the new code."""

    example: ClassVar[Example] = {"name": "usage", "code": "df -h"}

    name: Title
    code: Document
    description: Prose | None = None
    language: Word | None = None
    tags: Words | None = None
    agent_id: ShortText | None = None
    metadata: dict[str, Any] | None = None


class Snippet(SaveSnippet, Record, frozen=True, kw_only=True, omit_defaults=False):
    """`use_count` counts `use_snippet`."""

    org_id: str
    snippet_id: str
    use_count: int = 0
    last_used_at: datetime | None = None
    created_by: str
    created_at: datetime
    updated_at: datetime


class SnippetAnswer(Record, frozen=True, kw_only=True):
    snippet: Snippet
    snippet_id: str


class Snippets(Listing, frozen=True, kw_only=True):
    snippets: list[Snippet]


class SnippetsQuery(KindQuery, frozen=True, kw_only=True):
    """`search` looks into name, description and code, whatever the case; `tag` is one of the tags."""

    search: Annotated[str, Meta(max_length=200)] | None = None
    language: Word | None = None
    tag: Word | None = None


class UseSnippet(Request, frozen=True, kw_only=True):
    """Nothing to say."""

    example: ClassVar[Example] = {}


SNIPPET = Kind(
    name="snippet",
    prefix="snip_",
    path="/api/snippets",
    singular="snippet",
    plural="snippets",
    row=Snippet,
    named="name",
    key=("name",),
    upserts=True,
    shared=True,
    searched=("name", "description", "code"),
)

SAVE_SNIPPET = creates(SNIPPET, "save_snippet", SaveSnippet, SnippetAnswer)
GET_SNIPPETS = lists(SNIPPET, "get_snippets", SnippetsQuery, Snippets)
GET_SNIPPET = gets(SNIPPET, "get_snippet", SnippetAnswer)
DELETE_SNIPPET = deletes(SNIPPET, "delete_snippet")
USE_SNIPPET = Endpoint(
    operation="use_snippet",
    method="POST",
    path="/api/snippets/{snippet_id}/use",
    summary="Count a use of a snippet.",
    roles=ACTING,
    request=UseSnippet,
    response=SnippetAnswer,
    problems=(Code.RECORD_NOT_FOUND, Code.PROJECTION_BEHIND),
)
