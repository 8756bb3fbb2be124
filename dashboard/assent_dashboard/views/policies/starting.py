"""Where there is no policy yet: what that means, and something to begin with. Key: `policies_starter`."""

from __future__ import annotations

import streamlit as st

from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.attempt import attempt
from assent_dashboard.views.empty import empty
from assent_dashboard.views.kept import forget
from assent_dashboard.views.policies import drafts
from assent_dashboard.views.policies.save_panel import may_save

STARTER = "default"


def draw_starting(session: Session) -> None:
    empty(
        "There are no policies, so guard allows everything.",
        "Begin with the starter pack: one policy blocks irreversible destruction in production, and two only observe "
        "risk at 60 and 80, so that you see what asking would cost before anybody is asked. "
        "A policy that asks every ten seconds is switched off within a week: backtest before you enforce.",
        "assent policies import --pack default",
        language="bash",
        key="policies_empty",
    )
    admin = may_save(session)
    pressed = st.button(
        "Add the starter pack", key="policies_starter", type="primary", icon=":material/add:", disabled=not admin
    )
    if not admin:
        st.caption(":material/lock: Your key is an operator's: adding policies needs an admin key.")
    if pressed:
        added, problem = attempt(lambda: session.client.import_policies(pack=STARTER), "look at the list again")
        if added is None:
            st.error(words.plain(problem), icon=":material/error:")
            return
        forget("policies")
        st.session_state[drafts.SAID] = f"Added {words.several(added.imported, 'policy', 'policies')}"
        st.rerun()
