"""How much of a text is looked into: a number, so that the same text always gets the same answer.

Reading a text once is free, and linear. What costs more is paid for, each kind from an allowance of its own that grows
with the text; one unit is about a microsecond. What could not be paid for is told: nothing is hidden by padding.
"""

from __future__ import annotations

OPENED = 5.0
"""Units for one piece that may be encoded."""
SPLIT = 0.5
"""For each character of a word that is taken apart."""
AGAIN = 0.08
"""For each character that is read once more."""
SEEN = 10.0
"""For one hit that is looked at closely."""


OPEN, READ, LOOK = range(3)
"""What is paid for: opening, reading again, looking at hits. Opening has its allowance in each reading, so that what
stands in front does not use up what is nested deeper."""
_ALLOWED = ((12000, 150), (8000, 120), (4000, 300))
"""Of each: units, and the characters that add one."""


def allowance(kind: int, size: int) -> float:
    """What a text of `size` characters may cost."""
    units, each = _ALLOWED[kind]
    return units + size / each


class ScanBudget:
    """The work on a text of `size` characters. `done` has been paid, `missed` counts what was not looked into, the
    first such place in the reading of that moment is `first`."""

    def __init__(self, size: int) -> None:
        self._left = [units + size / each for units, each in _ALLOWED]
        self.done = 0.0
        self.missed = 0
        self.first: tuple[int, int] | None = None

    def pay(self, kind: int, units: float, start: int, end: int) -> bool:
        """Whether what stands from `start` to before `end` can be paid for; if so it is."""
        if units > self._left[kind]:
            self.miss(start, end)
            return False
        self._left[kind] -= units
        self.done += units
        return True

    def reading(self, size: int) -> int:
        """How many of a new reading's characters can be paid for; they are."""
        many = min(size, int(self._left[READ] / AGAIN))
        self._left[READ] -= many * AGAIN
        self.done += many * AGAIN
        if many < size:
            self.miss(many, size)
        self._left[OPEN] = allowance(OPEN, many)
        return many

    def miss(self, start: int, end: int) -> None:
        """What stands there is not looked into."""
        self.missed += end - start
        if self.first is None:
            self.first = start, end
