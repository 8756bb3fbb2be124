"""Verifying proofs on the service, and the share of the week's actions whose proof holds, told from a sample.

A proof is checked as a stranger can check it, and then against what only the service has.

The log as it is now must begin with the tree that was signed, and the rows of the tables must be what the log gives.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import msgspec

from assent.contract.evidence.proofs import CheckName, CheckStatus, ProofBundle, ProofCheck, ProofVerification
from assent.contract.evidence.wallet import Jwks
from assent.contract.prepared import prepared
from assent.proof.note import read_checkpoint
from assent.proof.reading import ReadingError, read_value
from assent.proof.verify import verify
from assent_service.base.clock import DAY, MINUTE, Clock, naive
from assent_service.evidence.proofs.agreement import agree
from assent_service.evidence.proofs.evidence import ActionEvidence, gather, gather_all
from assent_service.evidence.proofs.making import BundleMaker, Made
from assent_service.evidence.proofs.present import check_log, not_checked
from assent_service.evidence.wallet import Wallet
from assent_service.store.ledger import Ledger


class Verifier:
    """Verifies with the wallet's keys, whatever became of them since."""

    def __init__(self, ledger: Ledger, wallet: Wallet, maker: BundleMaker) -> None:
        self._ledger, self._wallet, self._maker = ledger, wallet, maker

    async def made(self, made: Made, since: str | None = None) -> ProofVerification:
        """What the service made itself, with every check; `since` is a head that the reader kept."""
        keys = self._wallet.jwks(made.bundle.org_id)
        found = await asyncio.to_thread(lambda: verify(made.bundle, keys=keys, since=since))
        return await self._against_the_present(found, made.bundle, made.evidence)

    async def check_bundle(
        self, org_id: str, raw: bytes, since: str | None, may_read: Callable[[ProofBundle], Awaitable[bool]]
    ) -> ProofVerification:
        """A bundle from outside, in the body of a request (`raw`, an object with the member `bundle`): offline checks
        first, with this organization's keys, then against the log and the tables if the caller may read what it is
        about."""
        keys = self._wallet.jwks(org_id)
        found, bundle = await asyncio.to_thread(_verify_raw, raw, keys, since)
        wrong = {check.name for check in found.checks if check.status is CheckStatus.FAIL}
        if bundle is None or wrong & {CheckName.KEY, CheckName.CHECKPOINT}:
            why = "The bundle could not be read far enough to compare it with what is here."
            return _with(found, [not_checked(CheckName.LOG, why), not_checked(CheckName.DATABASE_ROW, why)])
        if not await may_read(bundle):
            # A key that may not see the action learns no more about it than what it brought.
            why = "This key may not read that action here."
            return _with(found, [not_checked(CheckName.LOG, why), not_checked(CheckName.DATABASE_ROW, why)])
        return await self._against_the_present(found, bundle)

    async def holding(self, org_id: str, action_ids: Sequence[str]) -> int:
        """How many of these actions have a proof that holds now; their rows are compared all together, which takes
        little longer than for one. Raises as `bundle` does, but for an unknown action: that has none."""
        found = list((await gather_all(self._ledger, org_id, action_ids)).values())
        events = {event.n: event for evidence in found for event in evidence.events}
        if not events:
            return 0
        in_order = [events[n] for n in sorted(events)]
        compared = await asyncio.to_thread(self._ledger.compare, org_id, in_order)
        wrong = {difference.key for difference in compared.differences}
        holding = 0
        for evidence in found:
            named = {key for event in evidence.events for key in (event.subject, str(event.n))}
            # What was recorded about it since it was gathered would look like a change of its rows.
            sound = not evidence.lost and not named & wrong
            if sound or (await agree(self._ledger, evidence)).status is CheckStatus.PASS:
                holding += await self._proves(await self._maker.action(evidence))
        return holding

    async def _proves(self, made: Made) -> bool:
        """Whether everything but the rows holds."""
        keys = self._wallet.jwks(made.bundle.org_id)
        found = await asyncio.to_thread(lambda: verify(made.bundle, keys=keys))
        return found.ok and (await self._check_log(made.bundle)).status is CheckStatus.PASS

    async def _check_log(self, bundle: ProofBundle) -> ProofCheck:
        checkpoint = read_checkpoint(bundle.checkpoint)[0]
        return await asyncio.to_thread(check_log, self._ledger.tree, bundle.org_id, checkpoint, bundle.events)

    async def _against_the_present(
        self, found: ProofVerification, bundle: ProofBundle, evidence: ActionEvidence | None = None
    ) -> ProofVerification:
        await self._ledger.caught_up()
        log = await self._check_log(bundle)
        if bundle.action_id is None:
            rows = not_checked(
                CheckName.DATABASE_ROW,
                "The rows of single actions are compared with theirs; `assent log verify --tables` compares them all.",
            )
        else:
            evidence = evidence or await gather(self._ledger, bundle.org_id, bundle.action_id)
            rows = await self._check_rows(bundle.org_id, bundle.action_id, evidence)
        return _with(found, [log, rows])

    async def _check_rows(self, org_id: str, action_id: str, evidence: ActionEvidence | None) -> ProofCheck:
        if evidence is None:
            return ProofCheck(
                name=CheckName.DATABASE_ROW,
                status=CheckStatus.FAIL,
                detail="The table of events knows no such action any more. `assent rebuild` makes the tables anew.",
            )
        return await agree(self._ledger, evidence)


def _verify_raw(raw: bytes, keys: Jwks, since: str | None) -> tuple[ProofVerification, ProofBundle | None]:
    """From the very bytes: what decodes them into structs would drop a name that stands twice. The bundle is None where
    there is none that could be read."""
    try:
        body = read_value(raw)
    except ReadingError:
        return verify(raw, keys=keys, since=since), None
    assert isinstance(body, dict)
    found = verify(body["bundle"], keys=keys, since=since)
    return found, None if found.certificate is None else msgspec.convert(body["bundle"], prepared(ProofBundle))


def _with(found: ProofVerification, more: list[ProofCheck]) -> ProofVerification:
    checks = [*found.checks, *more]
    ok = all(check.status is not CheckStatus.FAIL for check in checks)
    return msgspec.structs.replace(found, checks=checks, ok=ok)


# How many of the week's actions have a proof that holds, told from a sample.
#
# Proving one action takes milliseconds, so not all are proven whenever somebody looks at the readiness: SAMPLE of them
# are, drawn by the random end of their ids from a place that changes with every draw. The result holds for a while. An
# organization that has never signed anything has no share.


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
