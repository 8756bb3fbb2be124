"""How far a machine's clock is from the database's, over links that may be slow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from assent_service.store.postgresql.replica_log import clock_offset

SECOND = 1_000_000


def clocks(ahead: int, waits: Sequence[tuple[int, int]]) -> tuple[Callable[[], int], Callable[[], int]]:
    """A database whose clock is `ahead`, and this machine's clock; each question takes microseconds to get there, and
    the answer to come back."""
    at, left = [1_000 * SECOND], list(waits)

    def ask() -> int:
        there, back = left.pop(0)
        at[0] += there
        answer = at[0] + ahead
        at[0] += back
        return answer

    return ask, lambda: at[0]


@pytest.mark.parametrize(
    ("ahead", "waits", "due"),
    [
        (0, [(200, 300)], 0),
        (99_000, [(0, 0)], 0),
        (2 * SECOND, [(200, 200)], 2 * SECOND),
        (-20 * SECOND, [(50, 50)], -20 * SECOND),
        # An answer that was held for four seconds says nothing; the next one does.
        (0, [(0, 4 * SECOND), (100, 100)], 0),
        (0, [(4 * SECOND, 0), (0, 3 * SECOND), (100, 100)], 0),
        # All were held: what is known is kept, unless the clocks differ by more than that explains.
        (0, [(0, 4 * SECOND)] * 3, None),
        (SECOND, [(0, 4 * SECOND)] * 3, None),
        (60 * SECOND, [(2 * SECOND, 2 * SECOND)] * 3, 60 * SECOND),
    ],
)
def test_what_the_clock_is_put_right_by(ahead: int, waits: list[tuple[int, int]], due: int | None) -> None:
    ask, now = clocks(ahead, waits)
    assert clock_offset(ask, now) == due
