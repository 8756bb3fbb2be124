"""The widgets that show what a page's address says, and write what is chosen into it.

    address, problems = here(LedgerAddress)
    choose(address, "status", "Status", ActionStatus, nothing="Any status")

A widget's key is `<page>_<member>`. Those of the scope are `<page>_window`, `<page>_days` (only with a window of one's
own), `<page>_agent_id` and `<page>_action_type`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from assent import Client
from assent.contract.window import LONGEST_DAYS
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.address import Address
from assent_dashboard.views.addresses import WINDOWS, Scope
from assent_dashboard.views.answers import AWAY

LATELY = 500
"""The newest decisions, whose agents and types are offered."""
KEPT_SECONDS = 60.0
NAMES = "assent_names"
"""Key of the state that holds the names that were read last, and whose they are."""


@dataclass(frozen=True)
class Names:
    """In the alphabet's order."""

    agents: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


def names(session: Session) -> Names:
    """Those of the last time while the service is away: they are only offered, and no page ends for them."""
    key_id = session.key.key_id
    try:
        found = _names(key_id, session.client)
    except AWAY:
        owner, known = st.session_state.get(NAMES, (None, Names()))
        return known if owner == key_id else Names()
    st.session_state[NAMES] = (key_id, found)
    return found


@st.cache_data(ttl=KEPT_SECONDS, max_entries=100, show_spinner=False)
def _names(key_id: str, _client: Client) -> Names:
    lately = _client.get_guard_decisions(limit=LATELY).decisions
    agents = {row.agent_id for row in lately if row.agent_id}
    return Names(agents=tuple(sorted(agents)), types=tuple(sorted({row.action_type for row in lately})))


A = TypeVar("A", bound=Address)

WIDTH = 165
"""In pixels: all stand beside each other on a desk, two on a telephone."""
CUSTOM, CUSTOM_WINDOW = "Custom…", "14d"
"""What is chosen for a window of one's own, and what it begins with."""
ALL = ("window", "agent_id", "action_type")
HELD = "address_drawn"
"""Key of the state that holds the address of the page that is drawn."""
CHOSEN = "address_chosen"
"""Key of the state that holds the choice which the browser may not have heard of."""
ON_ITS_WAY_SECONDS, MOST_BEFORE = 5.0, 20
"""How long the browser may take to hear of a choice, and of how many in a row."""


# The browser's address, and the one that is drawn.
#
# Every request of the browser names its address, and it hears of a choice only after the page was drawn at it. So what
# it names may be older than the choice: a fragment that looks by itself asks beside the choice, and a second press
# replaces the run that was to tell of the first one.
#
# 1. A choice changes the address that is drawn, not the one that the browser names.
# 2. Runs of fragments choose nothing. Streamlit calls the callbacks of widgets in them that the choice took off the
#    page, since the browser still sent their values.
# 3. A run for which the browser names an address from before a choice that it has not named since, is drawn at the
#    choice; its buttons for back and forward are obeyed.


@dataclass(frozen=True)
class Choice:
    """The address that was chosen on a page, `at` a time. `before` are those that it replaced."""

    page: str
    query: Mapping[str, str]
    before: tuple[Mapping[str, str], ...]
    at: float


def here(page: type[A]) -> tuple[A, list[str]]:
    """What the browser's address asks for, and a sentence for each value that means nothing."""
    query = _meant(page, st.query_params.to_dict())
    # A link from another page reaches the script and not the browser's address; writing it again does.
    _write(query)
    return page.read(query)


def drawn(page: type[A]) -> A:
    """What the page that is drawn shows. For callbacks of widgets."""
    return page.read(st.session_state[HELD])[0]


def hold() -> None:
    """Keep the address that a page is drawn at, for `draw_again`."""
    st.session_state[HELD] = st.query_params.to_dict()


def heard() -> None:
    """For a fragment that looks by itself: whether the browser names the choice by now, so that none is on its way."""
    choice: Choice | None = st.session_state.get(CHOSEN)
    if choice is not None and choice.query == st.query_params.to_dict():
        del st.session_state[CHOSEN]


def draw_again() -> NoReturn:
    """Draw the whole page anew, at the address that it was drawn at. For fragments that look by themselves: the browser
    names its address when it asks for their look, and that may be the one before a choice that was drawn since."""
    st.query_params.from_dict(st.session_state[HELD])
    st.rerun(scope="app")


def _meant(page: type[Address], named: Mapping[str, str]) -> Mapping[str, str]:
    choice: Choice | None = st.session_state.get(CHOSEN)
    if choice is None:
        return named
    ctx = get_script_run_ctx(suppress_warning=True)
    by_history = ctx is not None and ctx.is_history_navigation
    late = time.monotonic() - choice.at > ON_ITS_WAY_SECONDS
    if choice.page != page.page or by_history or late:
        del st.session_state[CHOSEN]
        return named
    return choice.query if named in choice.before else named


def _choose(page: str, query: Mapping[str, str]) -> None:
    ctx = get_script_run_ctx(suppress_warning=True)
    if ctx is not None and ctx.fragment_ids_this_run:
        return
    choice: Choice | None = st.session_state.get(CHOSEN)
    before = choice.before if choice is not None and choice.page == page else ()
    replaced = (*before[-MOST_BEFORE:], st.query_params.to_dict())
    st.session_state[CHOSEN] = Choice(page, dict(query), replaced, time.monotonic())
    _write(query)


def _write(query: Mapping[str, str]) -> None:
    st.query_params.from_dict(query)
    hold()


def draw_problems(problems: Iterable[str]) -> None:
    for problem in problems:
        st.warning(words.plain(problem), icon=":material/warning:")


def go(to: Address | type[Address], **members: str | None) -> None:
    """Ask for another look: a whole one, or the page with these members only. For callbacks of widgets, which Streamlit
    runs before it draws the page anew."""
    _choose(to.page, to.query() if isinstance(to, Address) else to.query_of(**members))


def put(address: Address, **members: str | None) -> None:
    """Write members into the address, and the window; None takes a member out. What means nothing goes too, and so does
    what another choice makes void. For callbacks of widgets."""
    query: dict[str, str] = st.session_state.get(HELD) or st.query_params.to_dict()
    gone = {*members, *address.OF_A_LIST, *address.void(query)}
    kept = {name: each for name, each in query.items() if name not in gone}
    window = {"window": address.window} if isinstance(address, Scope) else {}
    _choose(address.page, kept | window | {name: each for name, each in members.items() if each})


def draw_scope(address: Scope, names: Names, by: tuple[str, ...] = ALL) -> None:
    """`by` is what the page can be narrowed by. Draw it into a horizontal container."""
    if "window" in by:
        _draw_window(address)
    if "agent_id" in by:
        choose(address, "agent_id", "Agent", names.agents, nothing="Any, or type one", typed=True)
    if "action_type" in by:
        choose(address, "action_type", "Type", names.types, nothing="Any, or type one", typed=True)


def choose(
    address: Address,
    member: str,
    label: str,
    options: Iterable[str],
    *,
    nothing: str,
    spoken: Callable[[str], str] = words.clean,
    typed: bool = False,
    disabled: bool = False,
    help: str | None = None,
    labelled: bool = True,
) -> None:
    """A box with one of several, or none: `nothing` is what it says then. With `typed` others can be typed."""
    key, chosen = f"{address.page}_{member}", getattr(address, member)
    st.session_state[key] = chosen
    st.selectbox(
        label,
        with_chosen(chosen, options),
        format_func=spoken,
        key=key,
        on_change=lambda: put(address, **{member: st.session_state[key] and str(st.session_state[key])}),
        width=WIDTH,
        index=None,
        placeholder=nothing,
        accept_new_options=typed,
        disabled=disabled,
        help=help,
        label_visibility="visible" if labelled else "collapsed",
    )


def choose_part(
    address: Address,
    member: str,
    label: str,
    titles: Mapping[Any, str],
    go: Callable[[StrEnum], None] | None = None,
    *,
    labelled: bool = False,
) -> None:
    """Which part of a page is shown. `titles` are the parts in their order; `go` opens the one that was pressed, and is
    given it; without it the part is written into the address."""
    key = f"{address.page}_{member}"
    st.session_state[key] = getattr(address, member)

    def chosen() -> None:
        part = st.session_state[key]
        if go is None:
            put(address, **{member: str(part)})
        else:
            go(part)

    st.segmented_control(
        label,
        list(titles),
        format_func=titles.__getitem__,
        required=True,
        key=key,
        on_change=chosen,
        label_visibility="visible" if labelled else "collapsed",
    )


def with_chosen(chosen: str | None, known: Iterable[str]) -> list[str]:
    """The options, with what is chosen among them."""
    options = list(known)
    return options if chosen is None or chosen in options else [chosen, *options]


def _draw_window(address: Scope) -> None:
    key, days = f"{address.page}_window", f"{address.page}_days"
    custom = address.window not in WINDOWS
    st.session_state[key] = CUSTOM if custom else address.window

    def chosen() -> None:
        window = st.session_state[key]
        put(address, window=CUSTOM_WINDOW if window == CUSTOM else window)

    st.selectbox("Window", [*WINDOWS, CUSTOM], format_func=_span, key=key, on_change=chosen, width=WIDTH)
    if custom:
        st.session_state[days] = address.days
        st.number_input(
            "Days back",
            min_value=1,
            max_value=LONGEST_DAYS,
            step=1,
            key=days,
            on_change=lambda: put(address, window=f"{st.session_state[days]}d"),
            width=WIDTH,
        )


def _span(window: str) -> str:
    if window == CUSTOM:
        return CUSTOM
    return "Last day" if window == "1d" else f"Last {window.removesuffix('d')} days"
