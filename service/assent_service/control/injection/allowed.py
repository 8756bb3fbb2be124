"""Texts that an operator allows although the injection scan finds something in them: allowing by digest, listing,
removing, and the look-up in memory.

- A text that is allowed stays allowed: allowing it again answers with the first entry and records nothing.
- Removing what is not on the list changes nothing and is no mistake.
- The digest is all that is kept of a text. It is of exactly these letters; one more makes it another text.
- Secrets are out of a text before its digest is made: guard never sees them, so it could not tell the text otherwise,
  and a digest of what nobody but a secret keeps unknown is enough to try secrets on.
"""

from __future__ import annotations

from hashlib import sha256

from msgspec.structs import replace

from assent.contract.control.injection import (
    AllowedText,
    AllowedTextAnswer,
    AllowedTexts,
    AllowText,
)
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.rows import record, select
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import (
    Table,
)

# Allowed texts in memory: asked only about a text in which something was found.


ALLOWED_TEXTS = Table.of(
    AllowedText,
    name="allowed_texts",
    meaning="texts that an operator allows whatever the scan finds in them, by digest",
    key="allowed_id",
    created=("allowed_text.created",),
    replaced=("allowed_text.updated",),
)


_COUNTING = (
    f"SELECT {select(ALLOWED_TEXTS)} FROM allowed_texts WHERE removed_at IS NULL ORDER BY created_at, allowed_id"
)


class AllowedState:
    """Those that count, of each organization, by digest, in the order in which they were allowed."""

    types = frozenset({EventName.ALLOWED_TEXT_CREATED.value, EventName.ALLOWED_TEXT_UPDATED.value})
    rules = True

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


ALLOWED_TEXT_FENCE = Fence("allowed_text", "text_digest")


def digest_of_text(text: str) -> str:
    """`sha256:` and the hex digest of the text in UTF-8."""
    return "sha256:" + sha256(text.encode()).hexdigest()


class AllowList:
    """The allowed texts of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self.state = AllowedState()

    async def allow(self, principal: Principal, said: AllowText) -> tuple[AllowedTextAnswer, bool]:
        """The entry, and whether it is new. Raises `invalid_body` unless a text or a digest is given, or both that fit
        each other."""
        text_digest = _digest(said)
        async with self._locks.hold(ALLOWED_TEXT_FENCE.of(principal.org_id, text_digest)):
            found = self.state.get(principal.org_id, text_digest)
            if found is not None:
                return _answer(found), False
            now = self._clock()
            entry = AllowedText(
                org_id=principal.org_id,
                allowed_id=new_id("alw_", now),
                text_digest=text_digest,
                reason=said.reason,
                allowed_by=principal.name,
                created_at=moment(now),
                removed_by=None,
                removed_at=None,
            )
            await self._record(EventName.ALLOWED_TEXT_CREATED, entry, principal, now)
            return _answer(entry), True

    def page(self, org_id: str) -> AllowedTexts:
        found = self.state.all(org_id)[::-1]
        return AllowedTexts(allowed_texts=found, total=len(found))

    async def remove(self, principal: Principal, text_digest: str) -> AllowedTextAnswer:
        async with self._locks.hold(ALLOWED_TEXT_FENCE.of(principal.org_id, text_digest)):
            found = self.state.get(principal.org_id, text_digest)
            if found is None:
                return AllowedTextAnswer(allowed_text=None, text_digest=text_digest, allowed=False)
            now = self._clock()
            removed = replace(found, removed_by=principal.name, removed_at=moment(now))
            await self._record(EventName.ALLOWED_TEXT_UPDATED, removed, principal, now)
            return _answer(removed)

    async def _record(self, name: EventName, entry: AllowedText, principal: Principal, now: int) -> None:
        await self._ledger.append(
            Draft(
                org=entry.org_id,
                type=name.value,
                ts=now,
                subject=entry.allowed_id,
                actor=principal.key_id,
                data=encode(entry),
            )
        )


def _digest(said: AllowText) -> str:
    if said.text is None:
        if said.text_digest is None:
            raise refuse(
                Code.INVALID_BODY,
                "Neither text nor text_digest is given; give the text to be allowed, or the text_digest that a scan "
                "answered with.",
                FieldError(place="text", message="is required without text_digest"),
            )
        return said.text_digest
    found = digest_of_text(said.text)
    if said.text_digest not in (None, found):
        raise refuse(
            Code.INVALID_BODY,
            f"text_digest is {said.text_digest}, and that of the text is {found}; give one of the two.",
            FieldError(place="text_digest", message="is not the text's"),
        )
    return found


def _answer(entry: AllowedText) -> AllowedTextAnswer:
    return AllowedTextAnswer(allowed_text=entry, text_digest=entry.text_digest, allowed=entry.removed_at is None)
