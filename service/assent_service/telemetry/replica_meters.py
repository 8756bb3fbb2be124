"""The metrics of a service that shares its log in a database with others; one that is alone has none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from assent_service.store.leases import KINDS, kind_of
from assent_service.store.standing import Standing
from assent_service.telemetry.meters import SECONDS

RECORDED, OVERTAKEN, REFUSED = OUTCOMES = ("recorded", "overtaken", "refused")
AGAIN, BUSY = RUNS = ("again", "busy")
WHILE_OVERTAKEN: Final = "Work that was overtaken: runs of it, and work that was refused as busy after the last."


class ReplicaMeters:
    """An `AppendObserver`. `held` names the leases that the service holds."""

    def __init__(self, registry: CollectorRegistry, standing: Standing, held: Callable[[], Iterable[str]]) -> None:
        self._append = Histogram(
            "assent_append_seconds",
            "Recording a batch of submissions in the evidence log's database.",
            buckets=SECONDS,
            registry=registry,
        )
        submissions = Counter(
            "assent_submissions", "What was sent to the database to be recorded.", ["outcome"], registry=registry
        )
        self._submissions = {each: submissions.labels(each) for each in OUTCOMES}
        runs = Counter("assent_overtaken_requests", WHILE_OVERTAKEN, ["result"], registry=registry)
        self._runs = {each: runs.labels(each) for each in RUNS}
        for name, words, found in (
            ("events", "How many events this service is behind the database's log.", lambda: standing.behind().events),
            ("seconds", "Seconds that this service is behind the database's log.", lambda: standing.behind().seconds),
        ):
            Gauge(f"assent_replica_behind_{name}", words, registry=registry).set_function(found)
        leases = Gauge(
            "assent_leases_held", "Leases that this service holds, by what is done under them.", ["lease"],
            registry=registry,
        )  # fmt: skip
        for kind in KINDS:
            leases.labels(kind).set_function(partial(_count, kind, held))
        away = Gauge("assent_database_away", "1 while the evidence log's database does not answer.", registry=registry)
        away.set_function(lambda: standing.away)

    def appended(self, seconds: float, recorded: int, overtaken: int) -> None:
        self._append.observe(seconds)
        self._submissions[RECORDED].inc(recorded)
        self._submissions[OVERTAKEN].inc(overtaken)

    def refused(self, submissions: int) -> None:
        self._submissions[REFUSED].inc(submissions)

    def rerun(self, again: bool) -> None:
        """See `Ledger.reruns`."""
        self._runs[AGAIN if again else BUSY].inc()


def _count(kind: str, held: Callable[[], Iterable[str]]) -> int:
    return sum(kind_of(name) == kind for name in held())
