"""What a guard and a creation cost beside a bare uvicorn application: the table that speed is steered by.

    python -m tests.benchmarks.guard_cost [--rounds 3] [--seconds 2] [--load 60] [--memory 1000000] [--checkout FOLDER]
                                          [--only fresh load memory hook peer]

The bare application reads the same body and answers as many bytes, and does nothing else; uvicorn runs as it does by
itself, with its access log, and *lean* is the same without it. Costs are processor time for
each request: *answering* is that of the loop and of the thread that writes the log; *all* is that of every thread and
process of the service, until its followers have caught up. Bodies are of 500 agents and a new goal each time, or one
body again and again. Each round has a fresh service and a bare application that is asked right before it; printed are
the medians of the rounds' ratios, with the least and the greatest. FOLDER is another checkout, measured instead.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import hooks
from tests.benchmarks.http import AGENT_OS_KERNEL, CONNECTIONS, CONTEXT, prepare, serving
from tests.benchmarks.processes import NUMBER, ROOT, WORD, Load, Served, bare, post, service, wrk
from tests.benchmarks.processor import Processor, catch_up, megabytes, processor

AGENTS = [str(number) for number in range(500)]
CHANGING = CONTEXT | {"agent_id": f"agent-{WORD}", "declared_goal": f"Roll out build {NUMBER} of the billing service"}
GUARD, CREATION, NOOP = "/api/guard", "/api/actions", "/noop"
PARTS = ("fresh", "load", "memory", "hook", "peer")
GUARDS_AT_ONCE = 16
FIXED_TIMES = 20_000
MICROSECONDS = ", us"

Goals = Mapping[int, str]
ANSWERING: Goals = {1: "3", 16: "2.5", 64: "2.2"}
ONE_BODY: Goals = {1: "3", 16: "2.2", 64: "1.9"}
CREATING: Goals = {1: "5", 16: "4", 64: "3.5"}
AFTER_LOAD: Goals = {1: "4.5", 16: "4", 64: "3.5"}
THROUGHPUT: Goals = {16: "0.35"}
OF_NOOP: Goals = {1: "0.5", 16: "0.75", 64: "0.75"}


@dataclass(frozen=True)
class Cost:
    """`answering` and `whole` are microseconds of processor time for each request."""

    load: Load
    answering: float
    whole: float


class Table:
    """Ratios by what was done and by connections, one for each round, in the order in which they come first."""

    def __init__(self) -> None:
        self.ratios: dict[tuple[str, int], list[float]] = {}
        self.goals: dict[str, Goals] = {}

    def add(self, work: str, connections: int, ratio: float, goals: Goals | None = None) -> None:
        self.ratios.setdefault((work, connections), []).append(ratio)
        self.goals.setdefault(work, goals or {})

    def kept(self) -> dict[str, dict[str, list[float]]]:
        """Median, least and greatest, by what was done and by connections; without what is no ratio."""
        found: dict[str, dict[str, list[float]]] = {}
        for (work, connections), ratios in self.ratios.items():
            if not work.endswith(MICROSECONDS):
                three = (statistics.median(ratios), min(ratios), max(ratios))
                found.setdefault(work, {})[str(connections)] = [round(each, 3) for each in three]
        return found

    def text(self) -> str:
        """As Markdown; a cell is median (least-greatest), goal."""
        lines = [f"| | {' | '.join(f'{each} connections, goal' for each in CONNECTIONS)} |", "|---" * 4 + "|"]
        for work, goals in self.goals.items():
            cells = [self._cell(self.ratios.get((work, each), ()), goals.get(each)) for each in CONNECTIONS]
            lines.append(f"| {work} | {' | '.join(cells)} |")
        return "\n".join(lines)

    @staticmethod
    def _cell(ratios: Sequence[float], goal: str | None) -> str:
        if not ratios:
            return ""
        seen = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
        return f"{seen}, {goal}" if goal else seen


def cost(
    pid: int,
    url: str,
    body: object,
    headers: Mapping[str, str],
    connections: int,
    seconds: float,
    *,
    settle: bool = True,
    words: Sequence[str] = AGENTS,
) -> Cost:
    """Of a load, with `settle` until the process has caught up; `words` are the agents of a body that changes.
    SystemExit where a request failed."""
    before = processor(pid)
    load = wrk(url, body, headers, connections, seconds, words if NUMBER in json.dumps(body) else ())
    if load.failed:
        raise SystemExit(f"{url}: {load.failed} requests failed")
    answered = processor(pid)
    if settle and not catch_up(pid):
        print(f"{url} at {connections}: what follows has not caught up", flush=True)
    spent = Processor((answered - before).answering, (processor(pid) - before).whole)
    return Cost(load, *(each / load.requests * 1e6 for each in (spent.answering, spent.whole)))


class Beside:
    """A service, and the applications that it is compared with, by address and process."""

    def __init__(self, served: Served, bare: tuple[str, int], lean: tuple[str, int]) -> None:
        self.served, self.bare, self.lean = served, bare, lean
        self.headers = {"x-api-key": served.key, "content-type": "application/json"}

    def of_service(self, path: str, body: object, connections: int, seconds: float) -> Cost:
        return cost(self.served.pid, self.served.base_url + path, body, self.headers, connections, seconds)

    def of_bare(self, path: str, body: object, connections: int, seconds: float, *, lean: bool = False) -> Cost:
        """The same body, and as many bytes back as the service answers at `path`."""
        base, pid = self.lean if lean else self.bare
        url = f"{base}/{len(post(self.served, path, CONTEXT))}"
        return cost(pid, url, body, self.headers, connections, seconds, settle=False)


def fixed_work() -> float:
    """Microseconds of processor time of work that is never changed: a body to JSON and back, and its digest."""
    began = time.process_time()
    for number in range(FIXED_TIMES):
        body = json.dumps(CONTEXT | {"number": number}, sort_keys=True).encode()
        hashlib.sha256(body).hexdigest()
        json.loads(body)
    return (time.process_time() - began) / FIXED_TIMES * 1e6


@contextmanager
def beside(checkout: Path) -> Iterator[Beside]:
    with service(checkout=checkout) as served, bare() as plain, bare("lean") as lean:
        prepare(served)
        # The first question waits until the scan's engine is loaded.
        post(served, GUARD, CONTEXT)
        catch_up(served.pid)
        yield Beside(served, plain, lean)


def fresh(checkout: Path, table: Table, seconds: float) -> None:
    """A round of guard and creation on a service that has just been started."""
    with beside(checkout) as both:
        for connections in CONNECTIONS:
            plain = both.of_bare(GUARD, CHANGING, connections, seconds)
            guard = both.of_service(GUARD, CHANGING, connections, seconds)
            table.add("guard, answering", connections, guard.answering / plain.whole, ANSWERING)
            table.add("guard, all", connections, guard.whole / plain.whole)
            table.add("guard's throughput", connections, guard.load.rate / plain.load.rate, THROUGHPUT)
            table.add("guard, answering, to fixed work", connections, guard.answering / fixed_work())
            lean = both.of_bare(GUARD, CHANGING, connections, seconds, lean=True)
            table.add("guard, answering, to the lean one", connections, guard.answering / lean.whole)
            table.add("guard, answering, us", connections, guard.answering)
            table.add("guard, all, us", connections, guard.whole)
            table.add("the bare application, us", connections, plain.whole)
            table.add("the lean one, us", connections, lean.whole)
            noop = both.of_service(NOOP, CHANGING, connections, seconds)
            table.add("guard's throughput to the no-op's", connections, guard.load.rate / noop.load.rate, OF_NOOP)
            plain = both.of_bare(GUARD, CONTEXT, connections, seconds)
            guard = both.of_service(GUARD, CONTEXT, connections, seconds)
            table.add("guard of one body, answering", connections, guard.answering / plain.whole, ONE_BODY)
        for connections in CONNECTIONS:
            plain = both.of_bare(CREATION, CHANGING, connections, seconds)
            creation = both.of_service(CREATION, CHANGING, connections, seconds)
            table.add("creation, answering", connections, creation.answering / plain.whole, CREATING)
            table.add("creation, all", connections, creation.whole / plain.whole)


def load(checkout: Path, table: Table, seconds: float) -> None:
    """A round of long loads, counted until what follows has caught up."""
    for connections in CONNECTIONS:
        with beside(checkout) as both:
            plain = both.of_bare(GUARD, CHANGING, connections, min(seconds, 5.0))
            guard = both.of_service(GUARD, CHANGING, connections, seconds)
            table.add(f"guard, all, {seconds:g} s of load", connections, guard.whole / plain.whole, AFTER_LOAD)


def memory(checkout: Path, guards: int) -> str:
    with beside(checkout) as both:
        idle, asked, rate = megabytes(both.served.pid), 0, 2000.0
        while asked < guards:
            found = both.of_service(GUARD, CHANGING, GUARDS_AT_ONCE, max(1.0, min(60.0, (guards - asked) / rate)))
            asked, rate = asked + found.load.requests, found.load.rate
        full = megabytes(both.served.pid)
    return f"memory: {idle:.0f} MB idle (goal 150), {full:.0f} MB after {asked:,} guards (goal 300 after a million)"


def hook(checkout: Path, rounds: int) -> str:
    with service(checkout=checkout) as served, tempfile.TemporaryDirectory(prefix="assent-hooks-") as folder:
        rows = hooks.measure(served, Path(folder), rounds)
    added = hooks.middle(rows["pre-tool, allowed"]) - hooks.middle(rows["python -c pass"])
    return f"a hook adds {added:.1f} ms to a call, p50 of {rounds} (goal 20)"


def beside_peer(checkout: Path, rounds: int, seconds: float) -> Iterator[str]:
    ratios: dict[int, list[float]] = {each: [] for each in CONNECTIONS}
    with beside(checkout) as both, serving(AGENT_OS_KERNEL) as peer_url:
        for _ in range(rounds):
            for connections in CONNECTIONS:
                theirs = wrk(peer_url + AGENT_OS_KERNEL.path, AGENT_OS_KERNEL.body, both.headers, connections, seconds)
                guard = both.of_service(GUARD, CHANGING, connections, seconds)
                ratios[connections].append(guard.load.rate / theirs.rate)
    for connections, found in ratios.items():
        middle, goal = statistics.median(found), {1: " (goal 1)", 16: " (goal 3)"}.get(connections, "")
        spread = f"{middle:.2f} ({min(found):.2f}-{max(found):.2f})"
        yield f"guard's rate to agent-os-kernel's at {connections}: {spread}{goal}"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="guard_cost")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--load", type=float, default=60.0)
    parser.add_argument("--memory", type=int, default=1_000_000)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    chosen = parser.parse_args(arguments)
    checkout, table = chosen.checkout.resolve(), Table()
    print(f"{chosen.rounds} rounds, {os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}", flush=True)
    for _ in range(chosen.rounds):
        if "fresh" in chosen.only:
            fresh(checkout, table, chosen.seconds)
        if "load" in chosen.only:
            load(checkout, table, chosen.load)
    if table.goals:
        print(table.text(), flush=True)
    if "memory" in chosen.only:
        print(memory(checkout, chosen.memory), flush=True)
    if "hook" in chosen.only:
        print(hook(checkout, 10 * chosen.rounds), flush=True)
    if "peer" in chosen.only:
        for line in beside_peer(checkout, chosen.rounds, chosen.seconds):
            print(line, flush=True)
    print(f"load after {os.getloadavg()[0]:.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
