"""What a shared log costs: a service on files beside replicas on PostgreSQL, in one run.

    python -m tests.benchmarks.replicas [--seconds 2] [--rounds 5] [--half 20]

On one machine all of them want the same cores, so beside the ratio of requests there is the processor time of each
part for a guard: the replica that answers, the database, and a second replica that only follows. From these the model
of more machines is printed: n replicas, each on two cores of its own, with a database on others. It is arithmetic over
what was measured here, and says nothing of networks.

Last, guards that come at an even pace, half as many as one replica answers at most, while every commit waits for a
synchronous standby: how long each takes from the moment at which it is due, whether or not it could be sent then.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import socket
import statistics
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from assent_service.store.postgresql.schema import migrate
from tests.benchmarks.approval import measure
from tests.benchmarks.guard_cost import AGENTS, CHANGING, GUARD, cost
from tests.benchmarks.http import CONTEXT, prepare
from tests.benchmarks.processes import NUMBER, WORD, Served, call, post, service, wrk
from tests.benchmarks.processor import catch_up, processor
from tests.engine.server import Server

CONNECTIONS = (16, 64)
CORES = 2
REPLICAS = (1, 2, 3, 8)
SENDERS = 16
SYNCHRONOUS = 30.0
"""Seconds in which a standby has to follow."""


@dataclass
class Costs:
    """Of each round: requests/s on files and on the replica, and microseconds for each guard of the file service, the
    replica, the database and the follower, and what of the last is its loop's and its log's: the rest is tables and
    drift."""

    files: list[float] = field(default_factory=list[float])
    replica: list[float] = field(default_factory=list[float])
    alone: list[float] = field(default_factory=list[float])
    answering: list[float] = field(default_factory=list[float])
    database: list[float] = field(default_factory=list[float])
    following: list[float] = field(default_factory=list[float])
    folding: list[float] = field(default_factory=list[float])


def round_of(costs: Costs, files: Served, replica: Served, other: Served, server: Server, at: int, sec: float) -> None:
    def load(served: Served) -> tuple[float, float, float]:
        headers = {"x-api-key": served.key, "content-type": "application/json"}
        found = cost(served.pid, served.base_url + GUARD, CHANGING, headers, at, sec, settle=True)
        return found.load.rate, found.whole, found.load.requests

    rate, whole, _ = load(files)
    costs.files.append(rate)
    costs.alone.append(whole)
    before = (processor(server.pid), processor(other.pid))
    rate, whole, requests = load(replica)
    catch_up(other.pid)
    database, following = processor(server.pid) - before[0], processor(other.pid) - before[1]
    costs.replica.append(rate)
    costs.answering.append(whole)
    costs.database.append(database.whole / requests * 1e6)
    costs.following.append(following.whole / requests * 1e6)
    costs.folding.append(following.answering / requests * 1e6)


def report(at: int, costs: Costs) -> None:
    files, replica, alone, own, database, foreign, folding = (
        statistics.median(each)
        for each in (
            costs.files, costs.replica, costs.alone, costs.answering, costs.database, costs.following, costs.folding
        )
    )  # fmt: skip
    print(f"guard at {at}: files {files:.0f}/s, replica {replica:.0f}/s, ratio {replica / files:.2f}")
    print(f"  processor time of a guard, us: files {alone:.0f}; replica {own:.0f}, database {database:.0f}, "
          f"a guard of another replica {foreign:.0f}, {folding:.0f} of which without tables and drift")  # fmt: skip
    told: list[str] = []
    for n in REPLICAS:
        # Each replica answers its share and folds everybody's.
        each = CORES * 1e6 / (own + (n - 1) * foreign)
        told.append(f"{n}: {n * each:.0f}/s ({n * each * database / 1e6:.1f} cores of the database)")
    print(f"  model, {CORES} cores a replica: " + ", ".join(told))


def paced(served: Served, rate: float, seconds: float) -> list[float]:
    """Milliseconds that each guard took from the moment at which it was due, of `rate` a second."""
    first, took = time.perf_counter() + 0.2, [list[float]() for _ in range(SENDERS)]
    body, place = json.dumps(CHANGING), urlsplit(served.base_url)
    head = f"POST {GUARD} HTTP/1.1\r\nhost: {place.netloc}\r\nx-api-key: {served.key}\r\n"
    head += "content-type: application/json\r\ncontent-length: "

    def send(number: int) -> None:
        # A whole client takes as much of the machine as the database does.
        with socket.create_connection((place.hostname, place.port), timeout=30) as connection:
            for at in range(number, int(rate * seconds), SENDERS):
                asked = body.replace(NUMBER, f"7{at}").replace(WORD, AGENTS[at % len(AGENTS)])
                due = first + at / rate
                time.sleep(max(0.0, due - time.perf_counter()))
                connection.sendall(f"{head}{len(asked)}\r\n\r\n{asked}".encode())
                answer = connection.recv(65536)
                if not answer.startswith(b"HTTP/1.1 200"):
                    raise SystemExit(f"a guard was answered with {answer[:200]!r}")
                took[number].append((time.perf_counter() - due) * 1e3)

    threads = [threading.Thread(target=send, args=(number,)) for number in range(SENDERS)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return sorted(each for several in took for each in several)


def at_half_load(seconds: float) -> None:
    """One replica whose database has a standby that every commit waits for."""
    primary = Server.started("wal_keep_size=256MB", on_disk=True)
    standby: Server | None = None
    try:
        migrate(primary.dsn())
        follows = f"primary_conninfo=host=127.0.0.1 port={primary.port} user=postgres application_name=standby"
        standby = Server(follows, made_from=primary, on_disk=True)
        standby.start()
        primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.run("SELECT pg_reload_conf()")
        ends = time.monotonic() + SYNCHRONOUS
        while primary.run("SELECT sync_state FROM pg_stat_replication") != [("sync",)]:
            if time.monotonic() > ends:
                raise SystemExit("the standby does not follow")
            time.sleep(0.05)
        shared = {"ASSENT_LOG": primary.dsn(), "ASSENT_WALLET_KEY": base64.b64encode(os.urandom(32)).decode()}
        with service(environment=shared) as served:
            prepare(served)
            headers = {"x-api-key": served.key, "content-type": "application/json"}
            most = wrk(served.base_url + GUARD, CHANGING, headers, CONNECTIONS[-1], seconds / 4, AGENTS).rate
            catch_up(served.pid)
            for share in (0.25, 0.5):
                took = paced(served, most * share, seconds)
                catch_up(served.pid)
                p50, p99 = statistics.median(took), took[int(0.99 * len(took))]
                print(
                    f"with a synchronous standby, at {share} of the {most:.0f}/s that it answers at most: "
                    f"n {len(took)}, p50 {p50:.1f} ms, p99 {p99:.1f} ms"
                )
    finally:
        if standby is not None:
            standby.remove()
        primary.remove()


def main() -> None:
    said = argparse.ArgumentParser()
    said.add_argument("--seconds", type=float, default=2.0)
    said.add_argument("--rounds", type=int, default=5)
    said.add_argument("--approvals", type=int, default=100)
    said.add_argument("--half", type=float, default=20.0, metavar="SECONDS", help="of the guards at an even pace")
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
    at_half_load(given.half)


if __name__ == "__main__":
    main()
