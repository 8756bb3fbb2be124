"""The newest of something, by id, at most so many."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

MOST = 1_000


class Noted(Struct, frozen=True, gc=False):
    """An action as it was when it was noted at `at` (microseconds)."""

    at: int
    agent_id: str | None
    action_type: str
    risk: float
    status: str


class Newest:
    """Beyond `most`, the one that was noted first is forgotten."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._noted: dict[str, Noted] = {}

    def __len__(self) -> int:
        return len(self._noted)

    def put(self, id_: str, what: Noted) -> bool:
        """Whether it was not there."""
        fresh = id_ not in self._noted
        if not fresh and self._noted[id_].at != what.at:
            # It counts as noted anew.
            del self._noted[id_]
        self._noted[id_] = what
        if len(self._noted) > self._most:
            del self._noted[next(iter(self._noted))]
        return fresh

    def drop(self, id_: str) -> None:
        self._noted.pop(id_, None)

    def get(self, id_: str) -> Noted | None:
        return self._noted.get(id_)

    def items(self) -> Iterator[tuple[str, Noted]]:
        return iter(list(self._noted.items()))
