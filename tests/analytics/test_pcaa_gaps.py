"""Gaps and groups, counted by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assent_analytics import pcaa
from assent_analytics.rates import wilson

STATUSES = {"c": "complete", "p": "pending", "m": "missing", "-": "not_required", "d": "denied"}
CHECKPOINTS = ("pre_action_admissibility", "action_open", "assumption_capture", "approval", "outcome_closure")


def state(action_id: str, agent: str | None, kind: str, letters: str, observed: int, n: int = 1) -> dict[str, Any]:
    """A row as `pcaa.judge` gives it: an action, or `n` alike ones."""
    return {
        "action_id": action_id,
        "agent_id": agent,
        "action_type": kind,
        **{name: STATUSES[letter] for name, letter in zip(CHECKPOINTS, letters, strict=True)},
        "expected": 5 - letters.count("-"),
        "answered": letters.count("c") + letters.count("d"),
        "observed": observed,
        "reached_approval": letters[3] in "cdp",
        "simulated": agent == "ghost",
        "n": n,
    }


STATES = pl.DataFrame(
    [
        state("act_1", "bot", "pay", "ccmcc", 4),
        state("act_2", "bot", "pay", "cc--m", 2, n=3),
        state("act_3", "bot", "look", "cc--p", 3),
        state("act_4", "ghost", "pay", "ccmdc", 5, n=2),
        state("act_5", None, "look", "cc--c", 3),
    ]
)


def test_groups_have_the_numbers_of_health_with_their_intervals() -> None:
    rows = {row["name"]: row for row in pcaa.groups(STATES, "agent_id").collect().to_dicts()}
    bot = rows["bot"]
    assert (bot["n"], bot["incomplete"], bot["simulated"]) == (5, 4, 0)
    covered = 4 / 5 + 3 * 2 / 3 + 2 / 3
    assert bot["coverage"] == pytest.approx(100 * covered / 5)
    assert bot["approval"] == pytest.approx(20.0)
    assert bot["evidence"] == pytest.approx(100 * (4 / 5 + 3 * 2 / 3 + 1) / 5)
    assert (bot["approval_low"], bot["approval_high"]) == pytest.approx(tuple(100 * end for end in wilson(1, 5)))
    assert bot["coverage_low"] < bot["coverage"] < bot["coverage_high"]
    assert (rows["ghost"]["n"], rows["ghost"]["incomplete"], rows["ghost"]["simulated"]) == (2, 2, 2)
    # All alike, and still something is left open.
    assert rows[None]["coverage"] == 100.0
    assert rows[None]["coverage_low"] == pytest.approx(100 * wilson(1, 1)[0])


def test_most_incomplete_come_first_and_all_are_one_row() -> None:
    assert pcaa.groups(STATES, "agent_id").collect()["name"].to_list() == ["bot", "ghost", None]
    (everything,) = pcaa.groups(STATES).collect().to_dicts()
    assert (everything["name"], everything["n"], everything["incomplete"]) == (None, 8, 6)


def test_nothing_leaves_everything_open() -> None:
    (nothing,) = pcaa.groups(STATES.clear()).collect().to_dicts()
    assert (nothing["n"], nothing["coverage"], nothing["coverage_low"], nothing["coverage_high"]) == (0, None, 0, 100)
    assert pcaa.gaps(STATES.clear()).collect().height == 0


def test_gaps_count_what_is_missing_and_name_the_newest() -> None:
    found = pcaa.gaps(STATES).collect().rows()
    assert found == [
        ("outcome_closure", "bot", "pay", 4, 3, "act_2"),
        ("assumption_capture", "ghost", "pay", 2, 2, "act_4"),
        ("assumption_capture", "bot", "pay", 1, 1, "act_1"),
    ]
