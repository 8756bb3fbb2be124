"""What an append to the log in PostgreSQL costs beside a plain insert of as many rows.

Run it: `python -m tests.benchmarks.postgresql [seconds per figure]`. It starts a server of its own, whose folder is on
the disk. All go one batch after the other over one connection with `synchronous_commit=on`, in turns of a fifth of a
second, so that what else the machine does meets each. The plain insert is one statement of arrays into a table with a
primary key. Times of server and client are processor time.

What is appended is what the service sends (`test_what_is_recorded_moves_what_it_rests_on_for_others` and its like say
so): a guard rests on the rules of its organization and moves nothing; a creation is two events, rests on the limits of
its agent and its key, and moves them. The last row is dearer than either: each event moves a fence of its own, as
creations with an idempotency key do.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import psycopg

from assent_service.store.batch import Salts
from assent_service.store.conditions import Condition
from assent_service.store.event import Draft
from assent_service.store.log import Submission
from assent_service.store.postgresql.arrays import Bytes, Texts, teach
from assent_service.store.postgresql.schema import migrate
from assent_service.store.postgresql.shared_log import Call, SharedLog
from tests.benchmarks.processor import used
from tests.engine.server import Server

SIZES = (1, 8, 32, 128)
GOALS = {8: 0.4, 32: 0.5, 128: 0.6}
TURN = 0.2
PAYLOAD = b'{"goal":"%b"}' % (b"x" * 650)
PLAIN = "INSERT INTO plain (org, header, body) SELECT * FROM unnest(%b, %b, %b)"


class Side:
    """One of the two: what it does for a batch, and what that took."""

    def __init__(self, work: Callable[[int], object], backend: int) -> None:
        self.work, self.backend = work, backend
        self.took: list[float] = []
        self.server = self.client = self.wall = 0.0

    def turn(self, size: int) -> None:
        server, client, begun = used(self.backend), time.process_time(), time.perf_counter()
        ends = begun + TURN
        while (now := time.perf_counter()) < ends:
            self.work(size)
            self.took.append(time.perf_counter() - now)
        self.wall += time.perf_counter() - begun
        self.server += used(self.backend) - server
        self.client += time.process_time() - client

    def row(self, size: int) -> str:
        events = len(self.took) * size
        return (
            f"{events / self.wall:8.0f} events/s  p50 {median(self.took) * 1e3:6.2f} ms  "
            f"server {self.server / events * 1e6:5.0f} us  client {self.client / events * 1e6:5.0f} us an event"
        )


def guards(size: int) -> list[Submission]:
    """So many decisions of guard."""
    rests = (Condition("rules:org_a", 0),)
    return [Submission((_draft("guard.decision.created", "dec_"),), conditions=rests) for _ in range(size)]


def creations(size: int) -> list[Submission]:
    """So many events, an even number: creations of agents and keys in turn, each with its decision."""
    made = []
    for number in range(size // 2):
        drafts = (_draft("guard.decision.created", "dec_"), _draft("action.created", "act_"))
        limits = (f"rate:org_a:agent-{number % 20}", f"key_rate:org_a:key_{number % 20}")
        rests = (*(Condition(name, 0, own=True) for name in limits), Condition("rules:org_a", 0))
        made.append(Submission(drafts, conditions=rests, moves=limits))
    return made


def keyed(size: int) -> list[Submission]:
    """So many events, each with a fence of its own."""
    made = []
    for _ in range(size):
        draft = _draft("guard.decision.created", "dec_")
        own = f"idempotency:org_a:agent-1:{draft.subject}"
        made.append(Submission((draft,), conditions=(Condition("rules:org_a", 0), Condition(own, 0)), moves=(own,)))
    return made


def _draft(kind: str, prefix: str) -> Draft:
    return Draft("org_a", kind, time.time_ns() // 1000, prefix + os.urandom(16).hex(), "key_1", PAYLOAD)


FORMS = {"guard": guards, "creation": creations, "keyed": keyed}


def _append(log: SharedLog, form: Callable[[int], list[Submission]], size: int) -> None:
    log.append(form(size))


def main(arguments: list[str]) -> None:
    seconds = float(arguments[0]) if arguments else 4.0
    server = Server.started(on_disk=True)
    try:
        migrate(server.dsn())
        log = SharedLog.open(server.dsn())
        plain = psycopg.connect(server.dsn(), autocommit=True)
        teach(plain)
        plain.execute("CREATE TABLE plain (seq bigserial PRIMARY KEY, org text, header bytea, body bytea)")
        salts = Salts()

        def insert(size: int) -> None:
            call = Call(guards(size), salts)
            headers = [b"%b%d%b" % (a, 7, b) for a, b in zip(call.prefixes, call.suffixes, strict=True)]
            values = [Texts(["org_a"] * size), Bytes(headers), Bytes(call.bodies)]
            plain.execute(PLAIN, values, prepare=True)

        log.append(guards(1))
        appender = log._appending._connection
        assert appender is not None
        for size in SIZES:
            pid = appender.info.backend_pid
            forms = {name: form for name, form in FORMS.items() if form is not creations or size > 1}
            ours = {name: Side(partial(_append, log, form), pid) for name, form in forms.items()}
            theirs = Side(insert, plain.info.backend_pid)
            sides = [*ours.values(), theirs]
            for side in sides:
                for _ in range(5):
                    side.work(size)
            while theirs.wall < seconds:
                for side in sides:
                    side.turn(size)
            print(f"batch {size:4}  plain    {theirs.row(size)}")
            for name, side in ours.items():
                share = len(side.took) / side.wall / (len(theirs.took) / theirs.wall)
                goal = f", goal {GOALS[size]}" if size in GOALS else ""
                print(f"            {name:8} {side.row(size)}   ratio {share:.2f}{goal}")
        log.close()
        plain.close()
    finally:
        server.remove()


if __name__ == "__main__":
    main(sys.argv[1:])
