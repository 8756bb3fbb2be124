"""How many of the week's actions have a proof that holds, told from a sample.

Proving one action takes milliseconds, so not all are proven whenever somebody looks at the readiness: SAMPLE of them
are, drawn by the random end of their ids from a place that changes with every draw. The result holds for a while. An
organization that has never signed anything has no share.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from assent_service.core.clock import DAY, MINUTE, Clock, naive
from assent_service.proofs.verifier import Verifier
from assent_service.store.ledger import Ledger
from assent_service.wallet import Wallet

SAMPLE = 25
WINDOW = 7 * DAY
LIFE = 5 * MINUTE

_DRAW = (
    "SELECT action_id FROM actions WHERE org_id = ? AND timestamp_start >= ? AND timestamp_start <= ? "
    "AND right(action_id, 8) {side} ? ORDER BY right(action_id, 8), action_id LIMIT ?"
)


@dataclass(frozen=True)
class ProofSample:
    """Of `n` actions that were drawn, `holding` have a proof whose checks all pass."""

    holding: int
    n: int
    at: int


class Sampling:
    """The newest sample of each organization."""

    def __init__(self, ledger: Ledger, clock: Clock, wallet: Wallet, verifier: Verifier) -> None:
        self._ledger, self._clock, self._wallet, self._verifier = ledger, clock, wallet, verifier
        self._newest: dict[str, ProofSample] = {}

    async def get(self, org_id: str) -> ProofSample | None:
        """None where nothing was ever signed. Raises `projection_behind` and `wallet_unavailable`."""
        if not self._wallet.has_key(org_id):
            return None
        found = self._newest.get(org_id)
        if found is None or self._clock() - found.at > LIFE:
            found = self._newest[org_id] = await self._draw(org_id)
        return found

    async def _draw(self, org_id: str) -> ProofSample:
        now = self._clock()
        window = [org_id, naive(now - WINDOW), naive(now)]
        cut = secrets.token_hex(4)
        rows = await self._ledger.read(_DRAW.format(side=">="), [*window, cut, SAMPLE])
        if len(rows) < SAMPLE:
            rows += await self._ledger.read(_DRAW.format(side="<"), [*window, cut, SAMPLE - len(rows)])
        holding = await self._verifier.holding(org_id, [str(action_id) for (action_id,) in rows])
        return ProofSample(holding, len(rows), now)
