"""Kinds of plain records, declared: one declaration makes endpoints, routes and rows.

A plain record is what an agent said, kept under an id of ours with who said it and when (`org_id`, `agent_id`, the key
in `created_by`, `created_at`, `updated_at`). What the kinds differ in is data here, not code in the service: their
path, their members, what counts as the same record said again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, TypeVar

from msgspec import Meta

from assent.contract.endpoint import Body, Endpoint, Filters, Response
from assent.contract.events import EventName
from assent.contract.problems import Code
from assent.contract.record import Cursor, Limit, Offset, Query, Record, Request, ShortText
from assent.contract.roles import ACTING, ANYONE

_Request = TypeVar("_Request", bound=Request)
_Query = TypeVar("_Query", bound="KindQuery")
_Response = TypeVar("_Response")

BODY_LIMIT = 256_000
"""Bytes. A plain record is a note; files belong to attachments."""

Title = Annotated[str, Meta(min_length=1, max_length=500)]
Word = Annotated[str, Meta(max_length=256)]
Words = Annotated[list[Word], Meta(max_length=100)]
Prose = Annotated[str, Meta(max_length=10_000)]
Document = Annotated[str, Meta(max_length=200_000)]
CalendarTime = Annotated[str, Meta(max_length=64, pattern=r"^\d{4}-\d{2}-\d{2}")]
"""A date, or a date and a time, as the calendar that it comes from writes it: often without a zone."""
Amount = Annotated[float, Meta(ge=0, le=1_000_000_000)]
Count = Annotated[int, Meta(ge=0, le=10_000_000_000)]
Percent = Annotated[float, Meta(ge=0, le=100)]


class Listing(Record, frozen=True, kw_only=True):
    """`total` counts all that fit; `next_cursor` is None on the last page."""

    total: int
    next_cursor: str | None


class KindQuery(Query, frozen=True, kw_only=True):
    """What every list of plain records can be narrowed by; newest first."""

    agent_id: ShortText | None = None
    limit: Limit = 50
    offset: Offset = 0
    cursor: Cursor | None = None


class IdQuery(Query, frozen=True, kw_only=True):
    """`id` for published clients, which name it here and not in the path."""

    id: ShortText | None = None


class Deleted(Record, frozen=True, kw_only=True):
    """`id` is the record that is no longer listed; the log keeps what it said."""

    deleted: bool
    id: str


class Verb(StrEnum):
    """What can be done with every kind alike."""

    CREATE = "create"
    LIST = "list"
    GET = "get"
    UPDATE = "update"
    DELETE = "delete"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of record.

    `singular` and `plural` are its names in answers, and `{singular}_id` its id. `named` is the member that is shown as
    its name. `key` are the members by which a record said again is the same one (for kinds that are not `shared`,
    together with its agent); without any, all that was said is. Where `upserts`, saying it again by POST
    changes the record there is; elsewhere it makes another one, and the key counts for `sync_state` alone.
    `shared` records are seen by every agent of the organization, the others by their own; a key that is bound to an
    agent changes that agent's records alone, and those that are nobody's.
    `versioned` are the members whose change counts `version` up, `merged` those whose members are kept when a change
    does not name them. `within` is the kind that it belongs to, `counted` the member of that one which counts it, and
    `embeds` the name of the kind that is shown inside this one. `refers` are members that name a record of a kind.
    `searched` are the members that `search` looks into.
    """

    name: str
    prefix: str
    path: str
    singular: str
    plural: str
    row: type[Record]
    named: str | None = None
    key: tuple[str, ...] = ()
    upserts: bool = False
    shared: bool = False
    versioned: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    within: Kind | None = None
    counted: str | None = None
    embeds: str | None = None
    refers: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    searched: tuple[str, ...] = ()
    created: EventName = EventName.RECORD_CREATED
    updated: EventName = EventName.RECORD_UPDATED

    @property
    def id_name(self) -> str:
        return f"{self.singular}_id"

    @property
    def one(self) -> str:
        """The path of one record."""
        return f"{self.path}/{{{self.id_name}}}"

    @property
    def spoken(self) -> str:
        """The name in sentences."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class OfKind(Endpoint[Body, Filters, Response]):
    """An endpoint that the generic slice serves."""

    kind: Kind
    verb: Verb


def creates(
    kind: Kind, operation: str, request: type[_Request], response: type[_Response]
) -> OfKind[_Request, None, _Response]:
    """`POST` on the kind's path. Members that the request does not know are kept as they are."""
    return OfKind(
        kind=kind,
        verb=Verb.CREATE,
        operation=operation,
        method="POST",
        path=kind.path,
        summary=f"Keep {_article(kind)} {kind.spoken}.",
        roles=ACTING,
        request=request,
        response=response,
        statuses=(201, 200) if kind.upserts else (201,),
        problems=_problems(kind, Code.AGENT_MISMATCH),
        limit=BODY_LIMIT,
        open_body=True,
    )


def lists(
    kind: Kind, operation: str, query: type[_Query], response: type[_Response]
) -> OfKind[None, _Query, _Response]:
    """`GET` on the kind's path."""
    return OfKind(
        kind=kind,
        verb=Verb.LIST,
        operation=operation,
        method="GET",
        path=kind.path,
        summary=f"Records of the kind {kind.spoken}, newest first.",
        roles=ANYONE,
        query=query,
        response=response,
        problems=(Code.RECORD_NOT_FOUND,) if kind.within is not None else (),
    )


def gets(kind: Kind, operation: str, response: type[_Response]) -> OfKind[None, None, _Response]:
    """`GET` on one record."""
    return OfKind(
        kind=kind,
        verb=Verb.GET,
        operation=operation,
        method="GET",
        path=kind.one,
        summary=f"One {kind.spoken}.",
        roles=ANYONE,
        response=response,
        problems=(Code.RECORD_NOT_FOUND,),
    )


def updates(
    kind: Kind, operation: str, request: type[_Request], response: type[_Response]
) -> OfKind[_Request, None, _Response]:
    """`PATCH` on one record: the members that are given replace those there are."""
    return OfKind(
        kind=kind,
        verb=Verb.UPDATE,
        operation=operation,
        method="PATCH",
        path=kind.one,
        summary=f"Change {_article(kind)} {kind.spoken}.",
        roles=ACTING,
        request=request,
        response=response,
        problems=(Code.RECORD_NOT_FOUND, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
        limit=BODY_LIMIT,
        open_body=True,
    )


def deletes(kind: Kind, operation: str) -> OfKind[None, IdQuery, Deleted]:
    """`DELETE` of one record, by path or by `?id=`."""
    return OfKind(
        kind=kind,
        verb=Verb.DELETE,
        operation=operation,
        method="DELETE",
        path=kind.one,
        also=(kind.path,),
        summary=f"Take {_article(kind)} {kind.spoken} out of every list.",
        roles=ACTING,
        query=IdQuery,
        response=Deleted,
        problems=(Code.RECORD_NOT_FOUND, Code.AGENT_MISMATCH, Code.PROJECTION_BEHIND),
    )


def _problems(kind: Kind, *codes: Code) -> tuple[Code, ...]:
    if kind.within is not None or kind.refers:
        codes = (*codes, Code.RECORD_NOT_FOUND)
    if kind.within is not None or kind.refers or kind.upserts:
        codes = (*codes, Code.PROJECTION_BEHIND)
    return codes


def _article(kind: Kind) -> str:
    return "an" if kind.name[0] in "aeio" else "a"
