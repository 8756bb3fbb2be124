"""One action as PCAA sees it: what happened, how it stands at each checkpoint, and the proof of both.

Beside `contract.pcaa`, because the certificates of the proofs that it carries are made of what stands there.
"""

from __future__ import annotations

from assent.contract.control.externality import Externality
from assent.contract.endpoint import Endpoint
from assent.contract.evidence.pcaa import Enforceability, PcaaCheckpoint, Receipts
from assent.contract.evidence.proofs import ProofBundle, ProofSnapshot
from assent.contract.evidence.traces import ActionTrace
from assent.contract.problems import Code
from assent.contract.record import Record
from assent.contract.roles import ANYONE


class PcaaAction(Record, frozen=True, kw_only=True):
    """`replay` is the action's trace, `proof` the snapshot for people, `export` the bundle for a verifier.

    `checkpoints` are the five in their order, judged when `proof.head` was signed, as in the certificate; `assent.pcaa`
    gives the same for the records in `replay`. `externality` is what the agent said of the action's reach, None when
    nothing.
    """

    action_id: str
    replay: ActionTrace
    proof: ProofSnapshot
    export: ProofBundle
    checkpoints: list[PcaaCheckpoint]
    enforceability: Enforceability
    receipts: Receipts
    externality: Externality | None


GET_PCAA_ACTION = Endpoint(
    operation="get_pcaa_action",
    method="GET",
    path="/api/pcaa/actions/{action_id}",
    summary="Replay, proof and export of one action, with how it stands at each checkpoint and its receipts.",
    roles=ANYONE,
    response=PcaaAction,
    problems=(
        Code.ACTION_NOT_FOUND,
        Code.BUNDLE_TOO_LARGE,
        Code.WALLET_UNAVAILABLE,
        Code.STORAGE_UNAVAILABLE,
        Code.READ_ONLY,
    ),
)
