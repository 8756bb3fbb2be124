"""What was answered over HTTP: kept for who wants to look (`client.last_response`), and told in a line of the log.

The line goes to the logger `assent.calls`, at DEBUG, for each request that is sent, repetitions included. It has
neither headers nor bodies; what looks like a secret in its address is taken out (`assent.secrets`). ASSENT_DEBUG=1
has these lines printed on standard error where the program has set up no logging of its own.

httpx itself tells each address at INFO, by the logger `httpx`: of our requests without what looks like a secret.

What was answered last is known to the thread, and within an event loop to the task, that asked: others that use the
same client do not come in between. What a task is answered is not known to the task that began it.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit
from weakref import ReferenceType, ref

from assent.client.answer import REQUEST_ID, bare
from assent.client.flow import Outgoing
from assent.client.on_demand import httpx
from assent.secrets import displayed

LOG = logging.getLogger("assent.calls")
LONGEST_KEPT = 1_000_000
"""Bytes of an answer that are kept to be looked at."""
LONGEST_SHOWN = 300


@dataclass(frozen=True, kw_only=True)
class HttpResponse:
    """One answer. `url` is without its query, names of `headers` are in lower case, `request_id` is the one by which
    the service's own log knows the request, `seconds` how long its headers took to come. `body` is None for what was
    read while it arrived, and for more than a megabyte."""

    method: str
    url: str
    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    request_id: str
    seconds: float


_last: ContextVar[tuple[ReferenceType[object], HttpResponse] | None] = ContextVar("assent_last_response", default=None)


def last_response(connections: object) -> HttpResponse | None:
    """What this thread or task was answered last, unless that came over other connections."""
    found = _last.get()
    return found[1] if found is not None and found[0]() is connections else None


def answered(
    connections: object | None,
    outgoing: Outgoing,
    response: httpx.Response,
    body: bytes | None,
    asked: str,
    seconds: float,
) -> None:
    """An answer has come to the request of this id; it is kept unless `connections` is None."""
    if connections is not None:
        _keep(connections, outgoing, response, body, asked, seconds)
    if LOG.isEnabledFor(logging.DEBUG):
        size = "a file" if body is None else f"{len(body)} bytes"
        _tell(outgoing, f"{response.status_code} in {seconds * 1000:.1f} ms, {size}", asked)


def _keep(
    connections: object, outgoing: Outgoing, response: httpx.Response, body: bytes | None, asked: str, seconds: float
) -> None:
    kept = HttpResponse(
        method=outgoing.method,
        url=bare(outgoing.url),
        status=response.status_code,
        headers=dict(response.headers),
        body=body if body is None or len(body) <= LONGEST_KEPT else None,
        request_id=asked,
        seconds=seconds,
    )
    _last.set((ref(connections), kept))


def unanswered(outgoing: Outgoing, why: str, asked: str, seconds: float) -> None:
    """No answer has come that could be used."""
    if LOG.isEnabledFor(logging.DEBUG):
        _tell(outgoing, f"no answer after {seconds * 1000:.1f} ms ({_one_line(displayed(why))})", asked)


def _tell(outgoing: Outgoing, outcome: str, asked: str) -> None:
    LOG.debug("%s %s %s, %s %s", outgoing.method, _target(outgoing.url), outcome, REQUEST_ID, asked)


def _target(url: str) -> str:
    """Path and query for a person, without what looks like a secret, however it is written in an address."""
    parts = urlsplit(url)
    return _one_line(displayed(unquote(parts.path + ("?" + parts.query if parts.query else ""))))


def _one_line(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
    return shown if len(shown) <= LONGEST_SHOWN else shown[:LONGEST_SHOWN] + "…"


class _Addresses(logging.Filter):
    """Of our own requests only: what others have httpx log stays as it is."""

    def filter(self, record: logging.LogRecord) -> bool:
        if _sending.get() and isinstance(record.args, tuple):
            record.args = tuple(_shown(each) if isinstance(each, httpx.URL) else each for each in record.args)
        return True


def _shown(url: httpx.URL) -> object:
    told = unquote(str(url))
    shown = displayed(told)
    return url if shown == told else _one_line(shown)


_sending: ContextVar[bool] = ContextVar("assent_sending", default=False)
_addresses = _Addresses()


@contextmanager
def sending() -> Generator[None]:
    """Around what has httpx send a request of ours."""
    logging.getLogger("httpx").addFilter(_addresses)  # which is there once, however often it is said
    token = _sending.set(True)
    try:
        yield
    finally:
        _sending.reset(token)


def show_calls() -> None:
    """Print the lines, unless the program's own logging gets them."""
    if not LOG.isEnabledFor(logging.DEBUG):
        LOG.setLevel(logging.DEBUG)
    if not LOG.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("assent: %(message)s"))
        LOG.addHandler(handler)
