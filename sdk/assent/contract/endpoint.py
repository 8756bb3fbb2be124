"""One operation over HTTP, written once: the service's route and the SDK's method are both made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from assent.contract.problems import Code
from assent.contract.record import Query, Request
from assent.contract.roles import Role

Response = TypeVar("Response")

MEGABYTE = 1_000_000
DEFAULT_BODY_LIMIT = 2 * MEGABYTE

# What any endpoint with a key, a body or a store behind it can answer.
ALWAYS = (Code.INTERNAL_ERROR, Code.METHOD_NOT_ALLOWED)
WITH_KEY = (Code.UNAUTHORIZED, Code.FORBIDDEN)
WITH_BODY = (
    Code.INVALID_JSON,
    Code.INVALID_BODY,
    Code.UNKNOWN_MEMBER,
    Code.PAYLOAD_TOO_LARGE,
    Code.BODY_TIMEOUT,
    Code.BUSY,
)
WITH_QUERY = (Code.INVALID_QUERY,)


@dataclass(frozen=True, kw_only=True)
class Endpoint(Generic[Response]):
    """`path` holds `{name}` for each path parameter; `also` are further paths that published clients use.

    `roles` is None where no key is needed. `limit` is the largest body in bytes. `statuses` are the successful ones,
    the usual one first. `open_body` says that unknown members are kept rather than ignored, `closed_query` that
    unknown parameters are refused: a misspelt filter would answer another question. `spelled` are further spellings of
    members and parameters, beside those that hold everywhere (`contract.spelling`). `content` is the media type of
    the answer; where it is a file that may be of several, `contents` are all of them. `alternative` is another record
    that the answer may be, where a parameter asks for it.

    Secrets are taken out of every body (`assent.secrets`). `keeps_secrets` are members that stay as they are sent,
    `list.member` those of a list's items, "*" all: what is not stored, or would be no use without them. With
    `refuses_secrets` a body with one is refused, since what is kept of it has to be kept as it is.
    """

    operation: str
    method: str
    path: str
    response: type[Response]
    summary: str
    roles: frozenset[Role] | None
    request: type[Request] | None = None
    query: type[Query] | None = None
    statuses: tuple[int, ...] = (200,)
    problems: tuple[Code, ...] = ()
    also: tuple[str, ...] = ()
    limit: int = DEFAULT_BODY_LIMIT
    open_body: bool = False
    closed_query: bool = False
    spelled: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    content: str = "application/json"
    contents: tuple[str, ...] = ()
    alternative: type | None = None
    keeps_secrets: tuple[str, ...] = ()
    refuses_secrets: bool = False

    def every_problem(self) -> tuple[Code, ...]:
        """All codes this endpoint can answer with, its own and those that its shape brings along."""
        codes = [*self.problems, *ALWAYS]
        if Code.ACTION_NOT_FOUND in self.problems:
            # Whoever can be told that an action is not there can be told that it was erased.
            codes.append(Code.ACTION_ERASED)
        if self.roles is not None:
            codes += WITH_KEY
        if self.request is not None:
            codes += WITH_BODY
        if self.query is not None:
            codes += WITH_QUERY
        if "{" in self.path:
            codes.append(Code.INVALID_PATH)
        if self.method != "GET":
            codes += [Code.STORAGE_UNAVAILABLE, Code.READ_ONLY]
        else:
            codes += [Code.PROJECTION_BEHIND]
        return tuple(dict.fromkeys(codes))
