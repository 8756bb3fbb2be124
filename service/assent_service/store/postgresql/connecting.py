"""Connections to PostgreSQL, what a database must be like to hold the log, and what its errors say about a call.

A database is refused when it would acknowledge what it can lose (`fsync`, `full_page_writes` or `synchronous_commit`
off, or `local`, which does not wait for a standby), when it is a standby, and when its default isolation level is not
`read committed`, since an append has to see what was committed while it waited for the head.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import psycopg
from psycopg import conninfo

from assent_service.store.failures import LogAway, LogError

OLDEST_SERVER: Final = 140_000
DURABLE: Final = ("on", "remote_write", "remote_apply")
"""Values of `synchronous_commit` under which what is acknowledged stays."""
_PATIENT: Final[Mapping[str, str]] = {
    # A link that is gone without a word is noticed by both ends within seconds.
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
    # Of several hosts, the one that takes writes.
    "target_session_attrs": "read-write",
    "application_name": "assent",
}
_HOPELESS: Final = ("0A", "22", "23", "28", "3D", "3F", "42")
"""Classes of SQLSTATE that the same call meets again, however often it is sent."""

_PASSING: Final = (
    "starting up",
    "shutting down",
    "recovery",
    "too many",
    "slots are reserved",
    "terminating connection",
)
"""What a server says to who comes too early, too late or with too many."""

Connection = psycopg.Connection[tuple[Any, ...]]


class DatabaseUnsuitable(LogAway):
    """A database that cannot hold the log as it is, or cannot be reached; the message says what to change."""


class DatabaseUnreachable(DatabaseUnsuitable):
    """A database that does not answer, or takes no connections now; the same start may succeed later."""

    unreachable = True


class ClockOff(LogAway):
    """A draft's time is too far from the database's clock; nothing was written. `offset` is what to add to this
    machine's clock, in microseconds."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        super().__init__(
            f"this machine's clock is {-offset / 1e6:+.3f} s beside the database's, or what it wanted to record has "
            "waited for more than a minute; nothing was recorded. Have both clocks set by NTP."
        )


class RowDamaged(LogError):
    """A row of the log that is not what was written. `seq` is its place, or where it is missing."""

    def __init__(self, seq: int, what: str) -> None:
        self.seq = seq
        super().__init__(f"the evidence log in PostgreSQL is damaged: event {seq}: {what}")


def is_dsn(text: str) -> bool:
    """Whether this names a database, and no folder."""
    return text.startswith(("postgresql://", "postgres://"))


def shown(dsn: str) -> str:
    """The database's host and name, without user, password and options."""
    try:
        said = conninfo.conninfo_to_dict(dsn)
    except psycopg.Error:
        return "the database"
    return f"{said.get('host') or 'the local socket'}/{said.get('dbname') or said.get('user') or ''}".rstrip("/")


def connect(dsn: str, *, prepare: bool = True, made: Callable[[Connection], None] = lambda _: None) -> Connection:
    """A connection on which every statement is a transaction of its own; `made` is told of it before anything is asked
    on it. Raises DatabaseUnsuitable.

    Without `prepare` no statement is prepared, and none is through a pooler: the next transaction may go to another
    server, where somebody else's statement has the same name.
    """
    try:
        given = conninfo.conninfo_to_dict(dsn)
        options = {name: value for name, value in _PATIENT.items() if name not in given}
        connection: Connection = psycopg.Connection.connect(conninfo.make_conninfo(dsn, **options), autocommit=True)
        made(connection)
        connection.prepare_threshold = 1 if prepare and not is_pooled(connection) else None
    except psycopg.Error as error:
        kind = DatabaseUnsuitable if _is_refused(error) else DatabaseUnreachable
        raise kind(f"cannot connect to {shown(dsn)}: {first_line(error)}") from error
    return connection


def _is_refused(error: psycopg.Error) -> bool:
    """Whether it is an address or a role that a person has to mend. A server that refuses says FATAL, in English where
    it is not set otherwise; what it says so while it starts or ends passes."""
    said = str(error)
    return not isinstance(error, psycopg.OperationalError) or (
        "FATAL:" in said and not any(each in said for each in _PASSING)
    )


def is_pooled(connection: Connection) -> bool:
    """Whether a pooler is between: who connects is not told the process of the server that answers. What a session
    keeps, such as a setting or a lock, is then nobody's."""
    said = connection.execute("SELECT pg_backend_pid()", prepare=False).fetchone()
    return said != (connection.info.backend_pid,)


def check_settings(connection: Connection) -> None:
    """Raise DatabaseUnsuitable, with a sentence, for a server that the log is not safe in."""
    if connection.info.server_version < OLDEST_SERVER:
        raise DatabaseUnsuitable(
            f"PostgreSQL {OLDEST_SERVER // 10_000} or newer is needed, "
            f"this is {connection.info.server_version // 10_000}"
        )
    names = ("fsync", "full_page_writes", "synchronous_commit", "default_transaction_isolation")
    row = connection.execute(
        "SELECT pg_is_in_recovery(), " + ", ".join(f"current_setting('{name}')" for name in names)
    ).fetchone()
    assert row is not None
    standby, fsync, pages, commit, isolation = row
    if standby:
        raise DatabaseUnsuitable("this server is a standby: the log is read from and written to the primary only")
    for name, value in (("fsync", fsync), ("full_page_writes", pages)):
        if value != "on":
            raise DatabaseUnsuitable(
                f"{name} is {value}: the database could lose what it has acknowledged; set it to on"
            )
    if commit not in DURABLE:
        raise DatabaseUnsuitable(
            f"synchronous_commit is {commit}: the database acknowledges what it can still lose; set it to on"
        )
    if isolation != "read committed":
        raise DatabaseUnsuitable(
            f"default_transaction_isolation is {isolation}: appends need read committed; set it for this role"
        )


def is_hopeless(error: psycopg.Error) -> bool:
    """Whether sending the same call again would meet the same."""
    return bool(error.sqlstate) and str(error.sqlstate).startswith(_HOPELESS)


def first_line(error: BaseException) -> str:
    """What an error says, on one line."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
