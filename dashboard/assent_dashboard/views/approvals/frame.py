"""What stands above the queue: what the page is asked to look at, its order, and when the service was asked."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from assent_dashboard.sessions import Session
from assent_dashboard.views import scope_controls, words
from assent_dashboard.views.approvals.inbox import FALLBACK_SECONDS, Inbox
from assent_dashboard.views.approvals.queue import Order
from assent_dashboard.views.names import names
from assent_dashboard.views.scope import Scope

ORDER = "order"
ORDERS = {order.name.lower(): order for order in Order}


def read_order(address: Mapping[str, str], problems: list[str]) -> Order:
    given = address.get(ORDER, "").strip()
    if given and given not in ORDERS:
        problems.append(f"order is {given[:40]!r}; it can be {', '.join(ORDERS)}. Showing the newest first.")
    return ORDERS.get(given, Order.NEWEST)


def draw_scope(session: Session, scope: Scope, order: Order) -> None:
    def chosen() -> None:
        picked = Order(st.session_state[ORDER] or Order.NEWEST)
        scope_controls.put(scope.window, order=None if picked is Order.NEWEST else picked.name.lower())

    with st.container(key="approvals_scope", horizontal=True, vertical_alignment="bottom", gap="small"):
        scope_controls.draw("approvals", scope, names(session))
        st.session_state[ORDER] = order
        st.segmented_control("Order", list(Order), key=ORDER, required=True, on_change=chosen)


def draw_checked(inbox: Inbox, live: bool) -> None:
    """When the service was asked, how the page stays true, and what the service's silence means."""
    now = inbox.now()
    asked = inbox.server_time
    assert asked is not None, "the page is drawn once something was read"
    how = "live" if live else f"asks every {FALLBACK_SECONDS:g} s"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"Last checked, by the service's clock: {words.moment(asked)} ({words.ago(asked, now)}; {how}). "
            "Whatever waits is shown; the window is for what was decided.",
            width="content",
        )
        st.button(
            "Check again", key="approvals_again", icon=":material/refresh:", on_click=inbox.outdate, type="tertiary"
        )
    if inbox.problem is not None:
        st.warning(
            f"The service does not answer just now. This is what it said at {words.clock(now)}; "
            "the page goes on by itself.",
            icon=":material/hourglass_empty:",
        )
