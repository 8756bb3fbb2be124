"""A newer program beside an older one on one database: what `assent migrate` promises.

The next version is made here by hand, as its migration would: it adds a column and a function.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assent_service.store.audit import audit
from assent_service.store.postgresql.schema import OLDEST, VERSION, migrate
from tests.backend import WALLET_KEY
from tests.engine.server import Server
from tests.live import LiveService, StartRefused, start_service
from tests.tiers import deep

NEXT = VERSION + 1
ADDS = """
ALTER TABLE assent.log ADD COLUMN noted text;
CREATE FUNCTION assent.note() RETURNS integer LANGUAGE sql AS 'SELECT 1';
INSERT INTO assent.schema_version (version, oldest) VALUES ({version}, {oldest})
"""
ACTION = {"agent_id": "scout", "action_type": "read", "declared_goal": "see"}
Start = Callable[..., LiveService]


@pytest.fixture
def own(server: Server) -> Iterator[str]:
    """A database that is not given back to other tests."""
    name = "rolling"
    server.run(f"CREATE DATABASE {name}")
    migrate(server.dsn(name))
    yield name
    server.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def start(tmp_path: Path, server: Server, own: str) -> Iterator[Start]:
    started: list[LiveService] = []

    def begin(name: str, **given: Any) -> LiveService:
        given = {"ASSENT_LOG": server.dsn(own), "ASSENT_WALLET_KEY": WALLET_KEY, **given}
        started.append(start_service(tmp_path / name, **given))
        return started[-1]

    yield begin
    for service in started:
        service.stop()


def newer(start: Start, name: str) -> LiveService:
    return start(name, module="tests.engine.newer_service")


@deep("four starts of services, under requests")
def test_older_services_go_on_until_each_is_replaced(start: Start, server: Server, own: str, tmp_path: Path) -> None:
    old = [start("a"), start("b")]
    services, done, wrong = list(old), dict[str, str](), list[str]()
    ended, numbers = threading.Event(), count(1)

    def work() -> None:
        """As a client does: again at another one, with the same Idempotency-Key."""
        while not ended.is_set():
            key = f"key {next(numbers)}"
            for at in count():
                try:
                    headers = {"idempotency-key": key}
                    status, answer = services[at % len(services)].call("POST", "/api/actions", ACTION, headers=headers)
                except (OSError, HTTPException, ValueError):
                    time.sleep(0.05)
                    continue
                if status in (200, 201):
                    done[key] = str(answer["action_id"])
                    break
                if status != 503:
                    wrong.append(f"{status} {answer}")
                    return
                time.sleep(0.05)
            time.sleep(0.1)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        with pytest.raises(StartRefused, match=f"and version {NEXT} is needed: run `assent migrate --log ...`"):
            newer(start, "early")
        server.run(ADDS.format(version=NEXT, oldest=OLDEST), own)
        # One after the other, as a Deployment does; what still runs, and what is started again, is of before.
        services.append(newer(start, "c"))
        services.remove(old[0])
        old[0].stop()
        services.append(start("a"))
        services.append(newer(start, "d"))
    finally:
        ended.set()
        worker.join()
    assert not wrong, wrong
    assert len(done) > 3
    for service in services:
        total = service.call("GET", "/api/actions?limit=1")[1]["total"]
        assert total == len(done), "each is there once, at each of them"
        assert service.call("GET", "/ready", key=None)[0] == 200
    for service in services:
        service.stop()
    for name in ("a", "b", "c", "d"):
        found = audit(tmp_path / name)
        assert found.ok, found.checks


@deep("two starts of a service")
def test_a_schema_that_older_programs_cannot_serve_from_stops_their_next_start(
    start: Start, server: Server, own: str
) -> None:
    start("a").stop()
    server.run(ADDS.format(version=NEXT, oldest=NEXT), own)
    with pytest.raises(StartRefused, match=f"of version {NEXT}, made by a newer Assent; this one knows {VERSION}"):
        start("a")
    assert newer(start, "b").call("GET", "/ready", key=None)[0] == 200
