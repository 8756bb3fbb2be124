"""An export rests while the service records, and only then."""

from __future__ import annotations

import pytest

from assent_service.data.pace import LONGEST, REST, Pace


class Machine:
    def __init__(self) -> None:
        self.head, self.seconds = 1000, 50.0

    def work(self, seconds: float, recorded: int) -> None:
        self.seconds += seconds
        self.head += recorded


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def pace(machine: Machine) -> Pace:
    return Pace(lambda: machine.head, lambda: machine.seconds)


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


def test_what_was_recorded_during_the_rest_does_not_count(machine: Machine, pace: Pace) -> None:
    machine.work(0.02, 100)
    machine.work(pace.rest(), 100)
    pace.resume()
    machine.work(0.02, 0)
    assert pace.rest() == 0
