"""One question to the service, over a plain socket: the HTTP clients of the standard library take longer to import
than the whole exchange takes. So does its module `socket`, of which a client needs nothing but what the interpreter has
below it (`_socket`). TLS goes through `http.client`, at that price.
"""

import _socket
import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LARGEST_ANSWER = 4_000_000
REASONS = {401: "the key is not known to the service", 404: "the service does not know this path"}
ROUTE_NOT_FOUND = "route_not_found"
PROBLEM_TYPE = "urn:assent:problem:"
REQUEST_ID = "x-request-id"
_UNBOUND = (
    f"carries no {REQUEST_ID}, so it may be another request's; have what is in between hand it on, or set "
    "ASSENT_ACCEPT_UNBOUND_ANSWERS=1"
)


class Unanswered(Exception):
    """The service gave no usable answer; the message says what happened and what to do."""


class Unreached(Unanswered):
    """Nobody answered in time."""


class Service:
    """`deadline` is a moment of `time.monotonic` after which nothing is waited for any more. With `accept_unbound` an
    answer need not carry the id of its request."""

    def __init__(self, base_url: str, api_key: str, deadline: float, *, accept_unbound: bool = False) -> None:
        scheme, _, rest = base_url.strip().rstrip("/").partition("://")
        self._authority, slash, prefix = rest.partition("/")
        self._prefix = slash + prefix
        host, _, port = self._authority.rpartition(":") if _has_port(self._authority) else (self._authority, "", "")
        if scheme not in ("http", "https") or not host or not (port or "80").isdigit():
            raise Unanswered(f"ASSENT_BASE_URL is {base_url[:80]!r}; give http://HOST:PORT")
        self._tls = scheme == "https"
        self._host = host.strip("[]")
        self._port = int(port) if port else 443 if self._tls else 80
        self._key = api_key
        self._deadline = deadline
        self._accept_unbound = accept_unbound

    def ask(
        self, method: str, path: str, body: "dict[str, Any] | None" = None, idempotency_key: str = ""
    ) -> "tuple[int, dict[str, Any]]":
        """Status and body, which is a JSON object. Raises Unanswered for everything else: 5xx, 401, 404 unless the
        service itself says what it has not, and an answer that may be another request's."""
        payload = (
            b"" if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        )
        asked = os.urandom(16).hex()
        headers = self._headers(payload, idempotency_key, asked)
        try:
            status, answered, text = (self._over_tls if self._tls else self._plainly)(method, path, payload, headers)
        except (OSError, ValueError, IndexError) as error:
            raise Unreached(
                f"the service at {self._authority} does not answer ({_why(error)}); is `assent serve` running?"
            ) from None
        if answered != asked and (answered or (200 <= status < 300 and not self._accept_unbound)):
            raise Unanswered(
                f"what came from {self._authority} {'is the answer to another request' if answered else _UNBOUND}"
            )
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Unanswered(
                f"what answers at {self._authority} is not Assent (status {status}); check ASSENT_BASE_URL"
            )
        of_service = str(answer.get("type")).startswith(PROBLEM_TYPE)
        missing = status == 404 and of_service and answer.get("code") != ROUTE_NOT_FOUND
        if status >= 500 or (status in REASONS and not missing):
            said = REASONS.get(status) or str(answer.get("detail") or answer.get("error") or "no reason given")
            raise Unanswered(f"the service answered {status}: {said}")
        return status, answer

    def _headers(self, payload: bytes, idempotency_key: str, asked: str) -> "dict[str, str]":
        headers = {
            "Host": self._authority,
            "x-api-key": self._key,
            "Accept": "application/json",
            "Content-Type": "application/json",
            "Content-Length": str(len(payload)),
            "Connection": "close",
            "X-Request-Id": asked,
        }
        return headers | ({"Idempotency-Key": idempotency_key} if idempotency_key else {})

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("out of time")
        return left

    def _plainly(self, method: str, path: str, payload: bytes, headers: "dict[str, str]") -> "tuple[int, str, bytes]":
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        line = connected(self._host, self._port, self._left)
        try:
            line.settimeout(self._left())
            line.sendall(f"{method} {self._prefix}{path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + payload)
            received = b""
            while True:
                line.settimeout(self._left())
                part = line.recv(65536)
                if not part:
                    return _parsed(received)
                received += part
                if len(received) > LARGEST_ANSWER:
                    raise ValueError("the answer is too large")
                if _is_whole(received):
                    return _parsed(received)
        finally:
            line.close()

    def _over_tls(self, method: str, path: str, payload: bytes, headers: "dict[str, str]") -> "tuple[int, str, bytes]":
        from http.client import HTTPException, HTTPSConnection

        connection = HTTPSConnection(self._host, self._port, timeout=self._left())
        try:
            connection.request(method, self._prefix + path, payload, headers)
            answer = connection.getresponse()
            return answer.status, answer.getheader(REQUEST_ID, ""), answer.read(LARGEST_ANSWER)
        except HTTPException as error:
            raise ValueError(type(error).__name__) from None
        finally:
            connection.close()


def connected(host: str, port: int, left: "Callable[[], float]") -> _socket.socket:
    """A connection to the first address of `host` that takes one; `left` are the seconds that there are, and raises
    when there are none. Raises OSError, the last address's."""
    # A name in ASCII is given as bytes: of a text the interpreter would import what other alphabets need.
    name = host.encode("ascii") if host.isascii() else host
    refused = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in _socket.getaddrinfo(name, port, 0, _socket.SOCK_STREAM):
        line = _socket.socket(family, kind, protocol)
        try:
            line.settimeout(left())
            line.connect(address)
        except OSError as error:
            line.close()
            refused = error
        else:
            return line
    raise refused


def _is_whole(received: bytes) -> bool:
    head, gap, body = received.partition(b"\r\n\r\n")
    length = _length(head)
    return bool(gap) and length is not None and len(body) >= length


def _length(head: bytes) -> "int | None":
    value = _header(head, b"content-length")
    if value is None:
        return None
    if not value.isdigit():
        raise ValueError("no HTTP")
    return int(value)


def _header(head: bytes, wanted: bytes) -> "bytes | None":
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == wanted:
            return value.strip()
    return None


def _parsed(received: bytes) -> "tuple[int, str, bytes]":
    head, gap, body = received.partition(b"\r\n\r\n")
    if not gap or not head.startswith(b"HTTP/1."):
        raise ValueError("no HTTP")
    status = int(head.split(b" ", 2)[1])
    answered = (_header(head, REQUEST_ID.encode()) or b"").decode("latin-1")
    length = _length(head)
    if length is not None:
        if len(body) < length:
            raise ValueError("the answer broke off")
        return status, answered, body[:length]
    if b"chunked" in head.lower():
        return status, answered, _unchunked(body)
    return status, answered, body


def _unchunked(body: bytes) -> bytes:
    whole = b""
    while True:
        size, _, rest = body.partition(b"\r\n")
        length = int(size.split(b";")[0], 16)
        if length == 0:
            return whole
        if length < 0 or len(rest) < length:
            raise ValueError("the answer broke off")
        whole += rest[:length]
        body = rest[length + 2 :]


def _has_port(authority: str) -> bool:
    return ":" in authority.rsplit("]", 1)[-1]


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "out of time"
    return str(getattr(error, "strerror", None) or str(error) or type(error).__name__)
