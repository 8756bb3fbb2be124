"""The readiness summary of an organization, made when somebody asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from assent.contract.analysis.readiness import (
    GET_READINESS,
    RUNTIME_PROFILES,
    STATE_MEANINGS,
    TEST_CONNECTION,
    CheckConnection,
    ConnectionTest,
    ReadinessCheck,
    WorkspaceReadiness,
)
from assent.contract.control.policies import Policy
from assent.contract.exchange.webhooks import Webhook
from assent.contract.people.rota import Duty
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.analysis.readiness import checks
from assent_service.analysis.readiness.connection import ConnectionCheck
from assent_service.analysis.readiness.judge import judge, shares_of
from assent_service.analysis.readiness.queries import known_types, look
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import Refusal
from assent_service.control.approvals import ApprovalStore
from assent_service.control.halt import Halts
from assent_service.control.policies import Policies, knows_types, outdated
from assent_service.control.triage import Triages
from assent_service.core.call import Call
from assent_service.core.locks import ACTION_FENCE
from assent_service.core.route import Route, serves
from assent_service.evidence.proofs import HEAD_FENCES, ProofSample
from assent_service.health import Vitals
from assent_service.people.keys import AuthFailures, Keys
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
        auth_failures: AuthFailures,
        halts: Halts,
        policies: Policies,
        approvals: ApprovalStore,
        disabled: Disabled,
        proven: Callable[[str], Awaitable[ProofSample | None]],
        triage: Triages,
        duty: Callable[[str], Duty],
        refuses_own: bool = False,
    ) -> None:
        self._ledger, self._clock, self._vitals = ledger, clock, vitals
        self._keys, self._auth_failures = keys, auth_failures
        self._halts, self._policies, self._approvals = halts, policies, approvals
        self._disabled, self._proven, self._refuses_own = disabled, proven, refuses_own
        self._triage, self._duty = triage, duty

    async def get(self, org_id: str) -> WorkspaceReadiness:
        """Answers when the tables cannot be asked too: a failing check says so then, and the shares are missing."""
        now = self._clock()
        health = [checks.check_health(check) for check in (await self._vitals.readiness()).checks]
        counts = last_test = proven = failed = types = None
        try:
            counts, last_test = await look(self._ledger, org_id, now)
            proven = await self._proven_share(org_id)
            failed = await self._auth_failures.counts(org_id, now)
            types = await known_types(self._ledger, org_id, self._knowing(org_id), now)
        except Refusal as refusal:
            if refusal.code is not Code.PROJECTION_BEHIND:
                raise
            health = [_failed_to_answer(check, refusal.detail) for check in health]
        found = [*health, *self._own(org_id, now)]
        if counts is not None:
            found.append(checks.check_self_decisions(counts.self_decided, refused=self._refuses_own))
            found.append(checks.check_clock(counts.newest, moment(now)))
        if failed is not None:
            found.append(checks.check_failed_keys(failed))
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
            known_types=types,
        )

    async def _proven_share(self, org_id: str) -> ProofSample | None:
        """None where nothing can be signed just now: then no proof can be made, good or bad."""
        try:
            return await self._proven(org_id)
        except Refusal as refusal:
            if refusal.code not in {Code.WALLET_UNAVAILABLE, Code.STORAGE_UNAVAILABLE, Code.READ_ONLY}:
                raise
            return None

    def _knowing(self, org_id: str) -> list[Policy]:
        return [policy for policy in self._policies.state.list(org_id) if knows_types(policy)]

    def _own(self, org_id: str, now: int) -> list[ReadinessCheck]:
        """The checks that memory answers, so that they are told whatever the tables do."""
        active = [key for key in self._keys.list(org_id) if key.revoked_at is None]
        policies = self._policies.state.list(org_id)
        waiting = [approval for (org, _), approval in self._approvals.awaiting.items() if org == org_id]
        return [
            checks.check_admin_key([key for key in active if key.role is Role.ADMIN], self._keys.state.short),
            checks.check_agent_keys([key for key in active if key.role is Role.AGENT]),
            checks.check_halt(self._halts.get(org_id)),
            checks.check_policies(policies, outdated(policies), self._duty(org_id)),
            checks.check_approvals(waiting, moment(now)),
            checks.check_webhooks(self._disabled(org_id)),
            *checks.check_triage(self._triage.strata(org_id)),
        ]


def _failed_to_answer(check: ReadinessCheck, why: str) -> ReadinessCheck:
    """The check of the tables fails when they did not answer, even if they looked sound a moment before."""
    if check.name != "tables" or check.status == "fail":
        return check
    return msgspec.structs.replace(check, status="fail", detail=why)


def routes(readiness: Readiness, connection: ConnectionCheck) -> tuple[Route, ...]:
    @serves(GET_READINESS, holds=HEAD_FENCES, effects="writes a signing key")
    async def get(call: Call[None, None]) -> WorkspaceReadiness:
        return await readiness.get(call.principal.org_id)

    @serves(TEST_CONNECTION, holds=(ACTION_FENCE,), effects="records step by step")
    async def test(call: Call[CheckConnection, None]) -> ConnectionTest:
        return await connection.test(call.principal, call.body)

    return get, test
