"""What is looked at, and what is made of it.

- log: fails when it is read-only, and while writes are refused for want of room; nothing can be governed then.
- tables: fail while something keeps them from following the log. That they are some events behind is their nature.
- disk: warns when less than 5 % of it is free, fails under 1 %.
"""

from __future__ import annotations

from assent.contract.health import Check
from assent_service.store.log import Status

WARN_FREE = 0.05
FAIL_FREE = 0.01
ROOM = 1_000_000


def check_log(status: Status, room: int) -> Check:
    """`room` is what is free where the log is, in bytes. A refused write is over once there is room again: whether the
    next one succeeds is known when it comes, and it may not come while nobody is told that the service is ready."""
    if status.state == "healthy":
        return _check("log", "pass", "Writes are taken.")
    if status.state == "refusing":
        verdict = "warn" if room >= ROOM else "fail"
        return _check("log", verdict, f"The last write was refused: {status.reason}. The next one is tried again.")
    return _check("log", "fail", f"Read-only: {status.reason}. Check the disk, then restart the service.")


def check_tables(behind: str | None, applied: int, head: int) -> Check:
    """`applied` and `head` are the last events in the tables and in the log. Neither is told, only how far apart they
    are: everybody may ask, and they count what all organizations record."""
    if behind is None:
        return _check("tables", "pass", f"They follow the log ({head - applied} events behind).")
    return _check(
        "tables",
        "fail",
        f"They stopped {head - applied} events behind the log: {behind}. Free space in the data folder; they catch up "
        "then.",
    )


def check_disk(free: int, total: int) -> Check:
    """`free` is what the service may still use of `total`, in bytes."""
    share = free / total if total else 0.0
    said = f"{share:.1%} of the data folder's disk is free ({free // 1_000_000} MB)."
    if share < FAIL_FREE:
        return _check("disk", "fail", f"{said} Free some: writes will soon be refused.")
    if share < WARN_FREE:
        return _check("disk", "warn", f"{said} Free some before it is full.")
    return _check("disk", "pass", said)


def _check(name: str, status: str, detail: str) -> Check:
    return Check(name=name, status=status, detail=detail)
