"""The state, for every combination of what it rests on."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from assent.contract.analysis.readiness import LastTest, ReadinessCheck, ReadinessShare, ReadinessState
from assent_service.analysis.readiness.judge import judge

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
CORE = {"sound": "pass", "weak": "warn", "broken": "fail"}
OTHER = {"sound": "pass", "weak": "warn", "odd": "fail"}
TESTS = {
    "none": None,
    "passed": LastTest(action_id="act_1", at=NOW - timedelta(hours=1), passed=True),
    "just in time": LastTest(action_id="act_1", at=NOW - timedelta(hours=24), passed=True),
    "too old": LastTest(action_id="act_1", at=NOW - timedelta(hours=24, microseconds=1), passed=True),
    "failed": LastTest(action_id="act_1", at=NOW - timedelta(hours=1), passed=False),
}
SHARES = {"none": (0, 0), "too few": (0, 19), "low": (18, 20), "enough": (19, 20), "odd": (949, 1000), "all": (50, 50)}
# Written down from the rules: what lets a workspace be verified.
FRESH = {"passed", "just in time"}
HOLDS = {"none", "too few", "enough", "all"}


def check(status: str, *, core: bool) -> ReadinessCheck:
    return ReadinessCheck(name="tables" if core else "halt", core=core, status=status, detail="as the test wants it")


def share(count: int, n: int, *, name: str = "governed", available: bool = True) -> ReadinessShare:
    percent = 100 * count / n if n and available else None
    return ReadinessShare(name=name, available=available, percent=percent, count=count, n=n, meaning="a part of all")


@pytest.mark.parametrize(("core", "other", "test", "rows"), list(itertools.product(CORE, OTHER, TESTS, SHARES)))
def test_every_combination(core: str, other: str, test: str, rows: str) -> None:
    checks = [check("pass", core=True), check(OTHER[other], core=False), check(CORE[core], core=True)]
    if core == "broken":
        expected = ReadinessState.BLOCKED
    elif (core, other) != ("sound", "sound"):
        expected = ReadinessState.NEEDS_ATTENTION
    elif test in FRESH and rows in HOLDS:
        expected = ReadinessState.VERIFIED
    else:
        expected = ReadinessState.READY_UNVERIFIED
    shares = [share(50, 50), share(*SHARES[rows], name="approval"), share(0, 0, name="proof", available=False)]
    assert judge(checks, shares, TESTS[test], NOW).state is expected


def test_a_share_that_cannot_be_counted_says_nothing() -> None:
    shares = [share(0, 100, available=False)]
    assert judge([], shares, TESTS["passed"], NOW).state is ReadinessState.VERIFIED


def test_the_next_step_names_what_is_in_the_way() -> None:
    blocked = judge([check("fail", core=True), check("warn", core=False)], [], None, NOW)
    assert "tables" in blocked.next_step
    assert "halt" not in blocked.next_step
    attention = judge([check("warn", core=False), check("pass", core=True)], [], None, NOW)
    assert "halt" in attention.next_step
    assert "tables" not in attention.next_step
    missing = judge([], [share(18, 20), share(3, 40, name="approval")], TESTS["too old"], NOW)
    assert missing.title == "Ready but not fully verified"
    assert "newest one is of 2026-04-30 11:59 UTC" in missing.next_step
    assert "governed share is 18 of 20" in missing.next_step
    assert "approval share is 3 of 40" in missing.next_step
    assert "there was none yet" in judge([], [], None, NOW).next_step
    assert "(act_1) did not pass" in judge([], [], TESTS["failed"], NOW).next_step
