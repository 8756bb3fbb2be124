"""What rounds break: a primary with a synchronous standby, replicas as processes, and a proxy in every link.

    with Cluster() as cluster, Replicas(cluster, folder, 3) as replicas:
        replicas.call(0, "GET", "/api/actions", key=key)
        replicas.links[0].cut_all()

A replica reaches the two servers over proxies of its own, and is reached over one. A cluster is used by one round after
the other, each with a log of its own; one whose primary was lost is made whole before the next.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import psycopg

from assent_service.store.postgresql.schema import migrate
from tests.engine.proxy import Proxy
from tests.engine.server import Server, free_port
from tests.live import ADMIN_KEY, LiveService, start_service

WALLET_KEY: Final = base64.b64encode(bytes(range(32))).decode()
TEMPLATE: Final = "template_of_rounds"
IN_STEP: Final = 30.0
_names = count(1)


class Cluster:
    """`standby` receives what the primary writes over the proxy `replication`."""

    def __init__(self) -> None:
        self.primary = Server.started("wal_keep_size=64MB")
        self._made: list[Server] = [self.primary]
        self._proxies: list[Proxy] = []
        migrate(self.primary.dsn())
        self.primary.run(f"CREATE DATABASE {TEMPLATE} TEMPLATE postgres")
        self._add_standby()

    def _add_standby(self) -> None:
        self.replication = Proxy(self.primary.port)
        self._proxies.append(self.replication)
        self.standby = Server(
            "wal_retrieve_retry_interval=100ms",
            f"primary_conninfo=host=127.0.0.1 port={self.replication.port} user=postgres application_name=standby",
            made_from=self.primary,
        )
        self._made.append(self.standby)
        self.standby.start()
        self.set_synchronous(True)

    def set_synchronous(self, synchronous: bool) -> None:
        """Whether a commit waits for the standby."""
        self.primary.run(f"ALTER SYSTEM SET synchronous_standby_names = '{'*' if synchronous else ''}'")
        self.primary.run("SELECT pg_reload_conf()")
        self.await_standby("sync" if synchronous else "async")

    def await_standby(self, state: str = "sync") -> None:
        """Until the standby follows."""
        ends = time.monotonic() + IN_STEP
        while self.primary.run("SELECT sync_state FROM pg_stat_replication") != [(state,)]:
            assert time.monotonic() < ends, "the standby does not follow"
            time.sleep(0.05)

    def new_log(self) -> str:
        """A database with an empty log of its own."""
        name = f"round{next(_names)}"
        self.primary.run(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        self.primary.run("UPDATE assent.log_head SET log = gen_random_uuid()", name)
        return name

    def lose_primary(self) -> None:
        """The machine of the primary is gone, and the standby is promoted."""
        lost, self.primary = self.primary, self.standby
        lost.stop(signal.SIGKILL)
        self.primary.promote()

    def mend(self) -> None:
        """A standby again, where the last one was promoted."""
        self.replication.delay = 0.0
        self.replication.release()
        if self.standby is self.primary:
            for each in self._made:
                if each is not self.primary:
                    each.remove()
            self._made = [self.primary]
            self._add_standby()
        else:
            self.set_synchronous(True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._made:
            each.remove()
        for proxy in self._proxies:
            proxy.close()


class Pooler:
    """pgbouncer in transaction mode in front of a server."""

    def __init__(self, server_port: int) -> None:
        found = pooler()
        assert found is not None, "pgbouncer is not installed"
        # It refuses to run as root, and has to reach its files.
        self._folder = folder = Path(tempfile.mkdtemp(prefix="assent-pool-", dir="/tmp"))
        self.port = free_port()
        users, settings = folder / "users", folder / "pgbouncer.ini"
        users.write_text('"postgres" ""\n')
        settings.write_text(
            f"[databases]\n* = host=127.0.0.1 port={server_port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {self.port}\nauth_type = trust\nauth_file = {users}\npool_mode = transaction\n"
            "unix_socket_dir =\ndefault_pool_size = 6\nserver_login_retry = 0.1\nignore_startup_parameters = "
            "extra_float_digits\n"
        )
        dropped: dict[str, Any] = {}
        if os.geteuid() == 0:
            folder.chmod(0o755)
            dropped = {"user": "nobody", "group": "nogroup", "extra_groups": []}
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen([found, str(settings)], stdout=log, stderr=log, **dropped)
        ends = time.monotonic() + IN_STEP
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                assert self._process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < ends, (folder / "log").read_text()
                time.sleep(0.02)
            else:
                return

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def pooler() -> str | None:
    """Where pgbouncer is, None where it is not installed."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


class Reply(NamedTuple):
    """`status` is None where no answer came. `invoked` and `returned` are of the monotonic clock."""

    status: int | None
    body: dict[str, Any]
    invoked: float
    returned: float

    @property
    def code(self) -> str:
        return str(self.body.get("code", ""))


@dataclass
class Links:
    """The proxies of a replica: from its clients, and to each server."""

    front: Proxy
    back: list[Proxy]

    @property
    def all(self) -> list[Proxy]:
        return [self.front, *self.back]


@dataclass
class Altered:
    """How the services of a round are started: `tests.engine.altered_service` with these, by replica."""

    without: str = ""
    skews: Mapping[int, float] = field(default_factory=dict[int, float])
    pooled: int | None = None
    """The replica that reaches the primary over a pooler."""


class Replicas:
    """Some services on one log. Each keeps its folder and its ports over a restart."""

    def __init__(self, cluster: Cluster, folder: Path, size: int, altered: Altered | None = None) -> None:
        self.cluster, self.folder, self.altered = cluster, folder, altered or Altered()
        self.database = cluster.new_log()
        self._owned = ExitStack()
        self.links: list[Links] = []
        self.services: list[LiveService] = []
        with ExitStack() as made:
            made.callback(self.close)
            for at in range(size):
                self._add(at)
            made.pop_all()

    def _add(self, at: int) -> None:
        back = [Proxy(self.cluster.primary.port), Proxy(self.cluster.standby.port)]
        if self.altered.pooled == at:
            between = Pooler(self.cluster.primary.port)
            self._owned.callback(between.close)
            back = [Proxy(between.port)]
        port = free_port()
        self.links.append(Links(Proxy(port), back))
        for each in self.links[-1].all:
            self._owned.callback(each.close)
        self.services.append(self._start(at, port, self._dsn(back)))

    def _dsn(self, back: list[Proxy]) -> str:
        hosts = ",".join(f"127.0.0.1:{each.port}" for each in back)
        return f"postgresql://postgres@{hosts}/{self.database}?sslmode=disable&gssencmode=disable"

    def _start(self, at: int, port: int, dsn: str, name: str = "") -> LiveService:
        given: dict[str, Any] = {"ASSENT_LOG": dsn, "ASSENT_WALLET_KEY": WALLET_KEY}
        module = "assent_service"
        skew = self.altered.skews.get(at, 0.0)
        if self.altered.without or skew:
            module = "tests.engine.altered_service"
            given |= {"WITHOUT": self.altered.without, "SKEW": str(skew)}
        return start_service(self.folder / (name or f"replica{at}"), module=module, port=port, **given)

    def __len__(self) -> int:
        return len(self.links)

    def restart(self, at: int) -> None:
        """Kill it, and start it again on its folder."""
        before = self.services[at]
        before.kill()
        self.services[at] = self._start(at, before.port, self._dsn(self.links[at].back))

    def add_fresh(self) -> int:
        """One more, without a folder and with straight links."""
        port = free_port()
        self.links.append(Links(Proxy(port), []))
        self._owned.callback(self.links[-1].front.close)
        self.services.append(self._start(-1, port, self.cluster.primary.dsn(self.database), "fresh"))
        return len(self.links) - 1

    def heal(self) -> None:
        """All links pass, nothing is stopped, and who has ended is started again."""
        for links in self.links:
            for each in links.all:
                each.delay = 0.0
                each.release()
        for at, service in enumerate(self.services):
            if service.alive:
                service.process.send_signal(signal.SIGCONT)
            else:
                self.restart(at)

    def turn_to_servers(self) -> None:
        """After the cluster was mended."""
        servers = (self.cluster.primary, self.cluster.standby)
        for at, links in enumerate(self.links):
            if at != self.altered.pooled:
                for proxy, server in zip(links.back, servers, strict=True):
                    proxy.target = server.port

    def call(
        self,
        at: int,
        method: str,
        path: str,
        body: object = None,
        *,
        key: str = ADMIN_KEY,
        headers: Mapping[str, str] | None = None,
        timeout: float = 15.0,
    ) -> Reply:
        """One request over the replica's proxy, on a connection of its own."""
        sent = {"content-type": "application/json", "x-api-key": key, **(headers or {})}
        invoked = time.monotonic()
        connection = HTTPConnection("127.0.0.1", self.links[at].front.port, timeout=timeout)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            response = connection.getresponse()
            status, answer = response.status, json.loads(response.read())
        except Exception as error:  # noqa: BLE001 - however it was cut off, what became of it is not known
            return Reply(None, {"error": repr(error)}, invoked, time.monotonic())
        finally:
            connection.close()
        return Reply(status, answer, invoked, time.monotonic())

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return self.cluster.primary.run(statement, self.database)

    def stop(self) -> None:
        """In order, one after the other."""
        for service in self.services:
            service.stop()

    def close(self) -> None:
        for service in self.services:
            if service.alive:
                with suppress(OSError):
                    service.process.send_signal(signal.SIGCONT)
                service.kill()
        self._owned.close()
        with suppress(psycopg.Error, AssertionError):
            self.cluster.primary.run(f"DROP DATABASE IF EXISTS {self.database} WITH (FORCE)")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
