"""Many approvers at once: each on a connection of its own that stands before the race begins, so that all of their
requests are in the service's hands at the same time."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Any

from tests.live import WAIT


@dataclass(frozen=True)
class Decided:
    """What one approver was answered."""

    verdict: str
    status: int
    body: dict[str, Any]


def race(
    port: int, keys: Sequence[str], action_id: str, verdicts: Sequence[str], *, idempotency_key: str | None = None
) -> list[Decided]:
    """Everybody in `keys` decides as `verdicts` says, at once; the answers in the same order."""
    connections = [socket.create_connection(("127.0.0.1", port), timeout=WAIT) for _ in keys]
    try:
        last: list[tuple[socket.socket, bytes]] = []
        for connection, key, verdict in zip(connections, keys, verdicts, strict=True):
            request = _request(key, action_id, verdict, idempotency_key)
            # All but the last byte is sent beforehand: what is left of each request is one small write.
            connection.sendall(request[:-1])
            last.append((connection, request[-1:]))
        for connection, byte in last:
            connection.send(byte)
        return [_answer(connection, verdict) for connection, verdict in zip(connections, verdicts, strict=True)]
    finally:
        for connection in connections:
            connection.close()


def _request(key: str, action_id: str, verdict: str, idempotency_key: str | None) -> bytes:
    body = json.dumps({"decision": verdict, "reasoning": f"I say {verdict}"}).encode()
    repeat = f"idempotency-key: {idempotency_key}\r\n" if idempotency_key else ""
    head = (
        f"POST /api/actions/{action_id}/approve HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: {key}\r\n"
        f"content-type: application/json\r\n{repeat}content-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def _answer(connection: socket.socket, verdict: str) -> Decided:
    response = HTTPResponse(connection)
    response.begin()
    return Decided(verdict, response.status, json.loads(response.read()))
