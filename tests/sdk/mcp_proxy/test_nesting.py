"""A depth that no version of Python decides."""

from __future__ import annotations

import json

import pytest

from assent.flows import structure
from assent.mcp_proxy.frames import DEEPEST, is_too_deep


@pytest.mark.parametrize(("levels", "deep"), [(1, False), (DEEPEST, False), (DEEPEST + 1, True), (100_000, True)])
def test_a_depth_has_one_bound(levels: int, deep: bool) -> None:
    assert is_too_deep("[" * levels + "]" * levels) is deep
    assert is_too_deep('{"a":' * levels + "1" + "}" * levels) is deep


def test_a_long_text_of_few_levels_is_not_deep() -> None:
    assert not is_too_deep(json.dumps([{"a": [n]} for n in range(5_000)]))


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1])
def test_what_flows_read_of_a_text_has_the_same_bound(levels: int) -> None:
    text = "[" * levels + '"a"' + "]" * levels
    assert (structure.data_of(text) == text) is is_too_deep(text)
    assert structure.DEEPEST == DEEPEST


def test_what_is_not_too_deep_is_read() -> None:
    assert json.loads("[" * DEEPEST + "]" * DEEPEST)
