"""The page Policies: what guard goes by; `/policies?policy_id=...` opens one, `?policy_id=new` makes one.

The keys are those of the frame (`policies_…`, see `scoped_page`), of `listing` and `confirm` for the list, and of
`editor`, `form`, `condition_form`, `yaml_form`, `save_panel`, `backtesting`, `diff` and `trial` for the policy that is
open.
"""

from __future__ import annotations

import streamlit as st

from assent_dashboard.sessions import Session
from assent_dashboard.views.policies import confirm, drafts
from assent_dashboard.views.policies.data import Listing, load
from assent_dashboard.views.policies.editor import draw_editor
from assent_dashboard.views.policies.listing import draw_listing
from assent_dashboard.views.policies.matches import counted
from assent_dashboard.views.policies.tables import tables
from assent_dashboard.views.scope import Scope
from assent_dashboard.views.scoped_page import scoped_page


def draw(session: Session, scope: Scope, listing: Listing) -> None:
    said = st.session_state.pop(drafts.SAID, None)
    if isinstance(said, str):
        st.toast(said, icon=":material/check_circle:")
        st.success(said, icon=":material/check_circle:")
    policy_id = drafts.open_id()
    if policy_id is not None:
        draw_editor(session, scope, listing, policy_id)
        return
    draw_listing(session, scope, listing, counted(session, scope, listing))
    confirm.open_dialog(session)


def busy() -> bool:
    """A page that is drawn anew would take away what somebody types, or an open dialog."""
    return drafts.open_id() is not None or confirm.asking()


show = scoped_page("policies", "Policies", load=load, draw=draw, tables=tables, by=("window", "agent_id"), busy=busy)
