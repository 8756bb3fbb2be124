"""Answers that a page keeps: asked for once, given for a minute, and only to the question that they answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from assent_dashboard.views import answers
from assent_dashboard.views.answers import FRESH_SECONDS, PREFIX, asked, forget


class Service:
    """Answers with how often it was asked; waits for the gate when it is told to."""

    def __init__(self) -> None:
        self.times = 0
        self.gate = threading.Event()
        self.gate.set()
        self.refuses = False

    def __call__(self) -> int:
        self.times += 1
        number = self.times
        assert self.gate.wait(30)
        if self.refuses:
            raise LookupError(f"refused {number}")
        return number


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The state of one tab."""
    held: dict[str, object] = {}
    monkeypatch.setattr(answers, "st", SimpleNamespace(session_state=held))
    return held


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.gate.set()


def older(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(answers, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + seconds))


def test_a_fresh_answer_is_given_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked("a", service, "7d")().answer == 1
    older(monkeypatch, FRESH_SECONDS - 5)
    again = asked("a", service, "7d")()
    assert (again.answer, service.times) == (1, 1)
    assert FRESH_SECONDS - 5 <= again.age < FRESH_SECONDS


def test_an_old_answer_is_asked_for_anew(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    asked("a", service)()
    older(monkeypatch, FRESH_SECONDS + 1)
    found = asked("a", service)()
    assert found.answer == 2
    assert found.age < 1


def test_another_question_is_asked_and_only_the_newest_is_kept(service: Service) -> None:
    assert [asked("a", service, window)().answer for window in ("7d", "30d", "30d", "7d")] == [1, 2, 2, 3]


def test_names_are_kept_apart(service: Service) -> None:
    assert [asked(name, service)().answer for name in ("a", "b", "a", "b")] == [1, 2, 1, 2]


def test_what_is_forgotten_is_asked_for_anew(service: Service) -> None:
    asked("a", service)()
    forget("a")
    forget("never asked for")
    assert asked("a", service)().answer == 2


def test_an_error_is_told_and_not_kept(service: Service, state: dict[str, object]) -> None:
    service.refuses = True
    with pytest.raises(LookupError, match="refused 1"):
        asked("a", service)()
    assert PREFIX + "a" not in state
    service.refuses = False
    assert asked("a", service)().answer == 2


def test_an_error_does_not_take_the_place_of_an_answer_to_another_question(service: Service) -> None:
    asked("a", service, "7d")()
    service.refuses = True
    with pytest.raises(LookupError):
        asked("a", service, "30d")()
    assert asked("a", service, "7d")().answer == 1


def test_asking_begins_at_once_and_waits_only_when_it_is_called(service: Service) -> None:
    service.gate.clear()
    waiting = asked("a", service)
    deadline = time.monotonic() + 10
    while not service.times and time.monotonic() < deadline:
        time.sleep(0.001)
    assert service.times == 1
    service.gate.set()
    assert waiting().answer == 1


def test_a_drawing_that_is_broken_off_leaves_its_question_to_the_next(service: Service) -> None:
    service.gate.clear()
    asked("a", service, "7d")  # and a click ends this drawing before it waits
    second = asked("a", service, "7d")
    other = asked("b", service, "7d")
    service.gate.set()
    assert second().answer == 1
    assert (other().answer, service.times) == (2, 2)
    assert asked("a", service, "7d")().answer == 1


def test_what_was_left_behind_is_of_no_use_to_another_question_or_when_it_failed(service: Service) -> None:
    asked("a", service, "7d")
    assert asked("a", service, "30d")().answer == 2
    service.refuses = True
    left = asked("b", service)
    with pytest.raises(LookupError):
        left()
    left = asked("b", service)  # fails again, and nobody waits for it
    while service.times < 4:
        time.sleep(0.001)
    time.sleep(0.05)
    service.refuses = False
    assert asked("b", service)().answer == 5


def test_forgetting_does_not_take_an_answer_that_was_asked_for_before(service: Service) -> None:
    service.gate.clear()
    asked("a", service)
    forget("a")
    after = asked("a", service)
    service.gate.set()
    assert after().answer == 2
