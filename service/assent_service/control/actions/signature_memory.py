"""Signatures that came before, remembered for a day in bounded memory, so that a replayed request is known.

Signing is deterministic, so whoever repeats a body repeats its signature.

1. One counts for a day after it was last recorded, also across a restart. Only signatures that were good do, and only
   holders of trusted keys can make those.
2. Memory keeps the newest EACH of an organization, and the newest SEEN of all: beyond those the organization with the
   most loses its oldest. So nobody pushes out those of an organization that has fewer.
3. What memory has lost within the day is still in the tables. An organization that has lost any is `partial` until the
   last one lost is a day old: a signature that memory does not know is then looked for there before it is called new.

What that costs: an organization with no more than EACH signed creations in a day (one every two seconds) pays nothing.
Beyond, each of its signed creations asks the tables one question, over the creations of the last day. Of 200,000 those
it takes milliseconds, beside the loop, and guard, unsigned creations and other organizations do not wait for it. When
the tables cannot be asked, the creation is refused as `projection_behind`: better late than verified twice. Memory
takes about 200 bytes for one, 50 MB at most.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from datetime import datetime

from assent_service.base.clock import DAY, Clock, microseconds, naive
from assent_service.store.ledger import Read

# Which of many has the most, told at once however many there are: each grows and shrinks by one at a time.


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


LIFE = DAY
EACH = 50_000
SEEN = 200_000

SIGNED = (
    "(SELECT org_id, signature_digest, created_at FROM actions UNION ALL "
    "SELECT org_id, signature_digest, action_created_at FROM erasures) AS signed_creations"
)
"""That an action was erased since does not make its signature new."""
_OF_THE_DAY = f"FROM {SIGNED} WHERE created_at > ? AND signature_digest IS NOT NULL"

Key = tuple[str, str]
"""An organization and the digest of a signature."""


class SignatureMemory:
    """A signature that is being recorded counts as seen; once that failed, it does not."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._recorded: dict[str, OrderedDict[str, int]] = {}
        self._sizes = Sizes()
        self._lost: dict[str, int] = {}
        self._under_way: set[Key] = set()

    def load(self, read: Read) -> None:
        """What the tables hold of the last day, as far as there is room."""
        since = naive(self.since())
        counts = read(f"SELECT org_id, count(DISTINCT signature_digest) {_OF_THE_DAY} GROUP BY org_id", [since])
        share = fair_share(int(str(count)) for _, count in counts)
        rows = read(
            "SELECT org_id, signature_digest, newest, place FROM ("
            "SELECT *, ROW_NUMBER() OVER (PARTITION BY org_id ORDER BY newest DESC, signature_digest) AS place FROM ("
            f"SELECT org_id, signature_digest, max(created_at) AS newest {_OF_THE_DAY} "
            "GROUP BY org_id, signature_digest) AS signed) AS placed "
            "WHERE place <= ? ORDER BY newest, signature_digest DESC",
            [since, share + 1],
        )
        for org_id, signature_digest, newest, place in rows:
            assert isinstance(newest, datetime)
            if int(str(place)) > share:
                self._lose(str(org_id), microseconds(newest))
            else:
                self.remember((str(org_id), str(signature_digest)), microseconds(newest))

    def begin(self, key: Key) -> bool:
        """Whether this is its first sight, as far as memory knows; whoever records it calls `end` in any case."""
        org_id, digest = key
        known = key in self._under_way or self._kept(org_id).get(digest, -LIFE) > self.since()
        if not known:
            self._under_way.add(key)
        return not known

    def end(self, key: Key) -> None:
        self._under_way.discard(key)

    def since(self) -> int:
        """What was recorded later than this (microseconds) counts."""
        return self._clock() - LIFE

    def partial(self, org_id: str) -> bool:
        """Whether some of the organization's that still count are in the tables only."""
        return self._lost.get(org_id, -LIFE) > self.since()

    def size(self, org_id: str) -> int:
        """How many of the organization's are here; each was recorded later than any that was lost."""
        return len(self._kept(org_id))

    def remember(self, key: Key, at: int) -> None:
        """It was recorded at this time (microseconds)."""
        org_id, digest = key
        kept = self._recorded.setdefault(org_id, OrderedDict())
        if digest not in kept:
            self._sizes.grow(org_id)
        kept[digest] = max(at, kept.get(digest, at))
        kept.move_to_end(digest)
        while len(kept) > EACH or next(iter(kept.values())) <= at - LIFE:
            self._drop_oldest(org_id)
        while self._sizes.total > SEEN:
            self._drop_oldest(self._sizes.largest)

    def snapshot(self) -> dict[Key, int]:
        """Those that count now, to compare two memories."""
        oldest = self.since()
        return {(org, digest): at for org, kept in self._recorded.items() for digest, at in kept.items() if at > oldest}

    def _kept(self, org_id: str) -> OrderedDict[str, int]:
        return self._recorded.get(org_id, OrderedDict())

    def _drop_oldest(self, org_id: str) -> None:
        kept = self._recorded[org_id]
        _, at = kept.popitem(last=False)
        self._sizes.shrink(org_id)
        if not kept:
            del self._recorded[org_id]
        self._lose(org_id, at)

    def _lose(self, org_id: str, at: int) -> None:
        self._lost[org_id] = max(at, self._lost.get(org_id, at))


def fair_share(counts: Iterable[int]) -> int:
    """The most that memory takes of each organization's, so that all of them have room; `counts` is what each has."""
    room, waiting = SEEN, sorted(min(count, EACH) for count in counts)
    for index, count in enumerate(waiting):
        share = room // (len(waiting) - index)
        if count > share:
            return share
        room -= count
    return EACH
