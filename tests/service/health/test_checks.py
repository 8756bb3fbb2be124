"""The judgements, at their borders."""

import pytest

from assent_service.base.trail import Behind
from assent_service.health.health import check_disk, check_log, check_tables
from assent_service.store.log import Status


@pytest.mark.parametrize(
    ("free", "status"), [(1000, "pass"), (50, "pass"), (49, "warn"), (10, "warn"), (9, "fail"), (0, "fail")]
)
def test_disk_in_thousandths(free: int, status: str) -> None:
    assert check_disk(free, 1000).status == status


def test_a_disk_without_a_size_is_no_disk_to_write_to() -> None:
    assert check_disk(0, 0).status == "fail"


@pytest.mark.parametrize(
    ("status", "room", "verdict"),
    [
        (Status("healthy"), 0, "pass"),
        (Status("refusing", "No space left on device"), 999_999, "fail"),
        (Status("refusing", "No space left on device"), 1_000_000, "warn"),
        (Status("read_only", "a segment is damaged"), 10**12, "fail"),
    ],
)
def test_log(status: Status, room: int, verdict: str) -> None:
    check = check_log(status, room)
    assert check.status == verdict
    assert status.reason in check.detail


def test_tables_may_follow_slowly_but_not_stop() -> None:
    slow = check_tables(None, Behind(87, 1.25))
    assert slow.status == "pass"
    assert "87 events, 1.2 s behind" in slow.detail
    stopped = check_tables("disk full", Behind(87, 1.25))
    assert stopped.status == "fail"
    assert "87 events behind" in stopped.detail
    assert "disk full" in stopped.detail
