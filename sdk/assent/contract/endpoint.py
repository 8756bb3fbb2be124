"""One operation over HTTP, written once: the service's route and the SDK's method are both made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NotRequired, TypeAlias, TypedDict, TypeVar, Unpack, overload

from assent.contract.problems import Code
from assent.contract.record import Query, Request
from assent.contract.roles import Role

Body = TypeVar("Body", bound=Request | None, covariant=True)
"""The request; None where there is no body."""
Filters = TypeVar("Filters", bound=Query | None, covariant=True)
"""The query; None where there are no parameters."""
Response = TypeVar("Response", covariant=True)

_Request = TypeVar("_Request", bound=Request)
_Query = TypeVar("_Query", bound=Query)
_Response = TypeVar("_Response")
_ANY = TypeVar("_ANY")

MEGABYTE = 1_000_000
DEFAULT_BODY_LIMIT = MEGABYTE

# What any endpoint with a key, a body or a store behind it can answer.
ALWAYS = (
    Code.INTERNAL_ERROR,
    Code.METHOD_NOT_ALLOWED,
    Code.INVALID_HTTP,
    Code.HEADER_TIMEOUT,
    Code.HEADER_TOO_LARGE,
    Code.TOO_MANY_CONNECTIONS,
)
# What others recorded before is known before a key is looked at, or nothing is.
WITH_KEY = (Code.UNAUTHORIZED, Code.TOO_MANY_FAILED_KEYS, Code.FORBIDDEN, Code.PROJECTION_BEHIND)
WITH_BODY = (
    Code.INVALID_JSON,
    Code.INVALID_BODY,
    Code.UNKNOWN_MEMBER,
    Code.PAYLOAD_TOO_LARGE,
    Code.BODY_TIMEOUT,
    Code.BUSY,
)
WITH_QUERY = (Code.INVALID_QUERY,)
ANALYZING = (Code.PROJECTION_BEHIND, Code.ANALYSIS_TOO_LARGE, Code.BUSY)
NARROWING = (
    "window",
    "window_days",
    "lookback_days",
    "days",
    "baseline",
    "recent",
    "agent_id",
    "action_type",
    "source",
    "scorer_id",
    "run_id",
    "profile_id",
    "batch_id",
)
"""Members by which an analysis reads fewer rows, in the order in which they are advised."""


class _Members(TypedDict, Generic[_Response]):
    """The members of an endpoint beside its request and query, for the type checkers: by the overloads of the
    constructor they know of each endpoint what it takes, and no declaration has to say it twice."""

    operation: str
    method: str
    path: str
    response: type[_Response]
    summary: str
    roles: frozenset[Role] | None
    statuses: NotRequired[tuple[int, ...]]
    problems: NotRequired[tuple[Code, ...]]
    also: NotRequired[tuple[str, ...]]
    limit: NotRequired[int]
    open_body: NotRequired[bool]
    closed_query: NotRequired[bool]
    tells_twice: NotRequired[bool]
    spelled: NotRequired[Mapping[str, str]]
    content: NotRequired[str]
    contents: NotRequired[tuple[str, ...]]
    alternative: NotRequired[type | None]
    keeps_secrets: NotRequired[tuple[str, ...]]
    refuses_secrets: NotRequired[bool]
    analyzes: NotRequired[bool]


@dataclass(frozen=True, kw_only=True)
class Endpoint(Generic[Body, Filters, Response]):
    """`path` holds `{name}` for each path parameter; `also` are further paths that published clients use.

    `roles` is None where no key is needed. `limit` is the largest body in bytes; the default one follows the service's
    setting `body_megabytes`. `statuses` are the successful ones, the usual one first. `open_body` says that unknown
    members are kept rather than ignored, `closed_query` that unknown parameters are refused: a misspelt filter would
    answer another question. A body in which a member stands twice in one object is refused, unless its answer
    `tells_twice` that it does. `spelled` are further spellings of
    members and parameters, beside those that hold everywhere (`contract.spelling`). `content` is the media type of
    the answer; where it is a file that may be of several, `contents` are all of them. `alternative` is another record
    that the answer may be, where a parameter asks for it.

    Secrets are taken out of every body (`assent.secrets`). `keeps_secrets` are members that stay as they are sent,
    `list.member` those of a list's items, "*" all: what is not stored, or would be no use without them. With
    `refuses_secrets` a body with one is refused, since what is kept of it has to be kept as it is.

    `analyzes` says that all rows of a window are taken into memory for the answer, within the budget that the settings
    give to one question.
    """

    operation: str
    method: str
    path: str
    response: type[Response]
    summary: str
    roles: frozenset[Role] | None
    request: type[Body] | None = None
    query: type[Filters] | None = None
    statuses: tuple[int, ...] = (200,)
    problems: tuple[Code, ...] = ()
    also: tuple[str, ...] = ()
    limit: int = DEFAULT_BODY_LIMIT
    open_body: bool = False
    closed_query: bool = False
    tells_twice: bool = False
    spelled: Mapping[str, str] = field(default_factory=dict[str, str], hash=False)
    content: str = "application/json"
    contents: tuple[str, ...] = ()
    alternative: type | None = None
    keeps_secrets: tuple[str, ...] = ()
    refuses_secrets: bool = False
    analyzes: bool = False

    if TYPE_CHECKING:

        @overload
        def __init__(self: Endpoint[None, None, _Response], **members: Unpack[_Members[_Response]]) -> None: ...

        @overload
        def __init__(
            self: Endpoint[_Request, None, _Response],
            *,
            request: type[_Request],
            **members: Unpack[_Members[_Response]],
        ) -> None: ...

        @overload
        def __init__(
            self: Endpoint[None, _Query, _Response],
            *,
            query: type[_Query],
            **members: Unpack[_Members[_Response]],
        ) -> None: ...

        @overload
        def __init__(
            self: Endpoint[_Request, _Query, _Response],
            *,
            request: type[_Request],
            query: type[_Query],
            **members: Unpack[_Members[_Response]],
        ) -> None: ...

        def __init__(self, **members: Any) -> None: ...

    def parameters(self) -> list[frozenset[str]]:
        """The names of the parameters of its path, and of each further one."""
        return [
            frozenset(part[1:-1] for part in path.split("/") if part.startswith("{"))
            for path in (self.path, *self.also)
        ]

    def takes_parts(self) -> bool:
        """Whether its body may say that what it brings is not all of it."""
        request: Any = self.request
        return request is not None and "cut" in request.__struct_encode_fields__

    def narrowing(self) -> tuple[str, ...]:
        """Its members that have an analysis read fewer rows."""
        shapes: tuple[Any, ...] = (self.query, self.request)
        own = {name for shape in shapes if shape is not None for name in shape.__struct_encode_fields__}
        return tuple(name for name in NARROWING if name in own)

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
        if Code.STORAGE_UNAVAILABLE in codes:
            # What records may be overtaken by others each time that it is decided.
            codes.append(Code.BUSY)
        if self.analyzes:
            codes += ANALYZING
        return tuple(dict.fromkeys(codes))


AnyEndpoint: TypeAlias = Endpoint[Any, Any, _ANY]
"""Whatever it takes, it answers this."""
