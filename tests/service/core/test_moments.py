"""Days and times that come in."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta

from assent.contract.record import meaning
from assent_service.base.problem import Refusal
from assent_service.core.moments import day_of, put_in_utc

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


class Told(msgspec.Struct):
    """A time may be required, missing, bounded, or say what it means: it is a time in each."""

    plain: datetime
    missing: datetime | None
    zoned: Annotated[datetime, Meta(tz=True)] | None
    meant: Annotated[datetime | None, meaning("when it began")]
    text: str = "0001-01-01T00:00:00Z"
    published: datetime | None = msgspec.field(default=None, name="at")


@pytest.mark.parametrize("member", ["plain", "missing", "zoned", "meant", "published"])
@pytest.mark.parametrize(
    "wrong",
    [
        *(datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)),
        datetime(2026, 11, 20, 12),  # noqa: DTZ001 - without its zone, as a caller may write it
    ],
)
def test_a_time_that_not_every_reader_can_say_is_refused(member: str, wrong: datetime) -> None:
    right: dict[str, Any] = dict.fromkeys(("plain", "missing", "zoned", "meant"), datetime(1970, 1, 1, tzinfo=UTC))
    put_in_utc(Told(**right))
    with pytest.raises(Refusal) as refused:
        put_in_utc(Told(**(right | {member: wrong})))
    assert refused.value.errors[0].place == ("at" if member == "published" else member)


@pytest.mark.parametrize("member", ["plain", "missing", "zoned", "meant", "published"])
def test_a_time_of_another_zone_is_the_same_moment_in_utc(member: str) -> None:
    there = datetime(2026, 11, 20, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    right: dict[str, Any] = dict.fromkeys(("plain", "missing", "zoned", "meant"), datetime(1970, 1, 1, tzinfo=UTC))
    told = Told(**(right | {member: there}))
    put_in_utc(told)
    assert getattr(told, member).isoformat() == "2026-11-19T23:30:00+00:00"
