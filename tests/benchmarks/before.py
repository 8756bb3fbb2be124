"""Guard and creation as they are, and as they were in another checkout of this repository, side by side in one run.

    python -m tests.benchmarks.before FOLDER [--rounds 7] [--seconds 3]

FOLDER is the other checkout. Both services run at once and are asked in turn, so that a slow minute hits both; what is
printed is the median over the rounds and the median of the rounds' ratios, now to before.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.http import CONNECTIONS, CONTEXT, prepare
from tests.benchmarks.processes import Load, Served, free_port, running, service, wrk

PACKAGES = ("sdk", "service", "analytics", "dashboard")
OPERATIONS = {"guard": "/api/guard", "create_action": "/api/actions"}


@contextmanager
def service_of(checkout: Path) -> Iterator[Served]:
    """The other checkout's service, with this one's interpreter; what is installed gives way to its folders."""
    folder = Path(tempfile.mkdtemp(prefix="assent-before-"))
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    path = os.pathsep.join([str(checkout), *(str(checkout / package) for package in PACKAGES)])
    command = [sys.executable, "-m", "tests.benchmarks.app", str(folder), str(port)]
    try:
        with running(command, f"{base}/health", {"PYTHONPATH": path}, checkout) as pid:
            yield Served(base, (folder / "admin.key").read_text().strip(), pid)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(checkout: Path, rounds: int, seconds: float) -> dict[tuple[str, int], list[tuple[Load, Load]]]:
    """For each operation and number of connections, the rounds' loads (before, now)."""
    found: dict[tuple[str, int], list[tuple[Load, Load]]] = {}
    with service_of(checkout) as before, service() as now:
        for served in (before, now):
            prepare(served)
        for turn in range(rounds):
            for connections in CONNECTIONS:
                for name, path in OPERATIONS.items():
                    order = (before, now) if turn % 2 else (now, before)
                    loads = {served.pid: _load(served, path, connections, seconds) for served in order}
                    found.setdefault((name, connections), []).append((loads[before.pid], loads[now.pid]))
    return found


def _load(served: Served, path: str, connections: int, seconds: float) -> Load:
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    load = wrk(served.base_url + path, CONTEXT, headers, connections, seconds)
    if load.failed:
        raise SystemExit(f"{path}: {load.failed} requests failed")
    return load


def report(found: dict[tuple[str, int], list[tuple[Load, Load]]]) -> None:
    print(
        f"{'':15}{'connections':>12}{'before/s':>10}{'now/s':>10}"
        f"{'p50 before':>12}{'p50 now':>9}{'ratio':>8}{'min-max':>13}"
    )
    for (name, connections), rounds in sorted(found.items()):
        ratios = sorted(now.rate / before.rate for before, now in rounds)
        rates = [statistics.median(load.rate for load in loads) for loads in zip(*rounds, strict=True)]
        p50 = [statistics.median(load.p50 for load in loads) for loads in zip(*rounds, strict=True)]
        spread = f"{ratios[0]:.2f}-{ratios[-1]:.2f}"
        print(
            f"{name:15}{connections:>12}{rates[0]:>10.0f}{rates[1]:>10.0f}{p50[0]:>12.2f}{p50[1]:>9.2f}"
            f"{statistics.median(ratios):>8.2f}{spread:>13}"
        )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.before")
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=3.0)
    chosen = parser.parse_args(arguments)
    report(measure(chosen.checkout.resolve(), chosen.rounds, chosen.seconds))


if __name__ == "__main__":
    main()
