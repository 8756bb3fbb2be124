"""Who hears of an approval: `python -m tests.benchmarks.listeners agent|reader BASE_URL API_KEY`.

`agent` takes action ids on standard input, says when it waits for one, and prints the nanosecond in which it went on.
`reader` reads the event stream from a bare socket and prints the nanosecond in which it had each decision.
"""

from __future__ import annotations

import socket
import sys
import time
from urllib.parse import urlsplit

from assent import Client


def wait_as_agent(base_url: str, key: str) -> None:
    with Client(base_url, key, say=lambda _: print("waiting", flush=True)) as client:
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
