"""Who hears of an approval: `python -m tests.benchmarks.listeners agent|reader BASE_URL API_KEY`.

`agent` takes action ids on standard input, says when it only listens, and prints the nanosecond in which it went on.
`reader` reads the event stream from a bare socket and prints the nanosecond in which it had each decision.
"""

from __future__ import annotations

import itertools
import socket
import sys
import time
from urllib.parse import urlsplit

import httpx

from assent import Client

LOOKS = 2
"""How often the SDK reads the action before it only listens: when its stream is open, and when that says so."""


def wait_as_agent(base_url: str, key: str) -> None:
    looks = itertools.count(1)

    def looked(response: httpx.Response) -> None:
        if response.request.url.path.startswith("/api/actions/") and next(looks) % LOOKS == 0:
            print("waiting", flush=True)

    hooks = {"response": [looked]}
    with httpx.Client(event_hooks=hooks) as http, Client(base_url, key, http=http, say=lambda _: None) as client:
        for line in sys.stdin:
            client.wait_for_approval(line.strip(), timeout=60)
            print(time.monotonic_ns(), flush=True)


def read_bare(base_url: str, key: str) -> None:
    address = urlsplit(base_url)
    with socket.create_connection((address.hostname, address.port)) as connection:
        request = (
            f"GET /api/stream?types=approval.decided HTTP/1.1\r\nhost: {address.netloc}\r\nx-api-key: {key}\r\n\r\n"
        )
        connection.sendall(request.encode())
        while True:
            data = connection.recv(65536)
            now = time.monotonic_ns()
            if b"event: approval.decided" in data:
                print(now, flush=True)
            elif b"event: connected" in data:
                print("listening", flush=True)


if __name__ == "__main__":
    {"agent": wait_as_agent, "reader": read_bare}[sys.argv[1]](*sys.argv[2:])
