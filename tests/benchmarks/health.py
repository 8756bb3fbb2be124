"""PCAA health, insight and the ledger's first page with a long history behind them:
`python -m tests.benchmarks.health [--actions 1000000] [--home DIR]`.

Goals with a million actions on two cores: half of the answers (p50) within 300 ms for PCAA health, within 100 ms for a
first page. Without `--home` the history is simulated into a folder of its own (30 days); `--home` takes one that is
there already, with its file `admin.key`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from statistics import median, quantiles

from tests.live import WAIT, LiveService, start_service

ROUNDS = 25
QUESTIONS = {
    "PCAA health, 30 days": "/api/pcaa/health?window=30d",
    "PCAA health, 7 days": "/api/pcaa/health?window=7d",
    "PCAA health, one agent": "/api/pcaa/health?window=30d&agent_id={agent}",
    "approval insight, 30 days": "/api/insight/approvals?window=30d",
    "decision mix, 30 days": "/api/insight/decisions?window=30d",
    "first page": "/api/actions?limit=50",
    "first page, one agent": "/api/actions?limit=50&agent_id={agent}",
    "first page, failed": "/api/actions?limit=50&status=failed",
    "first page, 7 days, risk": "/api/actions?limit=50&days=7&risk_min=80",
    "first page, blocked": "/api/actions?limit=50&decision=block",
    "first page, nothing fits": "/api/actions?limit=50&action_type=never",
    "first page of decisions": "/api/guard?limit=50",
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="health")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parsed = parser.parse_args(arguments)
    if parsed.home is not None:
        measure(parsed.home, parsed.rounds)
        return
    with tempfile.TemporaryDirectory(prefix="assent-health-") as folder:
        home = Path(folder) / "home"
        simulate(home, parsed.actions)
        measure(home, parsed.rounds)


def simulate(home: Path, actions: int) -> None:
    """Fill a new home."""
    began = time.monotonic()
    assent = Path(sys.executable).with_name("assent")
    subprocess.run([assent, "simulate", "--home", home, "--actions", str(actions)], check=True)
    print(f"simulated {actions} actions in {time.monotonic() - began:.0f} s", flush=True)


def measure(home: Path, rounds: int) -> None:
    """Print the latency of each question over one kept connection, in interleaved rounds."""
    key = (home / "admin.key").read_text(encoding="ascii").strip()
    with start_service(home, wait=4 * WAIT) as service:
        first = service.call("GET", "/api/actions?limit=1", key=key)[1]
        agent = first["actions"][0]["agent_id"]
        print(f"{first['total']} actions; start took {service.answered_after:.1f} s", flush=True)
        connection = HTTPConnection("127.0.0.1", service.port, timeout=WAIT)
        paths = {name: path.format(agent=agent) for name, path in QUESTIONS.items()}
        resting = peak_megabytes(service)
        for path in paths.values():
            ask(connection, key, path)
        taken: dict[str, list[float]] = {name: [] for name in paths}
        for _ in range(rounds):
            for name, path in paths.items():
                taken[name].append(ask(connection, key, path))
        print(f"{'':28}{'p50 ms':>8}{'p95 ms':>8}")
        for name, times in taken.items():
            print(f"{name:28}{median(times):8.1f}{quantiles(times, n=20)[-1]:8.1f}")
        print(f"peak memory of the service: {resting:.0f} MB before, {peak_megabytes(service):.0f} MB after")
        connection.close()


def ask(connection: HTTPConnection, key: str, path: str) -> float:
    """Milliseconds until the whole answer is there."""
    began = time.perf_counter()
    connection.request("GET", path, headers={"x-api-key": key})
    response = connection.getresponse()
    content = response.read()
    if response.status != 200:
        raise SystemExit(f"{path} answered {response.status}: {content[:500]!r}")
    return (time.perf_counter() - began) * 1000


def peak_megabytes(service: LiveService) -> float:
    status = Path(f"/proc/{service.process.pid}/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main(sys.argv[1:])
