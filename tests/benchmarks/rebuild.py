"""Events a second of `assent rebuild`: `python -m tests.benchmarks.rebuild [--events 1000000]`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from assent_service import rebuild
from tests.benchmarks import history


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="rebuild")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=2)
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="assent-rebuild-") as folder:
        home = Path(folder)
        began = time.monotonic()
        history.make(home, parsed.events)
        size = sum(path.stat().st_size for path in (home / "log").glob("*.log"))
        print(f"made a log of {size / 1e6:.0f} MB in {time.monotonic() - began:.0f} s", flush=True)
        for _ in range(parsed.rounds):
            report = rebuild.run(home)
            print(
                f"{report.events} events in {report.seconds:.1f} s: {report.events / report.seconds:,.0f} a second "
                f"({', '.join(f'{name} {number}' for name, number in report.tables.items() if number)}); "
                f"tables of {(home / 'tables.duckdb').stat().st_size / 1e6:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
