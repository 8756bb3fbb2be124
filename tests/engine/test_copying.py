"""`assent log copy`: what arrives is what was there, whatever happens in between."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assent.cli.app import app
from assent_service.store.blanking import mend
from assent_service.store.copying import CopyRefused, run
from assent_service.store.failures import FolderOwned
from assent_service.store.lock import FolderLock
from assent_service.store.log_file import LogFile
from assent_service.store.postgresql import database_place
from assent_service.store.postgresql.connecting import DatabaseUnsuitable
from assent_service.store.postgresql.schema import VERSION
from assent_service.store.postgresql.shared_log import Overtaken, SharedLog
from tests.engine.drafts import numbers, submission
from tests.engine.places import SMALL, beside, erase, events, fill, lines
from tests.engine.server import Server
from tests.service.store.logbook import Book
from tests.service.store.logbook import submission as written
from tests.tiers import deep


@pytest.fixture
def home(tmp_path: Path) -> Path:
    fill(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def dsn(server: Server, database: str) -> str:
    return server.dsn(database)


def test_there_and_back_every_byte_is_the_same(home: Path, dsn: str, tmp_path: Path) -> None:
    back = tmp_path / "back"
    there = run(str(home), dsn)
    again = run(dsn, str(back))
    assert (there.events, there.before, there.organizations) == (24, 0, 3)
    assert there.objects == {"head": 5, "key": 1, "file": 1, "bundle": 1}
    assert there.left == ["admin.key", "wallet.key"]
    assert (again.events, again.organizations, again.objects) == (24, 3, there.objects)
    assert lines(back) == lines(home)
    assert beside(back) == beside(home)
    assert len(beside(home)) == 5
    assert [event.seq for event in events(back) if event.erased] == [2, 7]
    assert not (back / "admin.key").exists()
    assert not (back / "drift.checkpoint").exists()


def test_the_log_goes_on_in_the_database(home: Path, dsn: str) -> None:
    run(str(home), dsn)
    count = {org: sum(event.org == org for event in events(home)) for org in ("org_a", "org_b")}
    with closing(SharedLog.open(dsn)) as log:
        # Fences did not come along, so only who has read all of it can be judged.
        assert log.append([submission("x", reads="rules", after=23)]).outcomes == [Overtaken(24)]
        outcomes = log.append([submission("x", reads="rules", after=24), submission("y", org="org_b")]).outcomes
    assert [numbers(each) for each in outcomes] == [
        [(25, "org_a", count["org_a"])],
        [(26, "org_b", count["org_b"])],
    ]


def test_running_it_again_brings_what_is_new_and_what_was_erased(home: Path, dsn: str) -> None:
    run(str(home), dsn)
    with Book(home) as book:
        assert book.write(written("new", "newer", org="org_new")).error is None
    erase(home, 5)
    (home / "bundles/org_a/ab/ab12.act_1.json").unlink()
    again = run(str(home), dsn)
    assert (again.events, again.before, again.organizations) == (26, 24, 4)
    with closing(SharedLog.open(dsn)) as log:
        assert b"".join(log.lines(0)) == lines(home)
        assert [event.seq for event in log.events(0) if event.erased] == [2, 5, 7]
        assert log.names("bundle") == []
    assert run(str(home), dsn).before == 26


def test_a_target_that_is_no_beginning_of_the_source_is_left_alone(home: Path, dsn: str, tmp_path: Path) -> None:
    other = tmp_path / "other"
    fill(other)
    run(str(other), dsn)
    with closing(SharedLog.open(dsn)) as log:
        before = list(log.lines(0))
        with pytest.raises(CopyRefused, match=r"event 1 of .* must be empty or a beginning of the source"):
            run(str(home), dsn)
        log.append([submission("x")])
        with pytest.raises(CopyRefused, match=r"has 25 events and .* 24"):
            run(str(other), dsn)
        assert list(log.lines(0))[:24] == before


def test_a_body_that_only_the_target_erased_is_not_brought_back(home: Path, dsn: str) -> None:
    run(str(home), dsn)
    with closing(SharedLog.open(dsn)) as log:
        log.blank("org_a", [0])
    with pytest.raises(CopyRefused, match="event 1 of"):
        run(str(home), dsn)


def test_a_head_that_the_source_does_not_have_is_never_taken_away(home: Path, dsn: str) -> None:
    run(str(home), dsn)
    with closing(SharedLog.open(dsn)) as log:
        log.put("head", "org_a/00000000000000000099", b"{}")
    with pytest.raises(CopyRefused, match="has head org_a/00000000000000000099"):
        run(str(home), dsn)


def test_a_folder_in_use_or_without_a_log_is_refused(home: Path, dsn: str, tmp_path: Path) -> None:
    with FolderLock.take(home), pytest.raises(FolderOwned):
        run(str(home), dsn)
    with pytest.raises(CopyRefused, match="there is no data folder"):
        run(str(tmp_path / "nowhere"), dsn)
    assert not (tmp_path / "nowhere").exists()


def test_one_copy_waits_a_moment_for_another_to_leave_and_refuses_beside_one_that_stays(home: Path, dsn: str) -> None:
    """The server lets go of what a connection held a moment after its end, so a copy right after another found it."""
    with database_place.DatabasePlace(dsn, target=True) as first:
        leaving = threading.Timer(0.5, first.__exit__, (None, None, None))
        leaving.start()
        assert run(str(home), dsn).events == 24
        leaving.join()
    with database_place.DatabasePlace(dsn, target=True), pytest.raises(CopyRefused, match="somebody is copying into"):
        run(str(home), dsn)


def test_who_is_interrupted_goes_on(home: Path, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between any two changes of the target; nobody serves from it meanwhile."""
    monkeypatch.setattr("assent_service.store.copying.AT_ONCE", 5)
    for broken in ("append", "put", "end"):
        whole = getattr(database_place.DatabasePlace, broken)
        calls = 0

        def once(self: object, *given: object, whole: Callable[..., None] = whole) -> None:
            nonlocal calls
            calls += 1
            if calls > 1 or broken == "end":  # noqa: B023
                raise KeyboardInterrupt
            whole(self, *given)

        monkeypatch.setattr(database_place.DatabasePlace, broken, once)
        with pytest.raises(KeyboardInterrupt):
            run(str(home), dsn)
        monkeypatch.setattr(database_place.DatabasePlace, broken, whole)
        with pytest.raises(DatabaseUnsuitable, match="being copied into this database"):
            SharedLog.open(dsn)
        with pytest.raises(CopyRefused, match="is itself a copy that was not finished"):
            run(dsn, str(tmp_path / "from"))
    assert run(str(home), dsn).events == 24
    with closing(SharedLog.open(dsn)) as log:
        assert b"".join(log.lines(0)) == lines(home)


def test_what_a_killed_copy_had_not_finished_goes(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(str(home), str(out))
    (whole,) = (each for each in (out / "blobs").rglob("*") if each.is_file())
    whole.rename(whole.with_name(f"{whole.name}.0123456789abcdef.part"))
    own = whole.with_name("report.part")
    own.write_bytes(b"somebody's")
    run(str(home), str(out))
    assert beside(out) == {**beside(home), str(own.relative_to(out)): b"somebody's"}


def test_segments_and_seals_are_those_of_the_service(home: Path, tmp_path: Path) -> None:
    """Writes of one log, given in several pieces."""
    by_seq: dict[int, list[bytes]] = {}
    for line in lines(home).splitlines(keepends=True):
        by_seq.setdefault(int(line.split(b" ")[1].split(b"+")[0]), []).append(line)
    writes = [(first + len(each) - 1, b"".join(each)) for first, each in by_seq.items()]
    target = tmp_path / "copied"
    target.mkdir()
    for piece in (writes[:1], writes[1:7], writes[7:]):
        log = LogFile.open(target, segment_bytes=SMALL)
        log.append(piece)
        log.close()
    mend(target)
    theirs = {path.name: path.read_bytes() for path in (home / "log").glob("*.log")}
    assert len(theirs) > 2
    assert {path.name: path.read_bytes() for path in (target / "log").glob("*.log")} == theirs
    assert (
        sorted(path.stem for path in (target / "log").glob("*.seal")) == sorted(Path(name).stem for name in theirs)[:-1]
    )


def test_names_in_a_database_do_not_lead_out_of_the_folder(dsn: str, tmp_path: Path) -> None:
    with closing(SharedLog.open(dsn)) as log:
        log.append([submission("x")])
        log.put("file", "../../stolen", b"x")
    with pytest.raises(CopyRefused, match="has no name that a folder can have"):
        run(dsn, str(tmp_path / "a" / "b"))
    assert not (tmp_path / "stolen").exists()


def test_the_commands_say_what_they_did(home: Path, server: Server, empty: str) -> None:
    dsn = server.dsn(empty)
    refused = CliRunner().invoke(app, ["log", "copy", "--from", str(home), "--to", dsn])
    assert refused.exit_code == 1
    assert f"has no schema `assent`, and version {VERSION} is needed: run `assent migrate --log ...`" in refused.stderr
    made = CliRunner().invoke(app, ["migrate", "--log", dsn])
    assert (made.exit_code, made.stdout.splitlines()) == (
        0,
        [f"{server.folder}/{empty} has version {VERSION} of the schema now"],
    )
    again = CliRunner().invoke(app, ["migrate", "--log", dsn, "--json"])
    assert json.loads(again.stdout) == {
        "database": f"{server.folder}/{empty}",
        "before": VERSION,
        "version": VERSION,
        "role": None,
    }
    copied = CliRunner().invoke(app, ["log", "copy", "--from", str(home), "--to", dsn])
    assert copied.exit_code == 0, copied.stderr
    assert copied.stdout.splitlines() == [
        f"24 events copied to {server.folder}/{empty}, 24 in all of 3 organizations, and 5 heads, 1 keys, 1 files, "
        "1 bundles",
        "Every line and every root was read again from both and is the same",
        "Not copied, carry them over yourself: admin.key, wallet.key",
    ]


@deep("many kills of a process")
@pytest.mark.parametrize("direction", ["in", "out"])
def test_a_copy_that_is_killed_at_any_moment_goes_on(
    server: Server, database: str, tmp_path: Path, direction: str
) -> None:
    home, dsn = tmp_path / "home", server.dsn(database)
    fill(home, 3000)
    if direction == "out":
        run(str(home), dsn)
        source, target = dsn, str(tmp_path / "out")
    else:
        source, target = str(home), dsn
    killed = 0
    # A little longer each time, until one gets to the end.
    for twentieths in count(6):
        process = subprocess.Popen([sys.executable, "-m", "assent", "log", "copy", "--from", source, "--to", target])
        time.sleep(twentieths / 20)
        if process.poll() is not None:
            assert process.returncode == 0
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
    assert killed >= 3
    run(source, target)
    if direction == "in":
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        run(dsn, str(tmp_path / "out"))
    assert lines(tmp_path / "out") == lines(home)
    assert beside(tmp_path / "out") == beside(home)


@deep("a whole simulated folder, folded anew")
def test_a_folder_of_the_service_comes_back_and_passes_its_audit(server: Server, database: str, tmp_path: Path) -> None:
    from assent_service import rebuild, simulate
    from assent_service.comparing import extend
    from assent_service.store.audit import audit

    home, back = tmp_path / "home", tmp_path / "back"
    simulate.run(home, seed=1, agents=3, days=5, actions=120)
    run(str(home), server.dsn(database))
    run(server.dsn(database), str(back))
    assert lines(back) == lines(home)
    assert beside(back) == beside(home)
    for name in ("admin.key", "wallet.key"):
        if (home / name).exists():
            shutil.copy(home / name, back / name)
    rebuild.run(back)
    found = extend(audit(back, kept=[], processes=1, progress=lambda *_: None), back, lambda *_: None)
    assert found.ok, found.checks
