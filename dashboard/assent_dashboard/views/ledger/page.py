"""The ledger: what agents did and how guard decided; newest first, filtered, and each action in full.

`/ledger?window=7d&agent_id=...&action_type=...&status=...&decision=...&view=decisions` is a list,
`/ledger?action_id=act_...` an action. Widgets' keys are named where they are drawn: `ledger_controls`, `ledger_table`,
`ledger_paging`, `ledger_export`, `action_detail`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import streamlit as st

from assent import Actions, GuardDecisions, InvalidRequest, Source
from assent_analytics.charts.palette import spoken
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.ledger import action_detail, guard_decision
from assent_dashboard.views.ledger import controls as ledger_controls
from assent_dashboard.views.ledger import data as ledger_data
from assent_dashboard.views.ledger import export as ledger_export
from assent_dashboard.views.ledger import overview as ledger_overview
from assent_dashboard.views.ledger import paging as ledger_paging
from assent_dashboard.views.ledger import table as ledger_table
from assent_dashboard.views.ledger.filters import Filters, View, read
from assent_dashboard.views.ledger.links import go
from assent_dashboard.views.names import names


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
    with st.container(
        key="ledger_title", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Ledger", width="content")
        ledger_controls.draw_view(filters)
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="assent-ledger") as beside:
        asked = beside.submit(load, session, filters)
        known = names(session)
        overview = ledger_overview.load(session, filters)
        page, lost = asked.result()
    ledger_controls.draw(filters, known)
    for problem in [*problems, *lost]:
        st.warning(words.plain(problem), icon=":material/warning:")
    ledger_overview.draw(overview, filters)
    _list(session, filters if not lost else filters.at(None), page)


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
    st.info(
        f"{what} these filters in the last {filters.days} days. To see more, {advice}.", icon=":material/search_off:"
    )
