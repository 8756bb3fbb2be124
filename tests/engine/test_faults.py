"""Several processes on one log while servers, writers and links are broken: nothing acknowledged is lost or doubled,
and each prize has one winner. Without fences the same check finds second winners."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event as Flag
from threading import Thread

import pytest

from assent_service.store.postgresql.connecting import DatabaseUnsuitable
from assent_service.store.postgresql.schema import migrate
from assent_service.store.postgresql.shared_log import SharedLog
from tests.engine.drafts import numbers, submission
from tests.engine.proxy import Proxy
from tests.engine.server import Server
from tests.tiers import deep

pytestmark = deep("processes that race, and servers that are killed")
Servers = Callable[..., Server]
APPEND = b"org_1"
"""What every append of a racer holds, and no answer to anything else."""


NOT_READ = "unknown what came before"


class Race:
    """Racers in processes of their own; what each was told goes to a file."""

    def __init__(self, folder: Path, prizes: int, *, fences: bool = True, at_once: int = 4) -> None:
        self._folder, self.prizes = folder, prizes
        self._rest = [str(prizes), str(at_once), "fences" if fences else "none"]
        self.running: list[subprocess.Popen[bytes]] = []
        self._files: list[Path] = []

    def start(self, dsn: str) -> subprocess.Popen[bytes]:
        name = f"racer{len(self._files)}"
        told = self._folder / name
        self._files.append(told)
        with told.open("wb") as file:
            command = [sys.executable, "-m", "tests.engine.racer", dsn, name, *self._rest]
            process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        self.running.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.running.remove(process)

    def finish(self) -> None:
        for process in self.running:
            assert process.wait(150) == 0, self._told()
        self.running.clear()

    def end(self) -> None:
        for process in self.running:
            process.kill()
            process.wait()

    def _told(self) -> str:
        return "\n".join(path.read_text()[-2000:] for path in self._files)

    def won(self) -> list[tuple[str, str, int]]:
        """Racer, prize and seq of what was acknowledged. A racer whose append was recorded while the server went away
        before what came in front of it was read says so, and was promised nothing. Fails for what else it says."""
        said = [(path.name, line) for path in self._files for line in path.read_text().splitlines()]
        lines = [(name, *line.split(" ")) for name, line in said if not line.startswith(NOT_READ)]
        assert [line for line in lines if len(line) != 3] == []
        return [(name, prize, int(seq)) for name, prize, seq in lines]


@pytest.fixture
def race(tmp_path: Path) -> Iterator[Callable[..., Race]]:
    made: list[Race] = []

    def make(prizes: int, **given: bool) -> Race:
        made.append(Race(tmp_path, prizes, **given))
        return made[-1]

    yield make
    for each in made:
        each.end()


def anomalies(dsn: str, won: list[tuple[str, str, int]]) -> Counter[str]:
    """What is wrong with a log, and with what was acknowledged of it. That `seq` has no gap, and every line is right,
    is seen by reading it."""
    found: Counter[str] = Counter()
    with closing(SharedLog.open(dsn)) as log:
        events = list(log.events(0))
    there = {event.seq: event for event in events}
    for name, prize, seq in won:
        event = there.get(seq)
        if event is None or (event.actor, event.subject) != (name, prize):
            found["lost"] += 1
    due: Counter[str] = Counter()
    for event in events:
        found["gap"] += event.n != due[event.org]
        due[event.org] += 1
    found["second winners"] = len(events) - len({event.subject for event in events})
    found["doubled"] = len(events) - len({(event.actor, event.subject) for event in events})
    return +found


def reach(server: Server, database: str, head: int) -> None:
    """Return once the log has so many events."""
    ends = time.monotonic() + 100
    while server.run("SELECT seq FROM assent.log_head", database) < [(head,)]:
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_each_prize_has_one_winner(server: Server, database: str, race: Callable[..., Race]) -> None:
    run = race(1500)
    for _ in range(3):
        run.start(server.dsn(database))
    run.finish()
    won = run.won()
    assert anomalies(server.dsn(database), won) == {}
    assert len(won) == 1500
    assert len({name for name, _, _ in won}) == 3


def test_without_fences_the_check_finds_second_winners(
    server: Server, database: str, race: Callable[..., Race]
) -> None:
    run = race(1500, fences=False)
    for _ in range(3):
        run.start(server.dsn(database))
    run.finish()
    found = anomalies(server.dsn(database), run.won())
    assert found["second winners"] > 10
    assert set(found) == {"second winners"}


def test_broken_links_and_backends_lose_and_double_nothing(
    server: Server, database: str, race: Callable[..., Race]
) -> None:
    run = race(2500)
    with Proxy(server.port) as proxy:
        for _ in range(3):
            run.start(server.dsn(database, port=proxy.port))
        # The last third is left in peace: a lone racer whose every call is cut would never end.
        for head in range(100, 1700, 50):
            reach(server, database, head)
            proxy.cut_answers(2, to=APPEND)
            if head % 200 == 0:
                server.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    f"WHERE datname = '{database}' AND application_name = 'assent' AND random() < 0.5"
                )
        run.finish()
        assert proxy.cut > 10
    assert anomalies(server.dsn(database), run.won()) == {}
    assert len(run.won()) == 2500


def test_killed_writers_and_restarted_servers_lose_nothing(own_server: Servers, race: Callable[..., Race]) -> None:
    server = own_server()
    migrate(server.dsn())
    run = race(3000)
    for _ in range(3):
        run.start(server.dsn())
    for head in (200, 900, 1600, 2300):
        reach(server, "postgres", head)
        run.kill(run.running[0])
        run.start(server.dsn())
        server.restart_at_once()
    run.finish()
    # What a killed racer won without being told is in the log as well.
    assert anomalies(server.dsn(), run.won()) == {}


@pytest.fixture
def pair(own_server: Servers) -> tuple[Server, Server]:
    """A primary, and a standby that every commit waits for."""
    primary = own_server()
    migrate(primary.dsn())
    standby = own_server(made_from=primary)
    primary.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    primary.run("SELECT pg_reload_conf()")
    ends = time.monotonic() + 20
    while primary.run("SELECT sync_state FROM pg_stat_replication") != [("sync",)]:
        assert time.monotonic() < ends
        time.sleep(0.05)
    return primary, standby


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_loses_what_it_wrote_is_refused(own_server: Servers, setting: str) -> None:
    server = own_server(f"{setting}=off")
    for refused in (migrate, SharedLog.open):
        with pytest.raises(DatabaseUnsuitable, match=f"{setting} is off: the database could lose"):
            refused(server.dsn())


def test_a_standby_is_refused(pair: tuple[Server, Server]) -> None:
    with pytest.raises(DatabaseUnsuitable, match="this server is a standby"):
        SharedLog.open(f"{pair[1].dsn()}&target_session_attrs=any")


def test_a_cancelled_wait_for_the_standby_is_no_success(pair: tuple[Server, Server]) -> None:
    primary, standby = pair
    with closing(SharedLog.open(primary.dsn(), patience=60)) as log, ThreadPoolExecutor(1) as pool:
        log.append([submission("first")])
        standby.stop()
        outcome = pool.submit(log.append, [submission("second")])
        for _ in range(3):
            time.sleep(0.5)
            primary.run(
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' "
                "AND query LIKE '%assent.append%'"
            )
            assert not outcome.done()
        standby.start()
        result = outcome.result(30)
    assert result.sent >= 2
    assert numbers(result.outcomes[0]) == [(2, "org_a", 1)]
    assert [each[0] for each in standby.run("SELECT seq FROM assent.log ORDER BY seq")] == [1, 2]


def test_a_standby_that_takes_over_has_all_that_was_acknowledged(
    pair: tuple[Server, Server], race: Callable[..., Race]
) -> None:
    primary, standby = pair
    dsn = (
        f"postgresql://postgres@/postgres?host={primary.folder},{standby.folder}"
        f"&port={primary.port},{standby.port}&target_session_attrs=read-write"
    )
    run = race(2500)
    for _ in range(3):
        run.start(dsn)
    reach(primary, "postgres", 300)
    primary.stop(signal.SIGQUIT)
    before = len(run.won())
    assert before < 2500
    standby.promote()
    run.finish()
    assert anomalies(standby.dsn(), run.won()) == {}
    assert len(run.won()) > before


def test_a_process_that_was_stopped_wakes_to_be_overtaken(
    server: Server, database: str, race: Callable[..., Race]
) -> None:
    run = race(2000)
    several = [run.start(server.dsn(database)) for _ in range(3)]
    ended = Flag()

    def stop_and_go() -> None:
        at = 0
        while not ended.wait(0.1):
            sleeper = several[at % 3]
            at += 1
            sleeper.send_signal(signal.SIGSTOP)
            ended.wait(0.3)
            sleeper.send_signal(signal.SIGCONT)

    thread = Thread(target=stop_and_go)
    thread.start()
    try:
        run.finish()
    finally:
        ended.set()
        thread.join()
    assert anomalies(server.dsn(database), run.won()) == {}
    assert len(run.won()) == 2000
