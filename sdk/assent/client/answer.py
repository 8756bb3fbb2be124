"""Reading an answer: pure, and the same for both drivers.

A status the endpoint names, or any 2xx, is read as the endpoint's record (or is a file, where the endpoint answers
with bytes), unless the body is a problem document.
Everything else becomes an exception: by its `code` when that is known, else by its status. Members that this SDK
does not know are ignored in both, so that it survives a newer service. What a call runs by has one reading: a status
that the endpoint names, and each member once.

An answer is bound to its question: each attempt carries an id of its own, which the service answers with. What carries
another id is the answer to another question, over a connection that somebody else uses too: it is thrown away unread,
and its connection with it. A success that carries none could be: it is refused, unless the client was told to accept
that. A refusal that carries none stays what it is (something in between often answers by itself when the service is not
to be had), since nothing is let through by it. Only an outcome asks whose refusal it was (`is_of_service`): it is let
go of by the service's own, which its problem's type tells.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

import msgspec

from assent.client.flow import Answer, Consumed, ExchangeFailure, Outgoing
from assent.client.on_demand import httpx
from assent.contract.control.guard import GuardResult
from assent.contract.endpoint import AnyEndpoint
from assent.contract.file import FILES, File
from assent.contract.one_reading import Twice, once
from assent.contract.prepared import prepared
from assent.contract.problems import PROBLEM_JSON, PROBLEM_TYPE, Code, FieldError
from assent.errors import (
    EXCEPTIONS,
    ApiError,
    AssentError,
    ConnectionFailed,
    Forbidden,
    GuardBlockedError,
    ServerError,
    UnboundAnswer,
    family,
)
from assent.secrets import displayed

T = TypeVar("T")
_SHOWN = 300
_WORDS = ("code", "title", "detail", "error")
_PAGE = "text/html"
_LETS_RUN = frozenset({"guard", "create_action", "get_action", "claim_action"})
"""What a call runs by."""


class _Problem(msgspec.Struct, frozen=True, kw_only=True):
    """A problem read with goodwill: a proxy or an older service leaves members out."""

    code: str = ""
    title: str = ""
    detail: str = ""
    error: str = ""
    errors: list[FieldError] = msgspec.field(default_factory=list[FieldError])


class _Attempt(msgspec.Struct, frozen=True):
    """The recorded attempt beside guard's decision."""

    action_id: str | None = None


def is_file(status: int, headers: Mapping[str, str]) -> bool:
    """Whether the body may be consumed while it arrives: a success, and neither a problem document nor a page."""
    return 200 <= status < 300 and not headers.get("content-type", "").startswith((PROBLEM_JSON, _PAGE))


def read(endpoint: AnyEndpoint[T], answer: Answer | Consumed | ExchangeFailure, url: str, today: datetime) -> T:
    """The endpoint's record, or what was made of its file. Raises what the answer amounts to."""
    if isinstance(answer, ExchangeFailure):
        raise ConnectionFailed(url=bare(url), reason=answer.reason, uncertain=answer.uncertain, late=answer.late)
    if isinstance(answer, Consumed):
        made: T = answer.value
        return made
    content = answer.headers.get("content-type", "")
    expected = answer.status in endpoint.statuses or 200 <= answer.status < 300
    if not expected or content.startswith(PROBLEM_JSON):
        raise refusal(answer, url, today)
    if not answer.bound:
        raise UnboundAnswer(url=bare(url), answered=None, uncertain=endpoint.method != "GET")
    if endpoint.operation in _LETS_RUN:
        _check_one_reading(endpoint, answer, url)
    if endpoint.response in FILES:
        return _file(endpoint, answer, content, url)
    try:
        return msgspec.json.decode(answer.body, type=prepared(endpoint.response))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ServerError(
            status=answer.status,
            code="unreadable_answer",
            detail=f"{bare(url)} answered {endpoint.operation} with something that is no "
            f"{endpoint.response.__name__}: {error} (it begins {_beginning(answer.body)})",
        ) from None


def _check_one_reading(endpoint: AnyEndpoint[Any], answer: Answer, url: str) -> None:
    """Raises UnboundAnswer for a yes to a call that could be read in two ways: with a status that this question is not
    answered with, with two ids, or with a member that stands twice in one object."""
    wrong = None
    if answer.status not in endpoint.statuses:
        wrong = f"its status is {answer.status}"
    elif "," in answer.headers.get(REQUEST_ID, ""):
        wrong = "it carries two request ids"
    else:
        try:
            said = json.loads(answer.body, object_pairs_hook=once)
            if answer.status == HTTPStatus.ACCEPTED and said["action"]["status"] == "running":
                wrong = "its status says that it waits"
        except Twice as twice:
            wrong = f"the member {twice.name[:80]!r} stands twice in it"
        except (ValueError, LookupError, TypeError, RecursionError):
            pass  # what it is read as says so
    if wrong is not None:
        reason = f"what came answers something else: {wrong}"
        raise UnboundAnswer(url=bare(url), answered=None, uncertain=endpoint.method != "GET", reason=reason)


def _file(endpoint: AnyEndpoint[T], answer: Answer, content: str, url: str) -> T:
    """The body as it came, unless it is a page for people: what stands in between answers like that."""
    if content.startswith(_PAGE):
        raise ServerError(
            status=answer.status,
            code="unreadable_answer",
            detail=f"{bare(url)} answered {endpoint.operation} with a page (it begins {_beginning(answer.body)})",
        )
    if endpoint.response is File:
        return cast("T", File(data=answer.body, filename=_filename(answer.headers), mime_type=content))
    return cast("T", answer.body)


def _filename(headers: Mapping[str, str]) -> str:
    """What Content-Disposition calls the file (RFC 6266), in its extended form where there is one."""
    from email.message import Message
    from email.utils import collapse_rfc2231_value

    parts = Message()
    parts["content-disposition"] = headers.get("content-disposition", "attachment")
    given = cast("list[tuple[str, str | tuple[str, str, str]]]", parts.get_params([], "content-disposition"))
    named = [value for name, value in given if name == "filename" and value]
    # In its extended form it is three: charset, language and value.
    extended = [value for value in named if not isinstance(value, str)]
    return collapse_rfc2231_value((extended or named or ["attachment"])[0])


def refusal(answer: Answer, url: str, today: datetime) -> AssentError:
    """The exception for an answer that is no success, without what looks like a secret: a page of errors may show the
    request with its key."""
    raw, problem = _problem(answer.body)
    code: Code | str = problem.code or "unknown"
    shape: type[ApiError] | type[GuardBlockedError] = family(answer.status)
    if problem.code in Code.__members__.values():
        code = Code(problem.code)
        shape = EXCEPTIONS[code]
    if issubclass(shape, GuardBlockedError):
        blocked = _blocked(raw)
        if blocked is not None:
            return blocked
        shape = Forbidden
    return shape(
        status=answer.status,
        code=code,
        detail=problem.detail or problem.error or problem.title or _stranger(answer, url),
        errors=[FieldError(place=displayed(each.place), message=displayed(each.message)) for each in problem.errors],
        problem=raw,
        retry_after=waiting(answer.headers.get("retry-after"), today),
    )


def is_of_service(error: ApiError) -> bool:
    """Whether a service said so itself: each of its refusals is a problem document of its own type. A page of something
    in between, with whatever status, is none, and neither is a success that cannot be read."""
    return str(error.problem.get("type")).startswith(PROBLEM_TYPE)


def waiting(retry_after: str | None, today: datetime) -> float | None:
    """Seconds that a Retry-After header asks for; it holds a number of seconds or a date (RFC 9110, 10.2.3)."""
    if retry_after is None:
        return None
    text = retry_after.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(text)
        return max(0.0, (moment - today).total_seconds())
    except (ValueError, TypeError):
        return None


def bare(url: str) -> str:
    """The address without a user name, a password or a query, fit for messages."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _problem(body: bytes) -> tuple[Mapping[str, Any], _Problem]:
    try:
        raw = msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}, _Problem()
    raw |= {name: displayed(raw[name]) for name in _WORDS if isinstance(raw.get(name), str)}
    try:
        return raw, msgspec.convert(raw, prepared(_Problem))
    except msgspec.ValidationError:
        texts = {name: raw[name] for name in _WORDS if isinstance(raw.get(name), str)}
        return raw, _Problem(**texts)


def _blocked(raw: Mapping[str, Any]) -> GuardBlockedError | None:
    try:
        decision = msgspec.convert(raw.get("decision"), prepared(GuardResult))
    except msgspec.ValidationError:
        return None
    try:
        attempt = msgspec.convert(raw.get("action"), prepared(_Attempt))
    except msgspec.ValidationError:
        attempt = _Attempt()
    return GuardBlockedError(decision, attempt.action_id)


def _stranger(answer: Answer, url: str) -> str:
    location = answer.headers.get("location")
    sent = f" and points to {bare(location)}" if location else ""
    return f"{bare(url)} answered without a problem document{sent}; it begins {_beginning(answer.body)}"


def _beginning(body: bytes) -> str:
    """Shortened last: half a secret is one, too."""
    return repr(displayed(body[: 4 * _SHOWN].decode("utf-8", "replace"))[:_SHOWN])


REQUEST_ID = "x-request-id"


def fresh_id() -> str:
    """From the operating system, so that processes forked from one another do not come to the same."""
    return os.urandom(16).hex()


def is_bound(response: httpx.Response, asked: str, outgoing: Outgoing, *, accept_unbound: bool) -> bool:
    """Whether the answer carries the id of its request, or need not. Raises UnboundAnswer for another id, and where a
    success carries none."""
    answered = response.headers.get(REQUEST_ID)
    if answered is None:
        if accept_unbound:
            return True
        if not response.is_success:
            return False
    # Something in between may have added one of its own; ours can come from nowhere but our request.
    elif asked in (each.strip() for each in answered.split(",")):
        return True
    # What echoes a request may have its key in it.
    shown = None if answered is None else displayed(answered)
    raise UnboundAnswer(url=bare(outgoing.url), answered=shown, uncertain=outgoing.method != "GET")
