"""The p99 of guard at 16 connections beside a crowd: analytics of a million actions, a page that is built again and
again, and 100 readers of the live stream.

    python -m tests.benchmarks.crowd [--actions 1000000] [--rounds 3] [--seconds 5] [--connections 16] [--home DIR]

Guard alone, beside each of them, and beside all take turns within a round; the ratio is the median of the rounds'.
Goal: within three times of alone. The history is simulated, 30 days of it; the service is left alone until the drift
detectors have read it. With `--home` that folder is used as it is.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from statistics import median

from tests.benchmarks.beside import STATISTICS, asking, settle
from tests.benchmarks.health import simulate
from tests.benchmarks.http import CONTEXT
from tests.benchmarks.processes import Load, wrk
from tests.live import ROOT, WAIT, LiveService, start_service

READERS = 100
PAGE = ("/api/actions?limit=50", "/api/approvals?limit=50", "/api/insight/decisions?window=7d", "/api/insight/digest")
"""What the page of the ledger and the one of numbers ask between them."""
AGAIN = """
import http.client, sys
port, key, *paths = sys.argv[1:]
connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=300)
print("ready", flush=True)
while True:
    for path in paths:
        connection.request("GET", path, headers={"x-api-key": key})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            sys.exit(f"{path} was refused: {answer.status} {content[:300]!r}")
"""
LISTEN = """
import selectors, socket, sys
port, key, readers = sys.argv[1:]
watched = selectors.DefaultSelector()
for _ in range(int(readers)):
    reader = socket.create_connection(("127.0.0.1", int(port)))
    reader.sendall(f"GET /api/stream HTTP/1.1\\r\\nhost: localhost\\r\\nx-api-key: {key}\\r\\n\\r\\n".encode())
    if b" 200 " not in reader.recv(65536):
        sys.exit("a reader was refused")
    watched.register(reader, selectors.EVENT_READ)
print("ready", flush=True)
while True:
    for ready, _ in watched.select():
        if not ready.fileobj.recv(1 << 20):
            sys.exit("a reader was cut off")
"""
Neighbours = dict[str, Callable[[], AbstractContextManager[object]]]


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="crowd")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--home", type=Path)
    parsed = parser.parse_args(arguments)
    if parsed.home is not None:
        measure(parsed.home, parsed.rounds, parsed.seconds, parsed.connections)
        return
    with tempfile.TemporaryDirectory(prefix="assent-crowd-") as folder:
        home = Path(folder) / "home"
        simulate(home, parsed.actions)
        measure(home, parsed.rounds, parsed.seconds, parsed.connections)


def measure(home: Path, rounds: int, seconds: float, connections: int) -> None:
    key = (home / "admin.key").read_text(encoding="ascii").strip()
    with start_service(home, wait=4 * WAIT) as service:
        settle(service)
        neighbours = neighbours_of(service, key)
        headers = {"x-api-key": key, "content-type": "application/json"}
        found: dict[str, list[Load]] = {name: [] for name in neighbours}
        for _ in range(rounds):
            for name, beside in neighbours.items():
                with beside():
                    load = wrk(f"{service.base_url}/api/guard", CONTEXT, headers, connections, seconds)
                if load.failed:
                    raise SystemExit(f"{load.failed} guards failed beside {name}")
                found[name].append(load)
    print(f"{'guard beside':14}{'per second':>12}{'p50 ms':>9}{'p99 ms':>9}{'p99 to alone':>14}")
    for name, loads in found.items():
        ratio = median(load.p99 / alone.p99 for load, alone in zip(loads, found["nothing"], strict=True))
        rate, p50, p99 = (median(getattr(load, each) for load in loads) for each in ("rate", "p50", "p99"))
        print(f"{name:14}{rate:12.0f}{p50:9.2f}{p99:9.2f}{ratio:14.2f}", flush=True)


def neighbours_of(service: LiveService, key: str) -> Neighbours:
    def analytics() -> AbstractContextManager[object]:
        return asking(service, key, *STATISTICS["PCAA health"])

    def page() -> AbstractContextManager[object]:
        return working("a page", AGAIN, str(service.port), key, *PAGE)

    def readers() -> AbstractContextManager[object]:
        return working("a reader", LISTEN, str(service.port), key, str(READERS))

    @contextmanager
    def everybody() -> Iterator[None]:
        with ExitStack() as stack:
            for each in (analytics, page, readers):
                stack.enter_context(each())
            yield

    return {"nothing": nullcontext, "analytics": analytics, "a page": page, "readers": readers, "all": everybody}


@contextmanager
def working(name: str, program: str, *arguments: str) -> Iterator[None]:
    """A process that does this until it is over; SystemExit when it ended by itself."""
    command = [sys.executable, "-c", program, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield
        if process.poll() is not None:
            raise SystemExit(f"{name} ended: {process.communicate()[1][-500:]}")
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    main(sys.argv[1:])
