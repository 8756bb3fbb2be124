"""The schema `assent` of a database: made and upgraded by `migrate`, a file of `migrations` for each version.

Everything is done in one transaction under an advisory lock, so that two that run side by side do it once, and one that
is killed has done nothing. Nothing that serves meanwhile is stopped: a migration that would have to wait for it longer
than LOCK_SECONDS gives up.

A newer version serves programs of before, too, down to OLDEST: they run, start and stop beside newer ones until the
last one is replaced. So a migration adds, and takes or changes nothing that a program from OLDEST on calls or reads.
One that has to raises OLDEST, and whoever upgrades stops the older programs first.

There are two roles. The one that migrates owns the schema. The one that serves gets what `grant` says: it reads, and
calls the functions; it cannot change a line of the log, take back a signed head, or forget a fence that counts.
"""

from __future__ import annotations

from importlib import resources
from typing import Final

import psycopg
from msgspec import Struct
from psycopg import sql

from assent_service.store.postgresql.connecting import (
    Connection,
    DatabaseUnsuitable,
    check_settings,
    connect,
    first_line,
    shown,
)

VERSION: Final = 3
"""The newest version that this program makes, and the least that it serves from."""
OLDEST: Final = 3
"""The least version of a program that may serve from what this one makes."""
LOCK_SECONDS: Final = 5
RUN: Final = "`assent migrate --log ..."
"""How the advice to migrate begins."""
_ONLY_ONE: Final = 0x617373656E74
"""The advisory lock of those who migrate."""
READ: Final = ("log_head", "organizations", "log", "writers", "fences", "objects", "leases", "schema_version")
CALLED: Final = (
    "register",
    "append",
    "append_each",
    "blank",
    "prune",
    "put_object",
    "remove_object",
    "lease",
    "release",
)


class Migrated(Struct, frozen=True):
    """What `migrate` found and left; `before` is 0 for a database without the schema."""

    database: str
    before: int
    version: int
    role: str | None


def migrate(dsn: str, role: str | None = None) -> Migrated:
    """Bring the schema to VERSION and let `role` serve from it; both may be done again at any time.

    Raises DatabaseUnsuitable, also for a schema of a newer program, which is left as it is.
    """
    connection = connect(dsn)
    try:
        check_settings(connection)
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", [_ONLY_ONE])
            connection.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
            before = _make(connection)
            if role is not None:
                _grant(connection, role)
    except psycopg.errors.LockNotAvailable as error:
        raise DatabaseUnsuitable(
            f"somebody has held the schema for {LOCK_SECONDS} s, so nothing was changed; try again"
        ) from error
    except psycopg.Error as error:
        raise DatabaseUnsuitable(f"the schema in {shown(dsn)} was left as it was: {first_line(error)}") from error
    finally:
        connection.close()
    return Migrated(shown(dsn), before, VERSION, role)


def read_version(connection: Connection) -> int:
    """The version of the database's schema, 0 where there is none. Raises DatabaseUnsuitable without the right to see
    it."""
    if connection.execute("SELECT to_regnamespace('assent')").fetchone() == (None,):
        return 0
    try:
        row = connection.execute("SELECT max(version) FROM assent.schema_version").fetchone()
    except psycopg.errors.UndefinedTable:
        return 0
    except psycopg.errors.InsufficientPrivilege:
        raise DatabaseUnsuitable(
            f"the role {connection.info.user} may not read the log: run {RUN} --role {connection.info.user}` "
            "as the role that owns the schema"
        ) from None
    return int(row[0] or 0) if row else 0


def serves_older(connection: Connection) -> bool:
    """Whether a schema of a newer program has kept all that this one needs."""
    row = connection.execute(
        "SELECT coalesce(oldest, version) FROM assent.schema_version ORDER BY version DESC LIMIT 1"
    ).fetchone()
    return row is not None and int(row[0]) <= VERSION


def check_version(connection: Connection) -> None:
    """Raise DatabaseUnsuitable unless this program serves from the database's schema."""
    version = read_version(connection)
    if version < VERSION:
        what = f"has version {version} of the schema" if version else "has no schema `assent`"
        raise DatabaseUnsuitable(f"the database {what}, and version {VERSION} is needed: run {RUN}`")
    if version > VERSION and not serves_older(connection):
        raise DatabaseUnsuitable(
            f"the schema is of version {version}, made by a newer Assent; this one knows {VERSION}"
        )


def _make(connection: Connection) -> int:
    """Carry out the migrations that are missing, and say which version there was."""
    # Who owns the schema may lack the right to make schemas, and has this one from somebody else.
    if connection.execute("SELECT to_regnamespace('assent')").fetchone() == (None,):
        connection.execute("CREATE SCHEMA assent")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS assent.schema_version "
        "(version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp())"
    )
    row = connection.execute("SELECT coalesce(max(version), 0) FROM assent.schema_version").fetchone()
    assert row is not None
    before = int(row[0])
    if before > VERSION:
        raise DatabaseUnsuitable(f"the schema is of version {before}, made by a newer Assent; this one knows {VERSION}")
    for version in range(before + 1, VERSION + 1):
        text = resources.files(__package__).joinpath("migrations", f"{version}.sql").read_text("utf-8")
        connection.execute(text.encode())
        connection.execute("INSERT INTO assent.schema_version (version) VALUES (%s)", [version])
    connection.execute("UPDATE assent.schema_version SET oldest = %s WHERE version = %s", [OLDEST, VERSION])
    connection.execute("REVOKE ALL ON ALL FUNCTIONS IN SCHEMA assent FROM PUBLIC")
    return before


def _grant(connection: Connection, role: str) -> None:
    """Let `role` serve, and nothing more."""
    if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone() is None:
        raise DatabaseUnsuitable(f"there is no role {role} in the database; make it first: CREATE ROLE {role} LOGIN")
    name = sql.Identifier(role)
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA assent TO {}").format(name))
    for table in READ:
        connection.execute(sql.SQL("GRANT SELECT ON assent.{} TO {}").format(sql.Identifier(table), name))
    for function in CALLED:
        connection.execute(sql.SQL("GRANT EXECUTE ON FUNCTION assent.{} TO {}").format(sql.Identifier(function), name))
