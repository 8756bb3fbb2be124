"""The page Ledger: what agents did and how guard decided; newest first, filtered, page by page, and each action in
full.

Widgets' keys are named where they are drawn: here, and in `table`, `overview`, `export`, `guard_decision`,
`action`.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from assent import Actions, ActionStatus, Decision, GuardDecisions, InvalidRequest, Source
from assent_analytics.charts.palette import spoken
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import LedgerAddress, LedgerView, in_words
from assent_dashboard.views.answers import FRESH_SECONDS, asked, checked_at
from assent_dashboard.views.blocks import empty
from assent_dashboard.views.controls import Names, choose, choose_part, draw_problems, draw_scope, go, here, names
from assent_dashboard.views.frame import beat, draw_checked
from assent_dashboard.views.ledger import action, guard_decision
from assent_dashboard.views.ledger import data as ledger_data
from assent_dashboard.views.ledger import export as ledger_export
from assent_dashboard.views.ledger import overview as ledger_overview
from assent_dashboard.views.ledger import table as ledger_table
from assent_dashboard.views.ledger.data import PAGE

AGE_SECONDS, BEAT_SECONDS = 15.0, 5.0
SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    action = client.create_action("pay", "Pay invoice 7")
    client.update_outcome(action.action_id, status="completed")
"""


def show(session: Session) -> None:
    filters, problems = here(LedgerAddress)
    if filters.action_id:
        # Who comes here from a decision finds the list without it on the way back.
        guard_decision.forget()
        action.show(session, filters, filters.action_id)
        return
    _draw_list(session, filters, problems)


def _draw_list(session: Session, filters: LedgerAddress, problems: list[str]) -> None:
    st.set_page_config(page_title="Ledger · Assent")
    coming = asked("ledger", lambda: load(session, filters), filters)
    pictures, late = ledger_overview.begin(session, filters), not ledger_overview.is_here(filters)
    with st.container(
        key="ledger_title", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Ledger", width="content")
        draw_view(filters)
    draw_filters(filters, names(session))
    last = st.container()
    with st.spinner("Asking the service", show_time=True):
        kept = coming()
    page, lost = kept.answer
    with last:
        draw_checked("ledger", checked_at(session, kept), session.clock.now(), "ledger", ledger_overview.NAME)
    draw_problems([*problems, *lost])
    shown = filters if not lost else filters.at(None)
    _head(session, shown, page)
    above = st.container(key="ledger_above")
    if late:
        with above:
            ledger_overview.keep_place()
    _list(session, shown, page)
    with above:
        ledger_overview.draw(pictures(), filters)
    beat(lambda: kept.age >= FRESH_SECONDS, every=BEAT_SECONDS, age=AGE_SECONDS, paused=guard_decision.is_chosen())


def load(session: Session, filters: LedgerAddress) -> tuple[Actions | GuardDecisions, list[str]]:
    """A page of the list; the first one, and a sentence about it, when the address names a page that is none."""
    ask = ledger_data.actions if filters.view is LedgerView.ACTIONS else ledger_data.decisions
    try:
        return ask(session.client, filters), []
    except InvalidRequest:
        if filters.cursor is None:
            raise
        return ask(session.client, filters.at(None)), ["The address names a page that is none; this is the first one."]


def _head(session: Session, filters: LedgerAddress, page: Actions | GuardDecisions) -> None:
    """What there is of it, before any picture."""
    rows = page.actions if isinstance(page, Actions) else page.decisions
    if not rows:
        return
    with st.container(
        key="ledger_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.markdown(_counts(page))
        ledger_export.draw(session, filters, page.total)
    simulated = sum(row.source is Source.SIMULATED for row in rows)
    if simulated:
        st.caption(
            f":violet-badge[simulated] {words.amount(simulated)} of the {len(rows)} rows on this page were made by a "
            "simulator. They never happened."
        )


def _list(session: Session, filters: LedgerAddress, page: Actions | GuardDecisions) -> None:
    rows = page.actions if isinstance(page, Actions) else page.decisions
    if not rows:
        _nothing(filters)
        return
    if isinstance(page, Actions):
        guard_decision.forget()
        ids = [action.action_id for action in page.actions]
        ledger_table.draw(
            ledger_table.of_actions(page.actions), LedgerView.ACTIONS, partial(_open_action, filters, ids)
        )
    else:
        listed = page.decisions
        ledger_table.draw(
            ledger_table.of_decisions(listed), LedgerView.DECISIONS, partial(guard_decision.choose, listed)
        )
        guard_decision.show_chosen(session, filters)
    draw_paging(filters, page.next_cursor, shown=len(rows), total=page.total)


def _open_action(filters: LedgerAddress, ids: list[str], row: int) -> None:
    go(filters.opened(ids[row]))


def _counts(page: Actions | GuardDecisions) -> str:
    if isinstance(page, GuardDecisions):
        parts = [f"{words.amount(count)} {spoken(name)}" for name, count in page.by_decision.items()]
        return f"**{words.several(page.total, 'decision')}**" + "".join(f" · {part}" for part in parts)
    stats = page.stats
    parts = [
        f"{words.amount(stats.completed)} completed",
        f"{words.amount(stats.failed)} failed",
        f"{words.amount(stats.running)} running",
        f"{words.amount(max(0, page.total - stats.completed - stats.failed - stats.running))} stopped, or waiting",
        f"{words.amount(stats.high_risk)} of risk 70 and more",
        f"mean risk {stats.avg_risk:.0f}",
    ]
    return f"**{words.several(page.total, 'action')}** · " + " · ".join(parts)


def _nothing(filters: LedgerAddress) -> None:
    what = "No action fits" if filters.view is LedgerView.ACTIONS else "No decision fits"
    advice = "take a filter out or look further back" if filters.narrowed else "look further back"
    told = f"{what} these filters in {in_words(filters.window)}."
    if filters.narrowed:
        empty(told, f"To see more, {advice}.", key="ledger_empty")
    else:
        empty(
            told, f"To see more, {advice}; or connect an agent, which asks before it acts:", SNIPPET, key="ledger_empty"
        )


# The widgets that filter the ledger.
#
# Keys: `ledger_filters` around them; those of `controls`, `ledger_view`, `ledger_status`, `ledger_decision`,
# `ledger_clear`.


def draw_view(filters: LedgerAddress) -> None:
    """Which list; it stands beside the title."""
    choose_part(filters, "view", "Show", {view: str(view).capitalize() for view in LedgerView})


def status_in_words(status: str) -> str:
    """Not only what was cancelled ends as that (`contract.control.actions.standing`)."""
    return "denied or cancelled" if status == ActionStatus.CANCELLED else spoken(status)


def draw_filters(filters: LedgerAddress, names: Names) -> None:
    with st.container(key="ledger_filters", horizontal=True, vertical_alignment="bottom", gap="small"):
        draw_scope(filters, names)
        choose(
            filters,
            "status",
            "Status",
            ActionStatus,
            nothing="Any status",
            spoken=status_in_words,
            disabled=filters.view is LedgerView.DECISIONS,
            help="What was denied, expired or was withdrawn is cancelled, too; each row says which it was.",
        )
        choose(filters, "decision", "Decision", Decision, nothing="Any decision", spoken=spoken)
        if filters.narrowed:
            cleared = LedgerAddress(window=filters.window, view=filters.view)
            st.button(
                "Clear",
                key="ledger_clear",
                type="tertiary",
                on_click=go,
                args=(cleared,),
                help="Leave only the window.",
            )


# From one page of the list to the next. The address holds the page that is shown, the session the way there.
#
# Keys: `ledger_paging` around them, `ledger_newer`, `ledger_older`.


TRAIL = "ledger_trail"
"""The cursors of the pages before the one shown, in their order; the first page has none and stands as ""."""


def draw_paging(filters: LedgerAddress, following: str | None, *, shown: int, total: int) -> None:
    trail = trail_to(filters.cursor, st.session_state.get(TRAIL, []))
    st.session_state[TRAIL] = trail
    with st.container(key="ledger_paging", horizontal=True, horizontal_alignment="center", vertical_alignment="center"):
        st.button("Newer", key="ledger_newer", disabled=filters.cursor is None, on_click=_back, args=(filters,))
        st.caption(position(filters.cursor, trail, shown, total), width="content")
        st.button(
            "Older",
            key="ledger_older",
            disabled=following is None,
            on_click=_onward,
            args=(filters, following),
        )


def trail_to(cursor: str | None, trail: list[str]) -> list[str]:
    """The way to the page that is shown: none to the first page, and none known to a page that a link led to."""
    if cursor is None:
        return []
    return trail[: trail.index(cursor)] if cursor in trail else trail


def position(cursor: str | None, trail: list[str], shown: int, total: int) -> str:
    """`51–100 of 753`; only the total where a link led into the middle of the list."""
    if cursor is not None and not trail:
        return f"{words.amount(shown)} of {words.amount(total)}"
    first = len(trail) * PAGE
    return f"{words.amount(first + 1)}–{words.amount(first + shown)} of {words.amount(total)}"


def _onward(filters: LedgerAddress, following: str) -> None:
    st.session_state[TRAIL] = [*st.session_state.get(TRAIL, []), filters.cursor or ""]
    go(filters.at(following))


def _back(filters: LedgerAddress) -> None:
    trail: list[str] = st.session_state.get(TRAIL, [])
    st.session_state[TRAIL] = trail[:-1]
    go(filters.at(trail[-1] if trail and trail[-1] else None))
