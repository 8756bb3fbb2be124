"""What goes on, by age, compared with sorting it anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assent_service.control.signals.aging import Aging, AgingItem

NAMES = st.sampled_from("abcdef")
steps = st.lists(
    st.one_of(
        st.tuples(st.just("watch"), NAMES, st.integers(0, 30)),
        st.tuples(st.just("forget"), NAMES, st.just(0)),
        st.tuples(st.just("turn"), st.just(""), st.integers(0, 30)),
    ),
    max_size=60,
)


def what(at: int) -> AgingItem:
    return AgingItem(at, "bot", "act_1", "x")


@given(steps)
def test_ages(steps: list[tuple[str, str, int]]) -> None:
    aging, known = Aging(), dict[str, int]()
    told: set[str] = set()
    reach = 0
    for step, name, at in steps:
        if step == "watch":
            if known.get(name) != at:
                told.discard(name)
            known[name] = at
            aging.watch(name, what(at))
        elif step == "forget":
            known.pop(name, None)
            told.discard(name)
            aging.forget(name)
        else:
            reach = max(reach, at)
            due = {each for each, began in known.items() if began < at}
            found = aging.turned(at)
            # Whatever has not been told of and is older; what came late may be told of before its time.
            assert due - told <= set(found) <= {each for each, began in known.items() if began < reach} - told
            told |= set(found)
        ordered = sorted((began, each) for each, began in known.items())
        assert [(each.at, id_) for id_, each in aging.oldest()] == ordered
        assert aging.older(at) == sum(began < at for began in known.values())
        assert aging.following(at) == min((began for began in known.values() if began >= at), default=None)


def test_of_too_many_those_that_were_met_first_are_watched() -> None:
    aging = Aging(2)
    for number, name in enumerate("abc"):
        aging.watch(name, what(number))
    assert [id_ for id_, _ in aging.oldest()] == ["a", "b"]
    aging.forget("a")
    aging.watch("d", what(9))
    assert [id_ for id_, _ in aging.oldest()] == ["b", "d"]
