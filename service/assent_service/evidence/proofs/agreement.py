"""Whether an action's rows agree with its events, while both go on.

Events are gathered, then rows are read, and something may be recorded in between: the rows are then newer than the
events, which looks as if somebody had changed them. So what differs is looked at again.

1. When nothing differs, the rows agree.
2. When something does, the events are gathered once more. If they are the same, nothing was recorded meanwhile, and the
   difference is one.
3. Otherwise all is compared again, with the new events. What somebody changed differs every time; what only was newer
   does not. After LOOKS, what differed every time is what differs.
"""

from __future__ import annotations

import asyncio
from typing import Final

from assent.contract.evidence.proofs import ProofCheck
from assent_service.evidence.proofs.evidence import ActionEvidence, gather
from assent_service.evidence.proofs.present import check_rows
from assent_service.store.comparison import Difference, TableComparison
from assent_service.store.ledger import Ledger

LOOKS: Final = 8


async def agree(ledger: Ledger, evidence: ActionEvidence) -> ProofCheck:
    """The check of the rows. Raises `projection_behind`."""
    org_id, action_id = evidence.org_id, evidence.action_id
    lasting: dict[tuple[str, str, str], Difference] | None = None
    compared, lost = TableComparison(0, []), set(evidence.lost)
    for _ in range(LOOKS):
        compared = await asyncio.to_thread(ledger.compare, org_id, evidence.events, action_id)
        found = {each[:3]: each for each in compared.differences}
        lasting = found if lasting is None else {key: each for key, each in found.items() if key in lasting}
        lost &= set(evidence.lost)
        if not lasting and not lost:
            break
        again = await gather(ledger, org_id, action_id)
        if again is None or _places(again) == _places(evidence):
            return check_rows(compared, evidence.lost)
        evidence = again
    return check_rows(compared._replace(differences=list((lasting or {}).values())), sorted(lost))


def _places(evidence: ActionEvidence) -> list[tuple[int, bool]]:
    return [(event.n, event.erased) for event in evidence.events]
