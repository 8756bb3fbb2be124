"""A million actions from a running service into a Polars frame, and what guard has left meanwhile.

    python -m tests.benchmarks.data [--actions 1000000] [--rounds 5] [--seconds 8] [--connections 16]

The frame is fetched by a process of its own, as a notebook would. Memory is what the kernel says of both processes:
resident when started, once the libraries are loaded, after the last export, and at the peak. Guard is measured alone
and beside exports that follow one another without a pause, in turns, and compared by medians. The home is made once
and kept in the folder for temporary files: a real service starts it, and its table is filled while none runs.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from assent import Client
from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.processes import Served, call, service, wrk

ROOT = Path(__file__).resolve().parents[2]
DAYS = 30
_FILL = """
INSERT INTO actions SELECT model.* REPLACE (
    'act_' || md5('a' || n) AS action_id,
    'dec_' || md5('d' || n) AS decision_id,
    'agent-' || n % 6 AS agent_id,
    ['refund', 'lookup', 'deploy', 'send_email', 'transfer', 'cancel', 'book', 'update'][n % 8 + 1] AS action_type,
    'Settle case ' || n || ' as the customer asked' AS declared_goal,
    CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'completed' END AS status,
    CASE WHEN n % 10 = 0 THEN 'The booking system answered ' || n % 600 END AS error_message,
    CASE WHEN n % 10 > 0 THEN 'Done, reference ' || n * 7919 % 1000003 END AS output_summary,
    (n * 7919 % 1000) / 10.0 AS risk_score,
    (n * 104729 % 100) AS confidence,
    n * 15485863 % 9000 AS duration_ms,
    n * 32452843 % 4000 AS tokens_in,
    n * 49979687 % 900 AS tokens_out,
    (n * 7919 % 4000) / 1e5 AS cost_estimate,
    '{"customer": "c-' || n * 31 % 50021 || '", "amount": ' || n % 700 || '}' AS metadata,
    started AS timestamp_start, started AS created_at,
    started + to_milliseconds(n * 15485863 % 9000) AS timestamp_end,
    started + to_milliseconds(n * 15485863 % 9000) AS updated_at,
    NULL AS idempotency_key
) FROM (SELECT * FROM actions LIMIT 1) AS model, (
    SELECT range AS n,
        now()::TIMESTAMP - to_seconds(CAST($days * 86400.0 * (1 - range / $actions) AS BIGINT)) AS started
    FROM range($actions)
)
"""


def home(actions: int) -> Path:
    """A data folder with so many actions over the last 30 days; made when it is not there, or of another day."""
    today = time.strftime("%Y%m%d", time.gmtime())
    folder = Path(tempfile.gettempdir()) / f"assent-bench-data-{actions}-{today}"
    if not (folder / "filled").exists():
        folder.mkdir(exist_ok=True)
        with service(folder) as served:
            prepare(served)
            made = call(served, "POST", "/api/actions", CONTEXT)
            report = {"status": "completed", "model": "claude-sonnet", "side_effects": ["ticket closed"]}
            call(served, "PATCH", f"/api/actions/{made['action_id']}", report)
        with duckdb.connect(str(folder / "tables.duckdb")) as tables:
            tables.execute("SET TimeZone = 'UTC'")
            tables.execute(_FILL, {"days": DAYS - 1, "actions": actions})
        (folder / "filled").touch()
    return folder


FETCH = """
import sys, time
from assent import Client
from tests.benchmarks.data import memory
client = Client(sys.argv[1], sys.argv[2], timeout=120)
import polars
print(memory("self")["VmRSS"], flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    frame = client.frame("actions", window="31d")
    took = time.perf_counter() - began
    print(took, frame.height, frame.width, memory("self")["VmHWM"], flush=True)
    del frame
"""


class Reader:
    """A process that fetches the table whenever it is told to."""

    def __init__(self, served: Served) -> None:
        command = [sys.executable, "-c", FETCH, served.base_url, served.key]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.before = float(self._line()[0])
        self.peak = 0.0
        self.shape = (0, 0)

    def fetch(self) -> float:
        """Seconds from the call to the frame."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        took, height, width, peak = self._line()
        self.peak, self.shape = float(peak), (int(height), int(width))
        return float(took)

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(120)

    def _line(self) -> list[str]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline().split()
        if not line:
            raise SystemExit("the reader has ended before it should")
        return line


def memory(pid: int | str) -> dict[str, float]:
    """Megabytes by the names of /proc/PID/status."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    pairs = (line.split() for line in lines if line.startswith("Vm"))
    return {name.rstrip(":"): int(kilobytes) / 1024 for name, kilobytes, _ in pairs}


def fetch_alone(served: Served, rounds: int) -> None:
    started = memory(served.pid)["VmRSS"]
    with Client(served.base_url, served.key) as client:
        client.get_table("events", "1d", columns=["n"])  # loads Arrow, once
    before = memory(served.pid)["VmRSS"]
    reader = Reader(served)
    times = [reader.fetch() for _ in range(rounds)]
    after = memory(served.pid)
    reader.close()
    rows, columns = reader.shape
    shown = " ".join(f"{took:.2f}" for took in times)
    print(f"frame of {rows} rows x {columns} columns: {statistics.median(times):.2f} s, median of {rounds} ({shown})")
    print(
        f"service: {started:.0f} MB when started, {before:.0f} once Arrow is loaded, {after['VmRSS']:.0f} after, "
        f"{after['VmHWM']:.0f} at the peak (+{after['VmHWM'] - before:.0f}, with Arrow +{after['VmHWM'] - started:.0f})"
    )
    print(f"reader: {reader.before:.0f} MB before, {reader.peak:.0f} at the peak")


@contextmanager
def exporting(served: Served) -> Iterator[list[float]]:
    """A reader that fetches the table again and again in a process of its own."""
    command = [sys.executable, "-c", _AGAIN, served.base_url, served.key]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    times: list[float] = []
    try:
        yield times
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=120)
        times += [float(line) for line in said.split()]


_AGAIN = """
import sys, time
from assent import Client
client = Client(sys.argv[1], sys.argv[2], timeout=120)
import polars
print("ready", flush=True)
while True:
    began = time.perf_counter()
    client.frame("actions", window="31d")
    print(time.perf_counter() - began, flush=True)
"""


def beside_guard(served: Served, rounds: int, seconds: float, connections: int) -> None:
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    url = f"{served.base_url}/api/guard"
    alone: list[float] = []
    beside: list[float] = []
    exports: list[float] = []
    for _ in range(rounds):
        alone.append(wrk(url, CONTEXT, headers, connections, seconds).rate)
        with exporting(served) as times:
            load = wrk(url, CONTEXT, headers, connections, seconds)
        beside.append(load.rate)
        exports += times
    one, two = statistics.median(alone), statistics.median(beside)
    ratios = sorted(b / a for a, b in zip(alone, beside, strict=True))
    print(
        f"guard over {connections} connections: {one:.0f}/s alone, {two:.0f}/s beside exports "
        f"({statistics.median(ratios):.2f}, {ratios[0]:.2f} to {ratios[-1]:.2f}); p99 beside {load.p99:.1f} ms"
    )
    if exports:
        print(f"an export meanwhile took {statistics.median(exports):.1f} s ({len(exports)} of them)")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.data")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--connections", type=int, default=16)
    chosen = parser.parse_args(arguments)
    with service(home(chosen.actions)) as served:
        fetch_alone(served, chosen.rounds)
        beside_guard(served, max(1, chosen.rounds // 2), chosen.seconds, chosen.connections)


if __name__ == "__main__":
    main()
