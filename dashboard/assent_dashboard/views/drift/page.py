"""The page Drift: what changed in how agents work, when, from what to what, and how sure that is.

Alerts come first, since each stands for a change that is certain; then the days of what is looked at with the moment
of the change marked; then two windows compared over everything at once. The address holds `window`, `agent_id`,
`action_type`, `alert_id`, `metric`, `recent` and `alerts`.

Keys, besides those of the frame: see `alerts`, `series` and `comparison`.
"""

from __future__ import annotations

import streamlit as st

from assent import EventName
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import DriftAddress
from assent_dashboard.views.drift.alerts import draw_alerts
from assent_dashboard.views.drift.comparison import begin_comparison, draw_comparison
from assent_dashboard.views.drift.data import DriftData, alerts_frame, focus_of, load
from assent_dashboard.views.drift.series import begin_series, draw_distribution, draw_series
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.press import draw_report

EVENTS = frozenset({EventName.DRIFT_ALERT, EventName.DRIFT_ALERT_UPDATED})


def draw(session: Session, address: DriftAddress, found: DriftData) -> None:
    focus = focus_of(address, found.alerts)
    # Both take long with a long history: they are asked for now and waited for where they are drawn.
    series = begin_series(session, address, focus)
    comparison = begin_comparison(session, address)
    draw_report()
    if address.alert_id is not None and focus.alert is None:
        st.info(
            f"The alert {words.code(address.alert_id)} is not in this list: it was acknowledged or removed, or another "
            "agent or type is chosen.",
            icon=":material/search_off:",
        )
    draw_alerts(session, address, found, focus)
    draw_series(address, found, focus, series)
    draw_distribution(session, address, focus)
    draw_comparison(address, comparison)


show = scoped_page(
    DriftAddress,
    "Drift",
    load=lambda session, address: load(session.client, address),
    draw=draw,
    tables=lambda found: {"alerts": alerts_frame(found.alerts)},
    question=lambda address: address.alerts,
    events=EVENTS,
)
