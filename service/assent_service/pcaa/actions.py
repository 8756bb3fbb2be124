"""One action as PCAA sees it: its trace, its proof and its bundle, all three of the same moment.

Each is read by itself, and the action may go on meanwhile. So the trace is read between the snapshot and the bundle:
when both are about the same certificate, nothing that it is made of was recorded in between, and the trace is of that
state, too. Otherwise they are read again. An action that changes faster than that, three times over, is answered with
what was read last: each of the three is then right by itself, and the checkpoints are those of the trace.
"""

from __future__ import annotations

from typing import Protocol

from assent.contract.pcaa_actions import PcaaAction
from assent.contract.proofs import ProofBundle, ProofSnapshot
from assent.contract.traces import ActionTrace
from assent.pcaa import checkpoint_states_of, enforceability_of, facts_of, receipts_of
from assent_service.core.principal import Principal

ATTEMPTS = 3

Found = tuple[ProofSnapshot, ActionTrace, ProofBundle]


class Traces(Protocol):
    """What this needs of the traces noun. Raises `action_not_found`, also for what the caller may not see, and
    `action_erased`."""

    async def trace(self, principal: Principal, action_id: str) -> ActionTrace: ...


class Proofs(Protocol):
    """What this needs of the proofs noun. Both raise `action_not_found`, and what signing raises."""

    async def snapshot(self, principal: Principal, action_id: str) -> ProofSnapshot: ...

    async def bundle(self, principal: Principal, action_id: str) -> ProofBundle: ...


async def pcaa_action(traces: Traces, proofs: Proofs, principal: Principal, action_id: str) -> PcaaAction:
    """Raises `action_not_found`, `action_erased` (its proof alone is left), and what signing raises."""
    proof, replay, export = await _together(traces, proofs, principal, action_id)
    action = replay.action
    # The certificate judges by the moment of its head, and no two parts of one answer may differ.
    facts, now = facts_of(action, replay.trace.assumptions.items, replay.approval), proof.head.signed_at
    return PcaaAction(
        action_id=action.action_id,
        replay=replay,
        proof=proof,
        export=export,
        checkpoints=list(checkpoint_states_of(facts, now)),
        enforceability=enforceability_of(facts.runtime, facts.source),
        receipts=receipts_of(facts, now),
        externality=action.externality,
    )


async def _together(traces: Traces, proofs: Proofs, principal: Principal, action_id: str) -> Found:
    found = await _read(traces, proofs, principal, action_id)
    for _ in range(ATTEMPTS - 1):
        proof, _, export = found
        if proof.digest == export.digest:
            break
        found = await _read(traces, proofs, principal, action_id)
    return found


async def _read(traces: Traces, proofs: Proofs, principal: Principal, action_id: str) -> Found:
    proof = await proofs.snapshot(principal, action_id)
    replay = await traces.trace(principal, action_id)
    return proof, replay, await proofs.bundle(principal, action_id)
