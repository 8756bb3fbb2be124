"""What a caller is told when something could not be recorded, or cannot be read yet."""

from __future__ import annotations

from assent.contract.problems import Code
from assent_service.core.problem import Refusal, refuse
from assent_service.store.failures import LogClosed, ReadOnly


def not_recorded(error: BaseException) -> Refusal:
    """Why the log did not take a write: `shutting_down`, `read_only` or `storage_unavailable`."""
    if isinstance(error, LogClosed):
        return refuse(Code.SHUTTING_DOWN, "The service is stopping and records nothing more; try again soon.")
    if isinstance(error, ReadOnly):
        return refuse(Code.READ_ONLY, f"The evidence log is read-only: {error}. Restart the service once it is mended.")
    return refuse(
        Code.STORAGE_UNAVAILABLE,
        f"Nothing was recorded, so nothing was done: {error}. Free space in the data folder and try again.",
    )


def behind(why: str) -> Refusal:
    return refuse(
        Code.PROJECTION_BEHIND,
        f"The tables are behind the log, so this read cannot be answered truthfully yet: {why}. "
        "Try again; guard goes on meanwhile.",
    )
