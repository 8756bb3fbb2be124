"""PCAA: which checkpoints an action owes, how it stands at each, and what evidence it left. Pure, for one action.

    from assent import Client, build_pcaa_checkpoint_states

    detail = client.get_action(action_id)
    build_pcaa_checkpoint_states(detail.action, detail.assumptions, detail.approval, now=datetime.now(UTC))

`assent_analytics.pcaa` applies the same rules to tables of actions; a test proves that both agree.

Checkpoints are met in order: admissibility, open, assumption, approval, outcome. A checkpoint is *expected* unless
its status is `not_required`; evidence that nobody asked for neither raises nor lowers a number.

What is expected of an action, by how far guard reaches into its runtime, so that an observer is not blamed for what it
can never give:

    class                   runtime                 admissibility  open  assumption         approval        outcome
    enforce_before_execute  sdk_service             always         yes   when it matters    when asked for  when due
    hook_mediated           coding_assistant,       always         yes   never: hooks see   when asked for  when due
                            coding_agent                                 calls, not beliefs
    observe_only            evidence_import, or     always         yes   never              never           when due
                            any with source import

It *matters* when approval was asked for or the service's risk is 60 or more. Approval is *asked for* when guard said
`require_approval` or an approval is on record. An outcome is *due* once the action left `running` (or `pending`), or
after `EXPECTED` since it began; it begins when it is approved, else when it happened. What never ran owes neither
assumption nor approval nor outcome when it was blocked, and no outcome when its approval was denied, expired or was
withdrawn (status `cancelled`) or still awaits. A withdrawn approval is owed by nobody: the question was taken back. An
unknown runtime is taken for sdk_service, the one that owes most.

How it stands:

    checkpoint     complete                 pending                missing                       denied
    admissibility  a decision is on record                         none is                       guard blocked (1)
    open           the action has an id                            it has none
    assumption     at least one recorded    the action is open     it is over, or lost (2)
    approval       approved                 awaiting               expired, or never recorded    denied
    outcome        the status is final      overdue (2)            lost (2)

(1) Not where guard only observes: the verdict on history is advice. (2) An open action is overdue after `EXPECTED`
and lost after `LOST`, for no agent comes back to it by itself. Both are constants rather than learnt from the data,
so that a number of two windows is what the numbers of each add up to.

Each expected checkpoint owes one receipt, and a receipt demands more than the checkpoint does: a reader must be able
to follow it.

    checkpoint     receipt
    admissibility  the decision's id
    open           the action's id and its declared goal
    assumption     an assumption that names its basis
    approval       approved or denied by an operator who is named
    outcome        a final status with an output summary or an error message
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from assent.contract.evidence.pcaa import CheckpointId, PcaaCheckpoint
from assent.pcaa.facts import ActionFacts, Row, enforceability_of, facts_from, facts_of
from assent.pcaa.states import checkpoint_states_of, receipts_of

__all__ = [
    "PCAA_CHECKPOINTS",
    "ActionFacts",
    "build_pcaa_checkpoint_states",
    "checkpoint_states_of",
    "enforceability_of",
    "facts_from",
    "facts_of",
    "receipts_of",
]

PCAA_CHECKPOINTS: tuple[CheckpointId, ...] = tuple(CheckpointId)
"""The ids of the five checkpoints, in the order in which an action meets them."""


def build_pcaa_checkpoint_states(
    action: Row, assumptions: Sequence[Row] = (), approval: Row | None = None, *, now: datetime
) -> tuple[PcaaCheckpoint, ...]:
    """How an action stands at each of the five checkpoints, in their order, at the moment `now` (aware).

    Takes records, or the same as JSON has them. Raises ValueError for a member that is missing or of another type.
    """
    return checkpoint_states_of(facts_from(action, assumptions, approval), now)
