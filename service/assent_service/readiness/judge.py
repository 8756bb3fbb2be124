"""Which state a workspace is in. Pure.

1. `blocked` when a core check fails: nothing can be governed then.
2. `needs_attention` when any other check does not pass, or a core check warns.
3. `verified` when the newest connection test passed at most 24 hours ago and no share with at least 20 rows is under
   95 %. A share with fewer rows, or one that cannot be counted, says nothing yet.
4. `ready_unverified` otherwise; the next step says what is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from assent.contract.readiness import (
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
