"""Which of many has the most."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assent_service.control.actions.signature_memory import Sizes


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=80))
def test_the_largest_is_what_counting_anew_says(steps: list[tuple[str, bool]]) -> None:
    sizes, counted = Sizes(), Counter[str]()
    for name, up in steps:
        if up:
            sizes.grow(name)
            counted[name] += 1
        elif counted[name]:
            sizes.shrink(name)
            counted[name] -= 1
        assert sizes.total == counted.total()
        if sizes.total:
            assert counted[sizes.largest] == max(counted.values())
