"""Guards from forked processes with threads beside them: whose answer does each question get?

python -m tests.stories.forks ADDRESS KEY --guards 320 [--processes 16] [--threads 2] [--way assent | bound | bare]

A process uses its client from several threads, forks (the way `assent` while they go on), and goes on. Every thread of
every process asks for types of its own, every second of them blocked by policy (`blocked_types` has them all).

One line of JSON says how many were `asked`; `crossed`, that came back with another type than asked for; `let_through`,
blocked ones that were allowed; `stopped`, others that were blocked; the exceptions in `failed`, by class; and the
`seconds`.

The way `assent` is the client. `bound` is the client that shares its connections after the fork, so that nothing but
the ids of requests is between it and another's answers. `bare` is httpx alone, which the client was before it had
either: it shows that this finds what it looks for.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import threading
import time
from collections import Counter
from typing import Protocol

import httpx

from assent import Client
from assent.client import connections

PATIENCE = 2.0
"""Seconds that an answer is waited for where it may have gone to another process."""
WAYS = ("assent", "bound", "bare")


class Asks(Protocol):
    def __call__(self, action_type: str) -> tuple[str, str]:
        """The decision, and the type that it says it is about."""


def asker(way: str, base_url: str, key: str) -> Asks:
    if way == "bare":
        http = httpx.Client(base_url=base_url, headers={"x-api-key": key}, timeout=PATIENCE)

        def bare(action_type: str) -> tuple[str, str]:
            found = http.post("/api/guard", json={"action_type": action_type}).json()
            return found["decision"], found["action_type"]

        return bare
    if way == "bound":
        connections.this_process = lambda: (0, 0)
    client = Client(base_url, key, timeout=30.0 if way == "assent" else PATIENCE, retries=3 if way == "assent" else 0)

    def ask(action_type: str) -> tuple[str, str]:
        found = client.guard({"action_type": action_type}, raise_on_block=False)
        return found.decision, found.action_type

    return ask


def own_type(process: int, thread: int, *, blocked: bool) -> str:
    return f"{'wipe' if blocked else 'look'}.p{process}.t{thread}"


def blocked_types(processes: int, threads: int) -> list[str]:
    """For a policy, the parent's included."""
    return [own_type(each, thread, blocked=True) for each in range(processes + 1) for thread in range(threads)]


def work(ask: Asks, process: int, thread: int, guards: int, counts: Counter[str]) -> None:
    for number in range(guards):
        blocked = number % 2 == 1
        action_type = own_type(process, thread, blocked=blocked)
        counts["asked"] += 1
        try:
            decision, about = ask(action_type)
        except Exception as error:  # noqa: BLE001 - counted, whatever it is
            counts[f"failed {type(error).__name__}"] += 1
            continue
        counts["crossed"] += about != action_type
        counts["let_through"] += blocked and decision != "block"
        counts["stopped"] += not blocked and decision == "block"


def side_by_side(ask: Asks, process: int, threads: int, guards: int) -> Counter[str]:
    """What `threads` threads count that share `guards` among them."""
    each = [Counter[str]() for _ in range(threads)]
    shares = [guards // threads + (at < guards % threads) for at in range(threads)]
    workers = [
        threading.Thread(target=work, args=(ask, process, at, shares[at], each[at]), daemon=True)
        for at in range(threads)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(each, Counter())


def count(way: str, base_url: str, key: str, guards: int, processes: int, threads: int) -> dict[str, object]:
    """See above; `guards` are shared among the forked processes and their parent."""
    ask = asker(way, base_url, key)
    share = guards // (processes + 1)
    forking = multiprocessing.get_context("fork")
    results = forking.SimpleQueue()
    began = time.perf_counter()
    # Every thread has had its answer, so the connections are there.
    own = side_by_side(ask, 0, threads, threads * 4)
    rest: list[Counter[str]] = []
    parent = threading.Thread(target=lambda: rest.append(side_by_side(ask, 0, threads, share)))
    if way == "assent":
        parent.start()

    def child(number: int) -> None:
        results.put(dict(side_by_side(ask, number, threads, share)))

    children = [forking.Process(target=child, args=(number,)) for number in range(1, processes + 1)]
    for each in children:
        each.start()
    if way != "assent":
        # A pool that is shared through a fork has locks; one that is held at that moment is never given back there.
        parent.start()
    total = own + sum((Counter(results.get()) for _ in children), Counter())
    for each in children:
        each.join()
    parent.join()
    total += rest[0]
    failed = {name.removeprefix("failed "): n for name, n in total.items() if name.startswith("failed ")}
    counted = {name: total[name] for name in ("asked", "crossed", "let_through", "stopped")}
    return {**counted, "failed": failed, "seconds": round(time.perf_counter() - began, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.stories.forks")
    parser.add_argument("address")
    parser.add_argument("key")
    parser.add_argument("--guards", type=int, default=320)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--way", choices=WAYS, default=WAYS[0])
    given = parser.parse_args()
    found = count(given.way, given.address, given.key, given.guards, given.processes, given.threads)
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
