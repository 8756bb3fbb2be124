"""Bodies are blanked in place, and whatever interrupts that, the next start finishes it."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import threading
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.store import blanking
from assent_service.store.blanking import Blanker, LogLine, mend
from assent_service.store.event import Event
from assent_service.store.failures import LogDamaged
from assent_service.store.files import Files
from assent_service.store.segments import JOURNAL, read, scan, segment_path
from assent_service.store.verification import verify_all
from tests.service.store.logbook import Book, FaultyFiles, goals, read_back, submission, three_segments


def line_of(event: Event) -> LogLine:
    return LogLine(event.segment, event.offset, event.length, event.leaf_hash.hex())


def body_place(event: Event) -> tuple[int, int]:
    """The first byte of the body in its file, and the byte after it."""
    end = event.offset + event.length - 1
    return end - len(event.body), end


def one_segment(home: Path) -> list[Event]:
    with Book(home) as book:
        for what in (("first",), ("second", "ünder"), ("last words",)):
            book.write(submission(*what))
        return book.all()


def test_only_the_bodies_change(tmp_path: Path) -> None:
    events = one_segment(tmp_path)
    path = segment_path(tmp_path / "log", 1)
    before = path.read_bytes()
    assert Blanker(tmp_path).blank([line_of(events[1]), line_of(events[3])]) == {1}
    after = path.read_bytes()
    expected = bytearray(before)
    for event in (events[1], events[3]):
        start, end = body_place(event)
        expected[start:end] = b" " * (end - start)
    assert after == bytes(expected)
    assert not (tmp_path / JOURNAL).exists()
    found = read_back(tmp_path)
    assert goals(found) == ["first", "-", "ünder", "-"]
    assert [event.leaf_hash for event in found] == [event.leaf_hash for event in events]


def test_blanking_twice_writes_nothing(tmp_path: Path) -> None:
    events = one_segment(tmp_path)
    files = FaultyFiles()
    blanker = Blanker(tmp_path, files)
    assert blanker.blank([line_of(events[0])] * 2) == {1}
    done = dict(files.calls)
    assert blanker.blank([line_of(events[0])]) == set()
    assert files.calls == done


def test_nothing_is_blanked_where_another_line_lies(tmp_path: Path) -> None:
    events = one_segment(tmp_path)
    before = segment_path(tmp_path / "log", 1).read_bytes()
    right = line_of(events[1])
    for wrong in (
        msgspec.structs.replace(right, offset=events[2].offset),
        msgspec.structs.replace(right, leaf=events[2].leaf_hash.hex()),
        msgspec.structs.replace(right, length=right.length - 1),
        msgspec.structs.replace(right, segment=9),
        msgspec.structs.replace(right, offset=10**6),
    ):
        with pytest.raises(LogDamaged):
            Blanker(tmp_path).blank([right, wrong])
    assert segment_path(tmp_path / "log", 1).read_bytes() == before


@given(data=st.data())
def test_any_part_of_the_write_may_have_reached_the_disk(data: st.DataObject) -> None:
    """Of the bytes that were being overwritten any may be spaces and any as they were: also in the log's last write."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        events = one_segment(home)
        chosen = data.draw(st.lists(st.sampled_from(events), min_size=1, unique_by=lambda event: event.seq))
        blanking._note(home, [line_of(event) for event in chosen], Files())
        path = segment_path(home / "log", 1)
        content = bytearray(path.read_bytes())
        for event in chosen:
            start, end = body_place(event)
            reached = data.draw(st.sets(st.integers(start, end - 1)) | st.just(set(range(start, end, 2))))
            for at in reached:
                content[at] = ord(" ")
        path.write_bytes(bytes(content))
        with Book(home) as book:
            found, torn = book.all(), book.log.recovered
        assert torn is None
        assert [event.leaf_hash for event in found] == [event.leaf_hash for event in events]
        assert [event.erased for event in found] == [event in chosen for event in events]
        assert not (home / JOURNAL).exists()
        assert verify_all(home / "log", lambda _done, _total: None) == len(events)


def test_without_the_journal_a_half_blanked_line_is_damage(tmp_path: Path) -> None:
    """So the journal is what makes the difference."""
    events = one_segment(tmp_path)
    path = segment_path(tmp_path / "log", 1)
    content = bytearray(path.read_bytes())
    content[body_place(events[0])[0]] = ord(" ")
    path.write_bytes(bytes(content))
    with pytest.raises(LogDamaged):
        read_back(tmp_path)


@pytest.mark.parametrize("operation", ["create", "write", "fsync", "sync_folder", "fdatasync"])
def test_a_failing_disk_leaves_the_line_as_it_was_or_to_be_finished(tmp_path: Path, operation: str) -> None:
    events = one_segment(tmp_path)
    files = FaultyFiles()
    files.errors[operation] = errno.EIO
    blanker = Blanker(tmp_path, files)
    with pytest.raises(OSError, match="Input/output"):
        blanker.blank([line_of(events[1])])
    copy = tmp_path / "copy"
    shutil.copytree(tmp_path / "log", copy / "log")
    if (tmp_path / JOURNAL).exists():
        shutil.copy(tmp_path / JOURNAL, copy / JOURNAL)
    assert [event.leaf_hash for event in read_back(copy)] == [event.leaf_hash for event in events]
    files.errors.clear()
    blanker.blank([line_of(events[1])])
    assert goals(read_back(tmp_path)) == ["first", "-", "ünder", "last words"]


def test_a_journal_beside_another_log_does_no_harm(tmp_path: Path) -> None:
    events = one_segment(tmp_path / "one")
    one_segment(tmp_path / "two")
    blanking._note(tmp_path / "two", [line_of(event) for event in events], Files())
    before = segment_path(tmp_path / "two" / "log", 1).read_bytes()
    assert mend(tmp_path / "two") == 0
    assert segment_path(tmp_path / "two" / "log", 1).read_bytes() == before
    assert not (tmp_path / "two" / JOURNAL).exists()


@pytest.mark.parametrize("text", ["", "[", "{}", '[{"segment":1}]', "[1]"])
def test_a_journal_that_cannot_be_read_stops_the_start(tmp_path: Path, text: str) -> None:
    one_segment(tmp_path)
    (tmp_path / JOURNAL).write_text(text)
    with pytest.raises(LogDamaged, match="erasing"):
        read_back(tmp_path)


def test_a_journal_that_was_never_finished_is_left_out(tmp_path: Path) -> None:
    one_segment(tmp_path)
    (tmp_path / f"{JOURNAL}.tmp").write_text("[{")
    assert goals(read_back(tmp_path)) == ["first", "second", "ünder", "last words"]


def test_sealed_segments_are_sealed_anew(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    seals = {path.name: path.read_bytes() for path in folder.glob("*.seal")}
    with Book(tmp_path) as book:
        events = book.all()
        changed = Blanker(tmp_path).blank([line_of(events[0]), line_of(events[4])])
        assert changed == {1, 5}
        book.log.seal_again(changed)
    after = {path.name: path.read_bytes() for path in folder.glob("*.seal")}
    assert seals.keys() == after.keys()
    assert {name for name in seals if seals[name] != after[name]} == {f"{1:020d}.seal"}
    assert goals(read_back(tmp_path)) == ["-", "a2", "b1", "b2", "-"]
    assert verify_all(folder, lambda _done, _total: None) == 5


def test_who_reads_meanwhile_meets_the_line_as_it_was_or_as_it_is(tmp_path: Path) -> None:
    """A line that a reader found half blanked is read again once nobody is blanking."""
    events = one_segment(tmp_path)
    folder, chosen = tmp_path / "log", events[1]
    half, go_on = threading.Event(), threading.Event()

    class Slow(Files):
        def write_at(self, fd: int, data: memoryview, offset: int) -> int:
            if not half.is_set():
                written = os.pwrite(fd, data[: len(data) // 2], offset)
                half.set()
                go_on.wait(60)
                return written
            return super().write_at(fd, data, offset)

    seen: list[bool] = []

    def look() -> None:
        seen.append(read(folder, chosen.segment, chosen.offset, chosen.length).erased)
        seen.append(list(scan(folder, 1))[1].erased)

    writer = threading.Thread(target=Blanker(tmp_path, Slow()).blank, args=([line_of(chosen)],))
    writer.start()
    assert half.wait(60)
    reader = threading.Thread(target=look)
    reader.start()
    reader.join(0.2)
    assert seen == []
    go_on.set()
    for thread in (writer, reader):
        thread.join(60)
    assert seen == [True, True]
