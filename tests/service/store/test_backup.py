"""`assent backup`: whatever happens to the folder meanwhile, the copy is what it was at one moment."""

from __future__ import annotations

import shutil
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assent_service.store import backup, copying, objects
from assent_service.store.backup import back_up
from assent_service.store.backup_mark import BackupMark, BackupMarkDamaged, read_mark
from assent_service.store.blobs import Blobs
from assent_service.store.copying import CopyFailed, CopyRefused, SourceChanged
from assent_service.store.failures import FolderVersionUnknown
from assent_service.store.lock import FolderLock
from tests.service.store.folder import quick, read, sign, sound_home, statuses
from tests.service.store.logbook import Book, submission
from tests.tiers import deep

AT = datetime(2026, 11, 24, 6, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = sound_home(tmp_path / "home")
    Blobs(home / "blobs").put("org_a", b"\0\xff a file")
    for name in ("wallet/org_a/kid-1_x.key", "bundles/org_a/ab/ab12.act_1.json", "wallet.key", "admin.key", "tables"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(f"this is {name}".encode())
    return home


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "target"


def log_of(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((home / "log").glob("*.log")))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_folder_that_somebody_owns_is_copied_whole_and_not_touched(home: Path, target: Path) -> None:
    before = contents(home)
    with FolderLock.take(home):
        done = back_up(home, target, now=lambda: AT)
    assert log_of(target) == log_of(home)
    beside = {name: content for name, content in contents(target).items() if not name.startswith("log/")}
    assert beside.pop("version") == b"2\n"
    assert read_mark(target) == BackupMark(finished=True, events=len(read(home)), taken_at=AT)
    del beside["backup"], beside["lock"]
    kept = ("heads/", "wallet/", "bundles/", "blobs/")
    assert beside == {name: content for name, content in before.items() if name.startswith(kept)}
    assert len(beside) == 5
    assert (done.events, done.before, done.organizations) == (len(read(home)), 0, 2)
    assert done.left == ["admin.key", "wallet.key"]
    assert statuses(quick(target)) == dict.fromkeys(("log", "last_write", "trees", "heads"), "pass")
    assert {name: content for name, content in contents(home).items() if name != "lock"} == {
        name: content for name, content in before.items() if name != "lock"
    }


def test_a_second_backup_adds_what_is_new(home: Path, target: Path) -> None:
    first = back_up(home, target)
    with Book(home) as book:
        book.write(submission("new", "newer"))
        events = book.all()
    sign(home, events, 11)
    (home / "bundles/org_a/ab/ab12.act_1.json").unlink()
    again = back_up(home, target, now=lambda: AT)
    assert (again.before, again.events) == (first.events, first.events + 2)
    assert log_of(target) == log_of(home)
    assert (target / "heads/org_a.jsonl").read_bytes() == (home / "heads/org_a.jsonl").read_bytes()
    assert not (target / "bundles/org_a/ab/ab12.act_1.json").exists()
    assert read_mark(target) == BackupMark(finished=True, events=again.events, taken_at=AT)


def test_the_copy_is_of_one_moment_while_writes_and_segments_go_on(home: Path, target: Path) -> None:
    stop, written = threading.Event(), list[int]()

    def write() -> None:
        with Book(home, segment_bytes=2500) as book:
            while not stop.is_set():
                assert book.write(submission("w", "v")).error is None
                written.append(1)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        sizes = list[int]()
        for _ in range(4):
            due = len(written) + 3
            while len(written) < due:
                stop.wait(0.001)
            sizes.append(back_up(home, target).events)
            assert quick(target).ok
    finally:
        stop.set()
        thread.join()
    assert sizes == sorted(set(sizes))
    copied, whole = log_of(target), log_of(home)
    assert copied == whole[: len(copied)]
    assert copied.count(b"\n") == sizes[-1] < whole.count(b"\n")
    assert len(list((home / "log").glob("*.log"))) > 10


def test_a_write_that_is_not_whole_yet_stays_out(home: Path, target: Path) -> None:
    whole = log_of(home)
    last = max((home / "log").glob("*.log"))
    # The first half of a next write, as a service that is about to go on has it there.
    with Book(home) as book:
        book.write(submission("half"))
    half = last.read_bytes()[:-40]
    last.write_bytes(half)
    back_up(home, target)
    assert log_of(target) == whole
    assert last.read_bytes() == half


@pytest.mark.parametrize("what", ["a file", "a folder with something in it", "another log", "the log's own folder"])
def test_another_target_is_refused_and_left_alone(home: Path, tmp_path: Path, what: str) -> None:
    target = tmp_path / "other"
    if what == "a file":
        target.write_text("mine")
    elif what == "a folder with something in it":
        target.mkdir()
        (target / "mine").write_text("mine")
    elif what == "another log":
        sound_home(target)
    else:
        target = home / "inner"
    before = contents(tmp_path)
    with pytest.raises(CopyRefused, match=r"not empty and no backup|lie in each other"):
        back_up(home, target)
    assert contents(tmp_path) == before


def test_a_backup_of_another_folder_is_not_mixed_with_this_one(home: Path, target: Path, tmp_path: Path) -> None:
    other = sound_home(tmp_path / "other")
    back_up(other, target)
    with pytest.raises(CopyRefused, match="event 1 of"):
        back_up(home, target)
    assert log_of(target) == log_of(other)


def test_what_was_restored_to_before_its_backup_is_refused(home: Path, target: Path) -> None:
    old = home.with_name("old")
    shutil.copytree(home, old)
    with Book(home) as book:
        book.write(submission("later"))
    back_up(home, target)
    with pytest.raises(CopyRefused, match="it is not a beginning of it"):
        back_up(old, target)


def test_a_source_that_is_no_data_folder_or_is_newer_is_refused(home: Path, target: Path, tmp_path: Path) -> None:
    with pytest.raises(CopyRefused, match=r"there is no data folder .*nothing, or no log in it; name it with --home"):
        back_up(tmp_path / "nothing", target)
    assert not target.exists()
    (home / "version").write_text("99\n")
    with pytest.raises(FolderVersionUnknown):
        back_up(home, target)


def test_damage_of_the_source_is_not_backed_up_as_right(home: Path, target: Path) -> None:
    heads = home / "heads" / "org_a.jsonl"
    heads.write_text(heads.read_text().replace("assent.local/org_a", "assent.local/org_z"))
    with pytest.raises(CopyFailed, match="heads: "):
        back_up(home, target)
    mark = read_mark(target)
    assert mark is not None
    assert not mark.finished


def test_an_interrupted_backup_says_so_and_goes_on(home: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(copying, "AT_ONCE", 3)
        with pytest.raises(KeyboardInterrupt):
            back_up(home, target, stop)
    assert read_mark(target) == BackupMark(finished=False)
    assert 0 < log_of(target).count(b"\n") < len(read(home))
    back_up(home, target)
    assert log_of(target) == log_of(home)


def test_a_file_that_goes_meanwhile_starts_another_round(
    home: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of a message is erased after the objects were listed: it is in no copy."""
    [blob] = (home / "blobs" / "org_a").iterdir()
    rounds = list[int]()
    run = copying.run

    def running(*given: object, **named: object) -> copying.Copied:
        rounds.append(1)
        return run(*given, **named)  # type: ignore[arg-type]

    def lose(self: copying.FolderInUse, name: copying.ObjectName) -> bytes:
        if name.kind == objects.FILE:
            blob.unlink(missing_ok=True)
        return get(self, name)

    get = copying.FolderInUse.get
    monkeypatch.setattr(backup, "run", running)
    monkeypatch.setattr(copying.FolderInUse, "get", lose)
    done = back_up(home, target)
    assert (len(rounds), done.objects["file"]) == (2, 0)
    assert not list((target / "blobs").glob("*/*"))


def test_a_source_that_never_rests_is_told(home: Path, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object, **__: object) -> copying.Copied:
        raise SourceChanged("file x was removed meanwhile; run it again")

    monkeypatch.setattr(backup, "run", run)
    with pytest.raises(SourceChanged, match="run it again"):
        back_up(home, target)


def test_a_mark_that_cannot_be_read_is_not_taken_for_none(home: Path, target: Path) -> None:
    back_up(home, target)
    (target / "backup").write_text('{"finished":')
    with pytest.raises(BackupMarkDamaged, match="does not say of which moment"):
        back_up(home, target)


@deep("a log of many lines, and a thread that erases")
def test_bodies_that_are_blanked_meanwhile_are_blank_in_the_copy(tmp_path: Path, target: Path) -> None:
    from assent_service.store.blanking import Blanker, LogLine
    from assent_service.store.copying import run

    home = tmp_path / "home"
    with Book(home, segment_bytes=20_000) as book:
        for number in range(400):
            book.write(submission(f"a{number}", f"b{number}"))
        events = book.all()
    stop, blanked = threading.Event(), list[int]()

    def erase() -> None:
        for event in events[::3]:
            if stop.is_set():
                return
            Blanker(home).blank([LogLine(event.segment, event.offset, event.length, event.leaf_hash.hex())])
            blanked.append(event.seq)

    thread = threading.Thread(target=erase)
    thread.start()
    try:
        while not blanked:
            stop.wait(0.001)
        # Their erasures are not recorded here, so only the copy itself is asked for.
        run(str(home), str(target), in_use=True)
        during = len(blanked)
    finally:
        stop.set()
        thread.join()
    assert during > 1
    run(str(home), str(target), in_use=True)
    assert log_of(target) == log_of(home)
    assert [event.seq for event in read(target) if event.erased] == blanked
