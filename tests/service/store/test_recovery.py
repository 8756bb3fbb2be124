"""Opening a log that was left torn, damaged or incomplete.

Where a test cuts or flips bytes it does so at every one of them. What is expected is worked out from where
the lines lie.
"""

import json
from itertools import combinations
from pathlib import Path

import pytest

from assent_service.store.failures import LogDamaged
from assent_service.store.files import Files
from assent_service.store.recovery import last_write, recover
from assent_service.store.segments import scan, segment_path
from tests.service.store.logbook import (
    Book,
    flips,
    goals,
    laid,
    lay,
    read_back,
    submission,
)

BATCHES = (2, 1, 3, 3)  # seqs 1 2 | 3 | 4 5 6 | 7 8 9
LAST = 7


class Quick(Files):
    """Nothing is synced: these tests look at what is decided, thousands of times, not at the disk."""

    def fsync(self, fd: int) -> None:
        pass

    def sync_folder(self, folder: Path) -> None:
        pass


def opened(folder: Path, content: bytes) -> int:
    """The head after recovery, with the file cut to it. LogDamaged leaves the file as it was."""
    path = segment_path(folder, 1)
    path.write_bytes(content)
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
    assert [event.seq for event in scan(folder, 1)] == list(range(1, found.head + 1))
    return found.head


def starts(lines: list[bytes]) -> list[int]:
    return [sum(map(len, lines[:i])) for i in range(len(lines) + 1)]


def test_cut_at_every_byte_of_the_last_batch(tmp_path: Path) -> None:
    lines = lay(tmp_path, *BATCHES)
    whole, at = b"".join(lines), starts(lines)
    for cut in range(at[LAST - 1], len(whole)):
        line = max(i for i in range(9) if at[i] <= cut)  # the line that is cut, from 0
        into = cut - at[line]
        # "8 7" is the shortest beginning that says whose line it is. With less of it the file is, byte for
        # byte, one whose last acknowledged write ended at the line before: nothing can tell, and those lines stay.
        untold = line > LAST - 1 and into < 3
        assert opened(tmp_path, whole[:cut]) == (line if untold else LAST - 1), (cut, line, into)


def test_the_two_histories_of_a_cut_between_lines_are_one_file() -> None:
    # Why the test above has an exception: three lines of which one arrived, and one line that was a write of its own.
    three, one = laid(3), laid(1)
    assert three[0].split(b" ")[:2] == one[0].split(b" ")[:2] == [b"1", b"1"]


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


def moved_borders(lines: list[bytes]) -> set[bytes]:
    """The logs, one bit away from this one, in which a batch number became another one that fits: the only
    single changes that the format cannot show. Found by trying the numbers, not by reading the log."""
    found = set()
    numbers = [(int(line.split(b" ")[0]), int(line.split(b" ")[1])) for line in lines]
    for i, (seq, batch) in enumerate(numbers):
        for other in range(1, 10):
            changed = [*numbers[:i], (seq, other), *numbers[i + 1 :]]
            fits = all(b == s or (j > 0 and b == changed[j - 1][1]) for j, (s, b) in enumerate(changed))
            one_bit = (ord(str(batch)) ^ ord(str(other))).bit_count() == 1
            if fits and one_bit:
                line = b"%d %d " % (seq, other) + lines[i].split(b" ", 2)[2]
                found.add(b"".join([*lines[:i], line, *lines[i + 1 :]]))
    return found


@pytest.mark.parametrize("batches", [BATCHES, (3, 1, 2, 1), (1, 1, 1, 1, 1)])
def test_a_flip_of_any_bit_of_any_earlier_batch_stops_the_start(tmp_path: Path, batches: tuple[int, ...]) -> None:
    lines = lay(tmp_path, *batches)
    whole = b"".join(lines)
    end = len(b"".join(lines[: -batches[-1]]))
    unseen = set()
    for _, changed in flips(whole, 0, end):
        try:
            head = opened(tmp_path, changed)
        except LogDamaged:
            continue
        unseen.add(changed)
        assert head == len(lines)
        kept = [line.split(b" ", 2)[2] for line in changed.splitlines(keepends=True)]
        assert kept == [line.split(b" ", 2)[2] for line in lines]
    assert unseen == {log for log in moved_borders(lines) if log[:end] != whole[:end]}


def test_damage_in_an_earlier_batch_names_the_place(tmp_path: Path) -> None:
    lines = lay(tmp_path, *BATCHES)
    lines[4] = lines[4].replace(b'"g5"', b'"g0"')
    with pytest.raises(LogDamaged) as caught:
        opened(tmp_path, b"".join(lines))
    assert (caught.value.file, caught.value.line) == (segment_path(tmp_path, 1), 5)
    assert caught.value.offset == len(b"".join(lines[:4]))


def test_a_flip_in_the_last_batch_cuts_it(tmp_path: Path) -> None:
    lines = lay(tmp_path, *BATCHES)
    whole, at = b"".join(lines), starts(lines)
    borders = moved_borders(lines)
    for place, changed in flips(whole, at[LAST - 1], len(whole)):
        head = opened(tmp_path, changed)
        line = max(i for i in range(9) if at[i] <= place)
        if changed in borders:
            assert head == 9
        elif place - at[line] <= len(b"9 7") and head != LAST - 1:
            # Damage to the numbers of a line after the first: whose line it is may be lost, and then good
            # lines before it stay.
            assert line >= LAST
            assert head == line or (changed[at[LAST] : at[LAST] + 3] != b"8 7" and head == LAST)
        else:
            assert head == LAST - 1


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
        head = opened(tmp_path, earlier + bytes(torn))
        second = len(lines[2])
        hidden = any(block <= second + 2 and second < block + 64 for block in lost)
        untouched = min(lost) >= second
        assert head == 2 or (hidden and untouched and head == 3), lost


def test_garbage_after_a_whole_log_is_cut_and_nothing_else(tmp_path: Path) -> None:
    whole = b"".join(lay(tmp_path, 2, 2))
    for garbage in (b"\0" * 5000, b"\n", b" \n", b"garbage\n" * 9, b"{}\n", b"5", b"5 ", b"5 5 abc"):
        assert opened(tmp_path, whole + garbage) == 4


def test_a_good_line_of_a_later_batch_after_a_torn_one_is_damage(tmp_path: Path) -> None:
    lines = lay(tmp_path, 1, 1, 1)
    for cut in range(len(lines[1]) - 1):
        with pytest.raises(LogDamaged):
            opened(tmp_path, lines[0] + lines[1][:cut] + lines[2])
        with pytest.raises(LogDamaged):
            opened(tmp_path, lines[0] + lines[1][:cut] + b"\n" + lines[2])


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


@pytest.mark.parametrize(
    ("rest", "due", "batch", "first"),
    [
        (b"12 1 abc", 12, 1, 1),
        (b"12 12 abc", 12, 1, 12),
        (b"12 1", 12, 1, 12),  # may go on as 12 12
        (b"12 1 ", 12, 1, 1),
        (b"12 2", 12, 2, 2),
        (b"12 3 abc", 12, 2, 12),  # no number that can be here
        (b"", 12, 2, 12),
        (b"\0\0\0\0\0\0", 12, 2, 12),
    ],
)
def test_where_the_last_write_begins(rest: bytes, due: int, batch: int, first: int) -> None:
    assert last_write(rest, due, batch) == first
