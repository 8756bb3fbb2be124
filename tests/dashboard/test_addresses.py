"""What an address asks of a page: laws of every page's address, and what each page adds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.people.agents import AgentPresence
from assent.contract.window import LONGEST_DAYS
from assent_dashboard.entries import ENTRIES
from assent_dashboard.pages import SHOWS
from assent_dashboard.views import addresses
from assent_dashboard.views.address import LONGEST_CURSOR, LONGEST_NAME, Address, Choice, Days, Flag, Number, Text
from assent_dashboard.views.addresses import (
    SERIES,
    WINDOWS,
    AgentsAddress,
    AlertList,
    ApprovalsAddress,
    DriftAddress,
    LedgerAddress,
    LedgerView,
    MessagesAddress,
    MessagesView,
    Order,
    ProofAddress,
    RecentDays,
    Scope,
    ScoresAddress,
    ScoresPart,
    Whose,
    in_words,
)

PAGES = [each for each in vars(addresses).values() if isinstance(each, type) and issubclass(each, Address)]
PAGES = [each for each in PAGES if each.page]
# What may stand in an address and mean something: no blanks at the ends, which nobody sees.
NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(lambda name: name == name.strip())
DAYS = st.integers(1, LONGEST_DAYS).map("{}d".format)


def texts(kind: Any) -> st.SearchStrategy[str]:
    """Texts that mean something to a kind, most of them."""
    match kind:
        case Days() | RecentDays():
            return DAYS
        case Choice():
            return st.sampled_from([str(each) for each in kind.known])
        case Number():
            return st.floats(0, kind.most).map(str)
        case Flag():
            return st.sampled_from([Flag.YES, "no"])
        case Text():
            return NAMES
        case _:
            raise AssertionError(f"no texts are known of {kind}")


def queries(page: type[Address]) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries({}, optional={name: texts(each.kind) for name, each in page.parameters.items()})


def test_every_page_declares_its_address() -> None:
    assert sorted(page.page for page in PAGES) == sorted(ENTRIES)


def test_every_page_of_the_navigation_is_drawn() -> None:
    """They are told twice: what says which pages there are imports none of them."""
    assert list(SHOWS) == list(ENTRIES)


@pytest.mark.parametrize("page", PAGES)
@given(data=st.data())
def test_an_address_gives_back_what_it_was_made_of(page: type[Address], data: st.DataObject) -> None:
    address, _ = page.read(data.draw(queries(page)))
    assert page.read(address.query()) == (address, [])
    assert page.read(address.query() | {"stranger": "x"}) == (address, []), "others are left alone"
    assert page.void(address.query()) == set()


@pytest.mark.parametrize("page", PAGES)
@given(data=st.data())
def test_no_address_is_too_strange(page: type[Address], data: st.DataObject) -> None:
    """Whatever stands there, a look comes of it that means something, and a sentence for what does not."""
    names = st.sampled_from([*page.parameters, "x"])
    query = data.draw(st.dictionaries(names, st.text(max_size=500)))
    address, problems = page.read(query)
    assert page.read(address.query()) == (address, [])
    assert all(problem.endswith(".") for problem in problems)
    left = {name: text for name, text in query.items() if name not in page.void(query)}
    assert page.read(left) == (address, []), "what is void can be left out"


@pytest.mark.parametrize("page", PAGES)
def test_nothing_asked_for_is_the_usual_look(page: type[Address]) -> None:
    usual = page()
    assert page.read(dict.fromkeys(page.parameters, "  ")) == (usual, [])
    assert usual.query() == ({"window": usual.window} if isinstance(usual, Scope) else {})


@pytest.mark.parametrize("page", [page for page in PAGES if issubclass(page, Scope)])
@pytest.mark.parametrize(
    "window", ["0d", "7", "d", "-1d", "7 d", "07d", "1.5d", "7D", f"{LONGEST_DAYS + 1}d", "٣d", "1d\n2d", "abc"]
)
def test_a_window_that_is_none_is_told_and_the_usual_one_taken(page: type[Scope], window: str) -> None:
    address, problems = page.read({"window": window, "agent_id": "a-1"})
    assert address == replace(page(), agent_id="a-1")
    (problem,) = problems
    assert repr(window) in problem
    assert "1d to 3650d" in problem
    assert f"Showing {page().window} instead." in problem


@pytest.mark.parametrize("page", [page for page in PAGES if "agent_id" in page.parameters])
def test_a_name_that_is_too_long_is_told_with_its_length(page: type[Address]) -> None:
    address, problems = page.read({"agent_id": "x" * (LONGEST_NAME + 1)})
    assert address == page()
    assert problems == ["agent_id has 129 characters, at most 128 are possible. Showing without it."]
    assert page.read({"agent_id": "x" * LONGEST_NAME})[1] == []


CHOICES = [
    (page, name, each.kind)
    for page in PAGES
    for name, each in page.parameters.items()
    if isinstance(each.kind, Choice) and each.when is None
]


@pytest.mark.parametrize(("page", "name", "kind"), CHOICES)
def test_an_unknown_choice_is_told_with_those_that_there_are(page: type[Address], name: str, kind: Choice) -> None:
    address, problems = page.read({name: "nope" * 20})
    assert address == page()
    (problem,) = problems
    assert problem.startswith(f"{name} is {('nope' * 20)[:40]!r}; it can be {', '.join(kind.known)}. Showing ")
    for text in kind.known:
        address, problems = page.read({name: text})
        assert (getattr(address, name), problems) == (text, [])


def test_a_link_says_only_what_it_is_given_and_knows_the_pages_members() -> None:
    link = LedgerAddress.query_of(action_id="act_1", view=LedgerView.ACTIONS, agent_id=None)
    assert link == {"action_id": "act_1", "view": "actions"}
    with pytest.raises(TypeError, match="ProofAddress has no action_id"):
        ProofAddress.query_of(action_id="act_1")


def test_a_member_that_no_address_can_hold_is_named_where_it_is_declared() -> None:
    with pytest.raises(TypeError, match=r"Odd\.days: an address cannot hold .*int"):

        @dataclass(frozen=True)
        class Odd(Address, page="odd"):
            days: int = 3

    with pytest.raises(TypeError, match=r"Bare\.flag has no default"):

        @dataclass(frozen=True)
        class Bare(Address, page="bare"):
            flag: bool

    with pytest.raises(TypeError, match=r"Twice\.text: an address cannot hold"):

        @dataclass(frozen=True)
        class Twice(Address, page="twice"):
            text: Annotated[str | None, Text(1), Choice(["a"])] = None


def test_the_scope_is_what_most_pages_share() -> None:
    address = LedgerAddress(window="14d", agent_id="a-1", action_type="pay", cursor="c")
    assert (address.scope, address.days) == (Scope("14d", "a-1", "pay"), 14)
    assert not Scope(window="7d").narrowed
    assert Scope(action_type="pay").narrowed
    assert all(Scope.read({"window": window}) == (Scope(window=window), []) for window in WINDOWS)
    assert (in_words("1d"), in_words("14d")) == ("the last day", "the last 14 days")


def test_without_an_address_the_ledger_shows_the_last_week_of_actions() -> None:
    filters, problems = LedgerAddress.read({})
    assert (filters.window, filters.days, filters.view, problems) == ("7d", 7, LedgerView.ACTIONS, [])
    assert not filters.narrowed
    assert LedgerAddress.read({"cursor": "c" * LONGEST_CURSOR})[0].cursor is not None
    assert LedgerAddress.read({"cursor": "c" * (LONGEST_CURSOR + 1)})[0].cursor is None


def test_decisions_have_no_status_and_the_address_keeps_it_for_the_way_back() -> None:
    filters, problems = LedgerAddress.read({"view": "decisions", "status": "failed"})
    assert problems == []
    assert not filters.narrowed
    assert filters.query() == {"window": "7d", "status": "failed", "view": "decisions"}


def test_an_action_is_opened_and_closed_with_the_filters_kept() -> None:
    filters, _ = LedgerAddress.read({"window": "30d", "agent_id": "bot", "cursor": "abc"})
    opened = filters.opened("act_1")
    assert opened.query() == {"window": "30d", "agent_id": "bot", "cursor": "abc", "action_id": "act_1"}
    assert opened.closed() == filters


def test_what_was_decided_lately_and_the_newest_first_is_what_approvals_show() -> None:
    assert ApprovalsAddress.read({}) == (ApprovalsAddress("1d", order=Order.NEWEST), [])
    address, problems = ApprovalsAddress.read({"order": "random"})
    assert address.order is Order.NEWEST
    assert problems == ["order is 'random'; it can be newest, expires, risk. Showing the newest first."]
    address, problems = ApprovalsAddress.read({"whose": "mine"})
    assert (address.whose, problems, address.query()["whose"]) == (Whose.MINE, [], "mine")
    assert ApprovalsAddress.read({"whose": "ours"})[1] == ["whose is 'ours'; it can be all, mine, free. Showing all."]


def test_a_comparison_needs_a_recent_window_that_is_shorter() -> None:
    query = {"metric": "risk_score", "alert_id": "da_1", "recent": "3d", "alerts": "acknowledged"}
    address, problems = DriftAddress.read(query)
    assert address == DriftAddress(alert_id="da_1", metric="risk_score", recent="3d", alerts=AlertList.ACKNOWLEDGED), (
        problems
    )
    assert problems == []
    address, problems = DriftAddress.read({"metric": "mood", "recent": "30d", "alerts": "all"})
    assert address == DriftAddress()
    assert problems == [
        f"metric is 'mood'; it can be {', '.join(SERIES)}. Showing without it.",
        "recent is 30d, and has to be shorter than the window of 30d.",
        "alerts is 'all'; it can be open, acknowledged. Showing the open ones.",
    ]
    address, (problem,) = DriftAddress.read({"recent": "soon"})
    assert address.recent is None
    assert problem.startswith("recent: ")
    assert problem.endswith("Showing without it.")
    assert DriftAddress.read({"recent": "30d", "window": "31d"})[0].recent == "30d"


def test_what_an_interruption_and_a_failure_cost_is_a_number() -> None:
    address, problems = ScoresAddress.read(
        {"part": "calibration", "interruption": "2", "failure": "50.5", "profile_id": "sp_1"}
    )
    assert address == ScoresAddress(part=ScoresPart.CALIBRATION, profile_id="sp_1", interruption=2.0, failure=50.5), (
        problems
    )
    assert problems == []
    address, problems = ScoresAddress.read({"part": "moods", "interruption": "nan", "failure": "-1"})
    assert address == ScoresAddress()
    assert problems == [
        "part is 'moods'; it can be profiles, calibration, templates, evaluations. Showing profiles.",
        "interruption is 'nan'; give a number from 0 to 1000000000. Showing 1.",
        "failure is '-1'; give a number from 0 to 1000000000. Showing 20.",
    ]


def test_agents_are_online_or_offline() -> None:
    address = AgentsAddress(presence=AgentPresence.ONLINE, provider="stripe")
    assert AgentsAddress.read({"presence": "online", "provider": "stripe"}) == (address, [])
    address, problems = AgentsAddress.read({"presence": "asleep"})
    assert address == AgentsAddress()
    assert problems == ["presence is 'asleep'; it can be online, offline. Showing all."]


def test_a_box_is_somebodys_and_what_another_list_has_is_left_out() -> None:
    assert MessagesAddress.read({"direction": "sent"}) == (MessagesAddress(), [])
    query = {"view": "handoffs", "message_id": "msg_1", "status": "nope"}
    assert MessagesAddress.read(query) == (MessagesAddress(view=MessagesView.HANDOFFS), [])
    assert MessagesAddress.void(query) == {"message_id", "status"}
    for filters in (
        MessagesAddress(view=MessagesView.THREADS, thread_id="t"),
        MessagesAddress(view=MessagesView.LOOPS, agent_id="desk"),
    ):
        assert MessagesAddress.read(filters.query()) == (filters, [])
