"""Monitors of past-time rules, beside a second reading that looks at the whole history. Pure."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.flows import CallFacts, FlowPackError, History, Monitor, monitor, read_pack
from assent.flows.past import MOST_CALLS, MOST_MONITORS
from tests.tiers import examples

LABELS = read_pack({"labels": ["salaries"]}).labels


def along(one: Monitor, calls: list[CallFacts]) -> list[bool]:
    state, found = one.start(), []
    for call in calls:
        state, holds = one.step(state, call)
        found.append(holds)
    return found


def holds(formula: dict[str, Any], calls: list[CallFacts], at: int) -> bool:
    """What a formula means at a call, read off the history from its beginning, without any memory."""
    (operator, given), call = next(iter(formula.items())), calls[at]
    match operator:
        case "tool":
            return fnmatchcase(call.tool, str(given))
        case "effect":
            return bool(call.effect == given)
        case "label":
            return given in call.labels
        case "all":
            return all(holds(each, calls, at) for each in given)
        case "any":
            return any(holds(each, calls, at) for each in given)
        case "not":
            return not holds(given, calls, at)
        case "before":
            return any(holds(given, calls, each) for each in range(at))
        case "since":
            return any(
                holds(given["from"], calls, start)
                and all(holds(given["this"], calls, each) for each in range(start + 1, at + 1))
                for start in range(at + 1)
            )
        case "never_after":
            return holds(given["this"], calls, at) and any(holds(given["after"], calls, each) for each in range(at))
        case "count_within":
            times = [max(call.at for call in calls[: each + 1]) for each in range(at + 1)]
            inside = [
                each
                for each in range(at + 1)
                if (times[each] > times[at] - given["seconds"] if "seconds" in given else each > at - given["calls"])
            ]
            return sum(holds(given["of"], calls, each) for each in inside) >= int(given["at_least"])
        case _:
            raise AssertionError(operator)


ATOMS = st.one_of(
    st.sampled_from(["a", "b", "a*", "*"]).map(lambda name: {"tool": name}),
    st.sampled_from(["read", "send"]).map(lambda effect: {"effect": effect}),
    st.just({"label": "salaries"}),
)
FORMULAS = st.recursive(
    ATOMS,
    lambda below: st.one_of(
        st.lists(below, min_size=1, max_size=3).map(lambda each: {"all": each}),
        st.lists(below, min_size=1, max_size=3).map(lambda each: {"any": each}),
        below.map(lambda each: {"not": each}),
        below.map(lambda each: {"before": each}),
        st.tuples(below, below).map(lambda each: {"since": {"this": each[0], "from": each[1]}}),
        st.tuples(below, below).map(lambda each: {"never_after": {"this": each[0], "after": each[1]}}),
        st.tuples(below, st.integers(1, 3), st.integers(1, 5), st.sampled_from(["seconds", "calls"])).map(
            lambda each: {"count_within": {"of": each[0], "at_least": each[1], each[3]: each[2]}}
        ),
    ),
    max_leaves=6,
)
HISTORIES = st.lists(
    st.builds(
        CallFacts,
        st.sampled_from(["a", "ab", "b"]),
        st.sampled_from(["read", "send"]),
        st.sampled_from([frozenset(), frozenset({"salaries"})]),
        st.integers(0, 8).map(float),
    ),
    max_size=12,
)


@given(FORMULAS, HISTORIES)
@examples(10)
def test_a_monitor_says_what_the_whole_history_says(formula: dict[str, Any], calls: list[CallFacts]) -> None:
    found = along(monitor(formula, LABELS), calls)
    assert found == [holds(formula, calls, at) for at in range(len(calls))]


@given(FORMULAS, HISTORIES, HISTORIES)
def test_a_refused_call_leaves_no_trace(
    formula: dict[str, Any], calls: list[CallFacts], refused: list[CallFacts]
) -> None:
    one = monitor(formula, LABELS)
    state, found = one.start(), []
    for at, call in enumerate(calls):
        for other in refused[at : at + 1]:
            one.step(state, other)
        state, value = one.step(state, call)
        found.append(value)
    assert found == along(one, calls)


def test_the_rules_of_business_by_hand() -> None:
    verify, exports, salaries = (
        monitor(formula, LABELS)
        for formula in (
            {"all": [{"tool": "refund"}, {"not": {"before": {"tool": "verify_*"}}}]},
            {"count_within": {"of": {"tool": "export"}, "at_least": 4, "seconds": 3600}},
            {"never_after": {"this": {"effect": "send"}, "after": {"label": "salaries"}}},
        )
    )
    refund, check = CallFacts("refund", "send"), CallFacts("verify_identity", "read")
    assert along(verify, [refund, check, refund]) == [True, False, False]
    hour = [CallFacts("export", "send", at=at) for at in (0, 10, 20, 3600, 3601, 7300)]
    assert along(exports, hour) == [False, False, False, False, True, False], "an hour ends before it is over again"
    seen = frozenset({"salaries"})
    calls = [CallFacts("mail", "send"), CallFacts("x", "read", seen), CallFacts("mail", "send", seen), refund, check]
    assert along(salaries, calls) == [False, False, True, True, False]


def test_a_clock_that_goes_back_lengthens_no_window() -> None:
    two = monitor({"count_within": {"of": {"tool": "*"}, "at_least": 2, "seconds": 10}}, LABELS)
    calls = [CallFacts("a", "read", at=at) for at in (0, 100, 5, 120)]
    assert along(two, calls) == [False, False, True, False]


def test_a_state_does_not_grow_with_the_session() -> None:
    counts = [{"count_within": {"of": {"tool": "a"}, "at_least": 3, "seconds": 60}}, {"before": {"tool": "b"}}]
    one = monitor({"any": [*counts, {"since": {"this": {"tool": "a"}, "from": {"tool": "b"}}}]}, LABELS)
    state = one.start()
    for number in range(20_000):
        state, _ = one.step(state, CallFacts("a", "read", at=float(number)))
    assert len(state.moments) == 1
    assert len(state.moments[0]) == 3
    assert len(state.held) == 2


def deep(levels: int) -> dict[str, Any]:
    formula: dict[str, Any] = {"tool": "a"}
    for _ in range(levels):
        formula = {"not": formula}
    return formula


@pytest.mark.parametrize(
    ("formula", "complaint"),
    [
        (3, "is no formula"),
        ({}, "is no formula"),
        ({"tool": "a", "effect": "read"}, "is no formula"),
        ({"after": {}}, "unknown operator 'after'"),
        ({"tool": 3}, "expected a text"),
        ({"effect": "reads"}, "expected one of none, read"),
        ({"label": "wages"}, "nobody declared the label 'wages'"),
        ({"label": "Wages!"}, "is no label"),
        ({"all": []}, "expected a list"),
        ({"since": {"this": {"tool": "a"}}}, "members this, from"),
        ({"count_within": {"of": {"tool": "a"}, "at_least": 0, "seconds": 1}}, "whole number from 1"),
        ({"count_within": {"of": {"tool": "a"}, "at_least": True, "calls": 1}}, "whole number from 1"),
        ({"count_within": {"of": {"tool": "a"}, "at_least": 1, "seconds": float("inf")}}, "number above 0"),
        ({"count_within": {"of": {"tool": "a"}, "at_least": 1, "seconds": 1, "calls": 2}}, "members of"),
        (deep(40), "nested deeper"),
        ({"any": [{"tool": "a"}] * 300}, "more than 200 parts"),
    ],
)
def test_a_formula_that_means_nothing_is_refused(formula: object, complaint: str) -> None:
    with pytest.raises(FlowPackError, match=complaint):
        monitor(formula, LABELS)


def test_a_history_looks_at_each_call_once_for_a_monitor_and_knows_when_one_is_missing() -> None:
    twice = monitor({"count_within": {"of": {"tool": "a"}, "at_least": 2, "calls": 100}}, LABELS)
    history = History()
    history.add(CallFacts("a", "read"))
    assert not twice.step(history.state("twice", twice), CallFacts("b", "read"))[1]
    assert twice.step(history.state("twice", twice), CallFacts("a", "read"))[1]
    history.add(CallFacts("a", "read"))
    assert twice.step(history.state("twice", twice), CallFacts("b", "read"))[1]
    assert history.state("twice", twice).calls == 2
    assert history.complete
    for _ in range(MOST_CALLS - 1):
        history.add(CallFacts("c", "read"))
    assert (history.complete, len(history.calls)) == (False, MOST_CALLS)


def test_a_history_keeps_few_states() -> None:
    history = History()
    history.add(CallFacts("a", "read"))
    for number in range(3 * MOST_MONITORS):
        one = monitor({"before": {"tool": f"t{number}"}}, LABELS)
        assert history.state(f"before t{number}", one).calls == 1
