"""Where the log is torn: whether what a start cannot read is the last write, or damage to an earlier one.

A power loss tears the last write only: bytes at its end are missing, or pages of it hold something else. It changes
nothing before that, and nothing comes after. So the question is whether the write that is not right is the last one,
and the answer is in the lines that can still be made out from where it begins:

- A line is found at any byte by its numbers, when the leaf hash and the header that follow are right: the newline
  before it may be what was damaged. A payload cannot pass for one: as JSON it cannot hold a header outside of a
  string, and inside of one its quotation marks are escaped. Such a line is *whole* when its body is right, too.
- After a newline, the numbers are believed as well when what follows is damaged, or stops at the end of the file or
  at zeros, which is what a page holds that never arrived.
- A batch that cannot hold the seq in front of it is nobody's word.

1. When all these lines are of the write that is due, that write is the last, and is torn. But when its lines are all
   accounted for and something goes on behind them, then a later write was there, and this one was durable: damage.
2. When all of it is whole lines in order, and one of them alone does not say what the others do, that one is wrong,
   and the write is the last. Not so when it says that it is a write of its own: then nothing contradicts it, and
   it is the size that the others tell which is wrong.
3. When all of it is whole lines in order, of a write that begins one line earlier, then it is the line before that is
   wrong in saying that it came alone. The torn write begins there.
4. Anything else is damage: a line names a write that is not the one due, and more than one thing is wrong.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from assent.proof.canonical import leaf_hash
from assent_service.store.event import LineError, decode

_NEWLINE: Final = ord("\n")

# Every quantifier is bounded, so that a payload of digits costs no more than any other.
_lines_in = re.compile(
    rb"([0-9]{1,18}) ([1-9][0-9]{0,17})\+([1-9][0-9]{0,17}) "
    rb"(?=[0-9a-f]{64} \{\"act|[0-9a-f]{0,64}[ {\"act]{0,6}(?:\0|\Z))"
).finditer


class LineReading(NamedTuple):
    """What can be made out of one line: the byte it begins at, the byte after its newline, its numbers, and whether
    it is whole."""

    start: int
    end: int
    seq: int
    batch: int
    size: int
    whole: bool


def last_write(rest: bytes, due: int, alone: bool) -> int | None:
    """The first seq of the write that the log is torn in, or None when an earlier one is damaged.

    `rest` is everything from where write `due` should begin; `alone` says that the write before it has one line.
    The answer is `due`, or `due - 1` when that line is of the torn write, too.
    """
    seen = list(_readings(rest, due))
    if all(line.batch == due for line in seen):
        return None if _goes_on(rest, due, seen) else due
    if not _in_order(rest, due, seen):
        return None
    size = len(seen)
    odd = [line for line in seen if (line.batch, line.size) != (due, size)]
    if len(odd) == 1 < size and odd[0].size > 1:
        return due
    if alone and all((line.batch, line.size) == (due - 1, size + 1) for line in seen):
        return due - 1
    return None


def _readings(rest: bytes, due: int) -> Iterator[LineReading]:
    for match in _lines_in(rest):
        start = match.start()
        begins = start == 0 or rest[start - 1] == _NEWLINE
        batch, size = int(match[2]), int(match[3])
        # What is left of a line before it may end in digits. No single change of a number makes a later batch seem
        # to hold the end of a seq and not the seq, so after a newline this can be looked at for such a batch only.
        texts = [match[1]] if begins and batch <= due else [match[1][i:] for i in range(len(match[1]))]
        seq = next((int(text) for text in texts if _fits(text, batch, size)), None)
        if seq is None:
            continue
        end = rest.find(b"\n", match.end())
        tail = rest[match.end() : end if end >= 0 else len(rest)]
        if begins or _proven(tail):
            yield LineReading(start, match.end() + len(tail) + 1, seq, batch, size, _whole(tail))


def _fits(text: bytes, batch: int, size: int) -> bool:
    return not text.startswith(b"0") and batch <= int(text) < batch + size


def _proven(tail: bytes) -> bool:
    """Whether the leaf hash that `tail` starts with is that of the header after it."""
    leaf, _, rest = tail.partition(b" ")
    header, _, _ = rest.partition(b" ")
    return leaf_hash(header).hex().encode() == leaf


def _whole(tail: bytes) -> bool:
    """Whether leaf hash, header and body of a line are right, whatever its numbers are."""
    try:
        decode(b"1 1+1 %b\n" % tail, 1, 0)
    except LineError:
        return False
    return True


def _in_order(rest: bytes, due: int, seen: list[LineReading]) -> bool:
    """Whether `rest` is nothing but whole lines, from event `due` on."""
    counted = all(line.whole and line.seq == due + i for i, line in enumerate(seen))
    joined = all(line.end == following.start for line, following in pairwise(seen))
    return counted and joined and seen[0].start == 0 and seen[-1].end == len(rest)


def _goes_on(rest: bytes, due: int, seen: list[LineReading]) -> bool:
    """Whether something follows the last line of write `due`, which all lines in `seen` are of."""
    if not seen:
        return False
    last = seen[-1]
    if last.whole and last.seq == last.batch + last.size - 1 and last.end < len(rest):
        return True
    # No tear makes a newline: after as many as the write has lines, there should be nothing. What is looked for is the
    # start of the next line, if only of its first digit, and pages of zeros.
    size = min(line.size for line in seen)
    tail = b"".join(rest.split(b"\n", size)[size:])
    opening = b"%d %d+" % (due + size, due + size)
    return tail != b"" and (tail.startswith(opening) or opening.startswith(tail.split(b"\0", 1)[0]))
