"""Whether a creation is signed, and what that amounts to.

| signature | agent | answer | with `require_signatures` |
|---|---|---|---|
| none | never paired, or none named | `unsigned` | `unsigned` |
| none | paired, revoked too | `unsigned` | refused: signature_required |
| there | never paired | `unknown_key` | `unknown_key` |
| there | revoked | `revoked` | refused: signature_invalid |
| bad | paired | refused: signature_invalid | the same |
| good | paired | `verified` | the same |
| good, and came before | paired | `replayed` | refused: signature_replayed |

Nothing is recorded of what is refused. An agent that was revoked does not get rid of the duty to sign. Imported and
simulated history is recorded by an admin and need not be signed. A repeat under the same idempotency key never comes
here: it is answered with the first action; nor does one with the same action_id, which is refused as existing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

from assent.contract.control.actions import Verification
from assent.contract.control.guard import Source
from assent.contract.people.identities import Identity
from assent.contract.problems import Code
from assent.proof.signing import decode_signature, verifies
from assent_service.base.problem import Refusal, refuse
from assent_service.control.actions.signature_memory import Key, SignatureMemory
from assent_service.control.guard import GuardQuestion
from assent_service.core.locks import EntityLocks, Fence
from assent_service.people.identities import IdentityState
from assent_service.store.conditions import Condition

SIGNATURE_FENCE = Fence("signature", "digest")
"""Nobody waits for it: memory knows a signature before it is recorded. What other processes record moves it."""
LARGE = 16_384
"""Bytes from which on a body is verified beside the loop, on which guard answers: two megabytes cost a second."""


@dataclass(frozen=True, slots=True)
class CheckedSignature:
    """`seen` is how a good signature is remembered, `fingerprint` the key that it was verified with; that it came first
    rests on `conditions`."""

    verification: Verification
    seen: Key | None = None
    fingerprint: str | None = None
    conditions: tuple[Condition, ...] = ()

    @property
    def evidence(self) -> dict[str, str]:
        """What the event keeps of it beside the action."""
        if self.seen is None or self.fingerprint is None:
            return {}
        return {"signature_digest": self.seen[1], "signed_with": self.fingerprint}


Recorded = Callable[[str, str, int, int], Awaitable[bool]]
"""Whether the tables know an organization's signature by its digest; see `Lookup.signed`."""

UNSIGNED = CheckedSignature(Verification.UNSIGNED)
UNKNOWN = CheckedSignature(Verification.UNKNOWN_KEY)
REVOKED = CheckedSignature(Verification.REVOKED)


class Signatures:
    """Looks at the signature of every creation."""

    def __init__(
        self, known: IdentityState, seen: SignatureMemory, recorded: Recorded, locks: EntityLocks, *, required: bool
    ) -> None:
        self._known, self._seen, self._recorded, self._required = known, seen, recorded, required
        self._locks = locks

    async def check(self, asked: GuardQuestion, signature: str | None, raw: bytes) -> CheckedSignature:
        """`raw` is the body as it came. Whoever goes on to record the action calls `done` in any case.

        Raises `signature_required`, `signature_invalid`, `signature_replayed` and `projection_behind`.
        """
        if signature is None and not self._required:
            return UNSIGNED
        agent_id = asked.agent_id
        identity = None if agent_id is None else self._known.get(asked.principal.org_id, agent_id)
        if identity is None:
            return UNSIGNED if signature is None else UNKNOWN
        if signature is None:
            if asked.source is not Source.LIVE:
                return UNSIGNED
            raise refuse(
                Code.SIGNATURE_REQUIRED,
                f"Actions of {agent_id} must be signed: it is paired, and this service requires it. Sign the body "
                "with the agent's private key; in the SDK, Client(private_key=...).",
            )
        if identity.revoked_at is not None:
            if self._required:
                raise refuse(
                    Code.SIGNATURE_INVALID,
                    f"The identity of {agent_id} was revoked at {identity.revoked_at.isoformat()}; "
                    "pair the agent again.",
                )
            return REVOKED
        return await self._verified(asked, identity, signature, raw)

    def needed(self, signature: str | None) -> bool:
        """Whether a creation has to be checked: it has a signature, or should have."""
        return signature is not None or self._required

    def done(self, signed: CheckedSignature) -> None:
        if signed.verification is Verification.VERIFIED and signed.seen is not None:
            self._seen.end(signed.seen)

    async def _verified(self, asked: GuardQuestion, identity: Identity, signature: str, raw: bytes) -> CheckedSignature:
        content, key = decode_signature(signature), self._known.key(identity)
        if content is None:
            raise _invalid(identity)
        if len(raw) < LARGE:
            good = verifies(key, content, raw)
        else:
            good = await asyncio.to_thread(verifies, key, content, raw)
            if self._known.get(identity.org_id, identity.agent_id) is not identity:
                return await self.check(asked, signature, raw)  # revoked or replaced meanwhile
        if not good:
            raise _invalid(identity)
        seen = (identity.org_id, sha256(content).hexdigest())
        unseen = self._locks.unmoved(SIGNATURE_FENCE.of(*seen), own=True)
        first = await self._first(seen)
        if self._known.get(identity.org_id, identity.agent_id) is not identity:
            if first:
                self._seen.end(seen)
            return await self.check(asked, signature, raw)  # revoked or replaced meanwhile
        if first:
            return CheckedSignature(Verification.VERIFIED, seen, identity.fingerprint, (unseen,))
        if self._required:
            raise refuse(
                Code.SIGNATURE_REPLAYED,
                "This signature came before, within a day. If the action is meant to happen again, sign a body that "
                "differs (idempotency_key or timestamp_start); if this is a retry, send the same Idempotency-Key.",
            )
        return CheckedSignature(Verification.REPLAYED, seen, identity.fingerprint)

    async def _first(self, key: Key) -> bool:
        """Whether nobody has seen this signature within the day; it counts as seen from now on if so.

        Raises `projection_behind` when only the tables could tell and cannot be asked."""
        org_id, signature_digest = key
        if not self._seen.begin(key):
            return False
        first = False
        try:
            first = not self._seen.partial(org_id) or not await self._recorded(
                org_id, signature_digest, self._seen.since(), self._seen.size(org_id)
            )
        finally:
            if not first:
                self._seen.end(key)
        return first


def _invalid(identity: Identity) -> Refusal:
    return refuse(
        Code.SIGNATURE_INVALID,
        f"The signature is not one of {identity.agent_id}'s key ({identity.algorithm}, {identity.fingerprint[:23]}...) "
        "over this body. Sign the canonical JSON of the whole body without _signature, exactly as it is sent, and "
        "check that the key is the one that was paired.",
    )
