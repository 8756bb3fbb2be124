"""Building a request out of a call: pure, and the same for both drivers.

Path, method and body limit come from the endpoint. A path parameter is percent-encoded whole, so that `../x` or
`a/b` stays one segment; empty ones, `.` and `..` have a meaning of their own in an address and are refused. `None`
in a query or a body means "not given". Numbers that JSON cannot say (NaN, infinity) are refused, because they would
arrive as null. So is an id of the service in a member where ids of another kind belong (`contract.ids`): it would be
not found at best.
"""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, cast
from urllib.parse import quote, urlencode

import msgspec

from assent import __version__
from assent.client.flow import Body, Listen, Outgoing, Send
from assent.client.outbox import Outbox
from assent.client.session import Session, in_session
from assent.contract.endpoint import AnyEndpoint
from assent.contract.events import STREAM
from assent.contract.file import FILES
from assent.contract.ids import BELONGS, misplaced
from assent.settings import LONGEST_RETRY_SECONDS

SHORTEST_TIMEOUT = 0.1
ANALYSIS_SECONDS = 120.0
"""How long the answer to an analysis is waited for, at least: the minute that the service gives to each of its queries
(`analytics_seconds`), and as long again for its turn."""
USER_AGENT = f"assent/{__version__}"


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Where the service is and how to speak to it. `timeout` in seconds; `retries` after the first attempt, None as
    many as are usual; `retry_seconds` for how long what carries an idempotency key is tried again. With
    `accept_unbound` an answer need not carry the id of its request; `max_connections` is None where that is up to an
    http client which was handed in; `session` is the client's own. Raises ValueError for numbers out of range."""

    base_url: str
    headers: Mapping[str, str]
    timeout: float
    retries: int | None
    retry_seconds: float
    outbox: Outbox
    accept_unbound: bool = False
    max_connections: int | None = None
    session: Session | None = None

    def __post_init__(self) -> None:
        if not self.timeout > 0 or (self.retries is not None and self.retries < 0):
            raise ValueError(
                f"timeout is {self.timeout!r} and retries {self.retries!r}; give seconds above 0 and 0 or more"
            )
        if not 0 <= self.retry_seconds <= LONGEST_RETRY_SECONDS:
            raise ValueError(f"retry_seconds is {self.retry_seconds!r}; give 0 to {LONGEST_RETRY_SECONDS:g}")


def headers_of(api_key: str | None) -> dict[str, str]:
    """What every request carries. Strict handling makes the service name a misspelt member instead of ignoring it."""
    headers = {"accept": "application/json", "prefer": "handling=strict", "user-agent": USER_AGENT}
    if api_key is not None:
        headers["x-api-key"] = api_key
    return headers


def build(call: Send[Any], line: Line) -> Outgoing:
    """Raises ValueError and TypeError for what cannot be sent as it was meant."""
    _check_ids(call)
    headers = {**line.headers, **call.headers}
    body = None
    if call.body is not None:
        said = call.body
        if isinstance(said, Mapping) and not call.signed:
            said = in_session(call.endpoint, said, line.session)
        body = encoded(said)
        headers["content-type"] = "application/json"
    return Outgoing(
        method=call.endpoint.method,
        url=line.base_url + filled(call.endpoint.path, call.path) + asked(call.query),
        headers=headers,
        body=body,
        timeout=line.timeout if call.within is None else max(SHORTEST_TIMEOUT, min(line.timeout, call.within)),
        silence=max(line.timeout, ANALYSIS_SECONDS) if call.endpoint.analyzes and call.within is None else None,
        in_turn_until=call.in_turn_until,
        file=call.endpoint.response in FILES,
    )


def _check_ids(call: Send[Any]) -> None:
    """Raises ValueError. Of a body only the contract's own members: the others of an open one are the caller's."""
    said: list[Mapping[str, object]] = [call.path, call.query]
    if isinstance(call.body, Mapping):
        said.append(call.body)
    elif call.body is not None:
        said.append(msgspec.structs.asdict(call.body))
    holding = _ids_of(call.endpoint)
    for each in said:
        for member in holding & each.keys():
            value = each[member]
            for id_ in cast("list[object]", value) if isinstance(value, list) else (value,):
                wrong = misplaced(member, id_) if isinstance(id_, str) else None
                if wrong is not None:
                    raise ValueError(wrong)


@functools.cache
def _ids_of(endpoint: AnyEndpoint[Any]) -> frozenset[str]:
    """The members of a call that hold ids of a known kind."""
    shapes = (endpoint.request, endpoint.query)
    own = {member for shape in shapes if shape is not None for member in shape.__struct_encode_fields__}
    return frozenset(member for member in BELONGS if member in own or f"{{{member}}}" in endpoint.path)


def build_stream(step: Listen, line: Line) -> Outgoing:
    headers = {
        **line.headers,
        "accept": STREAM.content,
        "accept-encoding": "identity",
        "cache-control": "no-cache",
    }
    if step.last_event_id is not None:
        headers["last-event-id"] = str(step.last_event_id)
    query = {name: value for name, value in msgspec.structs.asdict(step.query).items() if value is not None}
    return Outgoing(
        method=STREAM.method,
        url=line.base_url + STREAM.path + asked(query),
        headers=headers,
        body=None,
        timeout=min(line.timeout, step.silence),
        silence=step.silence,
    )


def filled(path: str, values: Mapping[str, object]) -> str:
    """`path` with each `{name}` replaced. Raises ValueError for what cannot be one segment, TypeError for no text."""
    for name, value in values.items():
        if value in ("", ".", ".."):
            raise ValueError(f"{name} is {value!r}, which is no id; take it from the answer that created it")
        if not isinstance(value, str):
            raise TypeError(f"{name} is {value!r}; give the id as text, such as created.action_id")
        path = path.replace("{" + name + "}", quote(value, safe=""))
    return path


def asked(query: Mapping[str, Any]) -> str:
    """The query with its question mark, or nothing."""
    given = {name: _plain(value) for name, value in query.items() if value is not None}
    return "?" + urlencode(given, quote_via=quote) if given else ""


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)


def encoded(body: Body) -> bytes:
    """The body as JSON. Raises ValueError for NaN, infinity and half a character, TypeError for what JSON has no form
    for."""
    try:
        text = msgspec.json.encode(body, enc_hook=_collection)
    except UnicodeEncodeError as error:
        half = f"U+{ord(error.object[error.start]):04X}"
        raise ValueError(
            f"the body has a text with half a character ({half}), which JSON cannot say; replace it, as with "
            'text.encode("utf-8", "replace").decode()'
        ) from None
    if b"null" in text:
        plain: object = msgspec.to_builtins(body, enc_hook=_collection)
        for place, number in _floats(plain, "body"):
            if not math.isfinite(number):
                raise ValueError(f"{place} is {number}, which JSON cannot say; give a number or leave it out")
    return text


def _collection(value: object) -> object:
    """A mapping or a sequence of another type than Python's own."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, Iterable):
        return list(cast("Iterable[object]", value))
    raise TypeError(f"Encoding objects of type {type(value).__name__} is unsupported")


def _floats(value: object, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float):
        yield place, value
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[object, object]", value).items():
            yield from _floats(item, f"{place}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(cast("Sequence[object]", value)):
            yield from _floats(item, f"{place}[{index}]")


def members(shape: type[msgspec.Struct], given: Mapping[str, Any], caller: str) -> dict[str, Any]:
    """What was given, without Nones and under the wire's names. Raises TypeError for a name `shape` does not have."""
    names = dict(zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True))
    check_names(given, names, caller)
    return {names[name]: value for name, value in given.items() if value is not None}


def check_names(given: Iterable[str], known: Iterable[str], caller: str) -> None:
    """Raises TypeError for a name that is none of the known ones."""
    known = list(known)
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        near = difflib.get_close_matches(unknown, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known) or 'none'}"
        raise TypeError(f"{caller}() has no parameter {unknown!r}; {hint}")
