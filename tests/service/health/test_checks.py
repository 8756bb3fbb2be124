"""The judgements, at their borders."""

import pytest

from assent_service.health.checks import check_disk, check_log, check_tables
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
    assert check_tables(None, 3, 90).status == "pass"
    stopped = check_tables("disk full", 3, 90)
    assert stopped.status == "fail"
    assert "87 events behind" in stopped.detail
    assert "disk full" in stopped.detail


def test_how_much_all_organizations_record_is_not_told() -> None:
    for behind in (None, "disk full"):
        assert check_tables(behind, 5003, 5090).detail == check_tables(behind, 7003, 7090).detail
