"""The three shares as they are told. Pure; `queries` says how they are counted."""

from __future__ import annotations

from assent.contract.readiness import ReadinessShare
from assent_service.proofs import ProofSample
from assent_service.readiness.queries import Counts

GOVERNED = "Actions that guard decided on before they ran, of all actions of the last 7 days."
APPROVAL = "Approvals that an operator decided, of all that were asked for in the last 7 days."
PROOF = "Actions whose attestation verifies, of a random sample of the actions of the last 7 days."
UNSIGNED = " Nothing was signed yet; the first tree head is signed within minutes of the first event."
UNKNOWN = " They cannot be counted while the tables do not follow the log."


def shares_of(counts: Counts | None, proven: ProofSample | None = None) -> list[ReadinessShare]:
    """Governed, approval and proof; without counts the first two are not available, without a sample the last."""
    if counts is None:
        counted = [_missing("governed", GOVERNED + UNKNOWN), _missing("approval", APPROVAL + UNKNOWN)]
    else:
        counted = [
            _share("governed", counts.governed, counts.actions, GOVERNED),
            _share("approval", counts.decided, counts.asked, APPROVAL),
        ]
    if proven is None:
        return [*counted, _missing("proof", PROOF + (UNKNOWN if counts is None else UNSIGNED))]
    return [*counted, _share("proof", proven.holding, proven.n, PROOF)]


def _share(name: str, count: int, n: int, meaning: str) -> ReadinessShare:
    percent = 100 * count / n if n else None
    return ReadinessShare(name=name, available=True, percent=percent, count=count, n=n, meaning=meaning)


def _missing(name: str, meaning: str) -> ReadinessShare:
    return ReadinessShare(name=name, available=False, percent=None, count=0, n=0, meaning=meaning)
