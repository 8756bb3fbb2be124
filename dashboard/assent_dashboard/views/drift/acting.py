"""What a person does with an alert: take note of it, or take it off the list. Both hold at once and cannot be undone,
so each asks a second time, in a popover beside the alert that says what it does.

Keys: `drift_note_<id>` and `drift_remove_<id>` are the popovers, `drift_noted_<id>` and `drift_removed_<id>` the
buttons in them.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from assent import Role
from assent.contract.drift import DriftAlert
from assent.errors import NotFound
from assent_dashboard.sessions import Session
from assent_dashboard.views.attempt import attempt
from assent_dashboard.views.kept import forget
from assent_dashboard.views.told import keep


def draw_acting(session: Session, alert: DriftAlert) -> None:
    if not alert.acknowledged:
        with st.popover("Acknowledge", icon=":material/done:", key=f"drift_note_{alert.id}"):
            st.markdown(
                "You have seen it. Guard and lessons no longer warn of it; the alert moves to the acknowledged ones, "
                "with your key's name."
            )
            st.button(
                "Acknowledge this alert",
                key=f"drift_noted_{alert.id}",
                type="primary",
                on_click=_do,
                args=(lambda: session.client.acknowledge_drift_alert(alert.id), "Acknowledged"),
            )
    admin = session.key.role is Role.ADMIN
    with st.popover("Remove", icon=":material/delete:", key=f"drift_remove_{alert.id}"):
        st.markdown(
            "It leaves the list and every count. The evidence log keeps it."
            if admin
            else "To take an alert off the list, an admin key is needed. With this key you can acknowledge it."
        )
        st.button(
            "Remove this alert",
            key=f"drift_removed_{alert.id}",
            type="primary",
            disabled=not admin,
            on_click=_do,
            args=(lambda: session.client.delete_drift_alert(alert.id), "Removed"),
        )


def _do(act: Callable[[], object], did: str) -> None:
    def once() -> None:
        try:
            act()
        except NotFound:
            raise ValueError("Somebody else removed this alert before.") from None

    _, problem = attempt(once, "look at the list before you press again")
    keep(did, problem)
    forget("drift")
