"""Decisions of the last five minutes: a creation may name one instead of asking guard again, once.

The newest 20,000 are in memory, so that neither memory nor the start grows with the traffic; the others are in the
tables, where guard looks when somebody names one.
"""

from __future__ import annotations

from collections import deque

from assent_service.core.clock import MINUTE

KEEP = 5 * MINUTE
NEWEST = 20_000


class Recent:
    """Payloads of unused decisions by organization and id; used and old ones are gone."""

    def __init__(self) -> None:
        self._payloads: dict[tuple[str, str], tuple[int, bytes]] = {}
        self._order: deque[tuple[int, tuple[str, str]]] = deque()

    def add(self, org_id: str, decision_id: str, at: int, payload: bytes) -> None:
        self._payloads[org_id, decision_id] = (at, payload)
        self._order.append((at, (org_id, decision_id)))
        while self._order and (self._order[0][0] <= at - KEEP or len(self._order) > NEWEST):
            _, key = self._order.popleft()
            self._payloads.pop(key, None)

    def use(self, org_id: str, decision_id: str) -> None:
        self._payloads.pop((org_id, decision_id), None)

    def get(self, org_id: str, decision_id: str, now: int) -> bytes | None:
        """The decision's payload while it may still be used."""
        found = self._payloads.get((org_id, decision_id))
        return found[1] if found is not None and found[0] > now - KEEP else None

    def snapshot(self, now: int) -> set[tuple[str, str]]:
        return {key for key, (at, _) in self._payloads.items() if at > now - KEEP}
