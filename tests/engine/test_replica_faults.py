"""Two services on one log while something breaks: what was acknowledged is there, once, and both say the same.

Whoever creates tries again at the other service with the same Idempotency-Key until it is answered, as a client does.
Each fault is a round here; ROUNDS in the environment makes it more.
"""

from __future__ import annotations

import base64
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assent_service.store.audit import audit
from assent_service.store.postgresql.schema import migrate
from tests.engine.server import Server
from tests.live import LiveService, start_service
from tests.tiers import deep

pytestmark = deep("each round breaks a database or a service for seconds")

ROUNDS = int(os.environ.get("ROUNDS", "1"))
WORKERS = 4
WAIT = 40.0
_numbers = count(1)
Servers = Callable[..., Server]
Break = Callable[[Server, Server, list[LiveService]], None]


@dataclass
class Work:
    """Creations by several at once; `done` are keys and the action that each was answered with, `answered` when."""

    services: list[LiveService]
    done: dict[str, str] = field(default_factory=dict[str, str])
    answered: list[float] = field(default_factory=list[float])
    wrong: list[str] = field(default_factory=list[str])
    ended: threading.Event = field(default_factory=threading.Event)

    def run(self, at: int) -> None:
        while not self.ended.is_set():
            key = f"key {next(_numbers)}"
            self._create(key, at)

    def _create(self, key: str, at: int) -> None:
        ends = time.monotonic() + WAIT
        body = {"agent_id": "scout", "action_type": "read", "declared_goal": key}
        while time.monotonic() < ends:
            at = 1 - at
            try:
                status, answer = self.services[at].call(
                    "POST", "/api/actions", body, headers={"idempotency-key": key}, timeout=15
                )
            except (OSError, HTTPException, ValueError):
                time.sleep(0.02)
                continue
            if status in (200, 201):
                self.done[key] = str(answer["action_id"])
                self.answered.append(time.monotonic())
                return
            if status != 503:
                self.wrong.append(f"{key}: {status} {answer}")
                return
            time.sleep(0.02)
        self.wrong.append(f"{key} was never answered")


def stop_the_database(primary: Server, standby: Server, services: list[LiveService]) -> None:
    primary.restart_at_once()


def lose_the_primary(primary: Server, standby: Server, services: list[LiveService]) -> None:
    primary.stop(signal.SIGKILL)
    standby.promote()


def pause_a_service(primary: Server, standby: Server, services: list[LiveService]) -> None:
    os.kill(services[0].process.pid, signal.SIGSTOP)
    time.sleep(1.0)
    os.kill(services[0].process.pid, signal.SIGCONT)


def kill_a_service(primary: Server, standby: Server, services: list[LiveService]) -> None:
    before = services[0]
    before.kill()
    environment: dict[str, Any] = {"ASSENT_LOG": dsn_of(primary, standby), "ASSENT_WALLET_KEY": KEY}
    services[0] = start_service(before.home, **environment)


KEY = base64.b64encode(bytes(32)).decode()


def dsn_of(*servers: Server) -> str:
    """All of them: a connection goes to the one that takes writes."""
    hosts = ",".join(f"127.0.0.1:{each.port}" for each in servers)
    return f"postgresql://postgres@{hosts}/postgres?sslmode=disable&gssencmode=disable"


@pytest.fixture
def clusters(own_server: Servers) -> tuple[Server, Server]:
    """A primary, and a standby that every commit waits for."""
    primary = own_server()
    migrate(primary.dsn())
    standby = own_server("wal_retrieve_retry_interval=100ms", made_from=primary)
    primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    primary.run("SELECT pg_reload_conf()")
    ends = time.monotonic() + 20
    while primary.run("SELECT sync_state FROM pg_stat_replication") != [("sync",)]:
        assert time.monotonic() < ends
        time.sleep(0.05)
    return primary, standby


@pytest.mark.parametrize("turn", range(ROUNDS))
@pytest.mark.parametrize("fault", [stop_the_database, lose_the_primary, pause_a_service, kill_a_service])
def test_what_was_acknowledged_is_there_once(
    fault: Break, turn: int, clusters: tuple[Server, Server], tmp_path: Path
) -> None:
    environment: dict[str, Any] = {"ASSENT_LOG": dsn_of(*clusters), "ASSENT_WALLET_KEY": KEY}
    services = [start_service(tmp_path / name, **environment) for name in ("one", "two")]
    try:
        work = Work(services)
        threads = [threading.Thread(target=work.run, args=(at % 2,)) for at in range(WORKERS)]
        for thread in threads:
            thread.start()
        time.sleep(0.7)
        began = time.monotonic()
        fault(*clusters, services)
        broken = time.monotonic()
        ends = broken + WAIT
        while not any(at > broken for at in work.answered) and time.monotonic() < ends:
            time.sleep(0.005)
        back = next((at for at in work.answered if at > broken), None)
        assert back is not None, (work.wrong, [each.output[-2000:] for each in services])
        time.sleep(0.7)
        work.ended.set()
        for thread in threads:
            thread.join()
        print(
            f"{fault.__name__}: {broken - began:.2f} s, answered {back - broken:.3f} s after it, {len(work.done)} done"
        )
        assert not work.wrong
        assert len(set(work.done.values())) == len(work.done)
        for service in services:
            status, answer = service.call("GET", "/api/actions?limit=1")
            assert status == 200, answer
            assert answer["total"] == len(work.done)
    finally:
        for service in services:
            service.stop()
    logs = [
        b"".join(path.read_bytes() for path in sorted((tmp_path / name / "log").glob("*.log")))
        for name in ("one", "two")
    ]
    # Who stopped first has not heard of the other's end.
    assert logs[1].startswith(logs[0]) or logs[0].startswith(logs[1])
    for name in ("one", "two"):
        found = audit(tmp_path / name)
        assert found.ok, found.checks
