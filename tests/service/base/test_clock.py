"""Time without the jumps of the machine's clock."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from assent_service.base.clock import MINUTE, SECOND, SteadyClock, elapsed, system_clock
from tests.service.base.machine import Machine


def test_on_a_machine_whose_clock_is_right_it_is_that_clock() -> None:
    clock = SteadyClock()
    before = system_clock()
    assert abs(clock() - before) < SECOND
    assert clock.suspected is None
    assert clock.take_jumps() == []


def test_what_passes_is_what_really_passes() -> None:
    first = elapsed()
    time.sleep(0.01)
    assert 10_000 <= elapsed() - first < 5 * SECOND


def test_a_jump_that_is_taken_back_within_a_minute_has_never_been() -> None:
    for jump in (3600 * SECOND, -3600 * SECOND, 61 * SECOND, -61 * SECOND):
        machine = Machine()
        clock = SteadyClock(machine.wall, machine.passed)
        began = clock()
        machine.jump(jump)
        for second in range(59):
            assert clock() == began + second * SECOND
            assert clock.suspected == jump / SECOND
            machine.go(SECOND)
        machine.jump(-jump)
        assert clock() == began + 59 * SECOND
        (seen,) = clock.take_jumps()
        assert (seen.seconds, seen.lasted, seen.believed, seen.at) == (jump / SECOND, 59, False, began + 59 * SECOND)
        assert clock.suspected is None
        assert clock.take_jumps() == [], "each is told once"


def test_a_jump_that_stays_is_believed_after_a_minute() -> None:
    for jump in (3600 * SECOND, -3600 * SECOND):
        machine = Machine()
        clock = SteadyClock(machine.wall, machine.passed)
        began = clock()
        machine.jump(jump)
        assert clock() == began
        machine.go(60 * SECOND - 1)
        assert clock() == began + 60 * SECOND - 1
        machine.go(1)
        assert clock() == began + 60 * SECOND + jump == machine.wall()
        (seen,) = clock.take_jumps()
        assert (seen.seconds, seen.lasted, seen.believed, seen.at) == (jump / SECOND, 60, True, began + 60 * SECOND)
        machine.go(SECOND)
        assert clock() == machine.wall()


def test_a_second_jump_begins_its_own_minute() -> None:
    machine = Machine()
    clock = SteadyClock(machine.wall, machine.passed)
    began = clock()
    for passed in range(1, 20):
        machine.jump(7200 * SECOND if passed % 2 else -7200 * SECOND)
        clock()
        machine.go(50 * SECOND)
        assert clock() == began + passed * 50 * SECOND


def test_a_clock_that_is_set_a_little_forward_is_followed_at_once() -> None:
    machine = Machine()
    clock = SteadyClock(machine.wall, machine.passed)
    began = clock()
    machine.jump(30 * SECOND)
    assert clock() == began + 30 * SECOND == machine.wall()
    assert clock.take_jumps() == []


def test_a_clock_that_is_set_a_little_back_is_approached_without_running_back() -> None:
    machine = Machine()
    clock = SteadyClock(machine.wall, machine.passed)
    machine.go(3600 * SECOND)
    last = clock()
    machine.jump(-30 * SECOND)
    for _ in range(59):
        now = clock()
        assert now >= last
        assert now > machine.wall()
        last = now
        machine.go(SECOND)
    machine.go(2 * SECOND)
    assert clock() == machine.wall()
    assert clock.take_jumps() == []


@given(st.lists(st.tuples(st.integers(0, 90 * SECOND), st.integers(-MINUTE, MINUTE)), max_size=60))
def test_without_jumps_time_never_runs_back_and_stays_near(steps: list[tuple[int, int]]) -> None:
    """Each step lets time pass and sets the clock somewhere within a minute of the truth."""
    machine = Machine()
    clock = SteadyClock(machine.wall, machine.passed)
    last, off = clock(), 0
    for passed, there in steps:
        machine.go(passed)
        machine.jump(there // 2 - off)
        off = there // 2
        now = clock()
        assert now >= last
        assert abs(now - machine.wall()) <= MINUTE
        last = now
    assert clock.take_jumps() == []
