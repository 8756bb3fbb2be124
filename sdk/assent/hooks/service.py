"""One question to the service, over a plain socket: the HTTP clients of the standard library take longer to import
than the whole exchange takes. TLS goes through `http.client`, at that price.
"""

import json
import socket
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LARGEST_ANSWER = 4_000_000
REASONS = {401: "the key is not known to the service", 404: "the service does not know this path"}
ROUTE_NOT_FOUND = "route_not_found"


class Unanswered(Exception):
    """The service gave no usable answer; the message says what happened and what to do."""


class Service:
    """`deadline` is a moment of `time.monotonic` after which nothing is waited for any more."""

    def __init__(self, base_url: str, api_key: str, deadline: float) -> None:
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

    def ask(
        self, method: str, path: str, body: "dict[str, Any] | None" = None, idempotency_key: str = ""
    ) -> "tuple[int, dict[str, Any]]":
        """Status and body, which is a JSON object. Raises Unanswered for everything else: 5xx, 401, and 404 for a path
        that the service does not have."""
        payload = (
            b"" if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
        )
        try:
            status, text = (self._over_tls if self._tls else self._plainly)(method, path, payload, idempotency_key)
        except (OSError, ValueError, IndexError) as error:
            raise Unanswered(
                f"the service at {self._authority} does not answer ({_why(error)}); is `assent serve` running?"
            ) from None
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise Unanswered(
                f"what answers at {self._authority} is not Assent (status {status}); check ASSENT_BASE_URL"
            )
        missing = status == 404 and str(answer.get("code") or ROUTE_NOT_FOUND) != ROUTE_NOT_FOUND
        if status >= 500 or (status in REASONS and not missing):
            said = REASONS.get(status) or str(answer.get("detail") or answer.get("error") or "no reason given")
            raise Unanswered(f"the service answered {status}: {said}")
        return status, answer

    def _headers(self, payload: bytes, idempotency_key: str) -> "dict[str, str]":
        headers = {
            "Host": self._authority,
            "x-api-key": self._key,
            "Accept": "application/json",
            "Content-Type": "application/json",
            "Content-Length": str(len(payload)),
            "Connection": "close",
        }
        return headers | ({"Idempotency-Key": idempotency_key} if idempotency_key else {})

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("out of time")
        return left

    def _plainly(self, method: str, path: str, payload: bytes, idempotency_key: str) -> "tuple[int, bytes]":
        head = "".join(f"{name}: {value}\r\n" for name, value in self._headers(payload, idempotency_key).items())
        with socket.create_connection((self._host, self._port), timeout=self._left()) as line:
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

    def _over_tls(self, method: str, path: str, payload: bytes, idempotency_key: str) -> "tuple[int, bytes]":
        from http.client import HTTPException, HTTPSConnection

        connection = HTTPSConnection(self._host, self._port, timeout=self._left())
        try:
            connection.request(method, self._prefix + path, payload, self._headers(payload, idempotency_key))
            answer = connection.getresponse()
            return answer.status, answer.read(LARGEST_ANSWER)
        except HTTPException as error:
            raise ValueError(type(error).__name__) from None
        finally:
            connection.close()


def _is_whole(received: bytes) -> bool:
    head, gap, body = received.partition(b"\r\n\r\n")
    length = _length(head)
    return bool(gap) and length is not None and len(body) >= length


def _length(head: bytes) -> "int | None":
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            if not value.strip().isdigit():
                raise ValueError("no HTTP")
            return int(value)
    return None


def _parsed(received: bytes) -> "tuple[int, bytes]":
    head, gap, body = received.partition(b"\r\n\r\n")
    if not gap or not head.startswith(b"HTTP/1."):
        raise ValueError("no HTTP")
    status = int(head.split(b" ", 2)[1])
    length = _length(head)
    if length is not None:
        if len(body) < length:
            raise ValueError("the answer broke off")
        return status, body[:length]
    if b"chunked" in head.lower():
        return status, _unchunked(body)
    return status, body


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
