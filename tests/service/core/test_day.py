"""Days."""

import pytest

from assent_service.core.day import day_of
from assent_service.core.problem import Refusal

NEARLY_MIDNIGHT = 1_772_496_000_000_000 - 1
"""The last microsecond of 2026-03-02."""


def test_today_is_utcs() -> None:
    assert day_of(None, "session_date", NEARLY_MIDNIGHT) == "2026-03-02"
    assert day_of(None, "session_date", NEARLY_MIDNIGHT + 1) == "2026-03-03"


def test_a_day_is_itself_if_a_calendar_has_it() -> None:
    assert day_of("2024-02-29", "session_date", 0) == "2024-02-29"
    for wrong in ("2026-02-29", "2026-13-01", "0000-01-01"):
        with pytest.raises(Refusal) as refused:
            day_of(wrong, "session_date", 0)
        assert refused.value.errors[0].place == "session_date"
