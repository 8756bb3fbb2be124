"""How much memory the folds may take: a budget in bytes, and mappings that keep to theirs.

One setting, `memory_megabytes`, is what the service's own memory may hold in all; SHARES says who gets which part of
it. What no longer fits is in the tables, where it is looked up: memory is a copy, so forgetting costs time and never an
answer. Counts alone are no bound, since whoever writes says how long a row is.

    budget = MemoryBudget(1024)
    newest = Newest(most=20_000, budget=budget.of("actions"))
    newest.put(("org_a", "act_1"), payload, len(payload))
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Final, Generic, TypeVar

MEGABYTE: Final = 1_000_000
SHARES: Final = {
    "actions": 0.12,
    "decisions": 0.06,
    "idempotency": 0.12,
    "approvals": 0.06,
    "questions": 0.02,
    "flows": 0.05,
    "histories": 0.06,
    "rates": 0.04,
    "learning": 0.1,
    "backlog": 0.12,
}
"""Parts of the whole. The rest is for requests under way, queries, the interpreter and its modules."""
ENTRY: Final = 350
"""Bytes that an entry of a mapping costs beside its value: key, place and objects. Measured with tracemalloc."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class MemoryBudget:
    """`megabytes` for everything."""

    def __init__(self, megabytes: int = 1024) -> None:
        self._bytes = megabytes * MEGABYTE

    def of(self, fold: str) -> int:
        """The bytes that one of SHARES may take."""
        return int(self._bytes * SHARES[fold])


DEFAULT: Final = MemoryBudget()


class Newest(Generic[K, V]):
    """A mapping that forgets what was put or touched longest ago, once there are more than `most` or they take more
    than `budget` bytes. `forgotten` counts what it has forgotten for want of room."""

    def __init__(self, *, budget: int, most: int | None = None) -> None:
        self._budget, self._most = budget, most
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.bytes = 0
        self.forgotten = 0

    def put(self, key: K, value: V, size: int) -> None:
        """Keep `value`, of `size` bytes, as the newest. One that is larger than the whole budget is not kept."""
        self.pop(key)
        size += ENTRY
        self._values[key] = value, size
        self.bytes += size
        while self.bytes > self._budget or (self._most is not None and len(self._values) > self._most):
            self._forget_oldest()

    def touch(self, key: K) -> V | None:
        """The value, which is the newest from now on."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def get(self, key: K) -> V | None:
        found = self._values.get(key)
        return None if found is None else found[0]

    def grow(self, key: K, by: int) -> None:
        """The value has come to take so many bytes more, or fewer. It may be forgotten for that itself."""
        value, size = self._values[key]
        self._values[key] = value, size + by
        self.bytes += by
        while self.bytes > self._budget:
            self._forget_oldest()

    def pop(self, key: K) -> V | None:
        found = self._values.pop(key, None)
        if found is None:
            return None
        self.bytes -= found[1]
        return found[0]

    def oldest(self) -> tuple[K, V] | None:
        """What is forgotten next."""
        for key, (value, _) in self._values.items():
            return key, value
        return None

    def items(self) -> Iterator[tuple[K, V]]:
        """The oldest first."""
        for key, (value, _) in self._values.items():
            yield key, value

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def _forget_oldest(self) -> None:
        _, (_, size) = self._values.popitem(last=False)
        self.bytes -= size
        self.forgotten += 1
