"""`assent doctor --log`: what is wrong with a real database is found, with its value and with what to do."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import psycopg
import pytest

from assent_service.store.postgresql import examination
from assent_service.store.postgresql.examination import DatabaseFinding, examine
from assent_service.store.postgresql.schema import migrate
from assent_service.store.postgresql.shared_log import SharedLog
from tests.engine.drafts import submission
from tests.engine.server import Server
from tests.tiers import deep

NAMES = [
    *("server", "schema", "durability", "isolation", "standby", "db clock", "role", "snapshots", "bloat", "db disk"),
    *("wal", "leases"),
]
_roles = count(1)


@pytest.fixture
def serving(server: Server, database: str) -> Iterator[str]:
    """A role that `assent migrate --role` lets serve."""
    role = f"serving{next(_roles)}"
    server.run(f"CREATE ROLE {role} LOGIN")
    migrate(server.dsn(database), role)
    yield role
    server.run(f"DROP OWNED BY {role}", database)
    server.run(f"DROP ROLE {role}")


def look(dsn: str) -> dict[str, DatabaseFinding]:
    found = examine(dsn)
    assert [each.name for each in found] == NAMES
    for each in found:
        assert (each.todo is None) or each.status != "pass"
        assert each.status not in ("warn", "fail") or each.todo
        assert each.detail.endswith((".", ")"))
    return {each.name: each for each in found}


def test_a_database_as_it_should_be(server: Server, database: str, serving: str) -> None:
    with closing(SharedLog.open(server.dsn(database))) as log:
        log.append([submission("x")])
        log.lease("heads", "replica-7", 30)
    found = look(server.dsn(database, serving))
    assert {name: each.status for name, each in found.items() if each.status != "pass"} == {
        "standby": "warn",  # there is none
        "snapshots": "skip",  # of other roles nothing is shown
        "db disk": "skip",
        "wal": "warn",
    }
    assert found["schema"].detail.endswith("the log has 1 events.")
    assert found["leases"].detail == "heads is replica-7's for 30 s."
    assert found["role"].detail == f"{serving} may read and append, and cannot change a line or the schema."
    assert "fsync = on, full_page_writes = on, synchronous_commit = on" in found["durability"].detail


def test_who_may_read_statistics_sees_more(server: Server, database: str, serving: str) -> None:
    server.run(f"GRANT pg_read_all_stats, pg_read_all_settings TO {serving}")
    found = look(server.dsn(database, serving))
    assert found["snapshots"].status == "pass"
    assert found["db disk"].detail.startswith("The database has ")
    assert "of its disk is free" in found["db disk"].detail


def test_the_owner_is_warned_of_and_a_stranger_refused(server: Server, database: str) -> None:
    owner = look(server.dsn(database))["role"]
    assert (owner.status, owner.detail) == (
        "warn",
        "postgres is a superuser: whoever serves so could rewrite the log.",
    )
    role = f"stranger{next(_roles)}"
    server.run(f"CREATE ROLE {role} LOGIN")
    found = look(server.dsn(database, role))
    assert (found["schema"].status, found["role"].status) == ("fail", "fail")
    assert f"`assent migrate --log ... --role {role}`" in str(found["role"].todo)
    assert found["leases"].status == "skip"
    server.run(f"GRANT USAGE ON SCHEMA assent TO {role}; GRANT UPDATE ON assent.log TO {role}", database)
    server.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA assent TO {role}", database)
    assert "may not use append(), " in look(server.dsn(database, role))["role"].detail
    server.run(f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA assent TO {role}", database)
    rewrites = look(server.dsn(database, role))["role"]
    assert (rewrites.status, rewrites.detail) == (
        "warn",
        f"{role} may change log: whoever serves so could rewrite the log.",
    )
    server.run(f"DROP OWNED BY {role}", database)
    server.run(f"DROP ROLE {role}")


def test_settings_of_a_role_are_what_counts(server: Server, database: str, serving: str) -> None:
    server.run(f"ALTER ROLE {serving} SET synchronous_commit = off")
    server.run(f"ALTER ROLE {serving} SET default_transaction_isolation = 'serializable'")
    found = look(server.dsn(database, serving))
    assert (found["durability"].status, found["isolation"].status) == ("fail", "fail")
    assert "synchronous_commit = off: what was acknowledged can be lost" in found["durability"].detail
    assert found["durability"].todo == "set synchronous_commit to on, also for this role and this database"
    assert found["isolation"].detail == "default_transaction_isolation = serializable."


def test_a_schema_that_is_missing_newer_or_half_copied(server: Server, database: str, empty: str) -> None:
    found = look(server.dsn(empty))
    assert (found["schema"].status, found["role"].status, found["bloat"].status) == ("fail", "skip", "skip")
    assert "There is no schema `assent`" in found["schema"].detail
    server.run("UPDATE assent.log_head SET copying = true", database)
    assert "broken off at event 0" in look(server.dsn(database))["schema"].detail
    server.run("INSERT INTO assent.schema_version VALUES (99)", database)
    newer = look(server.dsn(database))["schema"]
    assert (newer.status, "It has version 99" in newer.detail) == ("fail", True)


@pytest.mark.parametrize(
    ("offset", "status"), [(0.0, "pass"), (0.6, "warn"), (1.5, "fail"), (-30.0, "warn"), (-61.0, "fail")]
)
def test_a_clock_that_is_off(server: Server, database: str, offset: float, status: str) -> None:
    """The same bounds as an append has: a second ahead, a minute behind."""
    found = {each.name: each for each in examine(server.dsn(database), lambda: time.time() + offset)}["db clock"]
    assert found.status == status
    told = re.search(r"is ([+-]\d+\.\d+) s beside the database's \(to (\d+\.\d+) s\)", found.detail)
    assert told
    assert float(told[1]) == pytest.approx(offset, abs=0.001 + float(told[2]))


def test_an_old_snapshot_is_named(server: Server, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "OLD_SNAPSHOT", 0.2)
    with psycopg.connect(server.dsn(database)) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute("SELECT count(*) FROM assent.log")
        time.sleep(0.4)
        found = look(server.dsn(database))["snapshots"]
        assert found.status == "warn"
        assert f"process {reader.info.backend_pid} of postgres (" in found.detail
    assert look(server.dsn(database))["snapshots"].status == "pass"


def test_dead_rows_that_nobody_clears_are_counted(
    server: Server, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examination, "DEAD", 20)
    server.run("ALTER TABLE assent.log_head SET (autovacuum_enabled = off)", database)
    try:
        with closing(SharedLog.open(server.dsn(database))) as log, psycopg.connect(server.dsn(database)) as reader:
            reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            reader.execute("SELECT 1 FROM assent.log_head")
            for _ in range(60):
                log.append([submission("x")])
        ends = time.monotonic() + 20
        while (found := look(server.dsn(database))["bloat"]).status != "warn":
            assert time.monotonic() < ends, found
            time.sleep(0.1)
        assert "log_head (" in found.detail
    finally:
        server.run("ALTER TABLE assent.log_head RESET (autovacuum_enabled)", database)
        server.run("VACUUM FULL assent.log_head", database)


def test_leases_that_ran_out_mean_that_nobody_works(server: Server, database: str) -> None:
    with closing(SharedLog.open(server.dsn(database))) as log:
        log.lease("expiry", "replica-1", 0.05)
    time.sleep(0.1)
    found = look(server.dsn(database))["leases"]
    assert (found.status, found.detail.startswith("Nobody holds one any more: expiry was replica-1's")) == (
        "warn",
        True,
    )


def test_a_database_that_is_not_there_is_one_finding() -> None:
    [found] = examine("postgresql://nobody@127.0.0.1:9/nothing?connect_timeout=2")
    assert (found.name, found.status) == ("database", "fail")
    assert "cannot connect to 127.0.0.1/nothing" in found.detail


@pytest.mark.parametrize("form", ["lines", "JSON"])
def test_the_command_shows_them_beside_the_others(server: Server, database: str, tmp_path: Path, form: str) -> None:
    dsn = server.dsn(database)
    given = ["--log", dsn] if form == "lines" else ["--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    ended = subprocess.run(
        [sys.executable, "-m", "assent", "doctor", *given, "--base-url", "http://127.0.0.1:9", "--home", str(tmp_path)],
        env=environment if form == "lines" else environment | {"ASSENT_LOG": dsn},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, ended.stderr
    if form == "lines":
        rows = [line.split("\t") for line in ended.stdout.splitlines()]
        names = [row[1] for row in rows if row[0] == "database"]
    else:
        names = [each["name"] for each in json.loads(ended.stdout)["database"]]
    assert names == NAMES


@deep("servers of its own")
def test_a_standby_that_commits_wait_for(own_server: Callable[..., Server]) -> None:
    primary = own_server("archive_mode=on", "archive_command=false", "archive_timeout=1")
    migrate(primary.dsn())
    standby = own_server("cluster_name=second", made_from=primary)
    primary.run("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (second)'")
    primary.run("SELECT pg_reload_conf()")
    ends = time.monotonic() + 20
    while (found := look(primary.dsn())["standby"]).status != "pass":
        assert time.monotonic() < ends, found
        time.sleep(0.1)
    assert "commits wait for second (" in found.detail
    [server] = [each for each in examine(standby.dsn() + "&target_session_attrs=any") if each.name == "server"]
    assert (server.status, "which is a standby" in server.detail) == ("fail", True)
    primary.run("SELECT pg_switch_wal()")
    while (found := look(primary.dsn())["wal"]).status != "fail":
        assert time.monotonic() < ends + 20, found
        time.sleep(0.2)
    assert "Archiving fails, last with 0000" in found.detail
    standby.stop()
    while (found := look(primary.dsn())["standby"]).status != "fail":
        assert time.monotonic() < ends + 40, found
        time.sleep(0.1)
    assert "and no such standby follows" in found.detail
