"""A database that hangs, with its connections open: requests are answered in time all the same, and what was sent to it
is recorded once."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from assent_service.store.leases import LEASE_SECONDS
from assent_service.store.postgresql.schema import migrate
from tests.engine.cluster import WALLET_KEY
from tests.engine.proxy import Proxy
from tests.engine.server import Server
from tests.live import LiveService, start_service
from tests.tiers import deep

MOST = 12.0
"""Seconds: ten, and what a machine under load takes beside them."""
Answer = tuple[int, dict[str, Any], float]


def processes(server: Server) -> list[int]:
    """The first process and all that it has started."""
    found = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text()
    return [server.pid, *map(int, found.split())]


@contextmanager
def hanging(server: Server) -> Iterator[None]:
    stopped = processes(server)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def timed(service: LiveService, method: str, path: str, body: Any = None, key: str = "") -> Answer:
    began = time.monotonic()
    headers = {"idempotency-key": key} if key else {}
    status, answer = service.call(method, path, body, headers=headers, timeout=40)
    return status, answer, time.monotonic() - began


def at_once(calls: list[Callable[[], Answer]]) -> list[Answer]:
    """All of them at the same time."""
    found: list[Answer | None] = [None] * len(calls)

    def call(at: int) -> None:
        found[at] = calls[at]()

    threads = [threading.Thread(target=call, args=(at,)) for at in range(len(calls))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return [each for each in found if each is not None]


def action(goal: str, **given: Any) -> dict[str, Any]:
    return {"agent_id": "scout", "action_type": "read", "declared_goal": goal, **given}


def states(service: LiveService) -> list[tuple[str, str]]:
    listed = service.call("GET", "/api/actions?limit=100")[1]["actions"]
    return sorted((each["declared_goal"], each["status"]) for each in listed)


@pytest.fixture
def own(own_server: Callable[..., Server]) -> Server:
    """A server of this test's, with the schema."""
    server = own_server()
    migrate(server.dsn())
    return server


@deep("it waits for ten seconds")
def test_requests_are_answered_in_ten_seconds_and_recorded_once(own: Server, tmp_path: Path) -> None:
    service = start_service(tmp_path / "one", ASSENT_LOG=own.dsn(), ASSENT_WALLET_KEY=WALLET_KEY)
    try:
        done = timed(service, "POST", "/api/actions", action("before"), "before")[1]["action_id"]
        with hanging(own):
            # Creations take the quick way, which asks the database nothing before it appends.
            first = at_once(
                [
                    *(
                        lambda at=at: timed(service, "POST", "/api/actions", action(f"{at}"), f"{at}")
                        for at in range(4)
                    ),
                    lambda: timed(service, "GET", "/api/actions"),
                    lambda: timed(service, "PATCH", f"/api/actions/{done}", {"status": "completed"}),
                ]
            )
            assert [status for status, *_ in first] == [503] * 6
            assert max(seconds for *_, seconds in first) < MOST, first
            for _, answer, _ in first[:4]:
                # One that comes a moment later goes by the door, which knows already.
                says = {"storage_unavailable": "did not say whether", "projection_behind": "database does not answer"}
                assert says[answer["code"]] in answer["detail"], answer
            for _, answer, _ in first[4:]:
                assert answer["code"] == "projection_behind"
                assert "database does not answer" in answer["detail"]
                assert "guard" not in answer["detail"]
            again = at_once(
                [
                    lambda: timed(service, "POST", "/api/actions", action("0"), "0"),
                    lambda: timed(service, "GET", "/api/actions"),
                ]
            )
            assert [status for status, *_ in again] == [503] * 2
            assert max(seconds for *_, seconds in again) < 2.0, again
            assert service.call("GET", "/ready")[0] == 503
        ends = time.monotonic() + 2 * MOST
        while service.call("GET", "/ready")[0] != 200 and time.monotonic() < ends:
            time.sleep(0.1)
        for at in range(4):
            while (tried := timed(service, "POST", "/api/actions", action(f"{at}"), f"{at}"))[0] == 503:
                # It answers again, and what it was asked before may still be under way.
                assert time.monotonic() < ends, tried
                time.sleep(0.2)
            assert tried[0] in (200, 201), tried
        assert [goal for goal, _ in states(service)] == ["0", "1", "2", "3", "before"]
        time.sleep(1.0)
    finally:
        service.stop()
    said = service.output
    assert said.count("does not answer (") == 1, said
    assert said.count("answers again") == 1, said


@deep("it waits for ten seconds")
def test_an_append_that_waits_is_answered_at_the_door_and_carried_out_once(own: Server, tmp_path: Path) -> None:
    """Its head can be read, and another transaction keeps it from being moved."""
    service = start_service(tmp_path / "one", ASSENT_LOG=own.dsn(), ASSENT_WALLET_KEY=WALLET_KEY)
    try:
        action_id = service.call("POST", "/api/actions", action("before"))[1]["action_id"]
        policy = {"name": "ask", "policy_type": "require_approval", "rules": {"action_types": ["deploy"]}}
        with psycopg.connect(own.dsn()) as holder:
            holder.execute("SELECT FROM assent.log_head FOR UPDATE")
            found = at_once(
                [
                    lambda: timed(service, "POST", "/api/policies", policy, "policy"),
                    lambda: timed(service, "PATCH", f"/api/actions/{action_id}", {"status": "completed"}),
                    lambda: timed(service, "POST", "/api/actions", action("quick"), "quick"),
                ]
            )
            assert [(status, answer["code"]) for status, answer, _ in found] == [(503, "storage_unavailable")] * 3
            assert all("did not say whether this was recorded" in answer["detail"] for _, answer, _ in found)
            assert max(seconds for *_, seconds in found) < MOST, found
            assert service.call("GET", "/api/actions")[0] == 200
            holder.rollback()
        assert timed(service, "POST", "/api/actions", action("quick"), "quick")[0] in (200, 201)
        due = [("before", "completed"), ("quick", "running")]
        ends = time.monotonic() + MOST
        while states(service) != due and time.monotonic() < ends:
            time.sleep(0.05)
        assert states(service) == due
        assert [each["name"] for each in service.call("GET", "/api/policies")[1]["policies"]].count("ask") == 1
    finally:
        service.stop()


@deep("the service is stopped while nothing answers")
def test_a_service_ends_while_the_database_hangs(own: Server, tmp_path: Path) -> None:
    for pause in (0.0, 3.0):
        service = start_service(tmp_path / "one", ASSENT_LOG=own.dsn(), ASSENT_WALLET_KEY=WALLET_KEY)
        assert service.call("POST", "/api/actions", action("before"))[0] == 201
        with hanging(own):
            time.sleep(pause)
            began = time.monotonic()
            os.kill(service.process.pid, signal.SIGTERM)
            service.process.wait(30)
            assert time.monotonic() - began < MOST
        service.stop()
    with start_service(tmp_path / "one", ASSENT_LOG=own.dsn(), ASSENT_WALLET_KEY=WALLET_KEY) as again:
        assert states(again) == [("before", "running")] * 2


@deep("leases run out meanwhile")
def test_who_lives_keeps_its_run_while_the_database_hangs(own: Server, tmp_path: Path) -> None:
    given: dict[str, Any] = {"ASSENT_LOG": own.dsn(), "ASSENT_WALLET_KEY": WALLET_KEY}
    with (
        start_service(tmp_path / "one", **given) as one,
        start_service(tmp_path / "two", **given) as two,
    ):
        for number in range(30):
            assert one.call("POST", "/api/actions", action(f"goal {number}"))[0] == 201
        config = {"type": "contains", "name": "tone", "config": {"keywords": ["goal"]}}
        scorer = one.call("POST", "/api/evaluations/scorers", config)[1]["id"]
        run = one.call("POST", "/api/evaluations/runs", {"name": "all", "scorer_id": scorer})[1]["id"]
        with hanging(own):
            time.sleep(LEASE_SECONDS + 3)

        def status(service: LiveService) -> str:
            return str(service.call("GET", f"/api/evaluations/runs/{run}", timeout=40)[1]["run"]["status"])

        ends = time.monotonic() + 40
        while (status(one), status(two)) != ("completed", "completed") and time.monotonic() < ends:
            # Its scores may have waited longer than a request does; then it failed, and says so everywhere.
            assert "interrupted" not in (status(one), status(two))
            if (status(one), status(two)) == ("failed", "failed"):
                break
            time.sleep(0.3)
        assert status(one) == status(two) in ("completed", "failed")


@deep("a service is stopped behind a link that swallows what is asked")
def test_a_service_ends_while_a_new_connection_is_let_in_and_not_answered(own: Server, tmp_path: Path) -> None:
    with Proxy(own.port) as proxy:
        dsn = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres?sslmode=disable&gssencmode=disable"
        service = start_service(tmp_path / "one", ASSENT_LOG=dsn, ASSENT_WALLET_KEY=WALLET_KEY)
        assert service.call("POST", "/api/actions", action("before"))[0] == 201
        proxy.swallows = b"pg_backend_pid"
        proxy.cut_all()
        time.sleep(1.0)
        began = time.monotonic()
        os.kill(service.process.pid, signal.SIGTERM)
        service.process.wait(30)
        assert time.monotonic() - began < 2 * MOST
        service.stop()
