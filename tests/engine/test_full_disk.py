"""Disks that are full: the database's, and a replica's own. What was acknowledged stays, and it goes on once there is
room. A small file system in memory is mounted for it, which takes root."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from unittest.mock import patch

import pytest

from assent_service.store.audit import audit
from assent_service.store.failures import LogError
from assent_service.store.postgresql.schema import migrate
from assent_service.store.postgresql.shared_log import SharedLog
from tests.engine import server as servers
from tests.engine.cluster import WALLET_KEY
from tests.engine.drafts import submission
from tests.engine.server import Server
from tests.live import start_service
from tests.tiers import deep

pytestmark = deep("file systems that are filled")
PATIENCE = 60.0


def mounted(folder: Path, megabytes: int) -> Iterator[Path]:
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small file system, and not everywhere")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def of_the_database(possible: None) -> Iterator[Path]:
    # Its user has to reach it, and names of sockets have to be short.
    folder = Path(gettempdir()) / f"assent-full-{os.getpid()}"
    yield from mounted(folder, 150)
    folder.rmdir()


@pytest.fixture
def of_a_replica(tmp_path: Path) -> Iterator[Path]:
    yield from mounted(tmp_path / "small", 40)


def fill(folder: Path) -> Path:
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    return ballast


def test_a_database_without_room_loses_nothing_and_goes_on(of_the_database: Path) -> None:
    with patch.object(servers, "_place", lambda: str(of_the_database)):
        server = Server.started()
    try:
        migrate(server.dsn())
        kept: list[str] = []
        with closing(SharedLog.open(server.dsn(), patience=0.5)) as log:

            def write(number: int) -> bool:
                what = f"{number} " + "x" * 200_000
                try:
                    log.append([submission(what)])
                except LogError:
                    return False
                kept.append(what)
                return True

            assert write(0)
            ballast = fill(of_the_database)
            numbers = iter(range(1, 1000))
            while write(next(numbers)):
                pass
            assert log.status.state == "refusing"
            assert not write(next(numbers))
            ballast.unlink()
            ends = time.monotonic() + PATIENCE
            while not write(next(numbers)):
                # Where it could not write its own log, it has stopped.
                with suppress(AssertionError):
                    server.restart_at_once()
                assert time.monotonic() < ends
            assert log.status.state == "healthy"
            told = [(event.data or b"").decode() for event in log.events(0)]
    finally:
        server.remove()
    assert len(told) == len(set(told))
    assert {f'{{"goal":"{each}"}}' for each in kept} <= set(told)


def test_a_replica_without_room_answers_503_and_catches_up(
    of_a_replica: Path, server: Server, database: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"ASSENT_LOG": server.dsn(database), "ASSENT_WALLET_KEY": WALLET_KEY}

    def create(service: Any, number: int) -> tuple[int, dict[str, Any]]:
        body = {"agent_id": "scout", "action_type": "read", "declared_goal": f"{number} " + "x" * 1900}
        return service.call("POST", "/api/actions", body, headers={"idempotency-key": str(number)})  # type: ignore[no-any-return]

    with start_service(of_a_replica / "one", **given) as one, start_service(tmp_path / "two", **given) as two:
        assert create(one, 0)[0] == 201
        ballast = fill(of_a_replica)
        number = 1
        while create(one, number)[0] == 201:
            number += 1
            assert number < 500
        status, answer = create(one, number)
        assert (status, answer["code"]) == (503, "storage_unavailable"), answer
        # Whoever tries at another one gets what was recorded, or records it.
        status, elsewhere = create(two, number)
        assert status in (200, 201)
        ballast.unlink()
        ends = time.monotonic() + PATIENCE
        while (found := create(one, number))[0] not in (200, 201):
            assert time.monotonic() < ends, found
            time.sleep(0.2)
        assert found[1]["action_id"] == elsewhere["action_id"]
        totals = {service.call("GET", "/api/actions?limit=1")[1]["total"] for service in (one, two)}
        assert totals == {number + 1}
    copies = [
        b"".join(path.read_bytes() for path in sorted((home / "log").glob("*.log"))) for home in (one.home, two.home)
    ]
    assert copies[0].startswith(copies[1]) or copies[1].startswith(copies[0])
    assert audit(one.home).ok
