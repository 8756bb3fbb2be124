"""The parts of proofs, put together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from assent_service.core.clock import Clock
from assent_service.core.locks import EntityLocks
from assent_service.core.route import Route
from assent_service.proofs.heads import Heads
from assent_service.proofs.making import Maker
from assent_service.proofs.policies import PolicyHistory
from assent_service.proofs.proofs import Proofs
from assent_service.proofs.routes import routes
from assent_service.proofs.sampling import Sampling
from assent_service.proofs.shelf import Shelf
from assent_service.proofs.verifier import Verifier
from assent_service.store.heads import Heads as StoredHeads
from assent_service.store.ledger import Ledger
from assent_service.wallet import Wallet


@dataclass(frozen=True)
class ProofParts:
    """`start` and `stop` belong into the service's lifespan."""

    proofs: Proofs
    heads: Heads
    shelf: Shelf
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
    stored = StoredHeads(home)
    heads = Heads(ledger, wallet, clock, locks, stored, organizations, origin=origin, seconds=seconds)
    maker = Maker(ledger, wallet, heads, PolicyHistory(ledger))
    shelf = Shelf(home)
    verifier = Verifier(ledger, wallet, maker)
    proofs = Proofs(ledger, clock, maker, verifier, shelf)
    sampling = Sampling(ledger, clock, wallet, verifier)
    return ProofParts(proofs, heads, shelf, verifier, sampling, routes(proofs, heads, ledger))
