"""Guard's memory of recent decisions: those that a creation may name, and which one answers an idempotency key.

Decisions of the last five minutes: a creation may name one instead of asking guard again, once.

The newest 20,000 are in memory, as far as they fit into their budget, so that neither memory nor the start grows with
the traffic; the others are in the tables, where guard looks when somebody names one.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from assent.contract.names import comparable
from assent_service.base.clock import MINUTE
from assent_service.base.memory import DEFAULT, MemoryBudget, Newest

KEEP = 5 * MINUTE
NEWEST = 20_000


class RecentDecisions:
    """Payloads of unused decisions by organization and id, oldest first; used and old ones are gone."""

    def __init__(self, memory: MemoryBudget = DEFAULT) -> None:
        self._payloads: Newest[tuple[str, str], tuple[int, bytes]] = Newest(most=NEWEST, budget=memory.of("decisions"))

    def add(self, org_id: str, decision_id: str, at: int, payload: bytes) -> None:
        self._payloads.put((org_id, decision_id), (at, payload), len(payload))
        while (oldest := self._payloads.oldest()) and oldest[1][0] <= at - KEEP:
            self._payloads.pop(oldest[0])

    def use(self, org_id: str, decision_id: str) -> None:
        self._payloads.pop((org_id, decision_id))

    def get(self, org_id: str, decision_id: str, now: int) -> bytes | None:
        """The decision's payload while it may still be used."""
        found = self._payloads.get((org_id, decision_id))
        return found[1] if found is not None and found[0] > now - KEEP else None

    def snapshot(self, now: int) -> set[tuple[str, str]]:
        """The newest half of what fits, to compare two memories: which older ones are still here depends on when the
        newer ones were used, and they are found in the tables all the same."""
        held = sorted((at, key) for key, (at, _) in self._payloads.items() if at > now - KEEP)
        return {key for _, key in held[-(NEWEST // 2) :]}


# Which decision answers an idempotency key: of the last five minutes, for as long as the decision itself may be used.
#
# An entry is a digest and an id of ours, so its size does not depend on what callers make their keys of: 200,000 take
# about 60 MB. Two generations are kept: when the young one is full, or has lasted as long as a key answers, it becomes
# the old one, and the old one is let go. So at least the newest half of the limit is there, without an order to keep.


NEWEST_REPEATS = 200_000


def scope(org_id: str, agent_id: str | None, idempotency_key: str) -> bytes:
    """Keys are separate for each agent of each organization, however its name is spelled. Neither an
    organization's id nor a key holds a line break, so no two scopes are written alike."""
    agent = "" if agent_id is None else f"={comparable(agent_id) or agent_id}"
    return sha256(f"{org_id}\n{idempotency_key}\n{agent}".encode("utf-8", "surrogatepass")).digest()[:20]


class Repeats:
    """Ids of decisions by the scope of the key that they were asked for with."""

    def __init__(self) -> None:
        self._young: dict[bytes, tuple[int, str]] = {}
        self._old: dict[bytes, tuple[int, str]] = {}
        self._since = 0

    def add(self, name: bytes, at: int, decision_id: str) -> None:
        if len(self._young) >= NEWEST_REPEATS // 2 or at - self._since > KEEP:
            self._old, self._young, self._since = self._young, {}, at
        self._young[name] = (at, decision_id)

    def get(self, name: bytes, now: int) -> str | None:
        """The decision's id while the key answers."""
        found = self._young.get(name) or self._old.get(name)
        return found[1] if found is not None and found[0] > now - KEEP else None

    def snapshot(self, now: int) -> dict[bytes, str]:
        """Keys that answer, to compare two memories."""
        return {name: decision_id for name, (at, decision_id) in self._held() if at > now - KEEP}

    def _held(self) -> Iterator[tuple[bytes, tuple[int, str]]]:
        yield from (self._old | self._young).items()
