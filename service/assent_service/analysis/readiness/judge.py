"""The readiness of a workspace: which of four states it is in, and the three shares as they are told. Pure; `queries`
says how the shares are counted.

1. `blocked` when a core check fails: nothing can be governed then.
2. `needs_attention` when any other check does not pass, or a core check warns.
3. `verified` when the newest connection test passed at most 24 hours ago and no share with at least 20 rows is under
   95 %. A share with fewer rows, or one that cannot be counted, says nothing yet.
4. `ready_unverified` otherwise; the next step says what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from assent.contract.analysis.readiness import (
    LEAST_PERCENT,
    LEAST_ROWS,
    STATE_MEANINGS,
    TEST_COUNTS_FOR,
    LastTest,
    ReadinessCheck,
    ReadinessShare,
    ReadinessState,
    StateMeaning,
)
from assent_service.analysis.readiness.queries import ReadinessCounts
from assent_service.evidence.proofs import ProofSample

_MEANINGS = {meaning.state: meaning for meaning in STATE_MEANINGS}
_REMEDIES = {
    "governed": "have agents ask before they act (create_action, track or a hook) instead of importing afterwards",
    "approval": "decide the approvals that wait before they expire",
}


def judge(
    checks: Sequence[ReadinessCheck], shares: Sequence[ReadinessShare], last_test: LastTest | None, now: datetime
) -> StateMeaning:
    """The state, with a next step that names what it is about."""
    failing = [check.name for check in checks if check.core and check.status == "fail"]
    if failing:
        return _state(ReadinessState.BLOCKED, f"Mend {_listed(failing)}: the check's detail says how.")
    unsettled = [check.name for check in checks if check.status != "pass"]
    if unsettled:
        return _state(ReadinessState.NEEDS_ATTENTION, f"Settle {_listed(unsettled)}: the check's detail says how.")
    missing = [*_missing_test(last_test, now), *(_missing_share(share) for share in shares if _low(share))]
    if missing:
        return _state(ReadinessState.READY_UNVERIFIED, " ".join(missing))
    return _MEANINGS[ReadinessState.VERIFIED]


def _missing_test(last_test: LastTest | None, now: datetime) -> list[str]:
    if last_test is None:
        return ["Run the connection test; there was none yet."]
    if not last_test.passed:
        return [f"Run the connection test again; the newest one ({last_test.action_id}) did not pass."]
    if now - last_test.at > TEST_COUNTS_FOR:
        return [f"Run the connection test again; the newest one is of {last_test.at:%Y-%m-%d %H:%M} UTC."]
    return []


def _low(share: ReadinessShare) -> bool:
    return share.available and share.n >= LEAST_ROWS and 100 * share.count < LEAST_PERCENT * share.n


def _missing_share(share: ReadinessShare) -> str:
    remedy = _REMEDIES.get(share.name, "look at what is missing from it")
    return f"The {share.name} share is {share.count} of {share.n}, under {LEAST_PERCENT} %: {remedy}."


def _state(state: ReadinessState, next_step: str) -> StateMeaning:
    meaning = _MEANINGS[state]
    return StateMeaning(state=state, title=meaning.title, meaning=meaning.meaning, next_step=next_step)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


# The three shares as they are told. Pure; `queries` says how they are counted.


GOVERNED = "Actions that guard decided on before they ran, of all actions of the last 7 days."
APPROVAL = "Approvals that an operator decided, of all that were asked for in the last 7 days and not withdrawn."
PROOF = "Actions whose attestation verifies, of a random sample of the actions of the last 7 days."
UNSIGNED = " Nothing was signed yet; the first tree head is signed within minutes of the first event."
UNKNOWN = " They cannot be counted while the tables do not follow the log."


def shares_of(counts: ReadinessCounts | None, proven: ProofSample | None = None) -> list[ReadinessShare]:
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
