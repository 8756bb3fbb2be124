"""A run of the rest reads the files that may have a test of it, and who has one elsewhere is told."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.tiers import FOLDERS, HERE, Tier, choose, deep, is_read

MARKED = "from tests.elsewhere import slow\npytestmark = slow\n"


def file(folder: Path, text: str) -> Path:
    path = folder / "test_it.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('pytestmark = deep("why")', True),
        ("from hypothesis.stateful import RuleBasedStateMachine", True),
        ("import schemathesis", True),
        ("from copy import deepcopy", False),
        (MARKED, False),
    ],
)
def test_a_run_of_the_rest_reads_what_names_a_mark_or_a_property(tmp_path: Path, text: str, found: bool) -> None:
    assert is_read(file(tmp_path, text), Tier.REST) is found


def test_it_reads_the_folders_of_the_rest_and_other_runs_read_everything(tmp_path: Path) -> None:
    for folder in FOLDERS:
        assert all(is_read(each, Tier.REST) for each in (HERE / folder).glob("test_*.py"))
    nothing = file(tmp_path, "")
    assert [is_read(nothing, tier) for tier in (Tier.REST, Tier.QUICK, Tier.ALL, None)] == [False, True, True, True]


@pytest.mark.parametrize("tier", [None, *Tier])
def test_a_test_that_a_run_of_the_rest_would_not_see_ends_any_run(tmp_path: Path, tier: Tier | None) -> None:
    """So that both tiers together have every test."""

    def item(text: str) -> Any:
        mark = deep("why").mark
        return cast("Any", SimpleNamespace(path=file(tmp_path, text), nodeid="it", get_closest_marker=lambda _: mark))

    with pytest.raises(pytest.UsageError, match="name there what marks it"):
        choose([item(MARKED)], tier)
