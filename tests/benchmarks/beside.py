"""What guard has left while a statistic over a million actions is worked out, again and again.

    python -m tests.benchmarks.beside [--actions 1000000] [--rounds 3] [--seconds 5] [--connections 16] [--home DIR]

Guard alone and guard beside each statistic take turns within a round; the ratio is the median over the rounds. Goal:
0.8 for each. The history is simulated, 30 days of it; the service is left alone until the drift detectors have read it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from tests.benchmarks.health import peak_megabytes, simulate
from tests.benchmarks.http import CONTEXT
from tests.benchmarks.processes import wrk
from tests.live import ROOT, WAIT, LiveService, start_service

ASKING = {"threshold": 50, "action": "require_approval"}
BACKTEST = {
    "window": "30d",
    "policies": [
        {"name": "ask from 50", "policy_type": "risk_threshold", "rules": ASKING},
        {"name": "block from 90", "policy_type": "risk_threshold", "rules": {"threshold": 90, "action": "block"}},
        {"name": "ask to pay", "policy_type": "require_approval", "rules": {"action_types": ["refund", "transfer"]}},
        {"name": "slowly", "policy_type": "rate_limit", "rules": {"max_actions": 500, "window_minutes": 60}},
    ],
}  # fmt: skip
STATISTICS: dict[str, tuple[str, str, object]] = {
    "PCAA health": ("GET", "/api/pcaa/health?window=30d", None),
    "velocity": ("GET", "/api/learning/analytics/velocity?lookback_days=30", None),
    "curves": ("GET", "/api/learning/analytics/curves?lookback_days=30", None),
    "lessons": ("GET", "/api/learning/lessons", None),
    "drift": ("GET", "/api/drift/comparison", None),
    "calibration": ("GET", "/api/scoring/calibration?window=30d", None),
    "scales": ("POST", "/api/scoring/calibrate", {}),
    "backtest": ("POST", "/api/policies/backtest", BACKTEST),
    "digest": ("GET", "/api/insight/digest", None),
}
AGAIN = """
import http.client, sys, time
port, key, method, path, body = sys.argv[1:]
connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=300)
print("ready", flush=True)
while True:
    began = time.perf_counter()
    connection.request(method, path, body or None, {"x-api-key": key, "content-type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status >= 400:
        print("refused", answer.status, content[:300].decode(), flush=True)
        sys.exit(1)
    print(time.perf_counter() - began, flush=True)
"""


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="beside")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--home", type=Path)
    parsed = parser.parse_args(arguments)
    if parsed.home is not None:
        measure(parsed.home, parsed.rounds, parsed.seconds, parsed.connections)
        return
    with tempfile.TemporaryDirectory(prefix="assent-beside-") as folder:
        home = Path(folder) / "home"
        simulate(home, parsed.actions)
        measure(home, parsed.rounds, parsed.seconds, parsed.connections)


def measure(home: Path, rounds: int, seconds: float, connections: int) -> None:
    """Print guard's rate alone and beside each statistic, and how long the statistic took, alone and beside guard."""
    key = (home / "admin.key").read_text(encoding="ascii").strip()
    with start_service(home, wait=4 * WAIT) as service:
        total = service.call("GET", "/api/actions?limit=1", key=key)[1]["total"]
        settle(service)
        print(f"{total} actions; {peak_megabytes(service):.0f} MB so far", flush=True)
        headers = {"x-api-key": key, "content-type": "application/json"}
        url = f"{service.base_url}/api/guard"
        print(
            f"{'':14}{'guard alone':>12}{'beside':>8}{'ratio':>7}{'p99 ms':>8}"
            f"{'s alone':>9}{'s beside':>10}{'peak MB':>9}"
        )
        for name, (method, path, body) in STATISTICS.items():
            with asking(service, key, method, path, body) as quiet:
                time.sleep(seconds)
            ratios, alone, beside, p99, times = [], [], [], [], []
            for _ in range(rounds):
                alone.append(wrk(url, CONTEXT, headers, connections, seconds).rate)
                with asking(service, key, method, path, body) as taken:
                    load = wrk(url, CONTEXT, headers, connections, seconds)
                beside.append(load.rate)
                p99.append(load.p99)
                ratios.append(beside[-1] / alone[-1])
                times += taken
            print(
                f"{name:14}{median(alone):12.0f}{median(beside):8.0f}{median(ratios):7.2f}{median(p99):8.1f}"
                f"{shown(quiet):>9}{shown(times):>10}{peak_megabytes(service):9.0f}",
                flush=True,
            )


def shown(times: list[float]) -> str:
    return f"{median(times):.2f}" if times else "longer"


def settle(service: LiveService) -> None:
    """Until the service uses next to no processor time of its own."""
    while True:
        before = processor_seconds(service.process.pid)
        time.sleep(2)
        if processor_seconds(service.process.pid) - before < 0.1:
            return


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


@contextmanager
def asking(service: LiveService, key: str, method: str, path: str, body: object) -> Iterator[list[float]]:
    """A process that asks again and again; how long each answer took, once it is over."""
    command = [sys.executable, "-c", AGAIN, str(service.port), key, method, path, json.dumps(body) if body else ""]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    times: list[float] = []
    try:
        yield times
    finally:
        process.terminate()
        said = process.communicate(timeout=300)[0].splitlines()
        if any(line.startswith("refused") for line in said):
            raise SystemExit(f"{method} {path} was {said[-1]}")
        times += [float(line) for line in said]


if __name__ == "__main__":
    main(sys.argv[1:])
