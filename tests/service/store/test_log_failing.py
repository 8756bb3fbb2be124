"""Writes, syncs and new segments that fail: who is told what, and what is still there after the next start."""

import errno
import threading
from pathlib import Path

import pytest

from assent_service.store.failures import ReadOnly
from assent_service.store.log import Status
from assent_service.store.segments import list_folder, segment_path
from tests.service.store.logbook import WAIT, Book, FaultyFiles, goals, read_back, submission


@pytest.mark.parametrize("room", [0, 1, 5, 70, 100, 330, 331, 350, 600, 659, 660, 661, 900])
def test_a_write_that_stops_short_is_cut_back_and_the_next_one_succeeds(tmp_path: Path, room: int) -> None:
    files = FaultyFiles()
    with Book(tmp_path, files=files) as book:
        kept = book.write(submission("kept")).events[0][0]
        files.room = room
        refused = book.write(submission("r1", "r2"), submission("r3"))
        assert isinstance(refused.error, OSError)
        assert refused.error.errno == errno.ENOSPC
        assert refused.events == [[], []]
        assert segment_path(tmp_path / "log", 1).stat().st_size == kept.length
        status = book.log.status
        assert (status.state, status.place) == (
            "refusing",
            f"{segment_path(tmp_path / 'log', 1)}, byte {kept.length}",
        )
        assert "No space left" in status.reason
        assert (book.log.head, goals(book.all())) == (1, ["kept"])
        files.room = None
        after = book.write(submission("after"))
        assert after.error is None
        assert (after.events[0][0].seq, after.events[0][0].n) == (2, 1)
        assert book.log.status == Status("healthy")
    assert goals(read_back(tmp_path)) == ["kept", "after"]


def test_short_writes_that_go_on_are_no_failure(tmp_path: Path) -> None:
    class Dribbling(FaultyFiles):
        def write(self, fd: int, data: memoryview) -> int:
            return super().write(fd, data[:7])

    with Book(tmp_path, files=Dribbling()) as book:
        assert book.write(submission("a", "b")).error is None
    assert goals(read_back(tmp_path)) == ["a", "b"]


def test_a_write_that_takes_nothing_does_not_go_on_for_ever(tmp_path: Path) -> None:
    class Stuck(FaultyFiles):
        def write(self, fd: int, data: memoryview) -> int:
            return 0

    with Book(tmp_path, files=Stuck()) as book:
        assert isinstance(book.write(submission("a")).error, OSError)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO])
def test_a_write_that_fails_refuses_its_batch_only(tmp_path: Path, code: int) -> None:
    files = FaultyFiles()
    with Book(tmp_path, files=files) as book:
        files.errors["write"] = code
        for _ in range(3):
            error = book.write(submission("refused")).error
            assert isinstance(error, OSError)
            assert error.errno == code
        files.errors.clear()
        assert book.write(submission("after")).error is None
    assert goals(read_back(tmp_path)) == ["after"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_no_space_at_fdatasync_is_refused_and_tried_again(tmp_path: Path, code: int) -> None:
    files = FaultyFiles()
    with Book(tmp_path, files=files) as book:
        files.errors["fdatasync"] = code
        error = book.write(submission("refused")).error
        assert isinstance(error, OSError)
        assert error.errno == code
        assert segment_path(tmp_path / "log", 1).stat().st_size == 0
        assert book.log.status.state == "refusing"
        files.errors.clear()
        assert book.write(submission("after")).events[0][0].seq == 1
    assert goals(read_back(tmp_path)) == ["after"]


@pytest.mark.parametrize("code", [errno.EIO, errno.EROFS, errno.EINVAL])
def test_any_other_failure_of_fdatasync_is_never_tried_again(tmp_path: Path, code: int) -> None:
    files = FaultyFiles()
    with Book(tmp_path, files=files) as book:
        book.write(submission("kept"))
        files.errors["fdatasync"] = code
        error = book.write(submission("refused")).error
        assert isinstance(error, ReadOnly)
        files.errors.clear()
        asked = dict(files.calls)
        later = book.write(submission("later"), submission("later still"))
        assert later.error is error
        assert later.events == [[], []]
        assert files.calls == asked
        assert book.log.status.state == "read_only"
        assert "fdatasync failed" in book.log.status.reason
        assert "00000000000000000001.log" in book.log.status.place
        assert goals(book.all()) == ["kept"]
    assert goals(read_back(tmp_path)) == ["kept"]


@pytest.mark.parametrize("cutting", ["ftruncate", "fsync"])
def test_a_write_that_cannot_be_cut_back_makes_the_log_read_only(tmp_path: Path, cutting: str) -> None:
    files = FaultyFiles()
    with Book(tmp_path, files=files) as book:
        book.write(submission("kept"))
        files.room, files.errors[cutting] = 100, errno.EIO
        error = book.write(submission("refused")).error
        assert isinstance(error, ReadOnly)
        files.room = None
        files.errors.clear()
        assert book.write(submission("later")).error is error
        status = book.log.status
        assert status.state == "read_only"
        assert "No space left" in status.reason
        assert "could not be cut off" in status.reason
        assert goals(book.all()) == ["kept"]
    assert goals(read_back(tmp_path)) == ["kept"]


def test_a_full_segment_is_followed_by_another_and_no_batch_is_split(tmp_path: Path) -> None:
    with Book(tmp_path, segment_bytes=1500) as book:
        events = [e for i in range(12) for e in book.write(submission(f"{i}a", f"{i}b")).events[0]]
        assert book.all() == events
        assert [book.log.read(e.segment, e.offset, e.length) for e in events] == events
    folder = tmp_path / "log"
    listing = list_folder(folder)
    assert listing.segments == sorted({e.segment for e in events})
    assert listing.seals == listing.segments[:-1]
    for event in events:
        assert event.batch >= event.segment
    for segment in listing.segments[:-1]:
        last = max(e.offset for e in events if e.segment == segment and e.batch == e.seq)
        assert segment_path(folder, segment).stat().st_size >= 1500 > last
    assert read_back(tmp_path) == events


def test_one_batch_larger_than_a_segment_stays_whole(tmp_path: Path) -> None:
    with Book(tmp_path, segment_bytes=500) as book:
        book.write(submission(*"abcdefgh"))
        book.write(submission("i"))
    assert list_folder(tmp_path / "log").segments == [1, 9]


@pytest.mark.parametrize("operation", ["create", "sync_folder"])
def test_a_new_segment_for_which_there_is_no_space_is_tried_again(tmp_path: Path, operation: str) -> None:
    files = FaultyFiles()
    with Book(tmp_path, files=files, segment_bytes=1) as book:
        book.write(submission("a"))
        files.errors[operation] = errno.ENOSPC
        for _ in range(2):
            error = book.write(submission("refused")).error
            assert isinstance(error, OSError)
            assert error.errno == errno.ENOSPC
        files.errors.clear()
        assert book.write(submission("b")).events[0][0].segment == 2
    assert goals(read_back(tmp_path)) == ["a", "b"]


def test_a_new_segment_whose_name_is_not_durable_is_never_written_to(tmp_path: Path) -> None:
    files = FaultyFiles()
    with Book(tmp_path, files=files, segment_bytes=1) as book:
        book.write(submission("a"))
        files.errors["sync_folder"] = errno.EIO
        assert isinstance(book.write(submission("refused")).error, ReadOnly)
    assert goals(read_back(tmp_path)) == ["a"]


def test_a_new_segment_is_synced_into_its_folder_before_it_is_written(tmp_path: Path) -> None:
    files = FaultyFiles()
    order: list[str] = []
    with Book(tmp_path, files=files, segment_bytes=1) as book:
        book.write(submission("a"))
        writer = threading.Event()

        def note(operation: str) -> None:
            if threading.current_thread().name == "assent-log-writer":
                order.append(operation)
                writer.set()

        files.before = note
        book.write(submission("b"))
    assert order == ["create", "sync_folder", "write", "fdatasync"]


def test_a_damaged_finished_segment_makes_the_log_read_only(tmp_path: Path) -> None:
    path = segment_path(tmp_path / "log", 1)
    with Book(tmp_path, segment_bytes=1) as book:
        book.write(submission("a"))
        second = book.outcomes
        path.write_bytes(path.read_bytes().replace(b'"a"', b'"X"'))
        book.log.submit([submission("b")])
        assert second.get(timeout=WAIT).error is None
        for _ in range(1000):
            if book.log.status.state == "read_only":
                break
            threading.Event().wait(0.01)
        status = book.log.status
        assert status.state == "read_only"
        assert "a finished segment is damaged, expected digest of the body: sha256:" in status.reason
        assert status.place == f"{path}, line 1, byte 0"
        assert isinstance(book.write(submission("c")).error, ReadOnly)
    assert list_folder(tmp_path / "log").seals == []


def test_a_seal_that_cannot_be_written_is_made_at_the_next_start(tmp_path: Path) -> None:
    class NoRoomForSeals(FaultyFiles):
        def open_append(self, path: Path, *, create: bool) -> int:
            if ".seal" in path.name:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().open_append(path, create=create)

    with Book(tmp_path, files=NoRoomForSeals(), segment_bytes=1) as book:
        book.write(submission("a"))
        book.write(submission("b"))
        assert book.log.status == Status("healthy")
    assert list_folder(tmp_path / "log").seals == []
    assert goals(read_back(tmp_path)) == ["a", "b"]
    assert list_folder(tmp_path / "log").seals == [1]


def test_verify_all_of_a_log_in_use_checks_what_is_durable(tmp_path: Path) -> None:
    with Book(tmp_path, segment_bytes=700) as book:
        for i in range(7):
            book.write(submission(str(i)))
        assert book.log.verify_all(lambda _done, _total: None) == 7


def test_a_new_segment_that_somebody_else_has_written_to_is_left_alone(tmp_path: Path) -> None:
    with Book(tmp_path, segment_bytes=1) as book:
        book.write(submission("a"))
        stray = segment_path(tmp_path / "log", 2)
        stray.write_bytes(b"not ours\n")
        assert isinstance(book.write(submission("b")).error, ReadOnly)
        assert book.log.status.place == str(stray)
    assert stray.read_bytes() == b"not ours\n"
