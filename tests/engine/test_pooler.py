"""A log that is reached over pgbouncer in transaction mode, where each transaction may get another server's process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import psycopg
import pytest

from assent_service.store.copying import CopyRefused
from assent_service.store.postgresql.connecting import connect, is_pooled
from assent_service.store.postgresql.database_place import DatabasePlace
from assent_service.store.postgresql.shared_log import SharedLog
from tests.engine.cluster import Pooler, pooler
from tests.engine.drafts import numbers, submission
from tests.engine.server import Server
from tests.tiers import deep

pytestmark = [
    deep("a pooler in front of a server"),
    pytest.mark.skipif(pooler() is None, reason="pgbouncer is not installed (Debian's package `pgbouncer`)"),
]
Opened = Callable[[], SharedLog]


@pytest.fixture(scope="module")
def between(server: Server) -> Iterator[Pooler]:
    with closing(Pooler(server.port)) as made:
        yield made


@pytest.fixture
def pooled(server: Server, database: str, between: Pooler) -> str:
    return server.dsn(database, port=between.port)


@pytest.fixture
def logs(pooled: str) -> Iterator[Opened]:
    with ExitStack() as made:
        yield lambda: made.enter_context(closing(SharedLog.open(pooled)))


def test_a_pooler_is_known_by_its_answer(server: Server, database: str, pooled: str) -> None:
    for dsn, due in ((pooled, True), (server.dsn(database), False), (server.dsn(database, port=server.port), False)):
        with connect(dsn) as connection:
            assert is_pooled(connection) is due
            assert (connection.prepare_threshold is None) is due


def test_six_writers_share_fewer_connections(logs: Opened) -> None:
    """More of them than the pooler has connections to the server: each call may go to another one."""
    several = [logs() for _ in range(6)]

    def write(at: int) -> list[int]:
        found: list[int] = []
        for number in range(30):
            [outcome] = several[at].append([submission(f"{at} {number}")]).outcomes
            assert isinstance(numbers(outcome), list)
            found.append(numbers(outcome)[0][0])  # type: ignore[index]
            assert several[at].head() >= found[-1]
            assert several[at].clock() > 1_000_000_000_000_000
        return found

    with ThreadPoolExecutor(6) as pool:
        told = [seq for each in pool.map(write, range(6)) for seq in each]
    assert sorted(told) == list(range(1, 181))
    assert [event.seq for event in several[0].events(0)] == list(range(1, 181))


def test_a_notice_leaves_no_setting_behind(server: Server, pooled: str, logs: Opened) -> None:
    """An append that came next on the same connection would be acknowledged before it is durable."""
    log = logs()
    for number in range(20):
        log.append([submission(str(number))])
        with psycopg.connect(pooled, autocommit=True, prepare_threshold=None) as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_who_waits_is_not_told(logs: Opened) -> None:
    """So it has to look, as it does in any case."""
    one, two = logs(), logs()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(two.told, 1.0)
        one.append([submission("x")])
        assert waiting.result(5) is False
    assert two.head() == 1


def test_nobody_copies_through_it(pooled: str, tmp_path: Path) -> None:
    with (
        pytest.raises(CopyRefused, match="behind a pooler, where nothing keeps others out"),
        DatabasePlace(pooled, target=True),
    ):
        pass
