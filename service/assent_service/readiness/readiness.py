"""The readiness summary of an organization, made when somebody asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from assent.contract.problems import Code
from assent.contract.readiness import RUNTIME_PROFILES, STATE_MEANINGS, ReadinessCheck, WorkspaceReadiness
from assent.contract.roles import Role
from assent.contract.webhooks import Webhook
from assent_service.approvals import ApprovalStore
from assent_service.core.clock import Clock, moment
from assent_service.core.problem import Refusal
from assent_service.halt import Halts
from assent_service.health import Vitals
from assent_service.keys import Keys
from assent_service.policies import Policies
from assent_service.proofs import ProofSample
from assent_service.readiness import checks
from assent_service.readiness.judge import judge
from assent_service.readiness.queries import look
from assent_service.readiness.shares import shares_of
from assent_service.store.ledger import Ledger

Disabled = Callable[[str], Sequence[Webhook]]
"""The organization's webhooks that were switched off for failing."""


class Readiness:
    """Reads what the other nouns know; keeps nothing of its own."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        *,
        vitals: Vitals,
        keys: Keys,
        halts: Halts,
        policies: Policies,
        approvals: ApprovalStore,
        disabled: Disabled,
        proven: Callable[[str], Awaitable[ProofSample | None]],
    ) -> None:
        self._ledger, self._clock, self._vitals = ledger, clock, vitals
        self._keys, self._halts, self._policies, self._approvals = keys, halts, policies, approvals
        self._disabled, self._proven = disabled, proven

    async def get(self, org_id: str) -> WorkspaceReadiness:
        """Answers when the tables cannot be asked too: a failing check says so then, and the shares are missing."""
        now = self._clock()
        health = [checks.check_health(check) for check in (await self._vitals.readiness()).checks]
        counts = last_test = proven = None
        try:
            counts, last_test = await look(self._ledger, org_id, now)
            proven = await self._proven_share(org_id)
        except Refusal as refusal:
            if refusal.code is not Code.PROJECTION_BEHIND:
                raise
            health = [_failed_to_answer(check, refusal.detail) for check in health]
        found = [*health, *self._own(org_id, now)]
        if counts is not None:
            found.append(checks.check_clock(counts.newest, moment(now)))
        shares = shares_of(counts, proven)
        state = judge(found, shares, last_test, moment(now))
        return WorkspaceReadiness(
            state=state.state,
            title=state.title,
            meaning=state.meaning,
            next_step=state.next_step,
            checked_at=moment(now),
            checks=found,
            shares=shares,
            last_test=last_test,
            profiles=list(RUNTIME_PROFILES),
            states=list(STATE_MEANINGS),
            simulated=counts.simulated if counts is not None else 0,
        )

    async def _proven_share(self, org_id: str) -> ProofSample | None:
        """None where nothing can be signed just now: then no proof can be made, good or bad."""
        try:
            return await self._proven(org_id)
        except Refusal as refusal:
            if refusal.code not in {Code.WALLET_UNAVAILABLE, Code.STORAGE_UNAVAILABLE, Code.READ_ONLY}:
                raise
            return None

    def _own(self, org_id: str, now: int) -> list[ReadinessCheck]:
        """The checks that memory answers, so that they are told whatever the tables do."""
        keys = self._keys.list(org_id)
        waiting = [approval for (org, _), approval in self._approvals.awaiting.items() if org == org_id]
        return [
            checks.check_admin_key(sum(key.role is Role.ADMIN and key.revoked_at is None for key in keys)),
            checks.check_halt(self._halts.get(org_id)),
            checks.check_policies(self._policies.state.list(org_id)),
            checks.check_approvals(waiting, moment(now)),
            checks.check_webhooks(self._disabled(org_id)),
        ]


def _failed_to_answer(check: ReadinessCheck, why: str) -> ReadinessCheck:
    """The check of the tables fails when they did not answer, even if they looked sound a moment before."""
    if check.name != "tables" or check.status == "fail":
        return check
    return msgspec.structs.replace(check, status="fail", detail=why)
