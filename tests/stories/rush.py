"""Many requests at once: each on a connection of its own that stands before the race begins, so that all of them are in
the service's hands at the same time."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from http.client import HTTPResponse
from typing import Any

from tests.live import WAIT


def at_once(port: int, requests: Sequence[bytes]) -> list[tuple[int, dict[str, Any]]]:
    """Status and JSON object of each answer, in the order of the requests."""
    connections = [socket.create_connection(("127.0.0.1", port), timeout=WAIT) for _ in requests]
    try:
        for connection, content in zip(connections, requests, strict=True):
            # All but the last byte is sent beforehand: what is left of each request is one small write.
            connection.sendall(content[:-1])
        for connection, content in zip(connections, requests, strict=True):
            connection.send(content[-1:])
        return [_answer(connection) for connection in connections]
    finally:
        for connection in connections:
            connection.close()


def request(path: str, body: bytes, key: str, idempotency_key: str | None) -> bytes:
    """A POST as it goes over the wire."""
    repeat = f"idempotency-key: {idempotency_key}\r\n" if idempotency_key else ""
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: {key}\r\n"
        f"content-type: application/json\r\n{repeat}content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _answer(connection: socket.socket) -> tuple[int, dict[str, Any]]:
    response = HTTPResponse(connection)
    response.begin()
    content: dict[str, Any] = json.loads(response.read())
    return response.status, content
