"""Which of many has the most, told at once however many there are: each grows and shrinks by one at a time."""

from __future__ import annotations


class Sizes:
    """How much each has, `total` together; what has nothing is not kept."""

    def __init__(self) -> None:
        self.total = 0
        self._of: dict[str, int] = {}
        self._with: dict[int, dict[str, None]] = {}
        self._most = 0

    @property
    def largest(self) -> str:
        """The one with the most, of several the one that has had it longest. There must be one."""
        return next(iter(self._with[self._most]))

    def grow(self, name: str) -> None:
        self._step(name, 1)

    def shrink(self, name: str) -> None:
        self._step(name, -1)

    def _step(self, name: str, by: int) -> None:
        before = self._of.pop(name, 0)
        after = before + by
        if before:
            self._with[before].pop(name)
            if not self._with[before]:
                del self._with[before]
        if after:
            self._of[name] = after
            self._with.setdefault(after, {})[name] = None
        self.total += by
        # Whoever alone had the most and has one less now still has as many as any other.
        if after > self._most or self._most not in self._with:
            self._most = after
