"""Objects of many members: the order in which somebody sends their names costs nothing and changes nothing."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from assent.proof.canonical import MANY, canonical
from tests.tiers import deep

ORDINARY = st.text(st.characters(max_codepoint=0x7E, min_codepoint=0x20), max_size=4)


def plain(value: object) -> bytes:
    """For ASCII names and small integers every sorted, compact JSON is canonical."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


@deep("a hundred and fifty thousand names")
def test_names_that_a_quicksort_has_no_stack_for() -> None:
    names = [f"{number:07d}" for number in range(150_000)]
    for order in (
        ["zz", *names],
        ["zz", *reversed(names)],
        [*names, ""],
        [name for pair in zip(names, reversed(names), strict=True) for name in pair],
    ):
        value = dict.fromkeys(order, 1)
        assert canonical({"inside": [value]}) == plain({"inside": [value]})


@given(st.dictionaries(ORDINARY, st.integers(-9, 9), min_size=MANY - 2, max_size=MANY + 3), st.randoms())
def test_few_and_many_are_written_alike(value: dict[str, int], chance: object) -> None:
    shuffled = sorted(value, key=lambda _: chance.random())  # type: ignore[attr-defined]  # hypothesis gives a Random
    assert canonical({name: value[name] for name in shuffled}) == plain(value)
