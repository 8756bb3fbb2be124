"""Segments on disk: names, reading by place, the chain of a segment's lines, sealing."""

import errno
import hashlib
import json
from pathlib import Path

import pytest

from assent_service.store.failures import LogDamaged
from assent_service.store.segments import (
    LogPlace,
    Seal,
    list_folder,
    read,
    read_seal,
    scan,
    seal_path,
    segment_path,
    stream,
    verify,
    write_seal,
)
from tests.service.store.logbook import Book, FaultyFiles, goals, lay, submission, three_segments


def test_a_segment_is_named_by_its_first_event_in_twenty_digits(tmp_path: Path) -> None:
    assert segment_path(tmp_path, 1).name == "00000000000000000001.log"
    assert seal_path(tmp_path, 1).name == "00000000000000000001.seal"
    assert segment_path(tmp_path, 2**63).name == "09223372036854775808.log"


def test_listing_sorts_and_tells_what_is_foreign(tmp_path: Path) -> None:
    for name in ("00000000000000000012.log", "00000000000000000002.log", "00000000000000000002.seal"):
        (tmp_path / name).touch()
    (tmp_path / "00000000000000000002.seal.tmp").touch()  # a seal that was being written, and not foreign
    foreign = ["00000000000000000002.log.bak", "1.log", "notes.txt"]
    for name in foreign:
        (tmp_path / name).touch()
    (tmp_path / "00000000000000000099.log").mkdir()
    listing = list_folder(tmp_path)
    assert listing.segments == [2, 12]
    assert listing.seals == [2]
    assert listing.foreign == sorted([*foreign, "00000000000000000099.log"])


def test_scan_reads_each_line_with_its_place(tmp_path: Path) -> None:
    lines = lay(tmp_path, 2, 1)
    events = list(scan(tmp_path, 1))
    assert [(e.seq, e.batch, e.batch_size, e.n) for e in events] == [(1, 1, 2, 0), (2, 1, 2, 1), (3, 3, 1, 2)]
    assert [e.offset for e in events] == [0, len(lines[0]), len(lines[0]) + len(lines[1])]
    assert [e.length for e in events] == [len(line) for line in lines]
    assert goals(events) == ["g1", "g2", "g3"]


def test_scan_from_the_middle_and_up_to_an_end(tmp_path: Path) -> None:
    lines = lay(tmp_path, 2, 1, 1)
    start, end = len(lines[0]), sum(map(len, lines[:3]))
    assert goals(list(scan(tmp_path, 1, start, end))) == ["g2", "g3"]
    assert list(scan(tmp_path, 1, end, end)) == []


def test_lines_that_end_inside_a_write_are_damage(tmp_path: Path) -> None:
    lines = lay(tmp_path, 1, 3)
    for count in (2, 3):
        size = sum(map(len, lines[:count]))
        for start in (0, len(lines[0]), len(lines[0]) + len(lines[1])):
            with pytest.raises(LogDamaged, match=rf"event {count + 1} of write 2\+3") as caught:
                list(scan(tmp_path, 1, start, size) if start < size else scan(tmp_path, 1, 0, size))
            assert (caught.value.line, caught.value.offset) == (count + 1, size)
        segment_path(tmp_path, 1).write_bytes(b"".join(lines[:count]))
        with pytest.raises(LogDamaged, match=rf"event {count + 1} of write 2\+3"):
            verify(tmp_path, 1)
        segment_path(tmp_path, 1).write_bytes(b"".join(lines))


def test_a_segment_that_begins_inside_a_write_is_damage(tmp_path: Path) -> None:
    lines = lay(tmp_path, 1, 3)
    segment_path(tmp_path, 3).write_bytes(b"".join(lines[2:]))
    with pytest.raises(LogDamaged, match=r"expected batch: one from event 3 on; found 2\+3") as caught:
        list(scan(tmp_path, 3))
    assert caught.value.line == 1
    with pytest.raises(LogDamaged, match=r"expected batch: one from event 3 on; found 2\+3"):
        list(scan(tmp_path, 3, len(lines[2])))


def test_scan_to_an_end_that_the_file_does_not_reach_is_damage(tmp_path: Path) -> None:
    lines = lay(tmp_path, 2)
    size = sum(map(len, lines))
    with pytest.raises(LogDamaged) as caught:
        list(scan(tmp_path, 1, 0, size + 1))
    assert (caught.value.line, caught.value.offset) == (3, size)


@pytest.mark.parametrize("order", [[0, 2, 1], [1, 0, 2], [0, 0, 1, 2], [0, 2], [1, 2]])
def test_lines_repeated_left_out_or_out_of_order_are_damage(tmp_path: Path, order: list[int]) -> None:
    lines = lay(tmp_path, 3)
    segment_path(tmp_path, 1).write_bytes(b"".join(lines[i] for i in order))
    with pytest.raises(LogDamaged, match="seq"):
        list(scan(tmp_path, 1))


@pytest.mark.parametrize(
    ("line", "batch", "found_at"),
    # The writes are 1+2 1+2 3+2 3+2 5+1 6+1. A batch that fits its own line is found at the next one, or at the end.
    [
        (1, "1+1", 2), (1, "1+3", 2), (2, "2+1", 2), (2, "1+3", 2), (2, "2+2", 2), (3, "3+1", 4), (3, "2+2", 3),
        (3, "1+3", 3), (4, "4+1", 4), (4, "3+4", 4), (4, "1+5", 4), (5, "5+2", 6), (5, "3+3", 5), (5, "4+2", 5),
        (6, "5+2", 6), (6, "6+2", 7), (6, "1+6", 6),
    ],
)  # fmt: skip
def test_a_batch_that_cannot_be_is_damage(tmp_path: Path, line: int, batch: str, found_at: int) -> None:
    lines = lay(tmp_path, 2, 2, 1, 1)
    lines[line - 1] = b"%d %b " % (line, batch.encode()) + lines[line - 1].split(b" ", 2)[2]
    segment_path(tmp_path, 1).write_bytes(b"".join(lines))
    with pytest.raises(LogDamaged, match=r"batch|event 7 of write") as caught:
        list(scan(tmp_path, 1))
    assert caught.value.line == found_at


def test_damage_names_file_line_byte_expected_and_found(tmp_path: Path) -> None:
    lines = lay(tmp_path, 3)
    lines[1] = lines[1].replace(b'"g2"', b'"gX"')
    segment_path(tmp_path, 1).write_bytes(b"".join(lines))
    with pytest.raises(LogDamaged) as caught:
        list(scan(tmp_path, 1))
    damage = caught.value
    assert damage.file == segment_path(tmp_path, 1)
    assert (damage.line, damage.offset) == (2, len(lines[0]))
    salt, payload = bytes.fromhex(lines[1].split(b'"salt":"')[1][:32].decode()), b'{"goal":"gX"}'
    assert damage.found == "sha256:" + hashlib.sha256(salt + payload).hexdigest()
    assert damage.expected.startswith("digest of the body: sha256:")
    for told in ("00000000000000000001.log", "line 2", f"byte {len(lines[0])}", damage.found, "Restore this file"):
        assert told in str(damage)


def test_read_gives_the_one_event_at_a_place(tmp_path: Path) -> None:
    lines = lay(tmp_path, 2)
    event = read(tmp_path, 1, len(lines[0]), len(lines[1]))
    assert (event.seq, goals([event])) == (2, ["g2"])


@pytest.mark.parametrize(("segment", "shift", "grow"), [(1, 1, 0), (1, 0, -1), (1, 0, 1), (7, 0, 0)])
def test_read_of_a_place_where_no_line_is_says_so(tmp_path: Path, segment: int, shift: int, grow: int) -> None:
    lines = lay(tmp_path, 2)
    with pytest.raises(LogDamaged, match=segment_path(tmp_path, segment).name):
        read(tmp_path, segment, len(lines[0]) + shift, len(lines[1]) + grow - shift)


def test_stream_goes_on_through_later_segments(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    assert list_folder(folder).segments == [1, 3, 5]
    end = LogPlace(5, segment_path(folder, 5).stat().st_size)
    second = next(scan(folder, 1)).length
    assert goals(list(stream(folder, LogPlace(1, 0), end))) == ["a1", "a2", "b1", "b2", "c1"]
    assert goals(list(stream(folder, LogPlace(1, second), end))) == ["a2", "b1", "b2", "c1"]
    assert goals(list(stream(folder, LogPlace(1, segment_path(folder, 1).stat().st_size), end))) == ["b1", "b2", "c1"]
    assert goals(list(stream(folder, LogPlace(3, 0), LogPlace(5, 0)))) == ["b1", "b2"]


def test_stream_stops_at_a_missing_segment(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    segment_path(folder, 3).unlink()
    with pytest.raises(LogDamaged, match=r"0003\.log.*the next one starts with event 5"):
        list(stream(folder, LogPlace(1, 0), LogPlace(5, 1)))


def test_stream_from_a_segment_that_is_not_there_says_so(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    with pytest.raises(LogDamaged, match=r"00000000000000000002\.log.*no such file"):
        list(stream(folder, LogPlace(2, 0), LogPlace(5, 0)))


def test_a_seal_says_where_the_segment_ends_and_what_it_hashes_to(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    content = segment_path(folder, 3).read_bytes()
    assert json.loads(seal_path(folder, 3).read_bytes()) == {
        "first_seq": 3,
        "last_seq": 4,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    assert read_seal(folder, 3) == verify(folder, 3).seal
    assert not seal_path(folder, 5).exists()


def test_verifying_tells_how_far_it_is_and_how_much_is_erased(tmp_path: Path) -> None:
    lines = lay(tmp_path, 200)
    body = lines[9].index(b'{"salt"')
    lines[9] = lines[9][:body] + b" " * (len(lines[9]) - 1 - body) + b"\n"
    segment_path(tmp_path, 1).write_bytes(b"".join(lines))
    reached: list[int] = []
    verified = verify(tmp_path, 1, step=reached.append)
    assert verified.erased == 1
    assert verified.seal.last_seq == 200
    assert reached == [sum(map(len, lines[:k])) for k in (64, 128, 192)]


def test_verifying_gives_each_event_in_order(tmp_path: Path) -> None:
    with Book(tmp_path) as book:
        book.write(submission("a", "b", org="org_a"), submission("c", org="org_b"))
    seen: list[tuple[int, str, int]] = []
    verify(tmp_path / "log", 1, each=lambda event: seen.append((event.seq, event.org, event.n)))
    assert seen == [(1, "org_a", 0), (2, "org_a", 1), (3, "org_b", 0)]


def test_a_seal_counts_to_the_byte(tmp_path: Path) -> None:
    folder = three_segments(tmp_path)
    path = seal_path(folder, 1)
    text = path.read_bytes()
    for other in (text[:-1], text[:-1] + b" ", text.replace(b":", b": "), b" " + text):
        path.write_bytes(other)
        with pytest.raises(LogDamaged, match="Delete this seal and start again"):
            read_seal(folder, 1)


@pytest.mark.parametrize("text", [b"", b"{}", b"\xff", b'{"first_seq":3,"last_seq":4,"bytes":1,"sha256":""}'])
def test_a_seal_that_cannot_be_read_says_to_delete_it(tmp_path: Path, text: bytes) -> None:
    seal_path(tmp_path, 1).write_bytes(text)
    with pytest.raises(LogDamaged, match="Delete this seal and start again"):
        read_seal(tmp_path, 1)


@pytest.mark.parametrize("operation", ["create", "write", "fsync"])
def test_a_seal_is_there_whole_or_not_at_all(tmp_path: Path, operation: str) -> None:
    lay(tmp_path, 1)
    seal = Seal(1, 1, 10, "00")
    files = FaultyFiles()
    files.errors[operation] = errno.ENOSPC
    with pytest.raises(OSError, match="No space left"):
        write_seal(tmp_path, seal, files)
    assert read_seal(tmp_path, 1) is None
    files.errors.clear()
    write_seal(tmp_path, seal, files)
    assert read_seal(tmp_path, 1) == seal
    assert list_folder(tmp_path).foreign == []
