"""How long from an operator's approval to the unblocked agent, with an idle service and with one under guard load.

    python -m tests.benchmarks.approval [--approvals 200] [--connections 16]

Three processes beside the service: an agent in `wait_for_approval` of the SDK, a bare reader of the event stream, and
this one, which approves. A time starts when the approval is about to be sent and ends when `wait_for_approval` has
returned, or when the bare reader has the event in its hands; all read the machine's one monotonic clock. What the
agent takes longer than the bare reader is the client's own cost; `answered` is when the approver has its answer.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.processes import Load, Served, call, service, wrk

ROOT = Path(__file__).resolve().parents[2]
SETTLE = 0.05
"""Seconds between the agent's word that it has looked at the action for the last time and the approval; a person needs
longer, and an approval that falls into that look is a measurement of the tables, not of the stream."""


@dataclass
class Times:
    """Milliseconds, one for each approval."""

    unblocked: list[float] = field(default_factory=list)
    heard: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)


class Listener:
    """A process of `tests.benchmarks.listeners` and what it prints."""

    def __init__(self, kind: str, served: Served) -> None:
        command = [sys.executable, "-m", "tests.benchmarks.listeners", kind, served.base_url, served.key]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        if not line:
            raise SystemExit("a listener has ended before it should")
        return line


@contextmanager
def listeners(served: Served) -> Iterator[tuple[Listener, Listener]]:
    """The agent and the bare reader."""
    both = (Listener("agent", served), Listener("reader", served))
    try:
        both[1].hear()  # its stream is open
        yield both
    finally:
        for each in both:
            each.process.kill()
            each.process.wait()


def measure(served: Served, approvals: int, elsewhere: Served | None = None) -> Times:
    """Of so many approvals at `served`; the agent and the reader listen there, or `elsewhere`."""
    times = Times()
    host, _, port = served.base_url.removeprefix("http://").partition(":")
    connection = HTTPConnection(host, int(port), timeout=30)
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    body = json.dumps({"decision": "allow", "reasoning": "measured"})
    with listeners(elsewhere or served) as (agent, reader):
        for _ in range(approvals):
            action_id = str(call(served, "POST", "/api/actions", {"action_type": "pay"})["action_id"])
            agent.tell(action_id)
            agent.hear()
            time.sleep(SETTLE)
            began = time.monotonic_ns()
            connection.request("POST", f"/api/actions/{action_id}/approve", body, headers)
            response = connection.getresponse()
            response.read()
            times.answered.append((time.monotonic_ns() - began) / 1e6)
            if response.status != 200:
                raise SystemExit(f"the approval was answered with {response.status}")
            times.unblocked.append((int(agent.hear()) - began) / 1e6)
            times.heard.append((int(reader.hear()) - began) / 1e6)
    return times


@contextmanager
def guard_load(served: Served, connections: int) -> Iterator[list[Load]]:
    """Guard calls over this many connections for as long as it is open."""
    found: list[Load] = []
    ended = threading.Event()
    headers = {"x-api-key": served.key, "content-type": "application/json"}

    def run() -> None:
        while not ended.is_set():
            found.append(wrk(f"{served.base_url}/api/guard", CONTEXT, headers, connections, 5))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        time.sleep(0.5)
        yield found
    finally:
        ended.set()
        thread.join()


def report(name: str, times: Times) -> None:
    for what in ("unblocked", "heard", "answered"):
        found = sorted(getattr(times, what))
        p50, p99 = statistics.median(found), found[math.ceil(0.99 * len(found)) - 1]
        print(f"{name:14}{what:>12}{len(found):>6}{p50:>9.2f}{p99:>9.2f}{found[-1]:>9.2f}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.approval")
    parser.add_argument("--approvals", type=int, default=200)
    parser.add_argument("--connections", type=int, default=16)
    chosen = parser.parse_args(arguments)
    print(f"{'':14}{'':>12}{'n':>6}{'p50 ms':>9}{'p99 ms':>9}{'max ms':>9}")
    with service() as served:
        prepare(served)
        rules = {"action_types": ["pay"]}
        call(served, "POST", "/api/policies", {"name": "Ask", "policy_type": "require_approval", "rules": rules})
        report("idle", measure(served, chosen.approvals))
        with guard_load(served, chosen.connections) as loads:
            times = measure(served, chosen.approvals)
        report("guard load", times)
        rates = [load.rate for load in loads]
        print(f"beside {statistics.median(rates):.0f} guard calls/s over {chosen.connections} connections")


if __name__ == "__main__":
    main()
