"""Backups of the database as PostgreSQL makes them, and what becomes of services when one is restored.

What is restored is older than what the services have signed; a service that still has its folder knows that.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assent.cli.app import app
from assent_service.store.audit import audit
from assent_service.store.postgresql.schema import migrate
from tests.engine.server import Server
from tests.live import LiveService, start_service
from tests.tiers import deep

WALLET_KEY = base64.b64encode(bytes(range(32))).decode()
ACTION = {"agent_id": "scout", "action_type": "read", "declared_goal": "see"}
Start = Callable[..., LiveService]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[LiveService] = []

    def begin(name: str, dsn: str) -> LiveService:
        started.append(start_service(tmp_path / name, ASSENT_LOG=dsn, ASSENT_WALLET_KEY=WALLET_KEY))
        return started[-1]

    yield begin
    for service in started:
        service.stop()


def asked(service: LiveService, method: str, path: str, body: Any = None) -> dict[str, Any]:
    status, answer = service.call(method, path, body)
    assert status < 300, (status, answer)
    return answer


def created(service: LiveService) -> str:
    return str(asked(service, "POST", "/api/actions", ACTION)["action_id"])


def signed(service: LiveService, action_id: str) -> dict[str, Any]:
    """A bundle, for which a head of the whole log is signed."""
    return asked(service, "GET", f"/api/governance/proof?action_id={action_id}&format=bundle")


def wallet_check(service: LiveService) -> tuple[int, str, str]:
    status, answer = service.call("GET", "/ready", key=None)
    (found,) = [each for each in answer["checks"] if each["name"] == "wallet"]
    return status, found["status"], found["detail"]


def command(*words: object) -> Any:
    done = CliRunner().invoke(app, [*map(str, words), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def restored_to(backup: Server, archive: Path, point: str) -> None:
    """Start a base backup with the archive's log up to a point, as the how-to says."""
    (backup.data / "standby.signal").unlink()
    signal_file = backup.data / "recovery.signal"
    signal_file.touch()
    owner = backup.data.stat()
    os.chown(signal_file, owner.st_uid, owner.st_gid)
    backup.options = (
        f"restore_command=cp {archive}/%f %p",
        f"recovery_target_name={point}",
        "recovery_target_action=promote",
        "primary_conninfo=",
    )
    backup.start()
    ends = 300
    while backup.run("SELECT pg_is_in_recovery()") != [(False,)]:
        ends -= 1
        assert ends, (backup.folder / "log").read_text()


@deep("a base backup, an archive and five starts of services")
def test_a_restored_database_serves_and_who_signed_what_it_lost_signs_nothing_until_it_is_adopted(
    start: Start, own_server: Callable[..., Server], tmp_path: Path
) -> None:
    primary = own_server()
    archive = primary.folder / "archive"
    archive.mkdir()
    owner = primary.data.stat()
    os.chown(archive, owner.st_uid, owner.st_gid)
    primary.stop()
    primary.options = ("archive_mode=on", f"archive_command=cp %p {archive}/%f")
    primary.start()
    primary.run("CREATE DATABASE assent")
    migrate(primary.dsn("assent"))
    one = start("one", primary.dsn("assent"))
    first = created(one)
    before = signed(one, first)
    backup = Server(made_from=primary)
    try:
        # After the base backup and before the point: it comes from the archive.
        second = created(one)
        primary.run("SELECT pg_create_restore_point('here')")
        lost = created(one)
        beyond = signed(one, lost)
        keys = asked(one, "GET", "/api/signing-keys")["keys"]
        one.stop()
        primary.run("SELECT pg_switch_wal()")
        primary.stop()
        restored_to(backup, archive, "here")
        dsn = backup.dsn("assent")

        # Who has no folder cannot know.
        two = start("two", dsn)
        assert asked(two, "GET", f"/api/actions/{first}")
        assert asked(two, "GET", f"/api/actions/{second}")
        assert two.call("GET", f"/api/actions/{lost}")[0] == 404
        assert wallet_check(two)[:2] == (200, "pass")
        assert signed(two, first)

        again = start("one", dsn)
        assert "is made anew" in again.output
        status, verdict, detail = wallet_check(again)
        assert (status, verdict) == (503, "fail")
        assert "does not hold it: it was restored to an earlier moment" in detail
        status, answer = again.call("GET", f"/api/governance/proof?action_id={first}&format=bundle")
        assert (status, answer["code"]) == (503, "wallet_unavailable")
        created(again)  # it decides and records
        again.stop()
        # It does not forget it by being started, when the others have signed greater heads meanwhile.
        for _ in range(4):
            created(two)
        assert signed(two, created(two))
        again = start("one", dsn)
        assert wallet_check(again)[:2] == (503, "fail")
        again.stop()

        adopted = command("log", "adopt", "--home", tmp_path / "one")
        (head,) = adopted["lost"].values()
        again = start("one", dsn)
        assert wallet_check(again)[:2] == (200, "pass")
        assert signed(again, first)
        # The others hear of it.
        now = asked(two, "GET", "/api/signing-keys")["keys"]
        assert len(now) == len(keys) + 1
        (ended,) = [each for each in now if each["kid"] == keys[-1]["kid"]]
        assert head["root"] in json.dumps(ended)
        assert (tmp_path / "one" / "lost-heads").is_dir()
        assert before != beyond
        for each in (again, two):
            each.stop()
        for name in ("one", "two"):
            found = audit(tmp_path / name)
            assert found.ok, found.checks
    finally:
        backup.remove()
        shutil.rmtree(archive, ignore_errors=True)


@deep("a service is started and loses its database's past")
def test_a_service_that_runs_while_its_database_is_restored_signs_no_more(
    start: Start, server: Server, database: str
) -> None:
    service = start("one", server.dsn(database))
    first = created(service)
    signed(service, first)
    heads = server.run("SELECT count(*) FROM assent.objects WHERE kind = 'head'", database)
    ((head,),) = server.run("SELECT seq FROM assent.log_head", database)
    lost = created(service)
    server.run(
        f"DELETE FROM assent.log WHERE seq > {head}; UPDATE assent.log_head SET seq = {head};"
        "UPDATE assent.organizations o SET n = (SELECT count(*) FROM assent.log l WHERE l.org = o.org)",
        database,
    )
    status, answer = service.call("GET", f"/api/governance/proof?action_id={lost}&format=bundle")
    assert (status, answer["code"]) == (503, "wallet_unavailable"), answer
    assert server.run("SELECT count(*) FROM assent.objects WHERE kind = 'head'", database) == heads
    assert "The database was restored to an earlier moment" in wallet_check(service)[2]
    status, answer = service.call(
        "POST", "/api/actions", {"agent_id": "a", "action_type": "read", "declared_goal": "g"}
    )
    assert (status, answer["code"]) == (503, "read_only"), answer
    assert answer["detail"].count("read-only") == 1
    assert "its database was restored to an earlier moment" in answer["detail"]
    assert "Check the disk" not in answer["detail"]
