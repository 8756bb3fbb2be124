"""One PostgreSQL for all tests of a process, and an empty log for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

import pytest

from assent_service.store.postgresql.schema import VERSION, migrate
from assent_service.store.postgresql.shared_log import SharedLog
from tests.engine.programs import require
from tests.engine.server import Server

_numbers = count(1)
EMPTIED = ";".join(
    [
        *(
            f"DELETE FROM assent.{table}"
            for table in ("log", "organizations", "fences", "writers", "objects", "leases")
        ),
        "UPDATE assent.log_head SET seq = 0, floor = 0, copying = false, log = gen_random_uuid()",
        f"DELETE FROM assent.schema_version WHERE version > {VERSION}",
    ]
)


@pytest.fixture(scope="session")
def possible() -> None:
    require()


@pytest.fixture(scope="session")
def server(possible: None) -> Iterator[Server]:
    """Shared: nobody stops it, or changes its settings."""
    started = Server.started()
    try:
        yield started
    finally:
        started.remove()


@pytest.fixture
def own_server(possible: None) -> Iterator[Callable[..., Server]]:
    """Makes servers that a test may stop, kill and set up as it likes."""
    with ExitStack() as made:

        def make(*options: str, made_from: Server | None = None) -> Server:
            fresh = Server(*options, made_from=made_from)
            made.callback(fresh.remove)
            fresh.start()
            return fresh

        yield make


@pytest.fixture
def empty(server: Server) -> str:
    """The name of a database without the schema."""
    name = f"empty{next(_numbers)}"
    server.run(f"CREATE DATABASE {name}")
    return name


@pytest.fixture(scope="session")
def migrated(server: Server) -> str:
    """The name of a database with the schema. Making one takes longer than a test."""
    server.run("CREATE DATABASE shared")
    migrate(server.dsn("shared"))
    return "shared"


@pytest.fixture
def database(server: Server, migrated: str) -> str:
    """The name of a database with an empty log."""
    server.run(EMPTIED, migrated)
    return migrated


@pytest.fixture
def opened(server: Server, database: str) -> Iterator[Callable[..., SharedLog]]:
    """Opens the log of this test's database, as another process would."""
    with ExitStack() as made:

        def make(**given: object) -> SharedLog:
            log = SharedLog.open(server.dsn(database), **given)  # type: ignore[arg-type]
            made.callback(log.close)
            return log

        yield make


@pytest.fixture
def log(opened: Callable[..., SharedLog]) -> SharedLog:
    return opened()
