"""Ids of what is computed: the same for the same, and never two for one."""

from __future__ import annotations

from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from assent_service.analysis.learning.reading import name, recommendation_id

parts = st.lists(st.text(max_size=8), min_size=1, max_size=4)


@given(parts, parts)
def test_other_parts_have_another_name(one: list[str], other: list[str]) -> None:
    assert (name("x_", *one) == name("x_", *other)) == (one == other)


def test_a_name_is_what_it_says() -> None:
    assert recommendation_id("o", "bot", "look") == "rec_" + sha256(b"1:o3:bot4:look").hexdigest()[:24]


def test_parts_do_not_run_into_each_other() -> None:
    assert recommendation_id("o", "a", "bc") != recommendation_id("o", "ab", "c")
