"""What a fault costs those who are not broken: a replica that is killed, and a primary that is.

    python -m tests.benchmarks.failover [--kills 10] [--promotions 5]

Killed replica: guards at one replica over and over; how long they take in the second before the other one is killed
with SIGKILL, and in the second from then on. Killed primary: creations at both replicas, tried again with their
Idempotency-Key until they are answered; how long it takes from the promotion of the synchronous standby to the first
answer of a creation that was sent after it, and how many that were acknowledged are not in the log.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import threading
import time
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.engine.cluster import Cluster, Replicas, Reply

AT_ONCE = 4
"""Who ask at the same time."""
_numbers = count(1)


@dataclass
class Asking:
    """Threads that ask until `ended`; `replies` are what they got, `kept` the actions that were acknowledged."""

    replicas: Replicas
    create: bool
    at: tuple[int, ...]
    ended: threading.Event = field(default_factory=threading.Event)
    replies: list[Reply] = field(default_factory=list[Reply])
    kept: list[str] = field(default_factory=list[str])
    threads: list[threading.Thread] = field(default_factory=list[threading.Thread])

    def begin(self) -> None:
        self.threads = [threading.Thread(target=self._ask, args=(number,)) for number in range(AT_ONCE)]
        for each in self.threads:
            each.start()

    def end(self) -> None:
        self.ended.set()
        for each in self.threads:
            each.join()

    def _ask(self, number: int) -> None:
        while not self.ended.is_set():
            goal = f"goal {next(_numbers)}"
            body = {"agent_id": "scout", "action_type": "read", "declared_goal": goal}
            path, headers = ("/api/actions", {"idempotency-key": goal}) if self.create else ("/api/guard", {})
            number += 1
            while True:
                reply = self.replicas.call(self.at[number % len(self.at)], "POST", path, body, headers=headers)
                self.replies.append(reply)
                if reply.status in (200, 201) or self.ended.is_set():
                    break
                number += 1
                time.sleep(0.005)
            if reply.status in (200, 201) and self.create:
                self.kept.append(str(reply.body["action_id"]))


def p99(values: list[float]) -> float:
    return sorted(values)[int(0.99 * len(values))]


def kill_replicas(cluster: Cluster, times: int) -> None:
    before: list[float] = []
    beside: list[float] = []
    unanswered = 0
    for _ in range(times):
        folder = Path(tempfile.mkdtemp(prefix="assent-bench-"))
        with Replicas(cluster, folder, 2) as replicas:
            one, other = Asking(replicas, create=False, at=(0,)), Asking(replicas, create=False, at=(1,))
            for each in (one, other):
                each.begin()
            time.sleep(2.0)
            killed = time.monotonic()
            replicas.services[1].kill()
            other.ended.set()
            time.sleep(1.0)
            for each in (one, other):
                each.end()
            for reply in one.replies:
                took = (reply.returned - reply.invoked) * 1000
                if killed - 1.0 <= reply.invoked < killed:
                    before.append(took)
                elif reply.invoked >= killed:
                    beside.append(took)
            unanswered += sum(reply.status != 200 for reply in one.replies)
        shutil.rmtree(folder)
    print(f"a replica killed, {times} times; guards at the other one, {AT_ONCE} at once, new connections:")
    for name, several in (("in the second before", before), ("in the second from then on", beside)):
        print(f"  {name}: n {len(several)}, p50 {statistics.median(several):.1f} ms, p99 {p99(several):.1f} ms, "
              f"longest {max(several):.1f} ms")  # fmt: skip
    print(f"  not answered: {unanswered}")


def kill_primaries(cluster: Cluster, times: int) -> None:
    took: list[float] = []
    away: list[float] = []
    acknowledged = lost = twice = 0
    for _ in range(times):
        folder = Path(tempfile.mkdtemp(prefix="assent-bench-"))
        with Replicas(cluster, folder, 2) as replicas:
            asking = Asking(replicas, create=True, at=(0, 1))
            asking.begin()
            time.sleep(1.5)
            killed = time.monotonic()
            cluster.lose_primary()
            promoted = time.monotonic()
            while not any(reply.status == 201 and reply.invoked >= promoted for reply in list(asking.replies)):
                time.sleep(0.01)
            asking.end()
            good = [reply for reply in asking.replies if reply.status == 201]
            took.append(min(reply.returned for reply in good if reply.returned >= promoted) - promoted)
            away.append(min(reply.returned for reply in good if reply.returned >= promoted) - killed)
            rows = replicas.rows("SELECT convert_from(header, 'UTF8')::json ->> 'subject' FROM assent.log "
                                 "WHERE convert_from(header, 'UTF8')::json ->> 'type' = 'action.created'")  # fmt: skip
            there = [str(subject) for (subject,) in rows]
            acknowledged += len(asking.kept)
            lost += len(set(asking.kept) - set(there))
            twice += len(there) - len(set(there))
        shutil.rmtree(folder)
        cluster.mend()
    print(f"the primary killed and the standby promoted, {times} times; creations at two replicas, {AT_ONCE} at once:")
    print(f"  from promotion to the first answer: p50 {statistics.median(took):.3f} s, longest {max(took):.3f} s")
    print(f"  from the kill to the first answer: p50 {statistics.median(away):.3f} s, longest {max(away):.3f} s")
    print(f"  acknowledged {acknowledged}, of them lost {lost}; recorded twice {twice}")


def main() -> None:
    said = argparse.ArgumentParser()
    said.add_argument("--kills", type=int, default=10)
    said.add_argument("--promotions", type=int, default=5)
    given = said.parse_args()
    with Cluster() as cluster:
        if given.kills:
            kill_replicas(cluster, given.kills)
        if given.promotions:
            kill_primaries(cluster, given.promotions)


if __name__ == "__main__":
    main()
