"""The ledger: what agents did and how guard decided; newest first, filtered, and each action in full.

`/ledger?window=7d&agent_id=...&action_type=...&status=...&decision=...&view=decisions` is a list,
`/ledger?action_id=act_...` an action. Widgets' keys are named where they are drawn: `ledger_controls`, `ledger_table`,
`ledger_paging`, `ledger_export`, `ledger_again`, `action_detail`.
"""

from __future__ import annotations

from functools import partial

import streamlit as st

from assent import Actions, GuardDecisions, InvalidRequest, Source
from assent_analytics.charts.palette import spoken
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.checked import draw_checked
from assent_dashboard.views.empty import empty
from assent_dashboard.views.kept import FRESH_SECONDS, asked, checked_at
from assent_dashboard.views.ledger import action_detail, guard_decision
from assent_dashboard.views.ledger import controls as ledger_controls
from assent_dashboard.views.ledger import data as ledger_data
from assent_dashboard.views.ledger import export as ledger_export
from assent_dashboard.views.ledger import overview as ledger_overview
from assent_dashboard.views.ledger import paging as ledger_paging
from assent_dashboard.views.ledger import table as ledger_table
from assent_dashboard.views.ledger.filters import Filters, View, read, void
from assent_dashboard.views.ledger.links import go
from assent_dashboard.views.live import beat
from assent_dashboard.views.names import names
from assent_dashboard.views.scope import in_words

AGE_SECONDS, BEAT_SECONDS = 15.0, 5.0
SNIPPET = """from assent import Client

with Client(agent_id="payer") as client:
    action = client.create_action("pay", "Pay invoice 7")
    client.update_outcome(action.action_id, status="completed")
"""


def show(session: Session) -> None:
    address = st.query_params.to_dict()
    # A link from this page to this page reaches the script and not the browser's address; saying it again does.
    st.query_params.from_dict(address)
    filters, problems = read(address)
    if filters.action_id:
        # Who comes here from a decision finds the list without it on the way back.
        guard_decision.forget()
        action_detail.show(session, filters, filters.action_id)
        return
    _draw_list(session, filters, problems, void(address, filters))


def _draw_list(session: Session, filters: Filters, problems: list[str], unread: tuple[str, ...]) -> None:
    st.set_page_config(page_title="Ledger · Assent")
    coming = asked("ledger", lambda: load(session, filters), filters)
    pictures, late = ledger_overview.begin(session, filters), not ledger_overview.is_here(filters)
    with st.container(
        key="ledger_title", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Ledger", width="content")
        ledger_controls.draw_view(filters)
    ledger_controls.draw(filters, names(session), unread)
    last = st.container()
    with st.spinner("Asking the service", show_time=True):
        kept = coming()
    page, lost = kept.answer
    with last:
        draw_checked("ledger", checked_at(session, kept), session.clock.now(), "ledger", ledger_overview.NAME)
    for problem in [*problems, *lost]:
        st.warning(words.plain(problem), icon=":material/warning:")
    above = st.container(key="ledger_above")
    if late:
        with above:
            ledger_overview.keep_place()
    _list(session, filters if not lost else filters.at(None), page)
    with above:
        ledger_overview.draw(pictures(), filters)
    beat(lambda: kept.age >= FRESH_SECONDS, every=BEAT_SECONDS, age=AGE_SECONDS, paused=guard_decision.is_chosen())


def load(session: Session, filters: Filters) -> tuple[Actions | GuardDecisions, list[str]]:
    """A page of the list; the first one, and a sentence about it, when the address names a page that is none."""
    ask = ledger_data.actions if filters.view is View.ACTIONS else ledger_data.decisions
    try:
        return ask(session.client, filters), []
    except InvalidRequest:
        if filters.cursor is None:
            raise
        return ask(session.client, filters.at(None)), ["The address names a page that is none; this is the first one."]


def _list(session: Session, filters: Filters, page: Actions | GuardDecisions) -> None:
    rows = page.actions if isinstance(page, Actions) else page.decisions
    if not rows:
        _nothing(filters)
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
    if isinstance(page, Actions):
        guard_decision.forget()
        ids = [action.action_id for action in page.actions]
        ledger_table.draw(ledger_table.of_actions(page.actions), View.ACTIONS, partial(_open_action, filters, ids))
    else:
        listed = page.decisions
        ledger_table.draw(ledger_table.of_decisions(listed), View.DECISIONS, partial(guard_decision.choose, listed))
        guard_decision.show_chosen(session, filters)
    ledger_paging.draw(filters, page.next_cursor, shown=len(rows), total=page.total)


def _open_action(filters: Filters, ids: list[str], row: int) -> None:
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
        f"{words.amount(stats.high_risk)} of risk 70 and more",
        f"mean risk {stats.avg_risk:.0f}",
    ]
    return f"**{words.several(page.total, 'action')}** · " + " · ".join(parts)


def _nothing(filters: Filters) -> None:
    what = "No action fits" if filters.view is View.ACTIONS else "No decision fits"
    advice = "take a filter out or look further back" if filters.narrowed else "look further back"
    told = f"{what} these filters in {in_words(filters.window)}."
    if filters.narrowed:
        empty(told, f"To see more, {advice}.", key="ledger_empty")
    else:
        empty(
            told, f"To see more, {advice}; or connect an agent, which asks before it acts:", SNIPPET, key="ledger_empty"
        )
