"""What `assent doctor` looks at in a database that holds the log: each check is a finding, whatever goes wrong.

Nothing is changed. Every check is a query of its own, so that one that the role may not make says so and the others go
on. A server shows what others do (sessions, standbys) to roles with `pg_read_all_stats` alone.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from typing import Any, Final, Literal

import psycopg
from msgspec import Struct

from assent_service.store.postgresql.connecting import (
    DURABLE,
    OLDEST_SERVER,
    Connection,
    DatabaseUnsuitable,
    connect,
    first_line,
    shown,
)
from assent_service.store.postgresql.schema import CALLED, READ, VERSION, read_version, serves_older

AHEAD, BEHIND = 1.0, 60.0
"""Seconds beside the database's clock from which on what a machine wants to record is refused."""
CLOSE: Final = 0.25
"""Seconds that are nobody's concern."""
OLD_SNAPSHOT: Final = 60.0
"""Seconds. Appends were five times slower after 10,000 under one snapshot."""
OLD_TRANSACTIONS: Final = 100_000
DEAD: Final = 50_000
"""Dead rows of a table of the schema, beside ten for each row that lives."""
KEPT_LOG: Final = 4 << 30
"""Bytes that a slot keeps for a standby which does not fetch them."""
WARN_FREE, FAIL_FREE = 0.10, 0.03
"""Shares of the server's disk."""
MEGABYTE: Final = 1_000_000
STATISTICS: Final = "grant the role pg_read_all_stats, or look as one that has it"
WRITTEN: Final = tuple(name for name in READ if name != "schema_version")


class DatabaseFinding(Struct, frozen=True, kw_only=True):
    """`todo` says what to do about it, nothing for what is right; `skip` is a check that could not be made."""

    name: str
    status: Literal["pass", "warn", "fail", "skip"]
    detail: str
    todo: str | None = None


def examine(dsn: str, clock: Callable[[], float] = time.time) -> list[DatabaseFinding]:
    """Every check in turn. `clock` is this machine's, in seconds since 1970."""
    try:
        connection = connect(dsn)
    except DatabaseUnsuitable as error:
        todo = "see that it runs, that --log names it, and that this machine may connect"
        return [_found("database", "fail", f"{_sentence(error)}", todo)]
    checks: tuple[tuple[str, Callable[[Connection], DatabaseFinding]], ...] = (
        ("server", lambda it: _check_server(it, shown(dsn))),
        ("schema", _check_schema),
        ("durability", _check_durability),
        ("isolation", _check_isolation),
        ("standby", _check_standby),
        ("db clock", lambda it: _check_clock(it, clock)),
        ("role", _check_role),
        ("snapshots", _check_snapshots),
        ("bloat", _check_bloat),
        ("db disk", _check_disk),
        ("wal", _check_slots),
        ("leases", _check_leases),
    )
    found: list[DatabaseFinding] = []
    try:
        for name, check in checks:
            try:
                found.append(check(connection))
            except (psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedTable) as error:
                found.append(_found(name, "skip", f"It cannot be looked at: {_sentence(error)}"))
            except psycopg.Error as error:
                found.append(_found(name, "fail", f"It cannot be looked at: {_sentence(error)}", "look again"))
                if connection.closed:
                    break
    finally:
        connection.close()
    return found


def _check_server(connection: Connection, place: str) -> DatabaseFinding:
    version = connection.info.server_version
    said = f"{place}: PostgreSQL {version // 10_000}.{version % 10_000}"
    if version < OLDEST_SERVER:
        return _found("server", "fail", f"{said}.", f"upgrade it to {OLDEST_SERVER // 10_000} or newer")
    (standby,) = _row(connection, "SELECT pg_is_in_recovery()")
    if standby:
        todo = "give the address of the primary: the log is read from and written to it alone"
        return _found("server", "fail", f"{said}, which is a standby.", todo)
    return _found("server", "pass", f"{said}, a primary.")


def _check_schema(connection: Connection) -> DatabaseFinding:
    try:
        version = read_version(connection)
    except DatabaseUnsuitable as error:
        return _found("schema", "fail", _sentence(error), "run that")
    if version < VERSION:
        has = f"It has version {version}" if version else "There is no schema `assent`"
        todo = "run `assent migrate --log ...` as the role that is to own it"
        return _found("schema", "fail", f"{has}; this Assent needs version {VERSION}.", todo)
    if version > VERSION and not serves_older(connection):
        todo = "upgrade this Assent; replicas of the newer version may serve meanwhile"
        return _found("schema", "fail", f"It has version {version}, and this Assent knows {VERSION}.", todo)
    copying, head = _row(connection, "SELECT copying, seq FROM assent.log_head")
    if copying:
        todo = "run `assent log copy` to its end"
        return _found("schema", "fail", f"A log is being copied into it, or that was broken off at event {head}.", todo)
    return _found("schema", "pass", f"Version {version}; the log has {head} events.")


def _check_durability(connection: Connection) -> DatabaseFinding:
    names = ("fsync", "full_page_writes", "synchronous_commit")
    settings = dict(zip(names, _row(connection, f"SELECT {', '.join(map(_setting, names))}"), strict=True))
    said = ", ".join(f"{name} = {value}" for name, value in settings.items())
    wrong = [name for name in names[:2] if settings[name] != "on"]
    wrong += [] if settings["synchronous_commit"] in DURABLE else ["synchronous_commit"]
    if wrong:
        todo = f"set {' and '.join(wrong)} to on, also for this role and this database"
        return _found("durability", "fail", f"{said}: what was acknowledged can be lost.", todo)
    return _found("durability", "pass", f"{said}.")


def _check_isolation(connection: Connection) -> DatabaseFinding:
    (level,) = _row(connection, f"SELECT {_setting('default_transaction_isolation')}")
    said = f"default_transaction_isolation = {level}."
    if level != "read committed":
        todo = "ALTER ROLE ... SET default_transaction_isolation = 'read committed', for the role that serves"
        return _found("isolation", "fail", said, todo)
    return _found("isolation", "pass", said)


def _check_standby(connection: Connection) -> DatabaseFinding:
    names, sees = _row(
        connection,
        f"SELECT {_setting('synchronous_standby_names')}, pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')",
    )
    if not names:
        todo = (
            "set synchronous_standby_names to a quorum, as 'ANY 1 (*)', and in Patroni synchronous_mode_strict; or "
            "accept it knowingly"
        )
        said = "synchronous_standby_names is empty: a failover loses what only this server had."
        return _found("standby", "warn", said, todo)
    if not sees:
        return _found("standby", "skip", f"synchronous_standby_names = {names}; who follows is not shown.", STATISTICS)
    followers = connection.execute(
        "SELECT application_name, sync_state, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn), 0)::bigint "
        "FROM pg_stat_replication WHERE state = 'streaming' ORDER BY 1"
    ).fetchall()
    waited_for = [f"{name} ({behind} bytes behind)" for name, state, behind in followers if state in ("sync", "quorum")]
    if not waited_for:
        todo = "start the standby; until then every append waits"
        return _found("standby", "fail", f"synchronous_standby_names = {names}, and no such standby follows.", todo)
    return _found("standby", "pass", f"synchronous_standby_names = {names}; commits wait for {', '.join(waited_for)}.")


def _check_clock(connection: Connection, clock: Callable[[], float]) -> DatabaseFinding:
    best: tuple[float, float] | None = None
    for _ in range(3):
        before = clock()
        (there,) = _row(connection, "SELECT extract(epoch FROM clock_timestamp())::float8")
        after = clock()
        if best is None or after - before < best[0]:
            best = after - before, (before + after) / 2 - there
    assert best is not None
    round_trip, skew = best
    said = f"This machine's is {skew:+.3f} s beside the database's (to {round_trip / 2:.3f} s)."
    todo = "have both clocks set by NTP"
    if skew > AHEAD or skew < -BEHIND:
        return _found("db clock", "fail", f"{said} What it wants to record is refused.", todo)
    if abs(skew) > CLOSE + round_trip / 2:
        return _found("db clock", "warn", said, todo)
    return _found("db clock", "pass", said)


def _check_role(connection: Connection) -> DatabaseFinding:
    user, super_user = _row(
        connection, "SELECT current_user, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
    )
    if _row(connection, "SELECT to_regnamespace('assent')") == (None,):
        return _found("role", "skip", "There is no schema that it could have rights in.")
    missing = [
        name for (name,) in connection.execute(
            "SELECT t.name FROM unnest(%s::text[]) AS t (name) LEFT JOIN pg_class c "
            "ON c.relname = t.name AND c.relnamespace = to_regnamespace('assent') "
            "WHERE NOT coalesce(has_table_privilege(c.oid, 'SELECT'), false) ORDER BY 1",
            [list(READ)],
        ).fetchall()
    ]  # fmt: skip
    missing += [
        f"{name}()" for (name,) in connection.execute(
            "SELECT f.name FROM unnest(%s::text[]) AS f (name) LEFT JOIN pg_proc p "
            "ON p.proname = f.name AND p.pronamespace = to_regnamespace('assent') "
            "GROUP BY f.name HAVING NOT coalesce(bool_and(has_function_privilege(p.oid, 'EXECUTE')), false) ORDER BY 1",
            [list(CALLED)],
        ).fetchall()
    ]  # fmt: skip
    (enters,) = _row(connection, "SELECT has_schema_privilege('assent', 'USAGE')")
    if missing or not enters:
        what = ", ".join(missing) or "the schema"
        todo = f"run `assent migrate --log ... --role {user}` as the role that owns the schema"
        return _found("role", "fail", f"{user} may not use {what}.", todo)
    writes = [
        name for (name,) in connection.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = to_regnamespace('assent') AND c.relkind = 'r' "
            "AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') ORDER BY 1"
        ).fetchall()
    ]  # fmt: skip
    (makes,) = _row(connection, "SELECT has_schema_privilege('assent', 'CREATE')")
    if super_user or writes or makes:
        why = "is a superuser" if super_user else f"may change {', '.join(writes) or 'the schema'}"
        todo = "serve as a role of its own: CREATE ROLE ... LOGIN, then `assent migrate --log ... --role` with its name"
        return _found("role", "warn", f"{user} {why}: whoever serves so could rewrite the log.", todo)
    return _found("role", "pass", f"{user} may read and append, and cannot change a line or the schema.")


def _check_snapshots(connection: Connection) -> DatabaseFinding:
    holders = connection.execute(
        "SELECT 'process ' || pid || ' of ' || usename, extract(epoch FROM clock_timestamp() - xact_start)::float8, "
        "greatest(age(backend_xmin), age(backend_xid)) "
        "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
        "AND coalesce(backend_xmin, backend_xid) IS NOT NULL AND xact_start IS NOT NULL "
        "UNION ALL SELECT 'the prepared transaction ' || gid, "
        "extract(epoch FROM clock_timestamp() - prepared)::float8, age(transaction) "
        "FROM pg_prepared_xacts WHERE database = current_database() "
        "UNION ALL SELECT 'the replication slot ' || slot_name, NULL, greatest(age(xmin), age(catalog_xmin)) "
        "FROM pg_replication_slots WHERE coalesce(xmin, catalog_xmin) IS NOT NULL "
        "ORDER BY 2 DESC NULLS LAST, 3 DESC"
    ).fetchall()
    old = [
        f"{who} ({f'{seconds:.0f} s, ' if seconds is not None else ''}{age} transactions)"
        for who, seconds, age in holders
        if (seconds or 0.0) > OLD_SNAPSHOT or (age or 0) > OLD_TRANSACTIONS
    ]
    if old:
        todo = "end it: SELECT pg_terminate_backend(...), ROLLBACK PREPARED, or pg_drop_replication_slot(...)"
        return _found("snapshots", "warn", f"Old ones slow appends down: {'; '.join(old)}.", todo)
    (sees,) = _row(connection, "SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')")
    if not sees:
        return _found("snapshots", "skip", "Other roles' are not shown; none of this role's is old.", STATISTICS)
    return _found("snapshots", "pass", f"None is older than {OLD_SNAPSHOT:.0f} s.")


def _check_bloat(connection: Connection) -> DatabaseFinding:
    rows = connection.execute(
        "SELECT relname, n_live_tup, n_dead_tup, pg_table_size(relid) FROM pg_stat_user_tables "
        "WHERE schemaname = 'assent' AND relname = ANY (%s) ORDER BY 3 DESC",
        [list(WRITTEN)],
    ).fetchall()
    if not rows:
        return _found("bloat", "skip", "There is no table of the schema.")
    bloated = [
        f"{name} ({dead} dead rows beside {live}, {size / MEGABYTE:.0f} MB)"
        for name, live, dead, size in rows
        if dead > DEAD and dead > 10 * live
    ]
    (vacuums,) = _row(connection, f"SELECT {_setting('autovacuum')}")
    if vacuums != "on":
        return _found("bloat", "warn", "autovacuum is off: every append leaves dead rows.", "set autovacuum to on")
    if bloated:
        todo = "see what holds an old snapshot, then VACUUM them"
        return _found("bloat", "warn", f"Nobody clears up: {'; '.join(bloated)}.", todo)
    name, live, dead, _ = rows[0]
    return _found("bloat", "pass", f"The most dead rows has {name}: {dead} beside {live}.")


def _check_disk(connection: Connection) -> DatabaseFinding:
    (size,) = _row(connection, "SELECT pg_database_size(current_database())")
    said = f"The database has {size / MEGABYTE:.0f} MB"
    folder = _folder_here(connection)
    if folder is None:
        todo = "watch the free space where the server runs"
        return _found("db disk", "skip", f"{said}; what is free on the server's disk cannot be seen from here.", todo)
    usage = shutil.disk_usage(folder)
    share = usage.free / usage.total if usage.total else 0.0
    said = f"{said}; {share:.1%} of its disk is free ({usage.free // MEGABYTE} MB)."
    if share < FAIL_FREE:
        return _found("db disk", "fail", said, "free some now: a server without space refuses all writes")
    if share < WARN_FREE:
        return _found("db disk", "warn", said, "free some before it is full")
    return _found("db disk", "pass", said)


def _folder_here(connection: Connection) -> str | None:
    """The server's data folder, where it is on this machine and its name may be known."""
    if not connection.info.host.startswith("/"):
        return None
    try:
        (folder,) = _row(connection, f"SELECT {_setting('data_directory')}")
    except psycopg.errors.InsufficientPrivilege:
        return None
    return str(folder) if os.path.isdir(folder) else None  # noqa: PTH112 - a folder of another user's may be there


def _check_slots(connection: Connection) -> DatabaseFinding:
    rows = connection.execute(
        "SELECT slot_name, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint FROM pg_replication_slots "
        "WHERE NOT active AND restart_lsn IS NOT NULL ORDER BY 2 DESC"
    ).fetchall()
    mode, command, failed = _row(
        connection,
        f"SELECT {_setting('archive_mode')}, {_setting('wal_level')}, "
        "(SELECT last_failed_wal FROM pg_stat_archiver WHERE last_failed_time > coalesce(last_archived_time, "
        "'-infinity'::timestamptz))",
    )
    if command == "minimal":
        todo = "set wal_level to replica, and make a base backup"
        return _found("wal", "warn", "wal_level = minimal: neither a standby nor a base backup is possible.", todo)
    if failed is not None:
        todo = "see the server's log for what archive_command says; its disk fills meanwhile"
        return _found("wal", "fail", f"Archiving fails, last with {failed}.", todo)
    big = [f"{name} ({kept // MEGABYTE} MB)" for name, kept in rows if kept > KEPT_LOG]
    if big:
        todo = "start who reads it, or pg_drop_replication_slot(...)"
        return _found("wal", "warn", f"A slot that nobody reads keeps the write-ahead log: {', '.join(big)}.", todo)
    if mode == "off":
        todo = "set archive_mode and archive_command (docs/how-to/back-up-and-restore.md), or back up in another way"
        return _found("wal", "warn", "archive_mode = off: no restore to a moment after the last base backup.", todo)
    return _found("wal", "pass", f"archive_mode = {mode}, and nothing that was archived failed last.")


def _check_leases(connection: Connection) -> DatabaseFinding:
    rows = connection.execute(
        "SELECT name, holder, extract(epoch FROM until - clock_timestamp())::float8 FROM assent.leases ORDER BY name"
    ).fetchall()
    if not rows:
        return _found("leases", "pass", "Nobody holds one: no replica has worked in the background yet.")
    told = [
        f"{name} is {holder}'s for {left:.0f} s" if left > 0 else f"{name} was {holder}'s until {-left:.0f} s ago"
        for name, holder, left in rows
    ]
    if all(left <= 0 for _, _, left in rows):
        todo = "see whether a replica runs: without one nothing expires and no head is signed"
        return _found("leases", "warn", f"Nobody holds one any more: {'; '.join(told)}.", todo)
    return _found("leases", "pass", f"{'; '.join(told)}.")


def _setting(name: str) -> str:
    return f"current_setting('{name}')"


def _row(connection: Connection, statement: str) -> tuple[Any, ...]:
    row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row


def _sentence(error: BaseException) -> str:
    said = first_line(error)
    return said if said.endswith(".") else f"{said}."


def _found(
    name: str, status: Literal["pass", "warn", "fail", "skip"], detail: str, todo: str | None = None
) -> DatabaseFinding:
    return DatabaseFinding(name=name, status=status, detail=detail, todo=todo)
