"""Allowed texts in memory: asked only about a text in which something was found."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.injection import AllowedText
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.injection.tables import ALLOWED_TEXTS
from assent_service.store.event import Event
from assent_service.store.ledger import Read

_COUNTING = (
    f"SELECT {select(ALLOWED_TEXTS)} FROM allowed_texts WHERE removed_at IS NULL ORDER BY created_at, allowed_id"
)


class AllowedState:
    """Those that count, of each organization, by digest, in the order in which they were allowed."""

    types = frozenset({EventName.ALLOWED_TEXT_CREATED.value, EventName.ALLOWED_TEXT_UPDATED.value})

    def __init__(self) -> None:
        self._of: dict[str, dict[str, AllowedText]] = {}

    def load(self, read: Read) -> None:
        for row in read(_COUNTING, []):
            self._keep(record(ALLOWED_TEXTS, row, AllowedText))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, AllowedText))

    def get(self, org_id: str, text_digest: str) -> AllowedText | None:
        allowed = self._of.get(org_id)
        return None if allowed is None else allowed.get(text_digest)

    def all(self, org_id: str) -> list[AllowedText]:
        return list(self._of.get(org_id, {}).values())

    def _keep(self, text: AllowedText) -> None:
        allowed = self._of.setdefault(text.org_id, {})
        allowed.pop(text.text_digest, None)
        if text.removed_at is None:
            allowed[text.text_digest] = text
