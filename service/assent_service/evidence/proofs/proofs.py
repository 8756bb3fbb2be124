"""Proofs as they are asked for: who may have which, and in which form.

An agent's key gets the proof of actions that it may see, and no other; the organization's is for those who read
everything. The proof of an erased action is still there for them: that it was, when, and who erased it.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from assent.contract.evidence.log import (
    GET_CONSISTENCY_PROOF,
    GET_INCLUSION_PROOF,
    GET_LOG_HEAD,
    ConsistencyProof,
    ConsistencyQuery,
    HeadQuery,
    InclusionProof,
    InclusionQuery,
    LogHead,
)
from assent.contract.evidence.proofs import (
    EXPORT_PROOF,
    GET_GOVERNANCE_PROOF,
    PROOF_FILE,
    SNAPSHOT_SCHEMA,
    VERIFY_GOVERNANCE_PROOF,
    CheckStatus,
    ExportQuery,
    ProofBundle,
    ProofFormat,
    ProofQuery,
    ProofSnapshot,
    ProofVerification,
    VerifyProof,
)
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.roles import READING
from assent.proof.bundle import bundle_bytes
from assent.proof.note import NoteError, read_checkpoint
from assent.proof.reading import ReadingError, read_bundle
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Answer, Call
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.evidence.proofs.evidence import ActionEvidence, gather
from assent_service.evidence.proofs.heads import HEAD_FENCES, Heads
from assent_service.evidence.proofs.making import BundleMaker, Made
from assent_service.evidence.proofs.shelf import BundleFiles
from assent_service.evidence.proofs.verifier import Verifier
from assent_service.store.ledger import Ledger


class Proofs:
    """The proofs of every organization."""

    def __init__(
        self, ledger: Ledger, clock: Clock, maker: BundleMaker, verifier: Verifier, shelf: BundleFiles
    ) -> None:
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
        return await self._verifier.check_bundle(
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


def _sees(principal: Principal, evidence: ActionEvidence) -> bool:
    return principal.sees(evidence.agent_id)


def _forbidden(principal: Principal) -> Refusal:
    return refuse(
        Code.FORBIDDEN,
        f"A key of role {principal.role} may not read the organization's proof; name an action, or use a key of an "
        "operator, an auditor or an admin.",
    )


def _name(bundle: ProofBundle) -> str:
    return f"proof-{bundle.action_id or bundle.org_id}-{bundle.bundle_id[7:19]}.json"


def routes(proofs: Proofs, heads: Heads, ledger: Ledger) -> tuple[Route, ...]:
    @serves(GET_GOVERNANCE_PROOF, holds=HEAD_FENCES, effects="writes a signing key")
    async def get_proof(call: Call[None, ProofQuery]) -> ProofSnapshot | ProofBundle:
        asked = call.query
        if asked.format is ProofFormat.BUNDLE:
            return await proofs.bundle(call.principal, asked.action_id, asked.since)
        return await proofs.snapshot(call.principal, asked.action_id)

    @serves(VERIFY_GOVERNANCE_PROOF, holds=HEAD_FENCES, effects="writes a signing key")
    async def verify_proof(call: Call[VerifyProof, None]) -> ProofVerification:
        return await proofs.verify(call.principal, call.body, call.sent.raw)

    @serves(EXPORT_PROOF, holds=HEAD_FENCES, effects="writes a signing key")
    async def export_proof(call: Call[None, ExportQuery]) -> Answer[bytes]:
        name, content = await proofs.export(call.principal, call.query)
        disposition = f'attachment; filename="{name}"'.encode()
        return Answer(content, headers=((b"content-disposition", disposition),), media_type=PROOF_FILE)

    @serves(GET_LOG_HEAD, holds=HEAD_FENCES, effects="writes a signing key")
    async def get_head(call: Call[None, HeadQuery]) -> LogHead:
        size = call.query.size
        org_id = call.principal.org_id
        signed = await heads.newest(org_id) if size is None else await heads.of_size(org_id, size)
        return signed.head

    @serves(GET_INCLUSION_PROOF, holds=HEAD_FENCES, effects="writes a signing key")
    async def get_inclusion(call: Call[None, InclusionQuery]) -> InclusionProof:
        org_id, n, size = call.principal.org_id, call.query.n, call.query.size
        signed = await heads.newest(org_id, 1) if size is None else await heads.of_size(org_id, size)
        if n >= signed.head.size:
            if size is not None:
                raise refuse(
                    Code.INVALID_QUERY,
                    f"Event {n} is not in a tree of {size} events, which has 0 to {size - 1}.",
                    FieldError(place="n", message=f"must be below {size}"),
                )
            signed = await heads.of_size(org_id, n + 1)
        tree, head = ledger.tree, signed.head
        hashes = await asyncio.to_thread(tree.inclusion, org_id, n, head.size)
        leaf = await asyncio.to_thread(tree.leaf, org_id, n)
        return InclusionProof(n=n, leaf_hash=leaf.hex(), hashes=[each.hex() for each in hashes], head=head)

    @serves(GET_CONSISTENCY_PROOF, holds=HEAD_FENCES, effects="writes a signing key")
    async def get_consistency(call: Call[None, ConsistencyQuery]) -> ConsistencyProof:
        org_id, size, to = call.principal.org_id, call.query.from_, call.query.to
        second = await heads.newest(org_id, 1) if to is None else await heads.of_size(org_id, to)
        if to is None and size > second.head.size:
            second = await heads.of_size(org_id, size)
        if size > second.head.size:
            raise refuse(
                Code.INVALID_QUERY,
                f"from ({size}) is larger than to ({to}); a log only grows, so give the smaller size first.",
                FieldError(place="from", message=f"must be at most {to}"),
            )
        first = await heads.of_size(org_id, size)
        hashes = await asyncio.to_thread(ledger.tree.consistency, org_id, size, second.head.size)
        return ConsistencyProof(first=first.head, second=second.head, hashes=[each.hex() for each in hashes])

    return (get_proof, verify_proof, export_proof, get_head, get_inclusion, get_consistency)
