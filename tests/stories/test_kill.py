"""kill -9 of the whole service under load: nothing acknowledged is lost, nothing is there twice.

The kernel outlives the process, so this shows the order of writing and answering; what a power loss leaves behind is in
test_restart.py.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.stories.killing import play
from tests.tiers import deep


@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=deep("one is in the quick tier"))])
def test_nothing_acknowledged_is_lost_or_doubled(tmp_path: Path, rounds: int) -> None:
    chance = random.Random()
    for number in range(rounds):
        played = play(tmp_path / "home", number, chance)
        assert played.heard.acknowledged > 50
        assert played.log.none, played.log
        assert not played.wrong


@deep("judges the test before it")
def test_a_service_that_answers_before_it_writes_is_caught(tmp_path: Path) -> None:
    played = play(tmp_path / "home", 0, random.Random(), module="tests.stories.eager_service")
    assert played.heard.acknowledged > 50
    assert played.log.lost
