"""Background work rests while the service records, also where it records little because that work starves it."""

from __future__ import annotations

import pytest

from assent_service.base.pace import FEW, LATE, LONGEST, REST, SHYNESS, SLICE, WINDOW, Pace

CONVOY = 0.005
"""Seconds that a loop waits for a thread which computes."""


class Machine:
    def __init__(self) -> None:
        self.head, self.seconds, self.lag = 1000, 50.0, 0.0

    def work(self, seconds: float, recorded: int) -> None:
        self.seconds += seconds
        self.head += recorded

    def starve(self, pace: Pace, a_second: int, seconds: float) -> list[float]:
        """Batches of 20 ms with their rests, while `a_second` events are recorded; each rest."""
        ends, owed, rests = self.seconds + seconds, 0.0, []
        while self.seconds < ends:
            owed += 0.02 * a_second
            self.work(0.02, int(owed))
            owed -= int(owed)
            rests.append(pace.rest())
            self.work(rests[-1], int(rests[-1] * a_second))
            pace.resume()
        return rests


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def pace(machine: Machine) -> Pace:
    return Pace(lambda: machine.head, lambda: machine.lag, lambda: machine.seconds)


@pytest.fixture
def shy(machine: Machine) -> Pace:
    return Pace(lambda: machine.head, lambda: machine.lag, lambda: machine.seconds, shy=True)


@pytest.mark.parametrize("recorded", [0, 1, 4])  # 200 a second are 4 in 20 ms
def test_it_goes_on_while_little_is_recorded(machine: Machine, pace: Pace, recorded: int) -> None:
    machine.work(0.02, recorded)
    assert pace.rest() == 0


def test_it_rests_in_proportion_to_its_work_while_the_service_records(machine: Machine, pace: Pace) -> None:
    machine.work(0.02, 100)
    assert pace.rest() == pytest.approx(0.02 * REST)


def test_a_rest_is_never_long(machine: Machine, pace: Pace) -> None:
    machine.work(5.0, 20_000)
    assert pace.rest() == LONGEST
    machine.lag = 10.0
    machine.work(5.0, 20_000)
    assert pace.rest() == LONGEST


def test_what_was_recorded_during_the_rest_does_not_count(machine: Machine, pace: Pace) -> None:
    machine.work(0.02, 100)
    machine.work(pace.rest(), 100)
    pace.resume()
    machine.work(0.02, 0)
    assert pace.rest() == 0


def test_a_starved_guard_is_given_way_to(machine: Machine, pace: Pace) -> None:
    """42 a second is what one connection had left of 1,034; less than one of them falls into each batch."""
    machine.lag = CONVOY
    rests = machine.starve(pace, 42, 3.0)
    resting = [rest for rest in rests if rest > 0]
    assert len(resting) >= len(rests) - 7, "only until FEW of them have come"
    assert min(resting) > 0.02 * REST, "longer than while the loop is in time"


def test_the_later_the_loop_the_longer_the_rest(machine: Machine, pace: Pace) -> None:
    machine.lag = CONVOY
    (*_, some) = machine.starve(pace, 42, 2.0)
    machine.lag = 2 * CONVOY
    (*_, more) = machine.starve(pace, 42, 2.0)
    assert 0 < some < more <= LONGEST


def test_a_loop_in_time_is_starved_by_nobody(machine: Machine, pace: Pace) -> None:
    machine.lag = 0.9 * LATE
    assert set(machine.starve(pace, 42, 3.0)) == {0.0}


def test_a_late_loop_of_which_nobody_asks_anything_does_not_count(machine: Machine, pace: Pace) -> None:
    """The work itself makes it late; an export of a service at rest is not to take longer for that."""
    machine.lag = 4 * CONVOY
    assert set(machine.starve(pace, 0, 3.0)) == {0.0}
    assert machine.starve(pace, 42, 2.0)[-1] > 0
    assert set(machine.starve(pace, 0, 3 * WINDOW)[-10:]) == {0.0}, "nor one that was asked some time ago"


@pytest.mark.parametrize("a_second", [10, 100, 2000])
def test_what_nobody_waits_for_rests_while_anybody_asks(machine: Machine, shy: Pace, a_second: int) -> None:
    (*_, last) = machine.starve(shy, a_second, 3.0)
    assert last == pytest.approx(SHYNESS * REST * 0.02)
    assert set(machine.starve(shy, 0, 3 * WINDOW)[-10:]) == {0.0}, "and not any more some time later"


@pytest.mark.parametrize("a_second", [FEW, 700, 3000])
def test_what_nobody_waits_for_catches_up_while_others_go_on(machine: Machine, shy: Pace, a_second: int) -> None:
    """In slices, at 40 us an event, from 10,000 events behind while more are recorded all the time."""
    taken, each = machine.head - 10_000.0, 0.00004
    owed, began = 0.0, machine.seconds
    while taken < machine.head:
        assert machine.seconds - began < 60, f"{machine.head - taken:.0f} events behind after a minute"
        shy.resume()
        taken += SLICE / each
        passed = machine.seconds
        machine.work(SLICE, 0)
        machine.work(shy.rest(), 0)
        owed += (machine.seconds - passed) * a_second
        machine.head += int(owed)
        owed -= int(owed)
