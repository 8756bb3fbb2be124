"""Which rules hold is told without searching; it has to be what a search finds."""

from __future__ import annotations

import re2
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.injection.rules import SIZE, Near, PatternStep
from tests.analytics.injection.lexicon import RULES

LETTERS = sorted(set(RULES.lexicon.words.values()))
OPTIONS = re2.Options()
OPTIONS.dot_nl = True
EXPRESSIONS = [re2.compile(rule.pattern, OPTIONS) for rule in RULES.rules]


def step(letters: str, gap: int = 0, optional: bool = False) -> PatternStep:
    return PatternStep(gap, frozenset(letters), optional)


@given(st.lists(st.one_of(st.just(" "), st.sampled_from(LETTERS)), max_size=60).map("".join))
def test_the_rules_that_hold_are_those_that_a_search_finds(letters: str) -> None:
    found = {hit.rule.name for hit in RULES.hits(letters)}
    searched = zip(RULES.rules, EXPRESSIONS, strict=True)
    assert found == {rule.name for rule, each in searched if each.search(letters) is not None}


def test_a_gap_is_at_most_as_wide_as_it_says() -> None:
    near = Near([[[step("a"), step("b", 3)]]], {})
    for between in range(6):
        letters = "a" + " " * between + "b"
        assert (near.holding(letters) == {0: 1 << (len(letters) - 1)}) is (between <= 3)


def test_what_is_optional_may_miss_but_not_more() -> None:
    near = Near([[[step("a"), step("b", optional=True), step("c")]]], {})
    assert near.holding("ac") == {0: 0b10}
    assert near.holding("abc") == {0: 0b100}
    assert near.holding("axc") == {}


def test_only_patterns_with_all_their_classes_are_followed() -> None:
    near = Near([[[step("a"), step("b")]], [[step("cd")]], [[step("e", optional=True), step("b")]]], {"b": 5})
    assert near.begun("aaaa") == set()
    assert len(near.begun("  d ")) == 1
    assert len(near.begun("b")) == 2
    assert near.holding("b") == {2: 1}


def test_a_rule_is_found_across_pieces() -> None:
    attack = [RULES.lexicon.words[word] for word in ("ignore", "all", "previous", "instructions")]
    for before in (SIZE - 6, SIZE - 2, SIZE - 1, SIZE, 2 * SIZE - 3):
        hits = [hit for hit in RULES.hits(" " * before + "".join(attack)) if hit.rule.name == "override_prior"]
        assert (hits[0].start, hits[0].end) == (before, before + 4)
