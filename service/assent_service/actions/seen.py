"""Signatures that came before. Signing is deterministic, so whoever repeats a body repeats its signature.

One is remembered for a day after it was last recorded, also across a restart, the newest SEEN of them, of all
organizations together. Only signatures that were good are, and only holders of trusted keys can make those: nobody else
can push one out.
"""

from __future__ import annotations

from collections import OrderedDict

from assent_service.core.clock import DAY, Clock

LIFE = DAY
SEEN = 200_000

Key = tuple[str, str]
"""An organization and the digest of a signature."""


class SeenSignatures:
    """A signature that is being recorded counts as seen; once that failed, it does not."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._recorded: OrderedDict[Key, int] = OrderedDict()
        self._under_way: set[Key] = set()

    def begin(self, key: Key) -> bool:
        """Whether this is its first sight; whoever records it calls `end` in any case."""
        known = key in self._under_way or self._recorded.get(key, -LIFE) > self._clock() - LIFE
        if not known:
            self._under_way.add(key)
        return not known

    def end(self, key: Key) -> None:
        self._under_way.discard(key)

    def remember(self, key: Key, at: int) -> None:
        """It was recorded at this time (microseconds)."""
        self._recorded[key] = max(at, self._recorded.get(key, at))
        self._recorded.move_to_end(key)
        while len(self._recorded) > SEEN or self._oldest() <= at - LIFE:
            self._recorded.popitem(last=False)

    def snapshot(self) -> dict[Key, int]:
        """Those that count now, to compare two memories."""
        oldest = self._clock() - LIFE
        return {key: at for key, at in self._recorded.items() if at > oldest}

    def _oldest(self) -> int:
        return next(iter(self._recorded.values()))
