"""A machine whose clock a test sets, beside the time that really passes."""

from __future__ import annotations

START = 1_772_442_000_000_000  # 2026-03-02 09:00 UTC


class Machine:
    """Both in microseconds. `go` lets time pass, `jump` sets the clock."""

    def __init__(self) -> None:
        self._passed, self._wall = 5_000_000, START

    def passed(self) -> int:
        return self._passed

    def wall(self) -> int:
        return self._wall

    def go(self, by: int) -> None:
        self._passed += by
        self._wall += by

    def jump(self, by: int) -> None:
        self._wall += by
