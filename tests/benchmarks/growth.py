"""Guard's processor time as work grows: past actions, policies, agents.

    python -m tests.benchmarks.growth [--only actions policies agents] [--actions 10000 100000 1000000]
                                      [--policies 10 100 1000 10000] [--agents 1 100 10000] [--rounds 12] [--seconds 1]

The services of one dimension run at once and are asked in turn over 16 connections, with bodies of 500 agents (or of as
many as the dimension says) and a new goal each time. Printed is what answering costs as a ratio to the smallest of the
same round, with its interval; the goal is 1.3. Policies are the mix of `policy`, without webhooks: those beyond the
first 20 that have a threshold or a limit are for two agents each. The lines are kept in growth.json, a dimension at a
time, and `pictures` draws them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec
import yaml

from assent_service import rebuild
from tests.benchmarks import history
from tests.benchmarks.guard_cost import CHANGING, GUARD, cost
from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.intervals import interval
from tests.benchmarks.policy import World
from tests.benchmarks.processes import Served, call, post, service
from tests.benchmarks.processor import catch_up
from tests.live import ADMIN_KEY

KEPT = Path(__file__).with_name("growth.json")
AGENTS = 500
CONNECTIONS, GOAL = 16, 1.3
EVENTS_OF_ACTION = 3.1  # as `history` makes them
PACK = 250  # policies of one import: a pack has at most 256 KB


class Size(msgspec.Struct, frozen=True):
    """`ratio`, `low` and `high` are to the smallest size of the dimension, `microseconds` what answering takes."""

    size: int
    microseconds: float
    ratio: float
    low: float
    high: float
    n: int


@contextmanager
def with_actions(actions: int) -> Iterator[Served]:
    """A service behind which so many actions of the last 20 days lie."""
    with tempfile.TemporaryDirectory(prefix="assent-growth-") as folder:
        home = Path(folder) / "home"
        history.make(home, int(actions * EVENTS_OF_ACTION), varied=True)
        rebuild.run(home)
        (home / "admin.key").write_text(ADMIN_KEY)  # of the service that the payloads of the history are from
        with service(home) as served:
            yield served


@contextmanager
def with_policies(policies: int) -> Iterator[Served]:
    with service() as served:
        listed = [each for each in World(policies * 10 // 9 + 10).policies() if each.policy_type != "webhook_check"]
        drafts = [
            {"name": p.name, "policy_type": p.policy_type, "rules": p.rules, "agent_ids": p.agent_ids, "mode": p.mode}
            for p in listed[:policies]
        ]
        for at in range(0, policies, PACK):
            pack = yaml.safe_dump({"version": 1, "policies": msgspec.to_builtins(drafts[at : at + PACK])})
            call(served, "POST", "/api/policies/import", {"yaml": pack, "replace": False})
        yield served


@contextmanager
def with_agents(agents: int) -> Iterator[Served]:
    """A service with the usual policies; the bodies name so many agents."""
    with service() as served:
        prepare(served)
        yield served


def measure(dimension: str, sizes: Sequence[int], rounds: int, seconds: float) -> list[Size]:
    making = {"actions": with_actions, "policies": with_policies, "agents": with_agents}[dimension]
    found: dict[int, list[float]] = {size: [] for size in sizes}
    with ExitStack() as stack:
        serving = {size: stack.enter_context(making(size)) for size in sizes}
        asking = {size: _words(size if dimension == "agents" else AGENTS) for size in sizes}
        for size, served in serving.items():
            post(served, GUARD, CONTEXT)
            _answering(served, asking[size], 2 * seconds)
            catch_up(served.pid)
        for turn in range(rounds):
            for size in list(sizes)[:: 1 if turn % 2 else -1]:
                found[size].append(_answering(serving[size], asking[size], seconds))
    smallest = found[min(sizes)]
    return [
        Size(size, statistics.median(each), ratio.middle, ratio.low, ratio.high, ratio.n)
        for size, each in found.items()
        for ratio in [interval([mine / other for mine, other in zip(each, smallest, strict=True)], 0.95)]
    ]


def _words(agents: int) -> list[str]:
    return [str(number) for number in range(agents)]


def _answering(served: Served, words: Sequence[str], seconds: float) -> float:
    headers = {"x-api-key": served.key, "content-type": "application/json"}
    url = served.base_url + GUARD
    return cost(served.pid, url, CHANGING, headers, CONNECTIONS, seconds, settle=False, words=words).answering


def kept() -> dict[str, list[Size]]:
    return msgspec.json.decode(KEPT.read_bytes(), type=dict[str, list[Size]]) if KEPT.exists() else {}


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="growth")
    parser.add_argument("--only", nargs="+", choices=("actions", "policies", "agents"))
    parser.add_argument("--actions", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--policies", type=int, nargs="+", default=[10, 100, 1_000, 10_000])
    parser.add_argument("--agents", type=int, nargs="+", default=[1, 100, 10_000])
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=1.0)
    chosen = parser.parse_args(arguments)
    for dimension in chosen.only or ("agents", "policies", "actions"):
        sizes = measure(dimension, getattr(chosen, dimension), chosen.rounds, chosen.seconds)
        print(f"{dimension}, load {os.getloadavg()[0]:.1f}", flush=True)
        for each in sizes:
            missed = "" if each.ratio <= GOAL else f", above {GOAL}"
            print(
                f"{each.size:>10,}  {each.microseconds:6.0f} us  {each.ratio:.2f} ({each.low:.2f}-{each.high:.2f}, "
                f"n={each.n}){missed}",
                flush=True,
            )
        KEPT.write_bytes(msgspec.json.format(msgspec.json.encode({**kept(), dimension: sizes})) + b"\n")


if __name__ == "__main__":
    main(sys.argv[1:])
