"""What guard has left while the service is observed, beside the same service that tells nothing.

    python -m tests.benchmarks.telemetry [--rounds 7] [--seconds 3] [--way OpenTelemetry]

One service for each way of observing runs all the time, and only one is loaded at once, in turns. Every request is
traced (two spans each) and sent to a collector in another process; how many arrived is told too, since spans for which
the exporter has no room are dropped. Ratios are of the same round; printed are their median, least and most, and the
processor time that a request took, in microseconds, of the service and of its exporter, which the machine's other work
disturbs less than it disturbs rates.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.processes import Load, Served, free_port, running, service, wrk
from tests.benchmarks.processor import used

CONNECTIONS = (16, 64)
BASE = "nothing"
SCRAPE_SECONDS = 1.0


def ways(collector: str, folder: Path) -> dict[str, dict[str, str]]:
    """The environments of the services, by name."""
    otel = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector, "OTEL_METRIC_EXPORT_INTERVAL": "5000"}
    return {
        BASE: {"ASSENT_METRICS": "off"},
        "metrics": {},
        "metrics, scraped": {},
        "access log": {"ASSENT_METRICS": "off", "ASSENT_ACCESS_LOG": str(folder / "access.log")},
        "OpenTelemetry": {"ASSENT_METRICS": "off", **otel},
        "everything": {"ASSENT_ACCESS_LOG": str(folder / "all.log"), **otel},
    }


@contextmanager
def scraping(served: Served) -> Iterator[None]:
    """Reads `/metrics` once a second meanwhile."""
    ended = threading.Event()
    request = urllib.request.Request(f"{served.base_url}/metrics", headers={"x-api-key": served.key})

    def scrape() -> None:
        while not ended.wait(SCRAPE_SECONDS):
            with urllib.request.urlopen(request, timeout=30) as answer:
                answer.read()

    thread = threading.Thread(target=scrape)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@dataclass(frozen=True)
class Measured:
    """`own` and `exporter` are processor time for each request, in microseconds."""

    load: Load
    own: float
    exporter: float


Found = dict[tuple[str, int], list[Measured]]


def measure(rounds: int, seconds: float, chosen: Sequence[str]) -> tuple[Found, int]:
    """The loads by way and connections, and how many spans came to the collector."""
    found: Found = {}
    port = free_port()
    collector = f"http://127.0.0.1:{port}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assent-bench-")))
        command = [sys.executable, "-m", "tests.benchmarks.collector", str(port)]
        stack.enter_context(running(command, collector))
        with ExitStack() as services:
            serving: dict[str, Served] = {}
            for name, environment in ways(collector, folder).items():
                if chosen and name not in (BASE, *chosen):
                    continue
                serving[name] = services.enter_context(service(environment=environment))
                prepare(serving[name])
            for number in range(rounds):
                # Whoever comes first in one round comes last in the next.
                for name, served in list(serving.items())[:: 1 if number % 2 else -1]:
                    for connections in CONNECTIONS:
                        load = _load(name, served, connections, seconds)
                        found.setdefault((name, connections), []).append(load)
        # The services have ended, and handed over what waited.
        with urllib.request.urlopen(collector, timeout=30) as answer:
            return found, int(json.loads(answer.read())["spans"])


def _load(name: str, served: Served, connections: int, seconds: float) -> Measured:
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    with ExitStack() as stack:
        if name in ("metrics, scraped", "everything"):
            stack.enter_context(scraping(served))
        before = _processor_time(served.pid)
        load = wrk(f"{served.base_url}/api/guard", CONTEXT, headers, connections, seconds)
        after = _processor_time(served.pid)
    if load.failed:
        raise SystemExit(f"{name}: {load.failed} requests failed")
    own, exporter = (
        (later - sooner) / (load.rate * seconds) * 1e6 for sooner, later in zip(before, after, strict=True)
    )
    return Measured(load, own, exporter)


def _processor_time(pid: int) -> tuple[float, float]:
    """Of the process itself, and of those that it started and that run, in seconds."""
    children = {
        int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    }
    return used(pid), sum(used(child) for child in children)


def report(found: Found, spans: int, seconds: float) -> None:
    print(
        f"{'guard with':18}{'connections':>12}{'req/s':>9}{'p50 ms':>9}{'p99 ms':>9}{'ratio':>8}{'min-max':>12}"
        f"{'own us':>9}{'exporter':>10}"
    )
    for (name, connections), runs in sorted(found.items(), key=lambda item: item[0][1]):
        base = found[BASE, connections]
        ratios = sorted(mine.load.rate / other.load.rate for mine, other in zip(runs, base, strict=True))
        rate, p50, p99 = (
            statistics.median(getattr(each.load, which) for each in runs) for which in ("rate", "p50", "p99")
        )
        own, exporter = (statistics.median(getattr(each, which) for each in runs) for which in ("own", "exporter"))
        spread = f"{ratios[0]:.2f}-{ratios[-1]:.2f}"
        ratio = statistics.median(ratios)
        print(
            f"{name:18}{connections:>12}{rate:>9.0f}{p50:>9.2f}{p99:>9.2f}{ratio:>8.2f}{spread:>12}"
            f"{own:>9.0f}{exporter:>10.0f}"
        )
    traced = sum(
        each.load.rate * seconds
        for (name, _), runs in found.items()
        if name in ("OpenTelemetry", "everything")
        for each in runs
    )
    if not traced:
        return
    # Each run lasts a little longer than it was told to.
    print(f"{spans} spans came to the collector, of {traced:.0f} requests and some more, two for each")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.telemetry")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument(
        "--way", action="append", default=[], help="only this one, beside the service that tells nothing"
    )
    chosen = parser.parse_args(arguments)
    found, spans = measure(chosen.rounds, chosen.seconds, chosen.way)
    report(found, spans, chosen.seconds)


if __name__ == "__main__":
    main()
