"""A real PostgreSQL for tests: made, started, stopped and broken here.

It refuses to run as root, so root starts it as another user in a folder of that user's own. It listens on a socket in
that folder and on 127.0.0.1.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final, Self

import psycopg

from tests.engine.programs import program

ADMIN: Final = "postgres"
START_SECONDS: Final = 30.0
ROOM: Final = 2_000_000_000
"""Bytes that must be free in memory."""
_USERS: Final = ("postgres", "nobody")
_QUIET: Final = ("-A", "trust", "-U", ADMIN, "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")


class Server:
    """One cluster. `options` are settings of the server, as `fsync=off`. `on_disk` is for who measures."""

    def __init__(self, *options: str, made_from: Server | None = None, on_disk: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="assent-pg-", dir="/tmp" if on_disk else _place()))
        self.options = options
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._user = _unprivileged()
        if self._user is not None:
            os.chown(self.folder, *self._user)
        if made_from is None:
            self._run("initdb", "-D", str(self.data), *_QUIET)
        else:
            self._run(
                *("pg_basebackup", "-h", str(made_from.folder), "-p", str(made_from.port), "-U", ADMIN),
                *("-D", str(self.data), "-R", "-X", "stream", "-c", "fast", "--no-sync"),
            )

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def pid(self) -> int:
        """Of the first process, from which all others descend."""
        assert self._process is not None, "the server does not run"
        return self._process.pid

    @classmethod
    def started(cls, *options: str, on_disk: bool = False) -> Self:
        server = cls(*options, on_disk=on_disk)
        server.start()
        return server

    def dsn(self, database: str = "postgres", user: str = ADMIN, port: int | None = None) -> str:
        """Over the socket; over TCP with `port`, the server's own or that of something before it."""
        if port is None:
            return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"
        return f"postgresql://{user}@127.0.0.1:{port}/{database}?sslmode=disable&gssencmode=disable"

    def start(self) -> None:
        settings = [
            *("listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.folder}"),
            *("max_connections=60", "shared_buffers=64MB", "logging_collector=off", *self.options),
        ]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(program("postgres")), "-D", str(self.data), *(f"--{each}" for each in settings)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._dropped(),  # type: ignore[call-overload]
            )
        ends = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.dsn(), connect_timeout=5).close()
            except psycopg.OperationalError:
                said = (self.folder / "log").read_text()
                assert self._process.poll() is None, said
                assert time.monotonic() < ends, said
                time.sleep(0.02)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends it in order, SIGQUIT at once, as a machine that fails."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            process.wait(30)

    def restart_at_once(self) -> None:
        self.stop(signal.SIGQUIT)
        self.start()

    def promote(self) -> None:
        """Make this standby the primary, and return once it takes writes."""
        self.run("SELECT pg_promote(true, 30)")

    def run(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """As the administrator, each statement by itself."""
        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, name: str, *arguments: str) -> None:
        found = program(name)
        assert found is not None, f"{name} is not installed"
        done = subprocess.run(
            [found, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False, **self._dropped()
        )  # type: ignore[call-overload]
        assert done.returncode == 0, done.stderr.decode()

    def _dropped(self) -> dict[str, object]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        given: dict[str, object] = {"env": environment, "cwd": "/"}
        if self._user is not None:
            user, group = self._user
            given |= {"user": user, "group": group, "extra_groups": []}
        return given


def _place() -> str:
    """Where folders of servers are made: in memory where there is room, since every commit waits for its fsync. The
    server must reach it, so not below a folder of root's own; and names of sockets have to be short."""
    memory = Path("/dev/shm")
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > ROOM else "/tmp"


def _unprivileged() -> tuple[int, int] | None:
    """User and group to run it as, None for who is not root."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name: each for each in pwd.getpwall()}
    found = next(known[name] for name in _USERS if name in known)
    return found.pw_uid, found.pw_gid


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
