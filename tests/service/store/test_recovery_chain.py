"""Opening a log of several segments: what may be missing, what the tables may say, and reading the whole of it."""

import errno
import hashlib
import json
from itertools import chain
from pathlib import Path

import pytest

from assent_service.store.failures import LogDamaged, ProjectionAhead, ProjectionMismatch
from assent_service.store.log import Log
from assent_service.store.recovery import Applied
from assent_service.store.segments import list_folder, read_seal, scan, seal_path, segment_path
from assent_service.store.verification import verify_all
from tests.service.store.logbook import (
    Book,
    FaultyFiles,
    columns,
    flips,
    goals,
    put,
    read_back,
    submission,
    swaps,
    three_segments,
)
from tests.tiers import deep


def test_a_start_reads_sealed_segments_by_their_seals_only(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    path = segment_path(folder, 1)
    path.write_bytes(path.read_bytes().replace(b'"a2"', b'"aX"'))
    end = segment_path(folder, 3)
    counts = Applied(4, 3, end.stat().st_size, {"org_a": 4})
    with Book(tmp_path, applied=counts) as book:
        assert goals(list(book.log.tail)) == ["c1"]
        with pytest.raises(LogDamaged, match="line 2"):
            book.log.verify_all(lambda _done, _total: None)


@pytest.mark.parametrize("segment", [1, 3])
def test_a_missing_segment_is_named(tmp_path: Path, segment: int) -> None:
    folder = three_segments(tmp_path)
    segment_path(folder, segment).unlink()
    seal_path(folder, segment).unlink()
    with pytest.raises(LogDamaged, match=segment_path(folder, segment).name):
        read_back(tmp_path)


@pytest.mark.parametrize("segment", [1, 3])
def test_a_missing_segment_whose_seal_is_there_is_named(tmp_path: Path, segment: int) -> None:
    folder = three_segments(tmp_path)
    segment_path(folder, segment).unlink()
    with pytest.raises(LogDamaged, match=segment_path(folder, segment).name):
        read_back(tmp_path)


def test_a_missing_last_segment_is_named(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    segment_path(folder, 5).unlink()
    with pytest.raises(LogDamaged, match=r"00000000000000000005\.log"):
        read_back(tmp_path)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_sealed_segment_of_another_size_is_damage(tmp_path: Path, change: int) -> None:
    path = segment_path(three_segments(tmp_path), 1)
    size = path.stat().st_size
    path.write_bytes((path.read_bytes() + b"\n")[: size + change])
    with pytest.raises(LogDamaged, match=f"expected {size} bytes, as sealed; found {size + change} bytes"):
        read_back(tmp_path)


def test_an_unsealed_finished_segment_is_verified_and_sealed(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    seal = seal_path(folder, 1).read_bytes()
    seal_path(folder, 1).unlink()
    assert goals(read_back(tmp_path)) == ["a1", "a2", "b1", "b2", "c1"]
    assert seal_path(folder, 1).read_bytes() == seal


def test_an_unsealed_finished_segment_may_not_be_torn(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    seal_path(folder, 3).unlink()
    path = segment_path(folder, 3)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(LogDamaged) as caught:
        read_back(tmp_path)
    assert (caught.value.file, caught.value.line) == (path, 2)
    assert not seal_path(folder, 3).exists()


def test_an_empty_last_segment_is_written_to(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    segment_path(folder, 5).write_bytes(b"")
    with Book(tmp_path) as book:
        assert book.log.head == 4
        assert book.write(submission("d")).events[0][0].seq == 5
    assert goals(read_back(tmp_path))[-1] == "d"


def test_a_last_segment_with_only_a_torn_batch_goes_on_from_the_one_before(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    path = segment_path(folder, 5)
    path.write_bytes(path.read_bytes()[:-9])
    with Book(tmp_path) as book:
        assert book.log.recovered is not None
        assert (book.log.recovered.first_seq, book.log.head) == (5, 4)
        assert book.write(submission("d")).events[0][0].n == 4
    assert goals(read_back(tmp_path)) == ["a1", "a2", "b1", "b2", "d"]


def test_foreign_files_are_told_and_left_alone(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    (folder / "notes.txt").write_text("mine")
    (folder / "00000000000000000003.log.bak").write_text("old")
    with Book(tmp_path) as book:
        assert book.log.foreign == ["00000000000000000003.log.bak", "notes.txt"]
        assert len(book.all()) == 5
    assert (folder / "notes.txt").read_text() == "mine"


def test_what_is_found_is_made_durable_before_it_is_read(tmp_path: Path) -> None:
    three_segments(tmp_path)
    files = FaultyFiles()
    files.errors["fsync"] = errno.EIO
    with pytest.raises(OSError, match="Input/output error"):
        Book(tmp_path, files=files)


def test_the_tail_starts_after_what_the_tables_have(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    first = next(scan(folder, 1))
    for applied, expected in [
        (None, ["a1", "a2", "b1", "b2", "c1"]),
        (Applied(0, 1, 0, {}), ["a1", "a2", "b1", "b2", "c1"]),
        (Applied(1, 1, first.length, {"org_a": 1}), ["a2", "b1", "b2", "c1"]),
        (Applied(2, 1, segment_path(folder, 1).stat().st_size, {"org_a": 2}), ["b1", "b2", "c1"]),
        (Applied(2, 3, 0, {"org_a": 2}), ["b1", "b2", "c1"]),
        (Applied(5, 5, segment_path(folder, 5).stat().st_size, {"org_a": 5}), []),
    ]:
        with Book(tmp_path, applied=applied) as book:
            assert goals(list(book.log.tail)) == expected
            assert goals(list(book.log.tail)) == expected


def test_numbers_go_on_from_the_tables_and_the_tail(tmp_path: Path) -> None:
    with Book(tmp_path) as book:
        first = book.write(submission("a", "b", org="org_a"), submission("c", org="org_b")).events[0][0]
    applied = Applied(1, 1, first.length, {"org_a": 1, "org_c": 9})
    with Book(tmp_path, applied=applied) as book:
        outcome = book.write(*(submission("x", org=f"org_{o}") for o in "abcd"))
    assert [(e.seq, e.n) for (e,) in outcome.events] == [(4, 2), (5, 1), (6, 9), (7, 0)]


def test_tables_that_are_ahead_stop_the_start_before_anything_is_cut(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    path = segment_path(folder, 5)
    path.write_bytes(path.read_bytes()[:-9])
    torn = path.read_bytes()
    with pytest.raises(ProjectionAhead, match=r"up to 5.*ends at 4"):
        Book(tmp_path, applied=Applied(5, 5, len(torn) + 9, {"org_a": 5}))
    assert path.read_bytes() == torn


def test_tables_without_a_log_stop_the_start(tmp_path: Path) -> None:
    with pytest.raises(ProjectionAhead):
        Book(tmp_path, applied=Applied(5, 1, 500, {}))
    assert list_folder(tmp_path / "log").segments == []


@pytest.mark.parametrize(
    "applied",
    [
        Applied(1, 1, 0, {"org_a": 1}),
        Applied(0, 3, 0, {}),
        Applied(2, 1, 5, {"org_a": 2}),
        Applied(2, 2, 0, {"org_a": 2}),
        Applied(2, 1, 10**9, {"org_a": 2}),
        Applied(4, 5, 10**9, {"org_a": 4}),
        Applied(2, 9, 0, {"org_a": 2}),
        Applied(2, 1, -1, {"org_a": 2}),
    ],
)
def test_tables_of_another_log_stop_the_start(tmp_path: Path, applied: Applied) -> None:
    three_segments(tmp_path)
    with pytest.raises(ProjectionMismatch, match="assent rebuild"):
        Book(tmp_path, applied=applied)


def test_tables_with_other_counts_stop_the_start(tmp_path: Path) -> None:
    three_segments(tmp_path)
    with pytest.raises(LogDamaged, match="leaf index of organization org_a: 1; found 2"):
        Book(tmp_path, applied=Applied(2, 3, 0, {"org_a": 1}))


def test_verify_all_reads_everything_and_tells_how_far_it_is(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    total = sum(segment_path(folder, s).stat().st_size for s in (1, 3, 5))
    told: list[tuple[int, int]] = []
    assert verify_all(folder, lambda done, of: told.append((done, of))) == 5
    assert told[-1] == (total, total)
    assert told == sorted(told)


@deep("every bit of three files")
def test_verify_all_finds_any_flip_anywhere(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    for segment in (1, 3):
        path = segment_path(folder, segment)
        content = path.read_bytes()
        for _, changed in flips(content, 0, len(content)):
            put(path, changed)
            with pytest.raises(LogDamaged):
                verify_all(folder, lambda _done, _total: None)
        path.write_bytes(content)
    assert verify_all(folder, lambda _done, _total: None) == 5


def erase(path: Path) -> bytes:
    """Blank the body of a segment's first line; the content afterwards."""
    content = path.read_bytes()
    body, end = content.index(b'{"salt"'), content.index(b"\n")
    erased = content[:body] + b" " * (end - body) + content[end:]
    path.write_bytes(erased)
    return erased


def test_verify_all_accepts_an_erased_body_in_a_sealed_segment(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    content = erase(segment_path(folder, 1))
    seal = read_seal(folder, 1)
    assert seal is not None
    assert seal.sha256 != hashlib.sha256(content).hexdigest()
    assert verify_all(folder, lambda _done, _total: None) == 5
    assert goals(read_back(tmp_path)) == ["-", "a2", "b1", "b2", "c1"]


@deep("every byte of a file")
def test_an_erased_body_hides_no_other_change_of_its_segment(tmp_path: Path) -> None:
    # The seal's digest fits no more, so every byte must be held by the lines themselves.
    folder = three_segments(tmp_path)
    path = segment_path(folder, 1)
    content = erase(path)
    cuts = ((cut, content[:cut]) for cut in range(1, len(content)))
    for _, changed in chain(flips(content, 0, len(content)), swaps(content, columns(content)), cuts):
        put(path, changed)
        with pytest.raises(LogDamaged) as caught:
            verify_all(folder, lambda _done, _total: None)
        assert caught.value.file == path


@pytest.mark.parametrize("field", ["last_seq", "bytes"])
def test_an_erased_body_does_not_free_the_segment_of_its_seals_numbers(tmp_path: Path, field: str) -> None:
    folder = three_segments(tmp_path)
    erase(segment_path(folder, 1))
    said = json.loads(seal_path(folder, 1).read_bytes())
    seal_path(folder, 1).write_text(json.dumps({**said, field: said[field] + 1}))
    with pytest.raises(LogDamaged) as caught:
        verify_all(folder, lambda _done, _total: None)
    assert caught.value.file == seal_path(folder, 1)


def test_opening_with_verify_finds_old_damage(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    path = segment_path(folder, 1)
    path.write_bytes(path.read_bytes().replace(b'"a2"', b'"aX"'))
    applied = Applied(4, 5, 0, {"org_a": 4})
    Log.open(tmp_path, deliver=lambda _: None, applied=applied).close()
    with pytest.raises(LogDamaged, match="line 2"):
        Log.open(tmp_path, deliver=lambda _: None, applied=applied, verify=True)


def test_a_missing_middle_segment_is_found_even_when_the_tables_are_past_it(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    segment_path(folder, 3).unlink()
    seal_path(folder, 3).unlink()
    applied = Applied(5, 5, segment_path(folder, 5).stat().st_size, {"org_a": 5})
    with pytest.raises(LogDamaged, match=r"00000000000000000003\.log"):
        Book(tmp_path, applied=applied)


def test_a_border_between_writes_that_was_moved_shows_without_the_seal(tmp_path: Path) -> None:
    # Event 2 came with event 1, and now one of them says that it came alone.
    folder = three_segments(tmp_path)
    seal_path(folder, 1).unlink()
    path = segment_path(folder, 1)
    content = path.read_bytes()
    for old, new in ((b"1 1+2 ", b"1 1+1 "), (b"\n2 1+2 ", b"\n2 2+1 ")):
        assert old in content
        path.write_bytes(content.replace(old, new, 1))
        with pytest.raises(LogDamaged, match="expected batch: ") as caught:
            verify_all(folder, lambda _done, _total: None)
        assert (caught.value.file, caught.value.line) == (path, 2)
