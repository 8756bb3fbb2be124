"""When a schedule has its turns, against a calendar."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assent_service.evidence.compliance.cron import following, read_cron


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("expression", "after", "turn"),
    [
        ("0 6 * * *", "2026-03-02 05:59:59", "2026-03-02 06:00"),
        ("0 6 * * *", "2026-03-02 06:00", "2026-03-03 06:00"),
        ("15 * * * *", "2026-12-31 23:15", "2027-01-01 00:15"),
        # 2 March 2026 is a Monday.
        ("0 6 * * 1", "2026-03-02 06:00", "2026-03-09 06:00"),
        ("0 6 * * 0", "2026-03-02 06:00", "2026-03-08 06:00"),
        ("0 6 * * 7", "2026-03-02 06:00", "2026-03-08 06:00"),
        ("0 6 * * 5-7", "2026-03-02 06:00", "2026-03-06 06:00"),
        ("30 8,20 * * 1-5", "2026-03-06 20:30", "2026-03-09 08:30"),
        ("0 */6 * * *", "2026-03-02 06:00", "2026-03-02 12:00"),
        ("0 9-17/4 * * *", "2026-03-02 13:00", "2026-03-02 17:00"),
        ("0 0 31 * *", "2026-03-31 00:00", "2026-05-31 00:00"),
        ("0 0 1 1,7 *", "2026-03-02 00:00", "2026-07-01 00:00"),
        ("5 4 */10 2 *", "2027-02-11 04:05", "2027-02-21 04:05"),
        # The 13th or a Friday: either is enough.
        ("0 0 13 * 5", "2026-03-02 00:00", "2026-03-06 00:00"),
        ("0 0 13 * 5", "2026-04-10 00:00", "2026-04-13 00:00"),
        ("0 0 29 2 *", "2026-03-02 00:00", "2028-02-29 00:00"),
        # 2100 is no leap year.
        ("0 0 29 2 *", "2096-02-29 00:00", "2104-02-29 00:00"),
        ("  0   6 *\t* 1 ", "2026-03-02 06:00", "2026-03-09 06:00"),
        ("07 6 * * *", "2026-03-02 06:00", "2026-03-02 06:07"),
    ],
)
def test_the_next_turn(expression: str, after: str, turn: str) -> None:
    assert following(read_cron(expression), at(after)) == at(turn)


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("", "has 0 fields"),
        ("daily", "has 1 fields; give five: minute, hour"),
        ("0 6 * * 1 2026", "has 6 fields"),
        ("* 6 * * *", "has several minutes"),
        ("*/5 * * * *", "has several minutes"),
        ("0,30 * * * *", "has several minutes"),
        ("60 6 * * *", "'60' as minute, which goes from 0 to 59"),
        ("0 24 * * *", "'24' as hour, which goes from 0 to 23"),
        ("0 6 0 * *", "'0' as day of the month, which goes from 1 to 31"),
        ("0 6 * 13 *", "'13' as month"),
        ("0 6 * * 8", "'8' as day of the week, which goes from 0 to 7"),
        ("0 17-9 * * *", "'17-9' as hour"),
        ("0 */0 * * *", "a step is of * or a range, and at least 1"),
        ("0 5/2 * * *", "a step is of * or a range"),
        ("0 6 * * MON", "'MON' as day of the week; give *, a number"),
        ("0 -1 * * *", "'-1' as hour"),
        ("0 6,, * * *", "'' as hour"),
        ("0 ٦ * * *", "as hour; give *"),
        ("0 6 ? * *", "'?' as day of the month"),
    ],
)
def test_what_is_no_expression_says_why(expression: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"^has ") as refused:
        read_cron(expression)
    assert words in str(refused.value)


def test_a_day_that_no_calendar_has_is_no_turn() -> None:
    with pytest.raises(ValueError, match="has no turn in the next nine years"):
        following(read_cron("0 0 30 2 *"), at("2026-03-02 00:00"))
