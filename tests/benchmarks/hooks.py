"""How long a coding assistant waits for a hook: `python -m tests.benchmarks.hooks [--rounds 60]`.

Whole processes, from their start to their end with the verdict read, the service's answer included; beside
`python -c pass` of the same interpreter in the same rounds, one after the other, so that both see the same machine. The
goal is at most 20 ms added. `processor` is what the process itself used, which says more than a clock on a machine that
does other things as well. A shell before it, as hosts start one, is in the rows that say so.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assent.hooks.settings import VERSION
from tests.benchmarks.processes import Served, call, service

HOOK = Path(sys.executable).with_name("assent-hook")
GOAL_MS = 20.0
PLAIN = "python -c pass"
COMMANDS = {"allowed": "ls -la src", "blocked": "rm -rf ~"}


class Run(NamedTuple):
    """Milliseconds of one process, on the clock and of the processor."""

    elapsed: float
    processor: float


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="hooks")
    parser.add_argument("--rounds", type=int, default=60)
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="assent-hooks-") as folder, service() as served:
        rows = measure(served, Path(folder), parsed.rounds)
    plain = rows[PLAIN]
    print(f"{'':34} {'p50':>9} {'p95':>9} {'added, p50':>11} {'added, p95':>11} {'processor':>12} {'added':>9}")
    for name, runs in rows.items():
        more = f"{middle(runs) - middle(plain):8.1f} ms {late(runs) - late(plain):8.1f} ms"
        added = f"{'':23}" if runs is plain else more
        used = f"{computed(runs):9.1f} ms {computed(runs) - computed(plain):6.1f} ms"
        print(f"{name:34} {middle(runs):6.1f} ms {late(runs):6.1f} ms {added} {used}")
    print(f"{parsed.rounds} rounds on {os.cpu_count()} cores; the goal is at most {GOAL_MS:g} ms added")


def measure(served: Served, folder: Path, rounds: int) -> dict[str, list[Run]]:
    """The runs of each, taken in turns."""
    blocking = {"when": {"field": "metadata.intents", "op": "contains", "value": "wipe"}, "action": "block"}
    call(served, "POST", "/api/policies", {"name": "No wiping", "policy_type": "condition", "rules": blocking})
    configuration = folder / "hook.json"
    configuration.write_text(
        json.dumps(
            {
                "version": VERSION,
                "base_url": served.base_url,
                "api_key": served.key,
                "agent_id": "bench",
                "allow": "say",
            }
        )
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ASSENT_", "PYTHON"))}
    environment["XDG_STATE_HOME"] = str(folder)
    hook = [str(HOOK), "pre-tool", "--config", str(configuration)]
    after = [str(HOOK), "post-tool", "--config", str(configuration)]
    shell = ["/bin/sh", "-c", f"{' '.join(hook)} || exit 2"]
    rows: dict[str, list[Run]] = {}
    for number in range(rounds + 3):
        taken = {PLAIN: took([sys.executable, "-c", "pass"], "", environment)}
        for name, command in COMMANDS.items():
            said = calling(command)
            taken[f"pre-tool, {name}"] = took(hook, said, environment, expects=name)
            if name == "allowed":
                taken["post-tool"] = took(after, said, environment)
                taken["pre-tool, allowed, in a shell"] = took(shell, calling(command), environment, expects=name)
        if number >= 3:  # the first ones read files that nobody has read yet
            for name, run in taken.items():
                rows.setdefault(name, []).append(run)
    return rows


def calling(command: str) -> str:
    """What a host says before a shell command."""
    return json.dumps(
        {
            "session_id": "bench",
            "cwd": "/work",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": uuid.uuid4().hex,
            "tool_response": {"stdout": "x"},
        }
    )


def took(command: Sequence[str], said: str, environment: Mapping[str, str], expects: str = "") -> Run:
    """A whole process. What it measures has to have happened."""
    began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    ran = subprocess.run(command, input=said, capture_output=True, text=True, env=environment, check=True)
    elapsed, then = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    verdict = {"allowed": '"allow"', "blocked": '"deny"', "": ""}[expects]
    if verdict not in ran.stdout:
        raise SystemExit(f"{command[0]} did not answer {verdict}: {ran.stdout}{ran.stderr}")
    processor = then.ru_utime + then.ru_stime - used.ru_utime - used.ru_stime
    return Run(elapsed * 1000, processor * 1000)


def middle(runs: list[Run]) -> float:
    """The median on the clock."""
    return statistics.median(run.elapsed for run in runs)


def computed(runs: list[Run]) -> float:
    """The median of the processor's time."""
    return statistics.median(run.processor for run in runs)


def late(runs: list[Run]) -> float:
    """The 95th percentile on the clock."""
    return statistics.quantiles([run.elapsed for run in runs], n=20)[-1]


if __name__ == "__main__":
    main(sys.argv[1:])
