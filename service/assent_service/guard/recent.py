"""Decisions of the last five minutes: a creation may name one instead of asking guard again, once.

The newest 20,000 are in memory, so that neither memory nor the start grows with the traffic; the others are in the
tables, where guard looks when somebody names one.
"""

from __future__ import annotations

from collections import OrderedDict

from assent_service.core.clock import MINUTE

KEEP = 5 * MINUTE
NEWEST = 20_000


class Recent:
    """Payloads of unused decisions by organization and id, oldest first; used and old ones are gone."""

    def __init__(self) -> None:
        self._payloads: OrderedDict[tuple[str, str], tuple[int, bytes]] = OrderedDict()

    def add(self, org_id: str, decision_id: str, at: int, payload: bytes) -> None:
        self._payloads[org_id, decision_id] = (at, payload)
        while len(self._payloads) > NEWEST or self._oldest() <= at - KEEP:
            self._payloads.popitem(last=False)

    def use(self, org_id: str, decision_id: str) -> None:
        self._payloads.pop((org_id, decision_id), None)

    def get(self, org_id: str, decision_id: str, now: int) -> bytes | None:
        """The decision's payload while it may still be used."""
        found = self._payloads.get((org_id, decision_id))
        return found[1] if found is not None and found[0] > now - KEEP else None

    def snapshot(self, now: int) -> set[tuple[str, str]]:
        """The newest half of what fits, to compare two memories: which older ones are still here depends on when the
        newer ones were used, and they are found in the tables all the same."""
        held = sorted((at, key) for key, (at, _) in self._payloads.items() if at > now - KEEP)
        return {key for _, key in held[-(NEWEST // 2) :]}

    def _oldest(self) -> int:
        """The time of the oldest; there always is one when this is asked."""
        return next(iter(self._payloads.values()))[0]
