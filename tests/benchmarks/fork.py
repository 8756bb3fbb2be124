"""Guards from forked processes with threads beside them: crossed answers, and blocked ones that came back allowed.

python -m tests.benchmarks.fork [--guards 100000] [--processes 16] [--threads 2] [--control 2000]

`tests/stories/forks.py` says what is done. The client is measured first. Then the two controls, with fewer guards
since answers get lost in them: the client with the inherited connections in use, where the ids alone keep answers
apart, and httpx as it is, which has to show crossings: a run in which it does not has shown nothing.
"""

from __future__ import annotations

import argparse
from typing import Any

from tests.benchmarks.processes import Served, call, service
from tests.stories.forks import blocked_types, count


def prepare(served: Served, processes: int, threads: int) -> str:
    """A policy that blocks, and an agent's key."""
    rules = {"action_types": blocked_types(processes, threads)}
    draft = {"name": "Nobody wipes", "policy_type": "block_action_type", "rules": rules}
    call(served, "POST", "/api/policies", draft)
    return str(call(served, "POST", "/api/keys", {"name": "forks", "role": "agent"})["api_key"])


def shown(name: str, found: dict[str, Any]) -> str:
    rate = found["asked"] / found["seconds"]
    return (
        f"{name}: {found['asked']} guards in {found['seconds']:.1f} s ({rate:.0f} a second), "
        f"{found['crossed']} crossed, {found['let_through']} blocked ones allowed, "
        f"{found['stopped']} others blocked, failed: {found['failed']}"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.fork")
    parser.add_argument("--guards", type=int, default=100_000)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--control", type=int, default=2_000)
    given = parser.parse_args(arguments)
    wrong = []
    with service() as served:
        key = prepare(served, given.processes, given.threads)
        # The ways that share connections come last: the second changes what this process believes to be.
        for way, guards in (("assent", given.guards), ("bare", given.control), ("bound", given.control)):
            found = count(way, served.base_url, key, guards, given.processes, given.threads)
            print(shown(way, found))
            mixed = found["crossed"] or found["let_through"] or found["stopped"]
            if bool(mixed) != (way == "bare") or (way == "assent" and found["failed"]):
                wrong.append(way)
    if wrong:
        raise SystemExit(f"not as it should be: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
