"""What has begun and not ended, by age: the oldest are what grows stale.

At most so many are watched, those that were met first: a young one is in no hurry to be known as stale, and an old one
that was forgotten would never be told of. What came while there were too many is not watched before the next start,
which begins with the oldest again.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from msgspec import Struct

MOST = 20_000


class AgingItem(Struct, frozen=True, gc=False):
    """What began at `at` (microseconds). `words` say what it is."""

    at: int
    agent_id: str | None
    action_id: str
    words: str


class Aging:
    """What is going on, by id."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: dict[str, AgingItem] = {}
        self._order: list[tuple[int, str]] = []
        self._looked = 0
        self._late: list[str] = []

    def watch(self, id_: str, what: AgingItem) -> None:
        known = self._known.get(id_)
        if known is not None:
            if known.at == what.at:
                self._known[id_] = what
                return
            self.forget(id_)
        elif len(self._known) >= self._most:
            return
        self._known[id_] = what
        place = (what.at, id_)
        if not self._order or place > self._order[-1]:
            self._order.append(place)
        else:
            insort(self._order, place)
        if what.at < self._looked:
            self._late.append(id_)

    def forget(self, id_: str) -> None:
        known = self._known.pop(id_, None)
        if known is not None:
            del self._order[bisect_left(self._order, (known.at, id_))]

    @property
    def late(self) -> bool:
        """Whether something was older than what was looked at before when it came."""
        return bool(self._late)

    def get(self, id_: str) -> AgingItem | None:
        return self._known.get(id_)

    def older(self, at: int) -> int:
        """How many began before `at`."""
        return bisect_left(self._order, (at,))

    def oldest(self) -> Iterator[tuple[str, AgingItem]]:
        """All of them, the oldest first."""
        for _, id_ in self._order:
            yield id_, self._known[id_]

    def turned(self, at: int) -> list[str]:
        """Those that began before `at` and that no call has told of yet."""
        found = [id_ for _, id_ in self._order[bisect_left(self._order, (self._looked,)) : self.older(at)]]
        late = [id_ for id_ in dict.fromkeys(self._late) if id_ in self._known and self._known[id_].at < self._looked]
        self._late.clear()
        self._looked = max(self._looked, at)
        return late + found

    def following(self, at: int) -> int | None:
        """When the first one began that did not begin before `at`."""
        place = self.older(at)
        return self._order[place][0] if place < len(self._order) else None
