"""Does the start depend on how much history there is? `python -m tests.benchmarks.start [--sizes 10000 100000 ...]`.

Seconds from the start of the process to its first answer, after a clean stop and after SIGKILL, medians of three. The
history is spread over 20 days; a last row packs the events of one size into the last five minutes instead, which is
more than guard can decide in that time, since what memory holds depends on how busy the last minutes and days were.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median

from assent_service import rebuild
from tests.benchmarks import history
from tests.live import WAIT, start_service

ROUNDS = 3
FIVE_MINUTES = 5 / 1440


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="start")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--busy", type=int, default=300_000)
    parsed = parser.parse_args(arguments)
    print(f"{'events':>10}  {'spread over':>12}  {'after a stop':>13}  {'after a kill':>13}")
    for events, days, said in [
        *((size, 20.0, "20 days") for size in parsed.sizes),
        (parsed.busy, FIVE_MINUTES, "5 minutes"),
    ]:
        with tempfile.TemporaryDirectory(prefix="assent-start-") as folder:
            home = Path(folder) / "home"
            history.make(home, events, days=days)
            rebuild.run(home)
            stopped, killed = measure(home)
        print(f"{events:10d}  {said:>12}  {stopped:11.2f} s  {killed:11.2f} s", flush=True)


def measure(home: Path) -> tuple[float, float]:
    """Seconds to the first answer after a clean stop, and after a kill with some events since the last checkpoint."""
    stopped, killed = [], []
    for _ in range(ROUNDS):
        with start_service(home, wait=4 * WAIT) as service:
            stopped.append(service.answered_after)
            for number in range(20):
                service.call("POST", "/api/guard", {"action_type": "lookup", "agent_id": f"agent-{number}"})
            service.kill()
        with start_service(home, wait=4 * WAIT) as service:
            killed.append(service.answered_after)
    return median(stopped), median(killed)


if __name__ == "__main__":
    main(sys.argv[1:])
