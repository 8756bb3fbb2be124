"""What a replica tells of itself: its numbers in /metrics, and in /ready whether it can do its work."""

from __future__ import annotations

import base64
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psycopg
import pytest

from assent_service.store.leases import KINDS
from assent_service.store.postgresql.schema import migrate
from tests.engine.server import Server
from tests.live import LiveService, start_service
from tests.tiers import deep

WALLET_KEY = base64.b64encode(bytes(range(32))).decode()
WAIT = 30.0
OF_REPLICAS = {
    *("assent_append_seconds_count", "assent_submissions_total", "assent_overtaken_requests_total"),
    *("assent_replica_behind_events", "assent_replica_behind_seconds", "assent_leases_held", "assent_database_away"),
}
ACTION = {"agent_id": "scout", "action_type": "read", "declared_goal": "see"}
LOCKED = "SELECT 1 FROM assent.log_head WHERE one FOR UPDATE"
Start = Callable[..., LiveService]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a replica on the log of a database, and waits until it is ready; each name is a folder."""
    started: list[LiveService] = []

    def begin(name: str, dsn: str, **given: Any) -> LiveService:
        given = {"ASSENT_LOG": dsn, "ASSENT_WALLET_KEY": WALLET_KEY, "ASSENT_METRICS": "open", **given}
        started.append(service := start_service(tmp_path / name, **given))
        until(lambda: service.call("GET", "/ready", key=None)[0] == 200)
        return service

    yield begin
    for service in started:
        service.stop()


def metrics(service: LiveService) -> dict[str, float]:
    """Each series with its labels, as it is written."""
    connection = HTTPConnection("127.0.0.1", service.port, timeout=WAIT)
    connection.request("GET", "/metrics")
    lines = connection.getresponse().read().decode().splitlines()
    connection.close()
    return {name: float(value) for name, _, value in (each.rpartition(" ") for each in lines if each[:1] != "#")}


def check(service: LiveService, name: str = "database") -> tuple[int, str, str]:
    """The status of /ready, and what it says of a part."""
    status, answer = service.call("GET", "/ready", key=None)
    (found,) = [each for each in answer["checks"] if each["name"] == name]
    return status, found["status"], found["detail"]


def until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.05)


def test_a_replica_counts_what_it_sends_and_who_is_alone_has_no_such_numbers(
    start: Start, server: Server, database: str, tmp_path: Path
) -> None:
    service = start("one", server.dsn(database))
    before = metrics(service)
    assert {each.partition("{")[0] for each in before} >= OF_REPLICAS
    assert {each for each in before if each.startswith("assent_leases_held")} == {
        f'assent_leases_held{{lease="{kind}"}}' for kind in KINDS
    }
    for _ in range(5):
        assert service.call("POST", "/api/actions", ACTION)[0] == 201
    after = metrics(service)
    recorded = 'assent_submissions_total{outcome="recorded"}'
    assert after[recorded] - before[recorded] == 5
    assert 1 <= after["assent_append_seconds_count"] - before["assent_append_seconds_count"] <= 5
    assert after["assent_append_seconds_sum"] > before["assent_append_seconds_sum"]
    assert after['assent_submissions_total{outcome="overtaken"}'] == 0
    until(lambda: metrics(service)["assent_database_away"] == metrics(service)["assent_replica_behind_events"] == 0)
    until(lambda: metrics(service)['assent_leases_held{lease="approvals"}'] == 1)
    until(lambda: check(service) == (200, "pass", "It answers, and this service follows it (0 events behind)."))
    with start_service(tmp_path / "alone", ASSENT_METRICS="open") as alone:
        assert not {each.partition("{")[0] for each in metrics(alone)} & OF_REPLICAS
        assert "database" not in {each["name"] for each in alone.call("GET", "/ready", key=None)[1]["checks"]}


@deep("two services, one of which is stopped in the middle of a request")
def test_who_is_overtaken_is_counted_and_one_holds_each_lease(start: Start, server: Server, database: str) -> None:
    """Both decide from the same place, and the head is held until both have sent what they decided."""
    pair = [start(name, server.dsn(database)) for name in ("one", "two")]
    until(lambda: sum(metrics(each)['assent_leases_held{lease="approvals"}'] for each in pair) == 1)
    policy = {"name": "few", "policy_type": "rate_limit", "rules": {"max_actions": 100, "window_minutes": 60}}
    assert pair[0].call("POST", "/api/policies", policy)[0] == 201
    for each in pair:
        assert each.call("GET", "/api/policies")[0] == 200
    with ThreadPoolExecutor(2) as both, psycopg.connect(server.dsn(database)) as connection:
        connection.execute(LOCKED)
        sent = [both.submit(each.call, "POST", "/api/actions", ACTION) for each in pair]
        time.sleep(0.5)
        connection.rollback()
        answers = [each.result()[0] for each in sent]
    assert answers == [201, 201]
    found = [metrics(each) for each in pair]
    assert sum(each['assent_submissions_total{outcome="overtaken"}'] for each in found) >= 1
    assert sum(each['assent_overtaken_requests_total{result="again"}'] for each in found) >= 1
    assert sum(each['assent_overtaken_requests_total{result="busy"}'] for each in found) == 0


@deep("a database is stopped for seconds")
def test_a_replica_whose_database_is_away_is_not_ready_until_it_is_back(
    start: Start, own_server: Callable[..., Server]
) -> None:
    server = own_server()
    server.run("CREATE DATABASE assent")
    migrate(server.dsn("assent"))
    service = start("one", server.dsn("assent"))
    server.stop(signal.SIGQUIT)
    until(lambda: check(service)[:2] == (503, "fail"))
    detail = check(service)[2]
    assert "has not answered for" in detail
    assert metrics(service)["assent_database_away"] == 1
    assert service.call("GET", "/health", key=None)[0] == 200
    for each in service.call("GET", "/ready", key=None)[1]["checks"]:
        assert str(server.folder) not in each["detail"], "anybody may ask, and learns nothing of where it is"
    server.start()
    # Nobody has to record anything for that.
    until(lambda: check(service)[:2] == (200, "pass"))
    assert check(service, "log")[1] == "pass"
    until(lambda: metrics(service)["assent_database_away"] == 0)


@deep("waits until a service is late")
def test_a_replica_that_cannot_keep_up_is_not_ready(start: Start, server: Server, database: str) -> None:
    """Its copy cannot be written, so that it knows of events that it does not have."""
    one, two = start("one", server.dsn(database)), start("two", server.dsn(database), module="tests.engine.full_copy")
    (two.home / "full").touch()
    assert one.call("POST", "/api/actions", ACTION)[0] == 201
    until(lambda: "behind what others have recorded" in check(two)[2])
    assert check(two)[:2] == (503, "fail")
    assert metrics(two)["assent_replica_behind_events"] >= 1
    assert metrics(two)["assent_replica_behind_seconds"] > 2
    until(lambda: metrics(two)["assent_database_away"] == 0)
    until(lambda: check(one)[0] == 200)
    (two.home / "full").unlink()
    until(lambda: check(two)[:2] == (200, "pass"))
