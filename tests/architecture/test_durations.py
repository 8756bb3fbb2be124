"""What is told of a file of tests that takes longer than it did."""

from __future__ import annotations

from math import inf

import pytest

from tests.durations import FILE, alone, grown, kept, speed, written
from tests.live import ROOT, WAIT
from tests.tiers import Tier, deep


def slow(file: str) -> float:
    """Alone it takes as long as beside others."""
    return inf


BEFORE = {"a.py": 10.0, "b.py": 20.0, "c.py": 4.0, "d.py": 1.0}


def test_what_is_written_is_read() -> None:
    text = written({"a.py": 1.25, "b.py": 0.4}, {"c.py": 30.0, "b.py": 2.0})
    assert kept(Tier.QUICK, text) == {"a.py": 1.2, "b.py": 0.4, "c.py": 0.0}
    assert kept(Tier.REST, text) == {"a.py": 0.0, "b.py": 2.0, "c.py": 30.0}


def test_what_takes_a_moment_is_not_listed() -> None:
    assert kept(Tier.QUICK, written({"a.py": 0.9}, {"a.py": 0.9})) == {}


def test_a_file_that_grew_by_half_and_by_two_seconds_is_told() -> None:
    told = "a.py takes 15.1 s, 10.0 s were expected (here all take 1.00 times)"
    assert grown(BEFORE | {"a.py": 15.1}, BEFORE, slow) == [told]
    assert grown(BEFORE | {"a.py": 14.9}, BEFORE, slow) == []
    assert grown(BEFORE | {"d.py": 2.9}, BEFORE, slow) == [], "by more than half, and not by two seconds"


def test_another_machine_is_no_growth() -> None:
    threefold = {file: 3 * seconds for file, seconds in BEFORE.items()}
    assert (speed(threefold, BEFORE), grown(threefold, BEFORE, slow)) == (3.0, [])
    assert len(grown(threefold | {"c.py": 25.0}, BEFORE, slow)) == 1
    fast = {file: seconds / 4 for file, seconds in BEFORE.items()}
    assert (speed(fast, BEFORE), grown(fast | {"a.py": 10.0}, BEFORE, slow)) == (1.0, []), "it may only wait"
    assert len(grown(fast | {"a.py": 15.1}, BEFORE, slow)) == 1


def test_a_file_that_is_as_quick_as_before_when_it_runs_alone_has_not_grown() -> None:
    asked: list[str] = []

    def quick(file: str) -> float:
        asked.append(file)
        return 11.0

    assert grown(BEFORE | {"a.py": 40.0}, BEFORE, quick) == []
    assert asked == ["a.py"], "the others need no second run"
    assert grown(BEFORE | {"a.py": 40.0}, BEFORE, lambda file: 16.0) == [
        "a.py takes 16.0 s, 10.0 s were expected (here all take 1.00 times)"
    ]


@deep("runs the tests of a file")
def test_what_a_file_takes_alone_is_what_its_tests_take() -> None:
    assert 0 < alone("tests/contract/test_week.py", Tier.QUICK) < WAIT
    assert alone("tests/contract/test_nowhere.py", Tier.QUICK) == inf


def test_a_new_file_may_take_three_seconds() -> None:
    assert grown(BEFORE | {"new.py": 2.9}, BEFORE, slow) == []
    assert len(grown(BEFORE | {"new.py": 3.1}, BEFORE, slow)) == 1


def test_without_anything_to_compare_with_nothing_passes() -> None:
    (told,) = grown({"a.py": 1.0}, {"a.py": 0.0}, slow)
    assert "make durations" in told


@pytest.mark.parametrize("tier", [Tier.QUICK, Tier.REST])
def test_both_tiers_are_kept(tier: Tier) -> None:
    long = {file: seconds for file, seconds in kept(tier, FILE.read_text(encoding="utf-8")).items() if seconds}
    assert len(long) > 30


def test_what_is_listed_is_there() -> None:
    gone = [file for file in kept(Tier.QUICK, FILE.read_text(encoding="utf-8")) if not (ROOT / file).is_file()]
    assert gone == [], "take these lines out of tests/durations.txt"
