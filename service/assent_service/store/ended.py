"""Actions about which nothing more is taken, because they are being erased or were.

A request may have looked at an action before its erasure, and speak only afterwards; what it says would then be left to
be read. So from the moment on that an erasure looks for what it covers, whatever else is about the
action is refused. The newest MOST are remembered, for as long as the process runs: no request takes that many erasures,
and none outlives the process.
"""

from __future__ import annotations

from collections.abc import Sequence

from assent.contract.problems import Code
from assent_service.core.problem import refuse
from assent_service.store.erasure import ERASED
from assent_service.store.event import Draft

MOST = 10_000


class Ended:
    """Of all organizations; `any` is whether there are some."""

    def __init__(self) -> None:
        self._ended: dict[tuple[str, str | None], None] = {}
        self.any = False

    def add(self, org_id: str, action_id: str) -> None:
        """Take nothing more about this action but an erasure."""
        self._ended[org_id, action_id] = None
        if len(self._ended) > MOST:
            del self._ended[next(iter(self._ended))]
        self.any = True

    def remove(self, org_id: str, action_id: str) -> None:
        """Take back `add`, when nothing came of it."""
        self._ended.pop((org_id, action_id), None)
        self.any = bool(self._ended)

    def has(self, org_id: str, action_id: str | None) -> bool:
        return (org_id, action_id) in self._ended

    def check(self, drafts: Sequence[Draft]) -> None:
        """Raises `action_erased` when one of them is about such an action, and no erasure."""
        for draft in drafts:
            if draft.type != ERASED and self.has(draft.org, draft.action):
                raise refuse(
                    Code.ACTION_ERASED,
                    f"Action {draft.action} was erased just now; nothing more can be recorded about it.",
                )
