"""What a shared log costs: a service on files beside replicas on PostgreSQL, in one run.

    python -m tests.benchmarks.replicas [--seconds 2] [--rounds 5]

On one machine all of them want the same cores, so beside the ratio of requests there is the processor time of each
part for a guard: the replica that answers, the database, and a second replica that only follows. From these the model
of more machines is printed: n replicas, each on two cores of its own, with a database on others. It is arithmetic over
what was measured here, and says nothing of networks.
"""

from __future__ import annotations

import argparse
import base64
import os
import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from assent_service.store.postgresql.schema import migrate
from tests.benchmarks.approval import measure
from tests.benchmarks.guard_cost import CHANGING, GUARD, cost
from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.processes import Served, call, post, service
from tests.benchmarks.processor import catch_up, processor
from tests.engine.server import Server

CONNECTIONS = (16, 64)
CORES = 2
REPLICAS = (1, 2, 3, 8)


@dataclass
class Costs:
    """Of each round: requests/s on files and on the replica, and microseconds for each guard of the file service, the
    replica, the database and the follower."""

    files: list[float] = field(default_factory=list[float])
    replica: list[float] = field(default_factory=list[float])
    alone: list[float] = field(default_factory=list[float])
    answering: list[float] = field(default_factory=list[float])
    database: list[float] = field(default_factory=list[float])
    following: list[float] = field(default_factory=list[float])


def round_of(costs: Costs, files: Served, replica: Served, other: Served, server: Server, at: int, sec: float) -> None:
    def load(served: Served) -> tuple[float, float, float]:
        headers = {"x-api-key": served.key, "content-type": "application/json"}
        found = cost(served.pid, served.base_url + GUARD, CHANGING, headers, at, sec, settle=True)
        return found.load.rate, found.whole, found.load.requests

    rate, whole, _ = load(files)
    costs.files.append(rate)
    costs.alone.append(whole)
    before = (processor(server.pid).whole, processor(other.pid).whole)
    rate, whole, requests = load(replica)
    catch_up(other.pid)
    after = (processor(server.pid).whole, processor(other.pid).whole)
    costs.replica.append(rate)
    costs.answering.append(whole)
    costs.database.append((after[0] - before[0]) / requests * 1e6)
    costs.following.append((after[1] - before[1]) / requests * 1e6)


def report(at: int, costs: Costs) -> None:
    files, replica, alone, own, database, foreign = (
        statistics.median(each)
        for each in (costs.files, costs.replica, costs.alone, costs.answering, costs.database, costs.following)
    )
    print(f"guard at {at}: files {files:.0f}/s, replica {replica:.0f}/s, ratio {replica / files:.2f}")
    print(f"  processor time of a guard, us: files {alone:.0f}; replica {own:.0f}, database {database:.0f}, "
          f"a guard of another replica {foreign:.0f}")  # fmt: skip
    told: list[str] = []
    for n in REPLICAS:
        # Each replica answers its share and folds everybody's.
        each = CORES * 1e6 / (own + (n - 1) * foreign)
        told.append(f"{n}: {n * each:.0f}/s ({n * each * database / 1e6:.1f} cores of the database)")
    print(f"  model, {CORES} cores a replica: " + ", ".join(told))


def main() -> None:
    said = argparse.ArgumentParser()
    said.add_argument("--seconds", type=float, default=2.0)
    said.add_argument("--rounds", type=int, default=5)
    said.add_argument("--approvals", type=int, default=100)
    given = said.parse_args()
    server = Server.started(on_disk=True)
    admin = "assent_replicas_of_the_benchmark_0123456789"
    shared = {
        "ASSENT_LOG": server.dsn(),
        "ASSENT_WALLET_KEY": base64.b64encode(os.urandom(32)).decode(),
        "ASSENT_ADMIN_KEY": admin,
    }
    try:
        migrate(server.dsn())
        with (
            tempfile.TemporaryDirectory(prefix="assent-bench-") as place,
            service(environment={"ASSENT_ADMIN_KEY": admin}) as files,
            service(Path(place) / "one", environment=shared) as one,
        ):
            (Path(place) / "two").mkdir()
            (Path(place) / "two" / "admin.key").write_text(admin)
            with service(Path(place) / "two", environment=shared) as two:
                for each in (files, one):
                    prepare(each)
                    post(each, GUARD, CONTEXT)
                ask = {"name": "Ask", "policy_type": "require_approval", "rules": {"action_types": ["pay"]}}
                call(one, "POST", "/api/policies", ask)
                for where, elsewhere in (("the same", None), ("another", two)):
                    times = measure(one, given.approvals, elsewhere)
                    unblocked = sorted(times.unblocked)
                    print(
                        f"approved at one replica, unblocked at {where}: p50 {statistics.median(unblocked):.1f} ms, "
                        f"p99 {unblocked[int(0.99 * len(unblocked))]:.1f} ms"
                    )
                for at in CONNECTIONS:
                    costs = Costs()
                    for _ in range(given.rounds):
                        round_of(costs, files, one, two, server, at, given.seconds)
                    report(at, costs)
    finally:
        server.remove()


if __name__ == "__main__":
    main()
