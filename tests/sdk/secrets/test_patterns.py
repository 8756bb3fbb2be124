"""Every pattern finds its own, and leaves alone what only looks like it."""

from __future__ import annotations

import pytest

from assent.secrets import find_secrets, redacted
from assent.secrets.find import KINDS
from tests.sdk.secrets.samples import HELD, NEAR, Sample


@pytest.mark.parametrize("sample", HELD, ids=[f"{number}-{each.pattern}" for number, each in enumerate(HELD)])
def test_a_secret_is_found_by_its_pattern(sample: Sample) -> None:
    found = find_secrets(sample.text)
    assert [(each.pattern, sample.text[each.start : each.end]) for each in found] == [(sample.pattern, sample.secret)]
    assert redacted(sample.text) == sample.text.replace(sample.secret, f"[REDACTED:{sample.pattern}]")
    assert sample.secret not in found[0].matched(sample.text)
    assert f"({len(sample.secret)} characters)" in found[0].matched(sample.text)


@pytest.mark.parametrize("pattern", NEAR)
def test_what_only_looks_like_it_stays(pattern: str) -> None:
    for text in NEAR[pattern]:
        assert redacted(text) == text


def test_there_are_two_of_each_and_three_near_misses() -> None:
    patterns = [sample.pattern for sample in HELD]
    assert {name: patterns.count(name) >= 2 for name in KINDS} == dict.fromkeys(KINDS, True)
    assert {name: len(NEAR[name]) >= 3 for name in KINDS} == dict.fromkeys(KINDS, True)
    assert set(patterns) == set(NEAR) == set(KINDS)
