"""What guard has left while it scans what agents say, beside the same service with the scan off.

    python -m tests.benchmarks.injection_guard [--rounds 5] [--seconds 3]

Both services run all the time, and only one is loaded at once, in turns; ratios are of the same round, and printed are
their median, least and most, beside the processor time that a request took of the service (microseconds), which the
machine's other work disturbs less, and its ratio. Four kinds of requests: the same goal again and again, which the scan
remembers; another goal each time, of ten words drawn from `WORDS` and a number; 2 KB of metadata that stays; and
another goal with 2 KB of metadata in which each of 24 texts differs.

The last part tells how long guard takes at most while somebody else has texts of a million characters scanned.
"""

from __future__ import annotations

import argparse
import json
import statistics
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.processes import NUMBER, WORD, Load, Served, call, service, wrk
from tests.benchmarks.processor import used

CONNECTIONS = (1, 16, 64)
BASE, SCANNING = "off", "block"
_WORDS = """
roll out build of the billing service to staging refund order for customer after complaint update index on table
with wide column read report about sales in march and send summary to team review pull request fix failing test
check invoice against contract restart worker when queue is long clean old files from bucket rotate log archive
tickets older than year translate page into french compare prices plan migration note every change ask owner first
"""
WORDS = tuple(_WORDS.split())
TEN = " ".join([WORD] * 10)
METADATA = {f"field_{number}": f"{' '.join([WORD] * 12)} {NUMBER}" for number in range(24)}
STILL = {f"field_{number}": " ".join(WORDS[number : number + 12]) for number in range(24)}
MILLION = ("The quarterly report is ready for review, and the release went fine. " * 15_000)[:1_000_000]


@dataclass(frozen=True)
class Measured:
    """`own` is processor time for each request, in microseconds."""

    load: Load
    own: float


Found = dict[tuple[str, int, str], list[Measured]]


def kinds() -> dict[str, tuple[object, tuple[str, ...]]]:
    """Bodies by name, with the words that change in them."""
    goal = {**CONTEXT, "declared_goal": f"{TEN} {NUMBER}"}
    return {
        "same goal": (CONTEXT, ()),
        "another goal": (goal, WORDS),
        "2 KB, same": ({**CONTEXT, "metadata": STILL}, ()),
        "2 KB, another": ({**goal, "metadata": METADATA}, WORDS),
    }


def measure(rounds: int, seconds: float) -> Found:
    found: Found = {}
    with ExitStack() as stack:
        serving = {
            mode: stack.enter_context(service(environment={"ASSENT_PROMPT_INJECTION_SCAN": mode}))
            for mode in (BASE, SCANNING)
        }
        for served in serving.values():
            prepare(served)
            call(served, "POST", "/api/guard", CONTEXT)  # the first one waits until the engine is loaded
        for number in range(rounds):
            for name, (body, words) in kinds().items():
                for connections in CONNECTIONS:
                    # Whoever comes first in one round comes last in the next.
                    for mode, served in list(serving.items())[:: 1 if number % 2 else -1]:
                        headers = {"x-api-key": served.key, "content-type": "application/json"}
                        before = used(served.pid)
                        load = wrk(f"{served.base_url}/api/guard", body, headers, connections, seconds, words)
                        if load.failed:
                            raise SystemExit(f"{name}, {mode}: {load.failed} requests failed")
                        own = (used(served.pid) - before) / (load.rate * seconds) * 1e6
                        found.setdefault((name, connections, mode), []).append(Measured(load, own))
    return found


def report(found: Found) -> None:
    print(
        f"{'':16}{'connections':>12}{'off req/s':>11}{'on req/s':>10}{'on p99 ms':>11}{'ratio':>8}{'min-max':>12}"
        f"{'own us':>14}{'ratio':>7}"
    )
    for name in kinds():
        for connections in CONNECTIONS:
            off, on = (found[name, connections, mode] for mode in (BASE, SCANNING))
            ratios = sorted(mine.load.rate / other.load.rate for mine, other in zip(on, off, strict=True))
            rates = [statistics.median(each.load.rate for each in runs) for runs in (off, on)]
            p99 = statistics.median(each.load.p99 for each in on)
            owns = [statistics.median(each.own for each in runs) for runs in (off, on)]
            own = f"{owns[0]:.0f}-{owns[1]:.0f}"
            spread = f"{ratios[0]:.2f}-{ratios[-1]:.2f}"
            ratio = statistics.median(ratios)
            print(
                f"{name:16}{connections:>12}{rates[0]:>11.0f}{rates[1]:>10.0f}{p99:>11.2f}{ratio:>8.2f}{spread:>12}"
                f"{own:>14}{owns[0] / owns[1]:>7.2f}"
            )


@contextmanager
def scanning(served: Served, text: str) -> Iterator[list[float]]:
    """Has a text scanned again and again meanwhile; the list gets the seconds of each scan."""
    ended, took = threading.Event(), list[float]()

    def scan() -> None:
        while not ended.is_set():
            began = time.perf_counter()
            call(served, "POST", "/api/security/prompt-injection", {"text": text, "store": False})
            took.append(time.perf_counter() - began)

    threads = [threading.Thread(target=scan) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield took
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def ask(served: Served, context: Mapping[str, object], seconds: float) -> list[float]:
    """Milliseconds of guard, one after the other."""
    found: list[float] = []
    body = json.dumps(context).encode()
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        began = time.perf_counter()
        request = urllib.request.Request(f"{served.base_url}/api/guard", data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            answer.read()
        found.append((time.perf_counter() - began) * 1000)
    return sorted(found)


def beside_long_texts(seconds: float) -> None:
    with service() as served:
        prepare(served)
        call(served, "POST", "/api/guard", CONTEXT)
        alone = ask(served, CONTEXT, seconds)
        with scanning(served, MILLION) as took:
            beside = ask(served, CONTEXT, seconds)
    print("\nguard, one after the other, ms          p50      p99      max")
    for name, each in (("alone", alone), ("beside two who scan 1 MB", beside)):
        p50, p99 = (each[int(len(each) * part)] for part in (0.5, 0.99))
        print(f"{name:34}{p50:>9.2f}{p99:>9.2f}{each[-1]:>9.2f}")
    print(f"{len(took)} texts of a million characters meanwhile, each {statistics.median(took) * 1000:.0f} ms")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.injection_guard")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0)
    chosen = parser.parse_args(arguments)
    report(measure(chosen.rounds, chosen.seconds))
    beside_long_texts(max(3.0, chosen.seconds))


if __name__ == "__main__":
    main()
