"""The page Drift: what changed in how agents work, when, from what to what, and how sure that is.

Alerts come first, since each stands for a change that is certain; then the days of what is looked at with the moment
of the change marked; then two windows compared over everything at once. The address holds `window`, `agent_id`,
`action_type`, `alert_id`, `metric`, `recent` and `alerts`.

Keys, besides those of `scoped_page`: see `alerts`, `acting`, `series`, `distribution` and `comparison`.
"""

from __future__ import annotations

import streamlit as st

from assent import EventName
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.drift.alerts import draw_alerts
from assent_dashboard.views.drift.asked import Asked, focus_of, read
from assent_dashboard.views.drift.comparison import begin_comparison, draw_comparison
from assent_dashboard.views.drift.data import Found, alerts_frame, load
from assent_dashboard.views.drift.distribution import draw_distribution
from assent_dashboard.views.drift.series import begin_series, draw_series
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scope import read as read_scope
from assent_dashboard.views.scoped_page import scoped_page
from assent_dashboard.views.told import tell

EVENTS = frozenset({EventName.DRIFT_ALERT, EventName.DRIFT_ALERT_UPDATED})


def show(session: Session) -> None:
    address = st.query_params.to_dict()
    scope, _ = read_scope(address)
    asked, problems = read(address, scope)

    def draw(session: Session, scope: Scope, found: Found) -> None:
        for problem in problems:
            st.warning(words.plain(problem), icon=":material/warning:")
        _draw(session, scope, asked, found)

    scoped_page(
        "drift",
        "Drift",
        load=lambda session, scope: load(session.client, scope, asked),
        draw=draw,
        tables=lambda found: {"alerts": alerts_frame(found.alerts)},
        question=asked.shown,
        events=EVENTS,
    )(session)


def _draw(session: Session, scope: Scope, asked: Asked, found: Found) -> None:
    focus = focus_of(asked, scope, found.alerts)
    # Both take long with a long history: they are asked for now and waited for where they are drawn.
    series = begin_series(session, scope, focus)
    comparison = begin_comparison(session, scope, asked)
    tell()
    if asked.alert_id is not None and focus.alert is None:
        st.info(
            f"The alert {words.code(asked.alert_id)} is not in this list: it was acknowledged or removed, or another "
            "agent or type is chosen.",
            icon=":material/search_off:",
        )
    draw_alerts(session, scope, asked, found, focus)
    draw_series(scope, asked, found, focus, series)
    draw_distribution(session, scope, asked, focus)
    draw_comparison(scope, asked, comparison)
