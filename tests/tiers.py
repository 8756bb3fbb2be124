"""Which tests `make test` runs and which `make test-all` adds, and how many examples a property is tried with.

A test is in the quick tier unless it stands in one of FOLDERS or says otherwise: `pytestmark = deep("why")` for a
module, `@deep("why")` for a test, `pytest.param(..., marks=deep("why"))` for one of its values. With `quick=True` it is
in both.

Properties (hypothesis) are in both tiers, with two depths, SHALLOW and DEEP. `examples` is for those that need more or
less than others. They try the same examples in every run: what fails, fails again. `--new-examples` looks for others.

A run of the rest does not read files that say nothing of what makes a test its own (NAMES): half of all. A test of it
in one of these ends every run that collects it.

Without `--tier` everything runs that is named, properties with the shallow depth: what somebody wants who works on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
SHALLOW, DEEP = 20, 200
"""Examples of a property."""
FOLDERS = {
    "stories/published": "every method of three published clients; their main loop is in both tiers",
    "sdk/adapters": "each framework has an environment of its own",
}
"""Whose tests are not in the quick tier, and why."""
NAMES = re.compile(rb"\b(?:deep|hypothesis|schemathesis)\b")
"""What a file says somewhere that has a test of the rest and stands in none of FOLDERS."""


class Tier(StrEnum):
    QUICK = "quick"
    REST = "rest"
    ALL = "all"


def deep(why: str, *, quick: bool = False) -> pytest.MarkDecorator:
    """For what `make test-all` runs and `make test` does not; with `quick` both do."""
    return pytest.mark.deep(why, quick=quick)


def examples(times: float) -> settings:
    """So many times the depth of the run: for a property whose examples are very cheap or very dear."""
    return settings(max_examples=max(1, round(settings().max_examples * times)))


def set_depth(tier: Tier | None, *, new_examples: bool) -> None:
    """Before the tests are read: `examples` looks at it."""
    depth = DEEP if tier in (Tier.REST, Tier.ALL) else SHALLOW
    # How long an example takes says more about what else the machine does; timings are measured in tests/benchmarks.
    settings.register_profile("assent", deadline=None, max_examples=depth, derandomize=not new_examples)
    settings.load_profile("assent")


def choose(items: Iterable[pytest.Item], tier: Tier | None) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Those of the tier, and the others."""
    chosen: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        at = tiers(item)
        if Tier.REST in at and not is_read(item.path, Tier.REST):
            raise pytest.UsageError(
                f"{item.nodeid}: a run of the rest does not read its file; name there what marks it"
            )
        (chosen if tier in (None, Tier.ALL) or tier in at else others).append(item)
    return chosen, others


@cache
def is_read(file: Path, tier: Tier | None) -> bool:
    """Whether a run of the tier reads this file of tests."""
    return tier is not Tier.REST or _folder(file) in FOLDERS or NAMES.search(file.read_bytes()) is not None


def tiers(item: pytest.Item) -> set[Tier]:
    mark = item.get_closest_marker("deep")
    if mark is not None:
        if len(mark.args) != 1 or not isinstance(mark.args[0], str) or not mark.args[0].strip():
            raise pytest.UsageError(f'{item.nodeid}: say why it is not in the quick tier, deep("why")')
        found = {Tier.QUICK, Tier.REST} if mark.kwargs.get("quick") else {Tier.REST}
    elif _folder(item.path) in FOLDERS:
        found = {Tier.REST}
    else:
        found = {Tier.QUICK}
    return found | ({Tier.REST} if getattr(getattr(item, "obj", None), "is_hypothesis_test", False) else set())


def _folder(file: Path) -> str:
    return file.parent.relative_to(HERE).as_posix() if file.is_relative_to(HERE) else ""
