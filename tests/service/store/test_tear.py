"""Which write a log is torn in, worked out by hand from what its lines say.

A log is told by its lines: `6 6+2` is a whole one, `6 6+2 !` one whose body is damaged, and `?` is rubbish.
"""

import pytest

from assent_service.store.event import encode
from assent_service.store.tear import last_write
from tests.service.store.logbook import draft


def told(*lines: str) -> bytes:
    made = b""
    for line in lines:
        if line == "?":
            made += b"rubbish\n"
            continue
        numbers, _, damaged = line.partition(" !")
        whole = encode(draft(), 1, 1, 0, bytes(16), 1, 0)[1].split(b" ", 2)[2]
        made += numbers.encode() + b" " + (whole.replace(b"goal", b"gaol") if damaged or line.endswith("!") else whole)
    return made


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("?",),
        ("6 6+1 !",),
        ("6 6+2",),
        ("6 6+2 !", "7 6+2"),
        ("6 6+2", "7 6+2 !"),
        ("6 6+2 !", "7 6+2 !"),
        ("?", "7 6+2"),
        ("?", "?"),
        ("6 6+3", "8 6+3"),
        ("6 6+3", "7 6+2", "8 6+3"),  # one says another size
        ("7 6+3", "7 6+3", "8 6+3"),  # one has another seq
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_lines_of_the_write_that_is_due_say_that_it_is_torn(lines: tuple[str, ...], alone: bool) -> None:
    assert last_write(told(*lines), 6, alone) == 6


@pytest.mark.parametrize(
    "lines",
    [
        ("6 6+3", "7 7+3", "8 6+3"),
        ("6 6+3", "7 6+3", "8 7+3"),
        ("6 5+3", "7 6+3", "8 6+3"),
        ("6 6+2", "7 7+2"),
        ("6 5+2", "7 6+2"),
    ],
)
def test_one_line_that_says_otherwise_is_overruled(lines: tuple[str, ...]) -> None:
    assert last_write(told(*lines), 6, alone=False) == 6
    assert last_write(told(*lines), 6, alone=True) == 6


def test_lines_that_all_say_they_began_with_the_line_before_take_it_along() -> None:
    for lines in (("6 5+2",), ("6 5+3", "7 5+3")):
        assert last_write(told(*lines), 6, alone=True) == 5
        assert last_write(told(*lines), 6, alone=False) is None


@pytest.mark.parametrize(
    "lines",
    [
        ("6 6+1 !", "7 7+1"),
        ("6 6+1 !", "7 7+1 !"),
        ("?", "7 7+2"),
        ("?", "7 7+2 !"),
        ("6 6+2", "7 7+1"),  # the size of 6 was one, and the next write is whole
        ("6 6+3", "7 7+2", "8 7+2"),
        ("6 6+2", "7 7+2", "8 7+2"),
        ("6 6+2", "7 6+2 !", "8 8+2"),
        ("6 6+2", "?", "8 8+2"),
        ("6 6+2", "7 7+2 !"),  # two things are wrong, and 6 may have come alone
        ("6 6+2", "7 7+2", "?"),
        ("6 6+3", "7 7+3"),
        ("6 5+3", "?"),
        ("6 4+3",),
        ("6 5+3",),
        ("?", "6 5+2"),
        ("6 6+3", "?", "7 7+3", "8 6+3"),
        ("6 6+3", "6 5+3", "8 6+3"),  # the line that says otherwise is not in its place either
        ("6 6+2 !", "7 6+2", "?"),  # the write has both its lines, and there is more
        ("9 9+1",),
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_anything_else_is_damage(lines: tuple[str, ...], alone: bool) -> None:
    assert last_write(told(*lines), 6, alone) is None


@pytest.mark.parametrize("numbers", ["7 6+1", "6 7+1", "5 6+2", "8 6+2", "17 6+1", "7 07+1", "7 7+01", "7 7+0", "7 7"])
def test_a_batch_that_cannot_hold_its_line_says_nothing(numbers: str) -> None:
    assert last_write(told(numbers), 6, alone=False) == 6


def test_a_line_is_found_behind_a_newline_that_is_gone() -> None:
    for between in (b"x", b"\0", b" ", b"1", b"9", b""):
        assert last_write(told("6 6+1")[:-1] + between + told("7 7+1"), 6, alone=False) is None


@pytest.mark.parametrize("next_line", [b"8", b"8 8+", b"8 8+1 abc", b"\0\0\0"])
def test_what_follows_the_least_lines_that_a_write_says_it_has_is_a_later_one(next_line: bytes) -> None:
    for sizes in (("6 6+2", "7 6+3"), ("6 6+3", "7 6+2"), ("6 6+2 !", "7 6+3 !")):
        assert last_write(told(*sizes) + next_line, 6, alone=False) is None
    assert last_write(told("6 6+3", "7 6+3 !") + next_line[:2], 6, alone=False) == 6


@pytest.mark.parametrize("numbers", ["17 7+1", "07 7+1", "907 7+1", "68 7+2"])
def test_a_later_line_is_found_behind_digits_that_are_not_its_own(numbers: str) -> None:
    # The line before was cut after "6 6+1" and a newline, or in the middle of its seq.
    assert last_write(told(numbers), 6, alone=False) is None
    assert last_write(b"6 6+1 abc" + told(numbers), 6, alone=False) is None


def test_a_payload_full_of_digits_or_numbers_costs_no_more_than_any_other() -> None:
    # Were it to be searched from every digit to the last, this would not end within hours.
    for text in (b"1" * 4_000_000, b"1 1+1 " * 500_000, (b"1 1+1 " + b"0" * 64 + b" {") * 40_000):
        assert last_write(b"6 6+1 " + text, 6, alone=False) == 6
