"""When a delivery is tried again."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.base.clock import DAY, HOUR, MINUTE, SECOND, microseconds
from assent_service.exchange.webhooks.schedule import asked_wait, next_attempt

NOON = microseconds(datetime(2026, 11, 20, 12, tzinfo=UTC))
WAITS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]


@pytest.mark.parametrize(("attempts", "wait"), list(enumerate(WAITS, 1)))
def test_each_wait(attempts: int, wait: int) -> None:
    assert next_attempt(attempts, NOON, chance=0.5) == NOON + wait
    assert next_attempt(attempts, NOON, chance=0) == NOON + wait * 9 // 10
    assert next_attempt(attempts, NOON, chance=1) == NOON + wait * 11 // 10


@pytest.mark.parametrize("attempts", [10, 11, 1000])
def test_after_ten_never(attempts: int) -> None:
    assert next_attempt(attempts, NOON, chance=0.5, asked=HOUR) is None


@given(st.integers(1, 9), st.floats(0, 1), st.none() | st.integers(0, 10 * DAY))
def test_never_earlier_than_asked_for_and_never_much_later_than_a_day(
    attempts: int, chance: float, asked: int | None
) -> None:
    at = next_attempt(attempts, NOON, chance=chance, asked=asked)
    assert at is not None
    assert at - NOON >= min(asked or 0, DAY)
    assert at - NOON <= max(1.1 * WAITS[attempts - 1] + 1, min(asked or 0, DAY))


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", 120 * SECOND),
        (" 7 ", 7 * SECOND),
        ("0", 0),
        ("99999999999999999999", DAY),
        (format_datetime(datetime(2026, 11, 20, 12, 30, tzinfo=UTC), usegmt=True), 30 * MINUTE),
        (format_datetime(datetime(2026, 11, 20, 11, tzinfo=UTC), usegmt=True), 0),
        (format_datetime(datetime(2036, 11, 20, 11, tzinfo=UTC), usegmt=True), DAY),
        ("soon", None),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("Fri, 20 Nov 2026 12:00:00 +" + "9" * 14, None),
        ("Fri, 20 Nov 2026 " + "9" * 20 + ":00:00 GMT", None),
        (None, None),
    ],
)
def test_what_retry_after_says(header: str | None, wait: int | None) -> None:
    assert asked_wait(header, NOON) == wait
