"""`python -m tests.benchmarks [NAME ...]`: all benchmarks, or those named, one after the other."""

from __future__ import annotations

import importlib
import sys

from tests.benchmarks.processes import peers_python

NAMES = (
    "log",
    "policy",
    "http",
    "guard_cost",
    "growth",
    "approval",
    "race",
    "fork",
    "kill",
    "start",
    "hostile",
    "starvation",
    "rebuild",
    "data",
    "workspace",
    "health",
    "calibration",
    "backtest",
    "drift",
    "drift_follower",
    "scoring",
    "signals",
    "learning",
    "pcaa",
    "beside",
    "crowd",
    "proofs",
    "tamper",
    "simulate",
    "dashboard",
    "inbox",
    "shift",
    "detector",
    "hooks",
    "injection",
    "injection_guard",
    "telemetry",
)


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise SystemExit(f"There is no benchmark {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    for name in names or NAMES:
        print(f"\n== {name}", flush=True)
        module = importlib.import_module(f"tests.benchmarks.{name}")
        module.main(["--peers", peers_python()] if name == "policy" else [])


if __name__ == "__main__":
    main(sys.argv[1:])
