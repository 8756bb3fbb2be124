"""Any test over another log: with `--engine=postgresql` the services that tests start, in this process (`build`) and as
processes (`live.py`), have their log in a PostgreSQL, each data folder in a database of its own.

A folder that has a log already stays as it is, and so does a service that is given its log by the test. Times are the
tests' own: the databases do not compare them with theirs, which tests/engine does.

`pytestmark = files("why")`, or `@files("why")`, is for what is about a folder of files by its nature. It does not run
over another log then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.engine.programs import require

if TYPE_CHECKING:
    from assent_service.store.postgresql.replica_log import Replica
    from tests.engine.server import Server

TEMPLATE = "template_of_tests"
COMPARED = "p_latest > v.clock + 1000000 OR p_earliest < v.clock - 60000000"
"""What the database asks of the times of events."""
WALLET_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


class Engine(StrEnum):
    FILES = "files"
    POSTGRESQL = "postgresql"


def files(why: str) -> pytest.MarkDecorator:
    """For what has no meaning with the log elsewhere than in the data folder."""
    return pytest.mark.files(why)


def skip_files(items: Iterable[pytest.Item]) -> None:
    for item in items:
        for mark in item.iter_markers("files"):
            item.add_marker(pytest.mark.skip(reason=f"about files: {mark.args[0]}"))


class Databases:
    """One for each data folder, on a server that is started when the first one is needed."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._of: dict[Path, str] = {}
        self._by_log: dict[str, str] = {}
        self._numbers = count(1)

    def of(self, home: Path) -> str | None:
        """The database of a data folder, None for one that has a log of its own."""
        home = home.absolute()
        known = self._of.get(home)
        if known is not None:
            return known
        mark = home / "replica"
        if mark.exists():
            # A copy of another folder, with what was in it.
            return self._by_log.get(mark.read_text("ascii").strip())
        if any(path.stat().st_size for path in (home / "log").glob("*")):
            return None
        server = self._started()
        name = f"test{next(self._numbers)}"
        server.run(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE}")
        ((log,),) = server.run("UPDATE assent.log_head SET log = gen_random_uuid() WHERE one RETURNING log::text", name)
        self._of[home] = self._by_log[str(log)] = server.dsn(name)
        return self._of[home]

    def drop(self, folder: Path) -> None:
        """Those of the data folders in a folder that nobody needs any more."""
        for home in [each for each in self._of if each.is_relative_to(folder)]:
            dsn = self._of.pop(home)
            name = dsn.partition("?")[0].rpartition("/")[2]
            self._by_log = {log: each for log, each in self._by_log.items() if each != dsn}
            self._started().run(f"DROP DATABASE {name} WITH (FORCE)")

    def remove(self) -> None:
        if self._server is not None:
            self._server.remove()

    def _started(self) -> Server:
        if self._server is None:
            require()
            from assent_service.store.postgresql.schema import migrate
            from tests.engine.server import Server

            self._server = server = Server.started("fsync=on", "max_connections=200")
            server.run(f"CREATE DATABASE {TEMPLATE}")
            migrate(server.dsn(TEMPLATE))
            ((text,),) = server.run("SELECT pg_get_functiondef('assent.open_call'::regproc)", TEMPLATE)
            assert COMPARED in str(text)
            server.run(str(text).replace(COMPARED, "false"), TEMPLATE)
        return self._server


databases = Databases()
_chosen = Engine.FILES


def choose(engine: Engine) -> None:
    """Before anything is imported that keeps `open_replica` for itself."""
    global _chosen
    _chosen = engine
    if engine is Engine.FILES:
        return
    from assent_service import app
    from assent_service.base.clock import Correction
    from assent_service.core.settings import Settings
    from assent_service.replicas import FILES, open_replica

    def opened(settings: Settings, correction: Correction) -> Replica | None:
        dsn = databases.of(Path(settings.home)) if settings.log == FILES else None
        if dsn is None:
            return open_replica(settings, correction)
        from assent_service.store.postgresql.replica_log import Replica

        return Replica(dsn, correction)

    setattr(app, open_replica.__name__, opened)


def chosen() -> Engine:
    """Where the services of tests have their log."""
    return _chosen


def environment(home: Path, given: Mapping[str, str]) -> dict[str, str]:
    """What a service has to be told, as a process on a data folder."""
    dsn = None if _chosen is Engine.FILES or "ASSENT_LOG" in given else databases.of(home)
    return {} if dsn is None else {"ASSENT_LOG": dsn, "ASSENT_WALLET_KEY": WALLET_KEY}
