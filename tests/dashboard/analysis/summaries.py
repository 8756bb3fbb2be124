"""A readiness summary as a service gives it, to be changed for a test."""

from __future__ import annotations

from datetime import UTC, datetime

from assent.contract.analysis.readiness import (
    RUNTIME_PROFILES,
    STATE_MEANINGS,
    ReadinessCheck,
    ReadinessShare,
    ReadinessState,
    WorkspaceReadiness,
)

AT = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)


def summary(state: ReadinessState, next_step: str = "Look below.") -> WorkspaceReadiness:
    """One check of each kind, one share of each kind."""
    meaning = next(each for each in STATE_MEANINGS if each.state is state)
    return WorkspaceReadiness(
        state=state,
        title=meaning.title,
        meaning=meaning.meaning,
        next_step=next_step,
        checked_at=AT,
        checks=[
            ReadinessCheck(name="log", core=True, status="pass", detail="Writes are taken."),
            ReadinessCheck(name="halt", core=False, status="warn", detail="The kill switch is on."),
            ReadinessCheck(name="disk", core=True, status="fail", detail="1 % is left: make room."),
        ],
        shares=[
            ReadinessShare(name="governed", available=True, percent=99.97, count=9997, n=10000, meaning="A of B."),
            ReadinessShare(name="approval", available=True, percent=None, count=0, n=0, meaning="C of D."),
            ReadinessShare(name="proof", available=False, percent=None, count=0, n=0, meaning="E of F."),
        ],
        last_test=None,
        profiles=list(RUNTIME_PROFILES),
        states=list(STATE_MEANINGS),
        simulated=0,
    )
