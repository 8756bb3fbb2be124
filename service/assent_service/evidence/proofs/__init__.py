"""Proofs: signed tree heads, bundles of actions and of organizations, and their verification against what is here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from assent_service.base.clock import Clock
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks
from assent_service.core.route import Route
from assent_service.evidence.proofs.heads import HEAD_FENCES, Heads
from assent_service.evidence.proofs.making import BundleMaker
from assent_service.evidence.proofs.policies import PolicyHistory
from assent_service.evidence.proofs.proofs import Proofs, routes
from assent_service.evidence.proofs.shelf import BundleFiles
from assent_service.evidence.proofs.verifier import ProofSample, Sampling, Verifier
from assent_service.evidence.wallet import Wallet
from assent_service.store.heads import HeadStore as StoredHeads
from assent_service.store.ledger import Ledger

__all__ = ["HEAD_FENCES", "ProofParts", "ProofSample", "Proofs", "Sampling", "bring_proofs", "open_proofs"]


@dataclass(frozen=True)
class ProofParts:
    """`start` and `stop` belong into the service's lifespan."""

    proofs: Proofs
    heads: Heads
    shelf: BundleFiles
    verifier: Verifier
    sampling: Sampling
    routes: tuple[Route, ...]

    async def start(self) -> None:
        await asyncio.to_thread(self.shelf.sweep)
        await self.heads.start()

    async def stop(self) -> None:
        await self.heads.stop()


def open_proofs(
    ledger: Ledger,
    clock: Clock,
    locks: EntityLocks,
    wallet: Wallet,
    home: Path,
    organizations: Callable[[], Iterable[str]],
    *,
    origin: str,
    seconds: float,
) -> ProofParts:
    """`origin` and `seconds` are those of `Heads`."""
    stored = StoredHeads(home, shared=ledger.shared)
    heads = Heads(ledger, wallet, clock, locks, stored, organizations, origin=origin, seconds=seconds)
    maker = BundleMaker(ledger, wallet, heads, PolicyHistory(ledger))
    shelf = BundleFiles(home, ledger.shared)
    verifier = Verifier(ledger, wallet, maker)
    proofs = Proofs(ledger, clock, maker, verifier, shelf)
    sampling = Sampling(ledger, clock, wallet, verifier)
    return ProofParts(proofs, heads, shelf, verifier, sampling, routes(proofs, heads, ledger))


def bring_proofs(on: Foundation, wallet: Wallet) -> ProofParts:
    proven = open_proofs(
        on.ledger,
        on.clock,
        on.locks,
        wallet,
        on.home,
        on.all_organizations,
        origin=on.settings.log_origin,
        seconds=on.settings.head_seconds,
    )
    on.bring(routes=proven.routes, start=proven.start, stop=proven.stop, inspect=proven.heads.inspect)
    return proven
