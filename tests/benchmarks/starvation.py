"""What one connection has of guard right after many had it: the followers of the log take up what they left undone.

    python -m tests.benchmarks.starvation [--load 32] [--connections 64] [--after 12] [--before FOLDER]

Guards of one connection, a second of them at a time, before the load and after it, and how long the followers need
until they have taken in all that the load recorded. Then how long a read takes that asks for what was recorded a
moment before, beside one that need not wait. With FOLDER, another checkout of this repository is measured in the same
way, after this one. Goal: a p50 within 1.5 times of the one before the load in every second, and a fresh read in 5 ms.
"""

from __future__ import annotations

import argparse
import http.client
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.processes import Served, service, wrk

FRESH = 60
BEHIND = re.compile(r"^assent_(\w+)_behind_events ([\d.e+]+)$", re.MULTILINE)


class Caller:
    """One connection."""

    def __init__(self, served: Served) -> None:
        url = urlsplit(served.base_url)
        self._connection = http.client.HTTPConnection(str(url.hostname), url.port, timeout=60)
        self._headers = {"x-api-key": served.key, "content-type": "application/json"}

    def ask(self, method: str, path: str, body: object = None) -> bytes:
        self._connection.request(method, path, None if body is None else json.dumps(body), self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path} answered {answer.status}: {content[:300]!r}")
        return content

    def guards(self, seconds: float) -> list[float]:
        """Milliseconds of each guard, one after the other, for so many seconds."""
        ends, found = time.perf_counter() + seconds, []
        while time.perf_counter() < ends:
            found.append(milliseconds(lambda: self.ask("POST", "/api/guard", CONTEXT)))
        return found

    def behind(self) -> dict[str, int]:
        """By how many events each follower that tells it is behind."""
        text = self.ask("GET", "/metrics").decode()
        return {name: int(float(events)) for name, events in BEHIND.findall(text)}

    def fresh(self) -> tuple[float, float]:
        """Milliseconds of a list right after a creation, and of the same list again; medians."""
        first, again = [], []
        for _ in range(FRESH):
            self.ask("POST", "/api/actions", CONTEXT)
            first.append(milliseconds(lambda: self.ask("GET", "/api/actions?limit=5")))
            again.append(milliseconds(lambda: self.ask("GET", "/api/actions?limit=5")))
            time.sleep(0.02)
        return median(first), median(again)


def milliseconds(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return (time.perf_counter() - began) * 1e3


def measure(name: str, served: Served, load: float, connections: int, after: int) -> None:
    prepare(served)
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    caller = Caller(served)
    before = median(caller.guards(4))
    under = wrk(f"{served.base_url}/api/guard", CONTEXT, headers, connections, load)
    left = caller.behind()
    found, caught_up = [], dict[str, int]()
    for second in range(1, after + 1):
        found.append(median(caller.guards(1)))
        for each, events in caller.behind().items():
            if events <= 2 / (before / 1e3) and each not in caught_up:
                caught_up[each] = second
    first, again = caller.fresh()
    print(
        f"{name}: p50 alone {before:.2f} ms; {load:g} s at {connections} connections {under.rate:.0f}/s; "
        f"then one, p50 second by second: {' '.join(f'{each:.2f}' for each in found)}; "
        f"worst {max(found) / before:.2f} times, median {median(found) / before:.2f}"
    )
    print(f"{name}: behind after the load {left or 'not told'}, within two seconds again after {caught_up} s")
    print(f"{name}: a fresh read {first:.1f} ms, the same again {again:.1f} ms", flush=True)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="starvation")
    parser.add_argument("--load", type=float, default=32)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--after", type=int, default=12)
    parser.add_argument("--before", type=Path)
    chosen = parser.parse_args(arguments)
    with service() as served:
        measure("now", served, chosen.load, chosen.connections, chosen.after)
    if chosen.before is not None:
        with service(checkout=chosen.before.resolve()) as served:
            measure("before", served, chosen.load, chosen.connections, chosen.after)


if __name__ == "__main__":
    main(sys.argv[1:])
