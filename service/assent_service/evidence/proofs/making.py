"""Making bundles: the events of an action, their paths to a signed head, and the certificate that they amount to.

A bundle is a pure function of the log up to a head, the head and the key. So the same question under the same head has
the same answer, byte by byte.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

from msgspec import Struct

from assent.contract.events import EventName
from assent.contract.evidence.log import LogHead
from assent.contract.evidence.proofs import ConsistencyStep, ProofBundle
from assent.proof.bundle import EventTexts, seal_action, seal_organization
from assent.proof.certificate import certify
from assent.proof.event import read_event
from assent.proof.note import position_of
from assent.proof.organization import OrganizationFacts, certify_organization
from assent_service.base.clock import microseconds
from assent_service.core.payload import decode
from assent_service.evidence.proofs.evidence import ActionEvidence
from assent_service.evidence.proofs.heads import Heads, HeadWithSigner
from assent_service.evidence.proofs.policies import PolicyHistory, digest_of
from assent_service.evidence.wallet import Wallet
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger


class Made(Struct, frozen=True):
    """A bundle, the head it stands on, and what it was made of; `evidence` is None for an organization."""

    bundle: ProofBundle
    head: LogHead
    certificate: dict[str, Any]
    evidence: ActionEvidence | None


class BundleMaker:
    """Makes bundles; nothing is kept here."""

    def __init__(self, ledger: Ledger, wallet: Wallet, heads: Heads, policies: PolicyHistory) -> None:
        self._ledger, self._wallet, self._heads, self._policies = ledger, wallet, heads, policies

    async def action(self, evidence: ActionEvidence, since: int | None = None) -> Made:
        """Raises `wallet_unavailable`, `storage_unavailable`, `projection_behind`, and `invalid_query` for a `since`
        that the log has not reached."""
        org_id, action_id = evidence.org_id, evidence.action_id
        signed = await self._heads.newest(org_id, max(evidence.end, since or 1))
        policies = await self._deciding(evidence)
        steps = await self._steps(org_id, since, signed)

        def make() -> Made:
            events = [self._texts(event, signed.head.size) for event in evidence.certified]
            proven = [read_event(header, body) for header, body, _ in events]
            certificate = certify(org_id, action_id, proven, position_of(signed.head.checkpoint))
            bundle = seal_action(
                org_id=org_id,
                action_id=action_id,
                certificate=certificate,
                events=events,
                checkpoint=signed.head.checkpoint,
                policies=policies,
                consistency=steps,
                key=signed.signer.key,
                others=self._wallet.jwks(org_id).keys,
            )
            return Made(bundle, signed.head, certificate, evidence)

        return await asyncio.to_thread(make)

    async def organization(self, org_id: str, since: int | None) -> Made:
        """Raises as `action` does."""
        signed = await self._heads.newest(org_id, since or 1)
        steps = await self._steps(org_id, since, signed)
        facts, policies = await self._facts(org_id, signed.head.size)
        certificate = certify_organization(org_id, facts, position_of(signed.head.checkpoint))
        bundle = seal_organization(
            org_id=org_id,
            certificate=certificate,
            checkpoint=signed.head.checkpoint,
            policies=policies,
            consistency=steps,
            key=signed.signer.key,
            others=self._wallet.jwks(org_id).keys,
        )
        return Made(bundle, signed.head, certificate, None)

    def _texts(self, event: Event, size: int) -> EventTexts:
        path = [each.hex() for each in self._ledger.tree.inclusion(event.org, event.n, size)]
        return event.header.decode(), None if event.erased else event.body.decode(), path

    async def _deciding(self, evidence: ActionEvidence) -> list[dict[str, Any]] | None:
        """The policies that guard decided by, None where the decision does not say which they were."""
        for event in evidence.certified:
            if event.type == EventName.GUARD_DECISION_CREATED and not event.erased:
                decided = decode(event, _Decided)
                if decided.policy_digest is not None:
                    version, digest = decided.policy_version, decided.policy_digest
                    return await self._policies.with_digest(evidence.org_id, version, digest)
        return None

    async def _steps(self, org_id: str, since: int | None, signed: HeadWithSigner) -> list[ConsistencyStep]:
        """From the head that the reader holds, where one is named."""
        if since is None or since == signed.head.size:
            return []
        before = await self._heads.of_size(org_id, since)
        hashes = await asyncio.to_thread(self._ledger.tree.consistency, org_id, since, signed.head.size)
        return [ConsistencyStep(checkpoint=before.head.checkpoint, hashes=[each.hex() for each in hashes])]

    async def _facts(self, org_id: str, size: int) -> tuple[OrganizationFacts, list[dict[str, Any]] | None]:
        rows = await self._ledger.read(
            "SELECT type, count(*), min(created_at), max(created_at) FROM events WHERE org_id = ? AND n < ? "
            "GROUP BY type ORDER BY type",
            [org_id, size],
        )
        version, policies = await self._policies.newest(org_id, size)
        digest = digest_of(policies)
        by_type = {str(row[0]): int(str(row[1])) for row in rows}
        facts = OrganizationFacts(
            events_by_type=by_type,
            first_event_at=min((microseconds(row[2]) for row in rows if isinstance(row[2], datetime)), default=None),
            last_event_at=max((microseconds(row[3]) for row in rows if isinstance(row[3], datetime)), default=None),
            erasures=by_type.get(EventName.EVIDENCE_ERASED.value, 0),
            policy_version=version,
            policy_digest=digest,
            keys=self._wallet.jwks(org_id).keys,
        )
        return facts, None if digest is None else policies


class _Decided(Struct, frozen=True):
    policy_version: int
    policy_digest: str | None = None
