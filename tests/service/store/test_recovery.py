"""Opening a log that was left torn, damaged or incomplete.

Where a test cuts or flips bytes it does so at every one of them, and there are no exceptions: in the last write a
change cuts exactly that write, before it a change stops the start.
"""

import json
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from assent_service.store.failures import LogDamaged, ProjectionAhead
from assent_service.store.files import Files
from assent_service.store.recovery import recover
from assent_service.store.segments import scan, segment_path
from tests.service.store.logbook import (
    Book,
    columns,
    flips,
    goals,
    laid,
    lay,
    put,
    read_back,
    submission,
    swaps,
)
from tests.tiers import deep

BATCHES = (2, 1, 3, 3)  # seqs 1 2 | 3 | 4 5 6 | 7 8 9
LAST = 7


class Quick(Files):
    """Nothing is synced: these tests look at what is decided, thousands of times, not at the disk."""

    def fsync(self, fd: int) -> None:
        pass

    def sync_folder(self, folder: Path) -> None:
        pass


@cache
def seqs(folder: Path, kept: bytes) -> list[int]:
    """The events of the first segment, which holds `kept`; read once for each."""
    return [event.seq for event in scan(folder, 1)]


def opened(folder: Path, content: bytes) -> int:
    """The head after recovery, with the file cut to it. LogDamaged leaves the file as it was."""
    path = segment_path(folder, 1)
    put(path, content)
    try:
        found = recover(folder, 0, Quick())
    except LogDamaged:
        assert path.read_bytes() == content
        raise
    kept = path.read_bytes()
    assert content.startswith(kept)
    assert found.end == (1, len(kept))
    assert (found.recovered is None) == (kept == content)
    if found.recovered is not None:
        cut = found.recovered
        assert (cut.first_seq, cut.offset, cut.bytes) == (found.head + 1, len(kept), len(content) - len(kept))
    try:
        assert seqs(folder, kept) == list(range(1, found.head + 1))
    except LogDamaged as bad:
        pytest.fail(f"what was kept is not right: {bad}")
    return found.head


def stopped(folder: Path, content: bytes) -> bool:
    """Whether the start refuses this log, and leaves it as it was."""
    try:
        opened(folder, content)
    except LogDamaged:
        return True
    return False


def starts(lines: list[bytes]) -> list[int]:
    return [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]


LAYOUTS = [BATCHES, (3, 1, 2, 2), (1, 1, 1, 1, 1), (2, 1, 4), (4, 4, 4), (8, 1, 3)]


@pytest.mark.parametrize(
    "batches", [*LAYOUTS[:2], *(pytest.param(each, marks=deep("further layouts")) for each in LAYOUTS[2:])]
)
def test_cut_at_every_byte_of_the_last_batch(tmp_path: Path, batches: tuple[int, ...]) -> None:
    lines = lay(tmp_path, *batches)
    whole, earlier = b"".join(lines), lines[: -batches[-1]]
    for cut in range(len(b"".join(earlier)), len(whole)):
        assert opened(tmp_path, whole[:cut]) == len(earlier), cut
    assert opened(tmp_path, whole) == len(lines)


def test_a_submission_of_several_drafts_survives_whole_or_not_at_all(tmp_path: Path) -> None:
    with Book(tmp_path) as book:
        book.write(submission("asked"))
        book.write(submission("decided", "updated"))
    path = segment_path(tmp_path / "log", 1)
    whole = path.read_bytes()
    between = whole.rindex(b"\n", 0, -1) + 1
    path.write_bytes(whole[:between])
    assert goals(read_back(tmp_path)) == ["asked"]
    path.write_bytes(whole)
    assert goals(read_back(tmp_path)) == ["asked", "decided", "updated"]


def test_a_last_batch_of_one_line_is_cut_at_every_byte(tmp_path: Path) -> None:
    lines = lay(tmp_path, 3, 1)
    whole, start = b"".join(lines), len(b"".join(lines[:3]))
    for cut in range(start, len(whole)):
        assert opened(tmp_path, whole[:cut]) == 3


def test_a_first_batch_that_is_torn_leaves_an_empty_segment(tmp_path: Path) -> None:
    line = lay(tmp_path, 1)[0]
    for cut in range(len(line)):
        assert opened(tmp_path, line[:cut]) == 0
        assert segment_path(tmp_path, 1).read_bytes() == b""


def test_a_whole_last_batch_stays(tmp_path: Path) -> None:
    assert opened(tmp_path, b"".join(lay(tmp_path, *BATCHES))) == 9


@deep("every bit and byte of a log; the quick tier cuts it at every byte")
@pytest.mark.parametrize("batches", [(2, 1, 1, 3), (1, 3, 1)])
def test_a_flip_of_any_bit_of_any_earlier_batch_stops_the_start(tmp_path: Path, batches: tuple[int, ...]) -> None:
    lines = lay(tmp_path, *batches)
    whole, end = b"".join(lines), len(b"".join(lines[: -batches[-1]]))
    for at, changed in flips(whole, 0, end):
        assert stopped(tmp_path, changed), (at, changed[at - 9 : at + 9])


@deep("every bit and byte of a log; the quick tier cuts it at every byte")
@pytest.mark.parametrize("batches", [(2, 1, 3, 1), (2, 1, 2), (8, 1, 1)])
def test_any_other_byte_in_the_numbers_of_an_earlier_batch_stops_the_start(
    tmp_path: Path, batches: tuple[int, ...]
) -> None:
    lines = lay(tmp_path, *batches)
    end = len(b"".join(lines[: -batches[-1]]))
    whole = b"".join(lines)
    for at, changed in swaps(whole, [place for place in columns(whole) if place < end]):
        assert stopped(tmp_path, changed), (at, changed[at - 9 : at + 9])


def test_damage_in_an_earlier_batch_names_the_place(tmp_path: Path) -> None:
    lines = lay(tmp_path, *BATCHES)
    lines[4] = lines[4].replace(b'"g5"', b'"g0"')
    with pytest.raises(LogDamaged) as caught:
        opened(tmp_path, b"".join(lines))
    assert (caught.value.file, caught.value.line) == (segment_path(tmp_path, 1), 5)
    assert caught.value.offset == len(b"".join(lines[:4]))


@deep("every bit and byte of a log; the quick tier cuts it at every byte")
@pytest.mark.parametrize("batches", [(1, 3), (2, 1)])
def test_a_flip_of_any_bit_of_the_last_batch_cuts_exactly_it(tmp_path: Path, batches: tuple[int, ...]) -> None:
    lines = lay(tmp_path, *batches)
    whole, earlier = b"".join(lines), lines[: -batches[-1]]
    for at, changed in flips(whole, len(b"".join(earlier)), len(whole)):
        assert opened(tmp_path, changed) == len(earlier), (at, changed[at - 9 : at + 9])


@deep("every bit and byte of a log; the quick tier cuts it at every byte")
@pytest.mark.parametrize("batches", [(1, 3), (2, 2), (1, 1), (8, 4), (4,)])
def test_any_other_byte_in_the_numbers_of_the_last_batch_cuts_exactly_it(
    tmp_path: Path, batches: tuple[int, ...]
) -> None:
    lines = lay(tmp_path, *batches)
    whole, earlier = b"".join(lines), lines[: -batches[-1]]
    start = len(b"".join(earlier))
    for at, changed in swaps(whole, [place for place in columns(whole) if place >= start]):
        assert opened(tmp_path, changed) == len(earlier), (at, changed[at - 9 : at + 9])


def test_several_lines_of_the_last_batch_damaged_in_any_order(tmp_path: Path) -> None:
    lines = lay(tmp_path, 2, 1, 4)
    for many in (1, 2, 3):
        for hurt in combinations(range(3, 7), many):
            damaged = [line if i not in hurt else line[:-40] + b"\0" * 39 + b"\n" for i, line in enumerate(lines)]
            assert opened(tmp_path, b"".join(damaged)) == 3, hurt


@pytest.mark.parametrize("filler", [b"\0", b"x", b"\n", b" "])
def test_pages_of_the_last_batch_that_never_arrived(tmp_path: Path, filler: bytes) -> None:
    # Blocks of 64 bytes stand for pages: any of them may hold what was in the file before instead of what was written.
    lines = lay(tmp_path, 2, 2)
    earlier, last = b"".join(lines[:2]), b"".join(lines[2:])
    blocks = range(0, len(last), 64)
    for lost in [*combinations(blocks, 1), *combinations(blocks, 2), tuple(blocks)]:
        torn = bytearray(last)
        for block in lost:
            torn[block : block + 64] = filler * len(torn[block : block + 64])
        assert opened(tmp_path, earlier + bytes(torn)) == 2, lost


def test_garbage_after_a_whole_log_is_cut_and_nothing_else(tmp_path: Path) -> None:
    whole = b"".join(lay(tmp_path, 2, 2))
    for garbage in (b"\0" * 5000, b"\n", b" \n", b"garbage\n" * 9, b"{}\n", b"5", b"5 ", b"5 5+2 abc"):
        assert opened(tmp_path, whole + garbage) == 4


def test_a_good_line_of_a_later_batch_after_a_torn_one_is_damage(tmp_path: Path) -> None:
    lines = lay(tmp_path, 1, 1, 1)
    for cut in range(len(lines[1]) - 1):
        with pytest.raises(LogDamaged):
            opened(tmp_path, lines[0] + lines[1][:cut] + lines[2])
        with pytest.raises(LogDamaged):
            opened(tmp_path, lines[0] + lines[1][:cut] + b"\n" + lines[2])


def test_a_write_of_several_lines_is_never_cut_by_its_last_one(tmp_path: Path) -> None:
    lines = lay(tmp_path, 2, 1)
    lines[2] = b"3 2+2 " + lines[2].split(b" ", 2)[2]
    assert stopped(tmp_path, b"".join(lines))


def test_a_payload_that_quotes_a_log_line_is_not_taken_for_one(tmp_path: Path) -> None:
    later = laid(1, 1, 1)[2]
    with Book(tmp_path) as book:
        book.write(submission("first"))
        text = json.dumps({"goal": f"\n{later.decode()} {later.decode()}"}, ensure_ascii=False).encode()
        book.write(submission("x"), submission("y"))
        made = submission("z")
        made.drafts = (type(made.drafts[0])("o", "t", 1, "s", "a", text),)
        book.write(made)
    path = segment_path(tmp_path / "log", 1)
    path.write_bytes(path.read_bytes()[:-1])
    assert goals(read_back(tmp_path)) == ["first", "x", "y"]


def hurt(line: bytes, part: str) -> bytes:
    """A line of a test's log with one thing wrong in it."""
    numbers = line.index(b"{") - 65
    if part == "body":
        return line.replace(b'"goal"', b"\"goal'")
    if part == "leaf":
        return line[:numbers] + bytes([line[numbers] ^ 1]) + line[numbers + 1 :]
    if part == "numbers":
        return b"\0" * numbers + line[numbers:]
    assert part == "newline"
    return line[:-1] + b"x"


@pytest.mark.parametrize("part", ["body", "leaf", "numbers", "newline"])
@pytest.mark.parametrize("at", [2, 3, 4])
def test_damage_is_told_from_a_tear_when_both_are_there(tmp_path: Path, at: int, part: str) -> None:
    # One of the lines of 3+2 5+1 is damaged, and the last write, 6+2, arrived by its first bytes only, or with zeros
    # for the rest. Its numbers and a space are enough to say that it was there.
    lines = laid(2, 2, 1, 2)
    lines[at] = hurt(lines[at], part)
    earlier, last = b"".join(lines[:5]), b"".join(lines[5:])
    lay(tmp_path, 1)
    for cut in range(len(b"6 6+2 "), len(last)):
        for torn in (last[:cut], last[:cut] + b"\0" * (len(last) - cut)):
            if at == 4 and part == "newline" and last[:cut].count(b" ") < 4:
                continue  # the beginning of the next line is not known as one, in the middle of a line
            assert stopped(tmp_path, earlier + torn), (cut, torn[-9:])


@pytest.mark.parametrize(("at", "part"), [(3, "body"), (4, "body"), (3, "leaf"), (4, "leaf"), (3, "numbers")])
def test_damage_is_told_from_a_tear_by_its_writes_size(tmp_path: Path, at: int, part: str) -> None:
    # Of the last write nothing is left that says whose it is: but the damaged one has its lines already.
    lines = laid(2, 1, 2, 2)
    lines[at] = hurt(lines[at], part)
    lay(tmp_path, 1)
    for torn in (b"6", b"6 ", b"6 6", b"6 6+", b"6 6+2", b"\0", b"\0" * 700, b"6 6\0\0"):
        assert stopped(tmp_path, b"".join(lines[:5]) + torn), torn[:9]


def test_what_cannot_be_told_is_cut(tmp_path: Path) -> None:
    # As `recovery` says: of the last write nothing is there, or only what could be anything, and the write before it
    # says nothing of itself. Byte for byte these are logs that were torn in that write.
    lines = laid(2, 1, 1)
    lay(tmp_path, 1)
    for damaged, torn in (("body", b""), ("numbers", b"\0" * 300), ("newline", b"\0" * 300), ("body", b"x")):
        assert opened(tmp_path, b"".join(lines[:2]) + hurt(lines[2], damaged) + torn) == 2


def test_damage_and_a_tear_are_never_cut_when_the_tables_have_the_damaged_write(tmp_path: Path) -> None:
    lines = laid(2, 1, 1)
    torn = b"".join(lines[:2]) + hurt(lines[2], "body")
    lay(tmp_path, 1)
    segment_path(tmp_path, 1).write_bytes(torn)
    with pytest.raises(ProjectionAhead):
        recover(tmp_path, 3, Quick())
    assert segment_path(tmp_path, 1).read_bytes() == torn
