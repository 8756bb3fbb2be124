"""Allowing texts by digest.

- A text that is allowed stays allowed: allowing it again answers with the first entry and records nothing.
- Removing what is not on the list changes nothing and is no mistake.
- The digest is all that is kept of a text. It is of exactly these letters; one more makes it another text.
- Secrets are out of a text before its digest is made: guard never sees them, so it could not tell the text otherwise,
  and a digest of what nobody but a secret keeps unknown is enough to try secrets on.
"""

from __future__ import annotations

from hashlib import sha256

from msgspec.structs import replace

from assent.contract.events import EventName
from assent.contract.injection import AllowedText, AllowedTextAnswer, AllowedTexts, AllowText
from assent.contract.problems import Code, FieldError
from assent_service.core.clock import Clock, moment, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.injection.state import AllowedState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


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
        async with self._locks.hold(_lock(principal, text_digest)):
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
        async with self._locks.hold(_lock(principal, text_digest)):
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


def _lock(principal: Principal, text_digest: str) -> str:
    return f"allowed_text:{principal.org_id}:{text_digest}"


def _answer(entry: AllowedText) -> AllowedTextAnswer:
    return AllowedTextAnswer(allowed_text=entry, text_digest=entry.text_digest, allowed=entry.removed_at is None)
