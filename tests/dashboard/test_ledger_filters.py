"""What an address asks of the ledger."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import ActionStatus, Decision
from assent_dashboard.views.ledger.filters import Filters, View, read

# What may stand in an address and mean something: no blanks at the ends, which nobody sees.
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(lambda name: name == name.strip())
FILTERS = st.builds(
    Filters,
    window=st.integers(1, 3650).map("{}d".format),
    agent_id=st.none() | NAMES,
    action_type=st.none() | NAMES,
    status=st.none() | st.sampled_from(ActionStatus),
    decision=st.none() | st.sampled_from(Decision),
    view=st.sampled_from(View),
    cursor=st.none() | NAMES,
    action_id=st.none() | NAMES,
)


@given(FILTERS)
def test_an_address_gives_back_what_it_was_made_of(filters: Filters) -> None:
    assert read(filters.address()) == (filters, [])


@given(st.dictionaries(st.sampled_from(sorted(Filters().__dict__)) | st.text(max_size=10), st.text(max_size=500)))
def test_no_address_is_too_strange(address: dict[str, str]) -> None:
    filters, problems = read(address)
    assert 1 <= filters.days <= 3650
    assert read(filters.address()) == (filters, []), "what was made of it means something"
    assert all(problem.endswith(".") for problem in problems)


def test_without_an_address_the_last_week_of_actions_is_shown() -> None:
    filters, problems = read({})
    assert (filters.window, filters.days, filters.view, problems) == ("7d", 7, View.ACTIONS, [])
    assert not filters.narrowed


@pytest.mark.parametrize("window", ["abc", "0d", "-1d", "9999999d", "3651d", "7", "1.5d", "7D", "٧d"])
def test_a_window_that_is_none_is_told_and_replaced(window: str) -> None:
    filters, problems = read({"window": window, "agent_id": "bot"})
    assert filters == Filters(agent_id="bot")
    (problem,) = problems
    assert repr(window) in problem
    assert "1d to 3650d" in problem
    assert "Showing 7d instead" in problem


@pytest.mark.parametrize(
    ("name", "known"),
    [("status", "pending_approval"), ("decision", "require_approval"), ("view", "decisions")],
)
def test_an_unknown_choice_is_told_with_those_that_there_are(name: str, known: str) -> None:
    filters, problems = read({name: "nope"})
    assert filters == Filters()
    (problem,) = problems
    assert problem.startswith(f"{name} is 'nope'")
    assert known in problem


def test_a_name_that_no_agent_can_have_is_told() -> None:
    filters, problems = read({"agent_id": "a" * 129, "action_type": "b" * 128})
    assert filters == Filters(action_type="b" * 128)
    assert problems == ["agent_id has 129 characters, at most 128 are possible. Showing without it."]


def test_decisions_have_no_status_and_the_address_keeps_it_for_the_way_back() -> None:
    filters, problems = read({"view": "decisions", "status": "failed"})
    assert problems == []
    assert not filters.narrowed
    assert filters.address() == {"window": "7d", "status": "failed", "view": "decisions"}


def test_an_action_is_opened_and_closed_with_the_filters_kept() -> None:
    filters, _ = read({"window": "30d", "agent_id": "bot", "cursor": "abc"})
    opened = filters.opened("act_1")
    assert opened.address() == {"window": "30d", "agent_id": "bot", "cursor": "abc", "action_id": "act_1"}
    assert opened.closed() == filters
