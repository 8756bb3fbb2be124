"""Proofs as they are asked for: who may have which, and in which form.

An agent's key gets the proof of actions that it may see, and no other; the organization's is for those who read
everything. The proof of an erased action is still there for them: that it was, when, and who erased it.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.proofs import (
    SNAPSHOT_SCHEMA,
    CheckStatus,
    ExportQuery,
    ProofBundle,
    ProofSnapshot,
    ProofVerification,
    VerifyProof,
)
from assent.contract.roles import READING
from assent.proof.bundle import bundle_bytes
from assent.proof.note import NoteError, read_checkpoint
from assent.proof.reading import ReadingError, read_bundle
from assent_service.core.clock import Clock, moment
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.proofs.evidence import Evidence, gather
from assent_service.proofs.making import Made, Maker
from assent_service.proofs.shelf import Shelf
from assent_service.proofs.verifier import Verifier
from assent_service.store.ledger import Ledger


class Proofs:
    """The proofs of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, maker: Maker, verifier: Verifier, shelf: Shelf) -> None:
        self._ledger, self._clock = ledger, clock
        self._maker, self._verifier, self._shelf = maker, verifier, shelf

    async def bundle(self, principal: Principal, action_id: str | None, since: int | None = None) -> ProofBundle:
        """A bundle, which is kept to be exported by its id. Raises `action_not_found`, `forbidden`,
        `wallet_unavailable`, `storage_unavailable`, `bundle_too_large`, and `invalid_query` for a `since` that the log
        has not reached."""
        made = await self._make(principal, action_id, since)
        await self._keep(made)
        return made.bundle

    async def snapshot(self, principal: Principal, action_id: str | None) -> ProofSnapshot:
        """The same for people, with every check made. Raises as `bundle` does."""
        made = await self._make(principal, action_id, None)
        found = await self._verifier.made(made)
        return ProofSnapshot(
            schema=SNAPSHOT_SCHEMA,
            kind=made.bundle.kind,
            org_id=made.bundle.org_id,
            action_id=made.bundle.action_id,
            generated_at=moment(self._clock()),
            ok=found.ok,
            summary=summary(made, found),
            digest=made.bundle.digest,
            head=made.head,
            checks=found.checks,
            certificate=made.certificate,
        )

    async def export(self, principal: Principal, query: ExportQuery) -> tuple[str, bytes]:
        """Name and content of the file. Raises as `bundle` does, and `bundle_not_found`."""
        if query.bundle_id is None:
            made = await self._make(principal, query.action_id, query.since)
            return _name(made.bundle), await self._keep(made)
        if query.action_id is not None or query.since is not None:
            raise refuse(
                Code.INVALID_QUERY,
                "bundle_id names a bundle that is there already; give it alone, or action_id and since for a new one.",
                FieldError(place="bundle_id", message="not together with action_id or since"),
            )
        content = await asyncio.to_thread(self._shelf.get, principal.org_id, query.bundle_id)
        if content is not None:
            kept = msgspec.json.decode(content, type=prepared(ProofBundle))
            if await self._may_read(principal, kept):
                return _name(kept), content
        raise refuse(
            Code.BUNDLE_NOT_FOUND,
            f"No bundle {query.bundle_id} is kept for this organization; export it anew by action_id.",
        )

    async def verify(self, principal: Principal, asked: VerifyProof, raw: bytes) -> ProofVerification:
        """Raises `invalid_body` unless exactly one of action and bundle is given, and for an action as `bundle` does.

        A bundle that is wrong in any way is no error: the answer says what is wrong with it."""
        if (asked.action_id is None) == (asked.bundle is None):
            raise refuse(
                Code.INVALID_BODY,
                "Give either action_id or bundle.",
                FieldError(place="action_id", message="exactly one of action_id and bundle"),
            )
        if asked.action_id is not None:
            made = await self._make_since(principal, asked.action_id, asked.since)
            return await self._verifier.made(made, asked.since)
        _check_organization_reader(principal, _action_of(asked.bundle))
        return await self._verifier.given(
            principal.org_id, raw, asked.since, lambda bundle: self._may_read(principal, bundle)
        )

    async def _make(self, principal: Principal, action_id: str | None, since: int | None) -> Made:
        _check_organization_reader(principal, action_id)
        if action_id is None:
            return await self._maker.organization(principal.org_id, since)
        evidence = await gather(self._ledger, principal.org_id, action_id)
        if evidence is None or not _sees(principal, evidence):
            raise refuse(Code.ACTION_NOT_FOUND, f"There is no action {action_id[:128]!r} in this organization.")
        return await self._maker.action(evidence, since)

    async def _make_since(self, principal: Principal, action_id: str, since: str | None) -> Made:
        """With the step from the caller's head, where there can be one; where not, the check of it says why."""
        try:
            return await self._make(principal, action_id, _size_of(since))
        except Refusal as refusal:
            if refusal.code is not Code.INVALID_QUERY:
                raise
            return await self._make(principal, action_id, None)

    async def _may_read(self, principal: Principal, bundle: ProofBundle) -> bool:
        if bundle.org_id != principal.org_id:
            return False
        if bundle.action_id is None:
            return principal.role in READING
        # An action that the log has lost was nobody's, as far as it can be told; a lost event is to be found out.
        evidence = await gather(self._ledger, principal.org_id, bundle.action_id)
        return principal.sees(None) if evidence is None else _sees(principal, evidence)

    async def _keep(self, made: Made) -> bytes:
        """The bundle's file, which is kept now."""
        bundle = made.bundle
        content = bundle_bytes(bundle)
        try:
            await asyncio.to_thread(read_bundle, content)
        except ReadingError as error:
            raise refuse(
                Code.BUNDLE_TOO_LARGE,
                f"The bundle of {bundle.action_id or bundle.org_id} would have {len(content)} bytes, and no verifier "
                f"would take it: {error}. Prove its events one by one (get_inclusion_proof).",
            ) from error
        try:
            await asyncio.to_thread(self._shelf.put, bundle.org_id, bundle.bundle_id, bundle.action_id, content)
        except OSError as error:
            raise refuse(
                Code.STORAGE_UNAVAILABLE,
                f"The bundle could not be kept, so it was not given out: {error.strerror}. Free space in the data "
                "folder and try again.",
            ) from error
        telling = made.evidence is not None and made.evidence.erased is None
        if telling and self._ledger.ended.has(bundle.org_id, bundle.action_id):
            # It may have been made before an erasure, and come here only when that had looked for what is kept.
            await asyncio.to_thread(self._shelf.drop, bundle.org_id, bundle.bundle_id, bundle.action_id)
        return content


def summary(made: Made, found: ProofVerification) -> str:
    """One sentence for an operator."""
    failed = [check.name.value for check in found.checks if check.status is CheckStatus.FAIL]
    what = f"action {made.bundle.action_id}" if made.bundle.action_id else f"organization {made.bundle.org_id}"
    if failed:
        return f"The proof of {what} does NOT hold: {', '.join(failed)}."
    warned = [check.name.value for check in found.checks if check.status is CheckStatus.WARN]
    noted = f" Worth a look: {', '.join(warned)}." if warned else ""
    return f"The proof of {what} holds, under a signed log of {made.head.size} events.{noted}"


def _size_of(note: str | None) -> int | None:
    """The size that a head says; None for one that cannot be read, which its check will say."""
    if note is None:
        return None
    try:
        return read_checkpoint(note)[0].size
    except NoteError:
        return None


def _action_of(bundle: dict[str, Any] | None) -> str | None:
    action_id = (bundle or {}).get("action_id")
    return action_id if isinstance(action_id, str) else None


def _check_organization_reader(principal: Principal, action_id: str | None) -> None:
    if action_id is None and principal.role not in READING:
        raise _forbidden(principal)


def _sees(principal: Principal, evidence: Evidence) -> bool:
    return principal.sees(evidence.agent_id)


def _forbidden(principal: Principal) -> Refusal:
    return refuse(
        Code.FORBIDDEN,
        f"A key of role {principal.role} may not read the organization's proof; name an action, or use a key of an "
        "operator, an auditor or an admin.",
    )


def _name(bundle: ProofBundle) -> str:
    return f"proof-{bundle.action_id or bundle.org_id}-{bundle.bundle_id[7:19]}.json"
